#!/usr/bin/env python3
"""A second reader of Cairn ledgers: chain, groups and fold, after vault/FORMAT.md.

    python3 fold.py            checks the vectors beside it
    python3 fold.py FILE…      folds files of lines (journals) and prints their state hashes

Needs only Python's own library. It is written to be read, not to be fast: what follows from
other records (trust, a question's answer) is taken anew after every line. It takes the form of
each field for granted (a reader that trusts nobody validates lines first) and
looks at canonical form, chain, seq, groups and what the lines do.
"""
import glob, hashlib, json, os, re, sys

FOLD = 2
LOG = {"start", "call", "refuse", "account", "pause", "wake", "name"}
FRAME = {"checkpoint", "fork", "join", "import", "root", "end"}
REASON_UNDONE, ERASED = "undone", "erased"

def sha(b): return hashlib.sha256(b).digest()

def canonical(v):
    s = json.dumps(v, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    s = re.sub(r'\\(["\\bfnrt])', lambda m: m[0] if m[1] in '"\\' else {"b": "\\u0008", "f": "\\u000c",
        "n": "\\u000a", "r": "\\u000d", "t": "\\u0009"}[m[1]], s)
    return re.sub("[<>&`\x7f]", lambda m: "\\u%04x" % ord(m[0]), s).encode()

def parse(raw):
    """Reads one canonical object, or raises ValueError."""
    if len(raw) > 65536: raise ValueError("too long")
    def pairs(p):
        if not p or len({k for k, _ in p}) != len(p): raise ValueError("a name twice, or an empty object")
        if any(not re.fullmatch("[a-z_]+", k) for k, _ in p): raise ValueError("a name in a wrong form")
        return dict(p)
    def no(x): raise ValueError("a number in a wrong form")
    v = json.loads(raw.decode("ascii"), object_pairs_hook=pairs, parse_float=no, parse_constant=no)
    def look(v, depth):
        if depth > 16: raise ValueError("nested too deep")
        if v is None or v == "" or v == []: raise ValueError("something empty")
        if type(v) is int and abs(v) > 2**53 - 1: raise ValueError("a number too large")
        if type(v) is str: v.encode()  # a lone surrogate ends here
        for x in v.values() if type(v) is dict else v if type(v) is list else ():
            look(x, depth + (type(x) in (dict, list)))
    look(v, 1)
    if type(v) is not dict or canonical(v) != raw: raise ValueError("not in canonical form")
    return v

def oid(kind, o): return kind + sha(canonical({k: v for k, v in o.items() if v})).hex()[:32]

def pick(l, *names): return {n: l.get(n) for n in names}

def plain(sentences): return [{k: s[k] for k in ("claims", "text") if s.get(k)} for s in sentences or []]

IDS = {
    "task": lambda l: oid("t", pick(l, "goal", "nonce")),
    "source": lambda l: oid("s", pick(l, "body", "file") if l.get("body") or l.get("file") else pick(l, "name")),
    "question": lambda l: oid("q", pick(l, "parent", "text")),
    "claim": lambda l: oid("c", pick(l, "basis", "question", "text")),
    "quote": lambda l: oid("k", pick(l, "claim", "from", "source", "stance", "to")),
    "assume": lambda l: oid("m", pick(l, "question", "text")),
    "tried": lambda l: oid("r", pick(l, "approach", "outcome", "question", "why")),
    "answer": lambda l: oid("w", {"question": l["question"], "sentences": plain(l["sentences"])}),
    "report": lambda l: oid("o", {"answers": l.get("answers"), "opening": plain(l.get("opening"))}),
    "note": lambda l: oid("n", pick(l, "due", "for", "on", "text")),
    "item": lambda l: oid("p", pick(l, "args", "kind", "serves")),
    "step": lambda l: oid("f", pick(l, "args", "inputs", "kind")),
}

class Refused(Exception):
    def __init__(self, code): self.code = code

def good(v): return v["verdict"] in ("right", "passed")
def bad(v): return v["verdict"] in ("wrong", "says_more", "failed")
def is_ref(b): return len(b) > 33
def place(ref):
    a, z = ref[34:].split("-")
    return ref[:33], int(a), int(z)

class Fold:
    """recs holds each record by the id under which it enters the hash. Fields whose name begins with _
    are for the fold alone. A record is never changed in place: put() takes a new one and notes the old."""

    def __init__(self):
        self.recs = {"settings": {"id": "settings"}, "plan": {"id": "plan", "order": [], "stale": False}}
        self.lines, self.seq, self.chain, self.last_checkpoint = [], 0, bytes(32), 0
        self.root, self.imported = None, None

    # -- records ---------------------------------------------------------------

    def get(self, id): return self.recs.get(id)

    def need(self, id):
        if id not in self.recs: raise Refused("unknown")
        return self.recs[id]

    def put(self, id, rec):
        self.lines[-1]["changes"].append((id, self.recs.get(id)))
        self.recs[id] = rec

    def change(self, id, **fields):
        self.put(id, dict(self.recs[id], **fields))

    def touched(self, rec, l):
        rec = dict(rec, last_by=l["by"], _last=self.seq)
        if l["by"] == "person": rec["person"] = True
        return rec

    def made(self, l, **fields):
        return dict(fields, by=l["by"], last_by=l["by"], _seq=self.seq, _last=self.seq, person=l["by"] == "person")

    def of(self, kind): return [r for i, r in self.recs.items() if len(i) == 33 and i[0] == kind]

    def live(self, r): return r["standing"] not in ("retracted", "superseded")

    def sticky(self, r, l):
        if r.get("person") and l["by"] != "person": raise Refused("sticky")

    def held(self, q, l):
        if q.get("person") and l["by"] in ("model", "program"): raise Refused("sticky")

    def asks(self, l, question):
        if question:
            q = self.need(question)
            if q["status"] == "dropped": self.held(q, l)

    # -- what rests on what ------------------------------------------------------

    def stands_for(self, id):
        c = self.get(id)
        for _ in range(len(self.recs)):
            if c is None or not c.get("merged") or c["standing"] != "superseded": break
            c = self.get(c["into"])
        return c

    def element(self, b):
        """(it stands, it is not stale)"""
        if is_ref(b) or b[0] == "s":
            s = self.get(b[:33])
            on = s is not None and not s.get("aside") and s.get("missing") != ERASED
            return on, on
        r = self.stands_for(b) if b[0] == "c" else self.get(b)
        return r is not None and self.live(r), r is not None and not r.get("stale") and r["standing"] != "stale"

    def fresh(self, ids): return all(all(self.element(b)) for b in ids)

    def rests_on(self, r):
        k = r["id"][0]
        if k == "c": return r.get("basis") or []
        if k == "q": return r.get("claims") or []
        if k == "w": return [c for s in r["sentences"] for c in s.get("claims", [])]
        if k == "o": return [c for s in r["opening"] for c in s.get("claims", [])] + (r.get("answers") or [])
        return []

    def names(self, r, on):
        for b in self.rests_on(r):
            if b == on or b[:33] == on: return True
            if not is_ref(b) and b[0] == "c":
                c = self.stands_for(b)
                if c and c["id"] == on: return True
        return False

    def rests_upon(self, id, on):
        seen, queue = set(), [id]
        while queue:
            c = self.get(queue.pop())
            if c is None or c["id"] in seen: continue
            seen.add(c["id"])
            for b in c.get("basis") or []:
                m = None if is_ref(b) or b[0] != "c" else self.stands_for(b)
                if m is None: continue
                if b == on or m["id"] == on: return True
                queue.append(m["id"])
        return False

    def on_itself(self, id):
        c = self.stands_for(id)
        return self.rests_upon(id, id) or c is not None and c["id"] != id and self.rests_upon(c["id"], c["id"])

    def set_stale(self, id):
        k = id[0]
        self.change(id, **({"standing": "stale"} if k in "wo" else {"stale": True}))

    def is_stale(self, r): return r.get("stale") or r.get("standing") == "stale"

    def can_be_stale(self, r):
        k = r["id"][0]
        return k in "cwo" and self.live(r) or k == "q" and r["status"] == "closed"

    def make_stale(self, id):
        seen, queue = {id}, [id]
        while queue:
            on = queue.pop(0)
            for r in [r for k in "cqwo" for r in self.of(k)]:
                if r["id"] in seen or not self.can_be_stale(r) or not self.names(r, on): continue
                if not self.is_stale(r): self.set_stale(r["id"])
                seen.add(r["id"])
                queue.append(r["id"])

    def restale(self, id):
        r = self.get(id) if id[0] in "cwoq" and len(id) == 33 else None
        if r and self.can_be_stale(r) and not self.is_stale(r) and not self.fresh(self.rests_on(r)): self.set_stale(id)

    # -- what follows from the rest -------------------------------------------------

    def derive(self):
        for q in self.of("q"):
            now = ""
            for w in self.of("w"):
                if w["question"] == q["id"] and self.live(w): now = w["id"]
            self.recs[q["id"]] = dict(q, answer=now)
        for _ in range(len(self.recs) + 1):
            same = True
            for c in self.of("c"):
                t = self.trust(c)
                if t != c.get("trust"): self.recs[c["id"]], same = dict(c, trust=t), False
            if same: break

    def trust(self, c):
        basis = c.get("basis") or []
        if not all(self.element(b)[0] for b in basis): return 0
        t, limit, derived = 0, 3, False
        for b in basis:
            if is_ref(b): continue
            derived = True
            if b[0] == "m": limit = min(limit, 3 if self.recs[b].get("checked") else 0)
            else: limit = min(limit, self.stands_for(b).get("trust", 0))
        if derived: t = 1
        for e in c["evidence"]:
            if e["stance"] == "supports" and not e.get("reported") and self.element(e["source"])[0]: t = 1
        last = {}
        for v in c["checks"]:
            if not v.get("reported") and v["verdict"] != "unsure": last[v["how"]] = v
        if "calculation" in last and good(last["calculation"]) and (derived or not basis): t = max(t, 1)
        if "model" in last and good(last["model"]) and t >= 1: t = 2
        if "person" in last: t = 3 if good(last["person"]) else min(t, 1)
        return min(t, limit)

    # -- lines -------------------------------------------------------------------

    def apply(self, raw):
        """Takes the next line; gives the code of what it found, or None."""
        v = parse(raw)
        if set(v) == {"h"}:
            self.seq += 1
            self.chain = sha(self.chain + bytes.fromhex(v["h"]))
            self.lines.append({"op": "", "by": "", "changes": [], "undid": 0, "gone": False})
            return None
        if v.get("v") != 1: raise ValueError("needs format version %s" % v.get("v"))
        if v["prev"] != self.chain.hex() or v["seq"] != self.seq + 1: raise ValueError("line %d does not continue the one before it" % (self.seq + 1))
        before = self.chain
        self.seq, self.chain = self.seq + 1, sha(self.chain + sha(raw))
        self.lines.append({"op": v["op"], "by": v["by"], "changes": [], "undid": 0, "gone": False})
        if v["op"] in LOG: return None
        if v["op"] in FRAME: return self.frame(v, before)
        recs = dict(self.recs)
        try:
            if "task" not in self.recs and v["op"] != "task": raise Refused("form")
            getattr(self, v["op"])(v)
            self.derive()
        except Refused as r:
            self.recs, self.lines[-1]["changes"] = recs, []
            return r.code
        return None

    def frame(self, l, before):
        if l["op"] == "root":
            if l["seq"] != 1: return "form"
            self.root = l
        elif l["op"] == "fork":
            if l["parent"] != before.hex() or self.last_checkpoint != l["seq"] - 1: return "form"
        elif l["op"] == "import":
            if l["known"] >= l["seq"]: return "form"
            self.imported = l
            for r in self.of("c") + self.of("m"): self.cap(r["id"])
            self.derive()
        elif l["op"] == "checkpoint":
            self.last_checkpoint = l["seq"]
            if l["fold"] == FOLD and l["state"] != self.hash().hex(): return "state"
        return None

    def capped(self, seq): return self.imported is not None and self.imported["known"] < seq < self.imported["seq"]

    def cap(self, id):
        """What an import caps; it is no change that an undo looks at."""
        r = dict(self.recs[id])
        if id[0] == "m":
            r["_said"] = [dict(v, reported=bool(v["_marked"] or self.capped(v["_seq"]))) for v in r["_said"]]
            self.settle_assumption(r)
        else:
            r["evidence"] = [dict(e, reported=bool((e["_marked"] or self.capped(e["_seq"])) and (not e.get("_cleared") or self.capped(e["_cleared"]))))
                for e in r["evidence"]]
            r["checks"] = [dict(v, reported=bool(v["_marked"] or self.capped(v["_seq"]))) for v in r["checks"]]
            here = any(good(v) and v["how"] in ("person", "calculation") and not v["_marked"] and not self.capped(v["_seq"]) for v in r["checks"])
            r["reported"] = bool((r["_marked"] or self.capped(r["_seq"])) and not here)
        self.recs[id] = r

    def settle_assumption(self, r):
        r["checked"] = False
        for v in r["_said"]:
            if not v.get("reported") and (good(v) or bad(v)): r["checked"] = good(v)

    # -- ops: the task -------------------------------------------------------------

    def task(self, l):
        if "task" in self.recs or l["seq"] != 1 and not self.root: raise Refused("form")
        self.put("task", dict(pick(l, "acceptance", "constraints", "goal", "title"), id=IDS["task"](l)))

    def amend(self, l):
        self.change("task", **{l["field"]: l.get("text") or l.get("list")})
        if l["field"] == "goal":
            self.change("plan", stale=True)
            for o in self.of("o"):
                if self.live(o) and not self.is_stale(o): self.set_stale(o["id"])

    def set(self, l):
        r = dict(self.recs["settings"])
        for n in ("budget", "context", "predict", "read_rate", "token_bytes", "write_rate", "depth", "digest"):
            if n in l: r[n] = l[n]
        if r.get("budget", 0) < 0: r["budget"] = 0
        if "model" in l: r.update(model=l["model"], trial=l.get("trial"), digest=l.get("digest"))
        self.put("settings", r)

    def source(self, l):
        id = IDS["source"](l)
        old = self.get(id)
        if old:
            if any((old.get(n) or 0) != (l.get(n) or 0) for n in ("table", "sentences", "bytes", "reason")): raise Refused("D9")
            if old.get("missing"): self.put(id, self.touched(dict(old, missing=""), l))
            return
        if l.get("parent"):
            self.need(l["parent"])
            self.change(l["parent"], newer=id)
        self.put(id, self.made(l, id=id, **pick(l, "body", "bytes", "extractor", "file", "media", "name", "parent", "reason", "sentences", "table", "title")))

    def missing(self, l):
        old = self.need(l["id"])
        if old.get("missing") == ERASED: raise Refused("standing")
        self.put(l["id"], self.touched(dict(old, missing=l["reason"]), l))

    def scope(self, l):
        old = self.need(l["id"])
        aside = (l.get("reason") or "-") if l["state"] == "aside" else ""
        if aside == (old.get("aside") or ""): return
        self.put(l["id"], self.touched(dict(old, aside=aside), l))
        if not old.get("aside"): self.make_stale(l["id"])

    def erase(self, l):
        for s in self.of("s"):
            if s.get("missing") != ERASED and s.get("body") and s["body"] in l["blobs"]:
                self.put(s["id"], self.touched(dict(s, missing=ERASED), l))
                self.make_stale(s["id"])

    # -- ops: knowledge ------------------------------------------------------------

    def question(self, l):
        id = IDS["question"](l)
        if self.get(id): return
        self.asks(l, l.get("parent"))
        self.put(id, dict(self.made(l, id=id, text=l["text"], parent=l.get("parent"), status="open"), person=False))

    def close(self, l):
        old = self.need(l["id"])
        self.held(old, l)
        if old["status"] == "dropped" or old["status"] == "closed" and not old.get("stale") and l["by"] != "person": raise Refused("standing")
        self.sticky(old, l)
        claims = sorted(set(l.get("claims") or []))
        for c in claims:
            if not self.live(self.need(c)): raise Refused("standing")
        self.put(l["id"], self.touched(dict(old, status="closed", reason=l.get("reason"), claims=claims,
            stale=any(self.recs[c].get("stale") for c in claims)), l))

    def drop(self, l):
        old = self.need(l["id"])
        if old["status"] == "dropped": raise Refused("standing")
        self.put(l["id"], self.touched(dict(old, status="dropped", reason=l.get("reason"), stale=False), l))

    def park(self, l):
        old = self.need(l["id"])
        if l["id"][0] == "p":
            if old.get("removed"): raise Refused("standing")
            return self.change(l["id"], parked=l["reason"])
        if old["status"] not in ("open", "parked"): raise Refused("standing")
        self.put(l["id"], self.touched(dict(old, status="parked", reason=l["reason"]), l))

    def reopen(self, l):
        old = self.need(l["id"])
        if l["id"][0] == "p":
            if old.get("removed") or not old.get("parked"): raise Refused("standing")
            return self.change(l["id"], parked="")
        if old["status"] == "open": raise Refused("standing")
        stands = any(c and self.live(c) for c in map(self.stands_for, old.get("claims") or []))
        if l["by"] != "person" and old.get("person") and (old["status"] == "dropped" or stands): raise Refused("sticky")
        self.put(l["id"], dict(self.touched(dict(old, status="open", reason=l.get("reason"), claims=[], stale=False), l), person=False))
        if self.get("barren/" + l["id"]) and self.recs["barren/" + l["id"]]["count"]: self.change("barren/" + l["id"], count=0)

    def has_place(self, source, a, z):
        if not 1 <= a <= z <= (self.need(source).get("sentences") or 0): raise Refused("place")

    def evidence(self, l, claim, slice, stance):
        marked = bool(l.get("reported"))
        k = IDS["quote"]({"claim": claim, "from": slice["from"], "source": slice["source"], "stance": stance, "to": slice["to"]})
        return dict(pick(slice, "from", "level", "source", "text", "to"), id=k, stance=stance, by=l["by"], reported=marked, _seq=self.seq, _marked=marked)

    def rejected(self, c): return c.get("person") and not self.live(c)

    def claim(self, l):
        id, basis, quotes = IDS["claim"](l), l.get("basis") or [], l.get("quotes") or []
        old = self.get(id)
        if old:
            if any(e["text"] != q["text"] for e, q in zip(old["evidence"], quotes)): raise Refused("D9")
            return
        self.asks(l, l.get("question"))
        for b in basis:
            if is_ref(b): self.has_place(*place(b))
            else: self.need(b)
        contested = "D18" in (l.get("flags") or [])
        if l["by"] != "person":
            mine = [place(b) for b in basis if is_ref(b)]
            for c in self.of("c"):
                if not self.rejected(c) or (c.get("question") or "") != (l.get("question") or ""): continue
                if (c.get("basis") or []) == basis: raise Refused("sticky")
                for s, a, z in (place(b) for b in c.get("basis") or [] if is_ref(b)):
                    if any(s == t and a <= y and x <= z for t, x, y in mine): contested = True
        self.put(id, self.made(l, id=id, question=l.get("question"), text=l.get("text"), basis=basis, flags=l.get("flags"), standing="active",
            evidence=[self.evidence(l, id, q, "supports") for q in quotes], checks=[], contested=contested, stale=not self.fresh(basis), trust=None,
            reported=bool(l.get("reported")), _marked=bool(l.get("reported"))))

    def quote(self, l):
        old = self.need(l["claim"])
        self.has_place(l["source"], l["from"], l["to"])
        e = self.evidence(l, l["claim"], l, l["stance"])
        for o in old["evidence"]:
            if o["id"] == e["id"]:
                if o["text"] != e["text"]: raise Refused("D9")
                return
        self.put(old["id"], dict(old, evidence=old["evidence"] + [e], contested=old.get("contested") or l["stance"] == "contradicts",
            last_by=l["by"], _last=self.seq))

    def set_standing(self, l, id, to, into="", reason=""):
        r = self.touched(dict(self.recs[id], standing=to, into=into, reason=reason), l)
        if id[0] == "c":
            r["merged"] = False
            if to == "active": r["stale"] = False
        self.put(id, r)

    def retract(self, l):
        old = self.need(l["id"])
        if not self.live(old): raise Refused("standing")
        self.sticky(old, l)
        self.set_standing(l, l["id"], "retracted", "", l["reason"])
        self.make_stale(l["id"])

    def supersede(self, l):
        old, into = self.need(l["id"]), self.need(l["into"])
        if not self.live(old) or into["standing"] == "retracted" and l["by"] != "person": raise Refused("standing")
        self.sticky(old, l)
        if not self.live(into): self.sticky(into, l)
        if l["id"][0] == "c" and self.rests_upon(l["into"], l["id"]): raise Refused("D13")
        if not self.live(into):
            self.set_standing(l, l["into"], "active")
            if l["id"][0] == "c" and self.on_itself(l["into"]): raise Refused("D13")
            self.restale(l["into"])
            if self.is_stale(self.recs[l["into"]]): self.make_stale(l["into"])
        elif l["by"] == "person" and l["into"][0] == "c" and not into.get("person"):
            self.put(l["into"], self.touched(into, l))
        self.set_standing(l, l["id"], "superseded", l["into"])
        self.make_stale(l["id"])

    def merge(self, l):
        a, b = self.need(l["id"]), self.need(l["into"])
        if not self.live(a) or not self.live(b): raise Refused("standing")
        self.sticky(a, l)
        self.sticky(b, l)
        if self.rests_upon(b["id"], a["id"]): raise Refused("D13")
        evidence = list(b["evidence"])
        for e in a["evidence"]:
            e = dict(e, id=IDS["quote"](dict(pick(e, "from", "source", "stance", "to"), claim=b["id"])))
            if all(o["id"] != e["id"] for o in evidence): evidence.append(e)
        self.put(a["id"], self.touched(dict(a, standing="superseded", merged=True, into=b["id"]), l))
        self.put(b["id"], self.touched(dict(b, evidence=evidence), l))
        if b.get("stale"): self.make_stale(b["id"])

    def renew(self, l):
        old = self.need(l["id"])
        if l["id"][0] == "q":
            self.held(old, l)
            if old["status"] != "closed" or not old.get("stale") or not self.fresh(old["claims"]): raise Refused("standing")
            return self.put(l["id"], dict(old, stale=False, last_by=l["by"], _last=self.seq))
        self.sticky(old, l)
        if old["standing"] != "retracted" and not self.is_stale(old) or not self.fresh(self.rests_on(old)): raise Refused("standing")
        if old["standing"] == "superseded": raise Refused("standing")
        self.set_standing(l, l["id"], "active")

    def assume(self, l):
        id = IDS["assume"](l)
        if self.get(id): return
        self.asks(l, l.get("question"))
        marked = bool(l.get("reported"))
        r = self.made(l, id=id, question=l.get("question"), text=l["text"], standing="active",
            _said=[{"verdict": "right", "reported": marked, "_marked": marked, "_seq": self.seq}] if l["by"] == "person" else [])
        self.settle_assumption(r)
        self.put(id, r)

    def tried(self, l):
        id = IDS["tried"](l)
        if self.get(id): return
        self.asks(l, l.get("question"))
        self.put(id, self.made(l, id=id, standing="active", **pick(l, "approach", "outcome", "question", "why")))

    def replace(self, l, id, now, new, same):
        """An answer or report takes the place of the one that stands."""
        old = self.get(id)
        if now and now["id"] != id: self.sticky(now, l)
        if old and not self.live(old): self.sticky(old, l)
        if not self.fresh(self.rests_on(new)): new["standing"] = "stale"
        if old:
            if self.live(old) and old["standing"] == new["standing"] and same(old, new): return
            new = self.touched(dict(new, by=old["by"], person=old["person"], _seq=old["_seq"]), l)
        self.put(id, new)
        if now and now["id"] != id:
            self.put(now["id"], dict(now, standing="superseded", into=id, last_by=l["by"], _last=self.seq))
            if id[0] == "w": self.make_stale(now["id"])

    def answer(self, l):
        q = self.need(l["question"])
        if q["status"] == "dropped": self.held(q, l)
        for s in l["sentences"]:
            for c in s.get("claims", []): self.need(c)
        id = IDS["answer"](l)
        new = self.made(l, id=id, question=l["question"], sentences=l["sentences"], partial=l.get("partial"), standing="active")
        self.replace(l, id, self.get(q.get("answer")), new, lambda a, b: bool(a.get("partial")) == bool(b.get("partial")) and a["sentences"] == b["sentences"])

    def report(self, l):
        for w in l.get("answers") or []: self.need(w)
        for s in l.get("opening") or []:
            for c in s.get("claims", []): self.need(c)
        id = IDS["report"](l)
        now = ([o for o in self.of("o") if self.live(o)] or [None])[-1]
        new = self.made(l, id=id, answers=l.get("answers"), opening=l.get("opening") or [], standing="active")
        self.replace(l, id, now, new, lambda a, b: a["opening"] == b["opening"])

    # -- ops: steering -------------------------------------------------------------

    def plan(self, l):
        order = list(self.recs["plan"]["order"])
        for item in l.get("add") or []:
            id = IDS["item"](item)
            old = self.get(id)
            if old and not old.get("removed"): continue
            if old:
                self.sticky(old, l)
                self.put(id, self.touched(dict(old, removed=False), l))
            else:
                self.put(id, self.made(l, id=id, **pick(item, "args", "kind", "serves")))
            order.append(id)
        for id in l.get("remove") or []:
            old = self.need(id)
            if old.get("removed"): raise Refused("standing")
            self.sticky(old, l)
            self.put(id, self.touched(dict(old, removed=True), l))
            order = [o for o in order if o != id]
        wanted = l.get("order") or []
        places = [i for i, id in enumerate(order) if id in wanted]
        if len(places) != len(wanted): raise Refused("unknown")
        for id, i in zip(wanted, places):
            if order[i] != id: self.sticky(self.recs[id], l)
        for id, i in zip(wanted, list(places)): order[i] = id
        self.change("plan", order=order, stale=False)

    def finish(self, l):
        id = IDS["step"](l)
        self.put(id, dict(pick(l, "args", "inputs", "kind", "outcome", "reason", "serves"), id=id))
        if l["kind"] == "plan" and l["outcome"] != "parked" and self.recs["plan"]["stale"]: self.change("plan", stale=False)
        if l.get("serves"):
            at = "barren/" + l["serves"]
            n = (self.get(at) or {"count": 0})["count"]
            if l["outcome"] == "nothing": self.put(at, {"id": at, "count": n + 1})
            elif n: self.put(at, {"id": at, "count": 0})

    def found(self, l):
        self.need(l["question"])
        at = "found/" + l["question"]
        for ref in l.get("ranges") or []: self.has_place(*place(ref))
        before = (self.get(at) or {"list": []})["list"] if l.get("part") else []
        self.put(at, {"id": at, "list": before + (l.get("ranges") or [])})

    def read(self, l):
        spans = [tuple(map(int, r.split("-"))) for r in l["ranges"]]
        for a, z in spans: self.has_place(l["source"], a, z)
        for q in l["questions"]:
            self.need(q)
            at, out = "read/%s/%s" % (l["source"], q), []
            old = [tuple(map(int, r.split("-"))) for r in (self.get(at) or {"list": []})["list"]]
            for a, z in sorted(old + spans):
                if out and a <= out[-1][1] + 1: out[-1] = (out[-1][0], max(out[-1][1], z))
                else: out.append((a, z))
            if out != old: self.put(at, {"id": at, "list": ["%d-%d" % s for s in out]})

    def check(self, l):
        id, marked = l["id"], bool(l.get("reported"))
        v = dict(pick(l, "how", "reason", "verdict"), by=l["by"], reported=marked, _marked=marked, _seq=self.seq)
        if not re.fullmatch("[cfkmnopqrstw][0-9a-f]{32}", id):
            return self.put("passed/" + id, {"id": "passed/" + id, "word": l["verdict"]})
        if id[0] == "c": return self.check_claim(l, self.need(id), v)
        if id[0] == "k": return self.check_quote(l, id, v)
        if id[0] == "t":
            if self.recs["task"]["id"] != id: raise Refused("unknown")
            return
        r = self.need(id)
        if id[0] == "m" and v["how"] == "person":
            r = self.touched(dict(r, _said=r["_said"] + [v]), l)
            self.settle_assumption(r)
            self.put(id, r)
        elif good(v) and not marked:
            if id[0] == "q" and r["status"] == "closed" and r.get("stale") and self.fresh(r["claims"]): self.change(id, stale=False)
            if id[0] in "wo":
                if r["standing"] == "stale" and self.fresh(self.rests_on(r)): r = dict(r, standing="active")
                self.put(id, self.touched(r, l))

    def check_claim(self, l, old, v):
        c = self.touched(dict(old, checks=old["checks"] + [v]), l)
        if not v["reported"]:
            if good(v):
                if c.get("stale") and self.fresh(c.get("basis") or []): c["stale"] = False
                if v["how"] == "person": c["contested"] = False
                if v["how"] in ("person", "calculation"):
                    c["evidence"] = [dict(e, reported=False, _cleared=self.seq) for e in c["evidence"]]
                    c["reported"] = False
            elif bad(v): c["contested"] = True
        self.put(c["id"], c)

    def check_quote(self, l, id, v):
        for c in self.of("c"):
            for i, e in enumerate(c["evidence"]):
                if e["id"] != id: continue
                if v["reported"] or not good(v) and not bad(v): return
                c = dict(c, evidence=list(c["evidence"]), last_by=l["by"], _last=self.seq)
                if good(v): c["evidence"][i] = dict(e, reported=False, _cleared=self.seq)
                else: c["contested"] = True
                return self.put(c["id"], c)
        raise Refused("unknown")

    def override(self, l):
        self.put("override/" + l["id"], {"id": "override/" + l["id"], "word": l["why"]})

    def note(self, l):
        on = l.get("on") or ""
        if on[:1] == "k":
            if not any(e["id"] == on for c in self.of("c") for e in c["evidence"]): raise Refused("unknown")
        elif on[:1] == "t":
            if on != self.recs["task"]["id"]: raise Refused("unknown")
        elif on: self.need(on)
        id = IDS["note"](l)
        if not self.get(id): self.put(id, self.made(l, id=id, standing="active", **pick(l, "due", "for", "on", "text")))

    def accept(self, l):
        old = self.need(l["id"])
        if not self.live(old): raise Refused("standing")
        self.put(l["id"], self.touched(dict(old, accepted=True), l))

    # -- undo ----------------------------------------------------------------------

    def undo(self, l):
        n = l["line"]
        if n >= l["seq"]: raise Refused("unknown")
        target = self.lines[n - 1]
        if target["op"] in LOG | FRAME | {"", "task", "source", "erase", "missing"}: raise Refused("form")
        if target["gone"]: raise Refused("standing")
        if target["by"] == "person" and l["by"] != "person": raise Refused("sticky")
        records, seen = [], set()
        for id, before in target["changes"]:
            if id not in seen: records.append((id, before))
            seen.add(id)
        if not records: raise Refused("standing")
        for later in self.lines[n:-1]:
            if not later["gone"] and later["undid"] <= n and any(id in seen for id, _ in later["changes"]): raise Refused("undo")
        if l["by"] != "person" and any((self.get(id) or {}).get("person") and not (before or {}).get("person") for id, before in records):
            raise Refused("sticky")
        kept = l["by"] == "person" and target["by"] != "person"
        for id, before in reversed(records): self.take_back(l, n, id, before, kept)
        self.derive()
        for id, _ in records:
            self.restale(id)
            if len(id) == 33 and id[0] in "scmw" and not all(self.element(id)): self.make_stale(id)
        if any(len(id) == 33 and id[0] == "c" and self.on_itself(id) for id, _ in records): raise Refused("D13")
        target["gone"] = True
        if target["undid"]: self.lines[target["undid"] - 1]["gone"] = False
        self.lines[-1]["undid"] = n

    def take_back(self, l, n, id, before, kept):
        k, was = id[0] if len(id) == 33 else "", self.recs.get(id)
        if before is None:
            if k and k in "cmrnwo":
                self.set_standing(l, id, "retracted", "", REASON_UNDONE)
                return self.make_stale(id)
            if k == "q": return self.put(id, self.touched(dict(was, status="dropped", reason=REASON_UNDONE, stale=False), l))
            if k == "p": return self.put(id, self.touched(dict(was, removed=True), l))
            self.lines[-1]["changes"].append((id, was))
            self.recs.pop(id, None)
            return
        self.put(id, before)
        if kept and k and k in "cmworpqn":
            direct = was.get("_last") == n
            if k in "cmwo": hold = direct or self.live(was) != self.live(before)
            elif k == "p": hold = bool(was.get("removed")) != bool(before.get("removed"))
            elif k == "q": hold = direct and before["status"] in ("closed", "dropped")
            else: hold = k in "rn"
            if hold: self.put(id, self.touched(before, l))
        if k and k in "cm": self.cap(id)

    # -- state hash ------------------------------------------------------------------

    def visible(self, r):
        kind = r["id"][0] if len(r["id"]) == 33 else ""
        out = {}
        for n, v in r.items():
            if n.startswith("_") or not v and n not in ("trust", "count"): continue
            if n in ("evidence", "checks"): v = [self.visible(dict(e, id=e.get("id", ""))) for e in v]
            if kind == "s" and n in ("by", "last_by", "person") or kind == "p" and n == "last_by": continue
            out[n] = v
        return out

    def hash(self):
        buckets = [[] for _ in range(256)]
        for id, r in self.recs.items():
            name = id
            buckets[sha(name.encode())[0]].append((name.encode(), sha(canonical(self.visible(r)))))
        return sha(FOLD.to_bytes(8, "big") + b"".join(sha(b"".join(i + d for i, d in sorted(b))) for b in buckets))

class Broken(ValueError):
    """A line or ledger that is refused: the code of vault/FORMAT.md, and the line, from 1."""
    def __init__(self, code, at=0):
        ValueError.__init__(self, "%s at line %d" % (code, at))
        self.code, self.at = code, at

class Chain:
    """Form, seq, chain and groups of a ledger from its beginning, log lines perhaps withheld."""
    def __init__(self): self.at, self.seq, self.run, self.last, self.hidden = bytes(32), 0, [], None, False

    def add(self, raw):
        try: v = parse(raw)
        except (ValueError, UnicodeError, RecursionError): raise Broken("size" if len(raw) > 65536 else "form", self.seq + 1)
        self.seq += 1
        if set(v) == {"h"} and re.fullmatch("[0-9a-f]{64}", str(v["h"])):
            if self.seq == 1: raise Broken("withheld", 1)
            self.hidden, self.last, v = True, None, {"h": v["h"], "op": None}
            self.at = sha(self.at + bytes.fromhex(v["h"]))
            self.run.append((v, 0))
            return
        if type(v.get("v")) is int and v["v"] > 1: raise Broken("newer", self.seq)
        if v.get("op") not in LOG | FRAME | set(IDS) - {"item", "step"} | WORK: raise Broken("op", self.seq)
        if v["prev"] != self.at.hex(): raise Broken("chain", self.seq)
        if v["seq"] != self.seq: raise Broken("seq", self.seq)
        if self.last and v["g"] != self.last["g"] + (1 if "n" in self.last else 0): raise Broken("group", self.seq)
        self.last, self.at = v, sha(self.at + sha(raw))
        self.run.append((v, len(raw) + 1))
        if "n" in v: self.close_group(v)

    def close_group(self, v):
        first, n = self.seq - len(self.run) + 1, v["n"]
        if n > len(self.run): raise Broken("group", self.seq)
        hidden, group = self.run[:len(self.run) - n], self.run[len(self.run) - n:]
        self.log_only(hidden, first)
        first += len(hidden)
        step = v["op"] != "checkpoint" or any(l["op"] == "finish" for l, _ in group)
        if any(l["op"] and l["g"] != v["g"] for l, _ in group): raise Broken("group", self.seq)
        for i, (l, _) in enumerate(group):
            if l["op"] is None and not step: raise Broken("withheld", first + i)
            if v["op"] != "checkpoint" and l["op"] and l["op"] not in LOG | FRAME: raise Broken("group", first + i)
        if all(l["op"] for l, _ in group) and sum(n for _, n in group) > 524288: raise Broken("group", self.seq)
        self.run = []

    def log_only(self, run, first):
        if run and run[-1][0]["op"] is not None: raise Broken("group", first + len(run) - 1)
        for i, (l, _) in enumerate(run):
            if l["op"] is not None and l["op"] not in LOG: raise Broken("group", first + i)

    def end(self):
        if self.run and not self.hidden: raise Broken("group", self.seq)
        self.log_only(self.run, self.seq - len(self.run) + 1)
        return self.at.hex()

WORK = {"amend", "set", "missing", "scope", "close", "drop", "park", "reopen", "retract", "supersede", "merge", "renew", "plan", "finish",
    "found", "read", "check", "override", "undo", "erase", "accept"}

def verify(lines):
    c = Chain()
    for l in lines: c.add(l.encode())
    return c.end()

def vectors(where):
    load = lambda n: json.load(open(os.path.join(where, n), encoding="utf-8"))
    done, wrong = [], []
    def expect(what, ok):
        if not ok: wrong.append(what)
    c = load("canonical.json")
    for g in c["good"]:
        raw = g["line"].encode()
        expect("canonical " + g["line"], canonical(g["value"]) == raw and sha(raw).hex() == g["sha256"] and parse(raw) == g["value"])
    for b in c["bad"]:
        try: parse(b["line"].encode())
        except (ValueError, UnicodeError, RecursionError): continue
        wrong.append("canonical: " + b["why"] + " was read")
    done.append("%d canonical forms, %d broken ones" % (len(c["good"]), len(c["bad"])))
    c = load("chain.json")
    for i, l in enumerate(c["lines"]):
        expect("chain line %d" % (i + 1), sha(l["line"].encode()).hex() == l["hash"])
    end = c["lines"][-1]["chain"]
    expect("chain", verify([l["line"] for l in c["lines"]]) == end and verify(c["withheld"]) == end)
    for b in c["broken"]:
        try: verify(b["lines"])
        except Broken: continue
        wrong.append("chain: " + b["why"] + " was not noticed")
    done.append("a chain of %d lines" % len(c["lines"]))
    states = 0
    for path in sorted(glob.glob(os.path.join(where, "ledgers", "*.json"))):
        v, f, c, name = json.load(open(path, encoding="utf-8")), Fold(), Chain(), os.path.basename(path)
        if v["fold"] != FOLD: wrong.append(name + ": fold version %d" % v["fold"])
        for i, g in enumerate(v["groups"]):
            found = []
            for line in g["lines"]:
                c.add(line.encode())
                code = f.apply(line.encode())
                if code: found.append({"seq": f.seq, "code": code})
            if f.hash().hex() != g["state"]: wrong.append("%s: group %d: another state" % (name, i + 1))
            if found != g.get("findings", []): wrong.append("%s: group %d: findings %s" % (name, i + 1, found))
            states += 1
        if f.chain.hex() != v["chain"] or c.end() != v["chain"]: wrong.append(name + ": another chain")
    done.append("%d state hashes" % states)
    c, seen = load("broken.json"), 0
    for b in c["ledgers"]:
        try: verify(b["lines"])
        except Broken as x:
            expect("broken: %s: %s" % (b["why"], x), (x.code, x.at) == (b["code"], b["at"]))
            continue
        wrong.append("broken: " + b["why"] + " was not noticed")
    for b in c["lines"]:
        if b["code"] not in ("form", "newer", "op"): continue  # it does not look at fields and authors
        seen += 1
        try: Chain().add(b["line"].encode())
        except Broken as x:
            expect("broken: %s: %s" % (b["why"], x), x.code == b["code"])
            continue
        wrong.append("broken: " + b["why"] + " was read")
    done.append("%d broken ledgers, and %d of %d broken lines (their fields are left to others)" % (len(c["ledgers"]), seen, len(c["lines"])))
    return done, wrong

def main(args):
    if len(args) >= 2 and not os.path.isdir(args[1]):
        for path in args[1:]:
            f = Fold()
            for raw in open(path, "rb").read().split(b"\n"):
                if raw:
                    code = f.apply(raw)
                    if code: print("%s: line %d has no effect: %s" % (path, f.seq, code))
            print("%s: %d lines, chain %s, state %s, fold %d" % (path, f.seq, f.chain.hex(), f.hash().hex(), FOLD))
        return 0
    done, wrong = vectors(args[1] if len(args) == 2 else os.path.dirname(os.path.abspath(__file__)))
    for w in wrong: print("It does not fit: " + w)
    print("Checked: " + "; ".join(done) + ".")
    return 3 if wrong else 0

if __name__ == "__main__":
    sys.exit(main(sys.argv))
