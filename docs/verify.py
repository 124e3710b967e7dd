#!/usr/bin/env python3
"""Checks a Cairn hand-off file (name.cairn.md) without Cairn: python3 verify.py FILE

Needs only Python's own library. It follows docs/format-handoff.md: the marker, the
canonical form of every line, the chain, the seals, the ids of claims and questions,
and each quote against the passage that travelled with it. It does not fold the lines
(the state hash is taken as it is) and does not render the readable part again.
Exit code 0: everything fits. 3: the first thing that does not fit is named.

python3 verify.py --vectors DIR checks the test vectors of the format (docs/vectors) with the
second reader that lies beside them, fold.py: canonical form, chains, groups, state hashes.
"""
import hashlib, json, os, re, sys

LOG = {"start", "call", "refuse", "account", "pause", "wake", "name"}
BEGIN = re.compile(r"<!-- cairn:begin v=1 segments=(\d+) lines=(\d+) bytes=(\d+) sha256=([0-9a-f]{64}) -->")

def sha(b): return hashlib.sha256(b).digest()

def canonical(v):
    """The only bytes that stand for a value: sorted names, no spaces, ASCII, few escapes."""
    s = json.dumps(v, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    s = re.sub(r'\\(["\\bfnrt])', lambda m: m[0] if m[1] in '"\\' else {"b": "\\u0008", "f": "\\u000c",
        "n": "\\u000a", "r": "\\u000d", "t": "\\u0009"}[m[1]], s)
    return re.sub("[<>&`\x7f]", lambda m: "\\u%04x" % ord(m[0]), s).encode()

def read(raw):
    def pairs(p):
        if len({k for k, _ in p}) != len(p) or not p: raise ValueError("a name twice, or an empty object")
        if any(not re.fullmatch("[a-z_]+", k) for k, _ in p): raise ValueError("a name in a wrong form")
        return dict(p)
    def no(x): raise ValueError("a number in a wrong form")
    v = json.loads(raw, object_pairs_hook=pairs, parse_float=no, parse_constant=no)
    v and json.dumps(v, ensure_ascii=False).encode()  # lone surrogates end here
    if not isinstance(v, dict) or canonical(v) != raw: raise ValueError("not in canonical form")
    return v

def oid(kind, o): return kind + hashlib.sha256(canonical({k: v for k, v in o.items() if v})).hexdigest()[:32]

def check(data):
    text = data.replace(b"\r\n", b"\n").decode("utf-8").split("\n")
    begins = [i for i, l in enumerate(text) if l.startswith("<!-- cairn:begin")]
    ends = [i for i, l in enumerate(text) if l == "<!-- cairn:end -->"]
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0] + 4: raise ValueError("not exactly one record in it")
    b, e = begins[0], ends[0]
    m = BEGIN.fullmatch(text[b])
    if not m or text[b + 1] != "```cairn-jsonl" or text[e - 1] != "```": raise ValueError("its markers are not in their form")
    chain, genesis, seq, segments, sources, passages, quotes = bytes(32), None, 0, 0, {}, [], []
    n = dict.fromkeys(("lines", "withheld", "claims", "questions", "sources", "passages"), 0)
    first = 1
    for i, l in enumerate(text[b + 2:e - 1]):
        try:
            raw = l.encode("ascii")
            if len(raw) > 65536: raise ValueError("too long")
            v = read(raw)
            if "seal" in v and "op" not in v:
                s = v["seal"]
                want = dict(n, first=first, last=seq, chain=chain.hex(), genesis=genesis)
                if any(s.get(k) != w for k, w in want.items()): raise ValueError("the seal does not fit the lines above it")
                segments, first, n = segments + 1, seq + 1, dict.fromkeys(n, 0)
            elif "passage" in v and "op" not in v:
                p = v["passage"]
                if sources.get(p["source"]) != p["body"]: raise ValueError("a passage from another text")
                passages.append(p); n["passages"] += 1
            else:
                if n["passages"]: raise ValueError("a ledger line after the passages")
                seq += 1; n["lines"] += 1
                if set(v) == {"h"}:
                    if seq == 1 or len(v["h"]) != 64: raise ValueError("this line can't be withheld")
                    h = bytes.fromhex(v["h"]); n["withheld"] += 1
                else:
                    h = sha(raw)
                    if v["prev"] != chain.hex() or v["seq"] != seq or v["v"] != 1: raise ValueError("does not continue the line before it")
                    if (v["op"] in LOG) != ("salt" in v): raise ValueError("a log line has a salt, and no other")
                    if v["op"] == "source":
                        sources[oid("s", {k: v.get(k) for k in (("body", "file") if v.get("body") or v.get("file") else ("name",))})] = v.get("body"); n["sources"] += 1
                    if v["op"] == "question": n["questions"] += 1
                    if v["op"] == "claim":
                        n["claims"] += 1
                        quotes += [(i, q) for q in v.get("quotes", [])]
                    if v["op"] == "quote": quotes.append((i, v))
                chain = sha(chain + h)
                genesis = genesis or chain.hex()
        except Exception as x:
            raise ValueError("line %d of the record (line %d of the file): %s" % (i + 1, b + 3 + i, x))
    if n["lines"] or not segments: raise ValueError("the seal is missing: the end was cut off")
    block = ("\n".join(text[b + 2:e - 1]) + "\n").encode()
    if [int(m[1]), int(m[2]), int(m[3]), m[4]] != [segments, e - b - 3, len(block), hashlib.sha256(block).hexdigest()]:
        raise ValueError("line %d of the file does not describe the record below it" % (b + 1))
    seen = 0
    for i, q in quotes:
        for p in passages:
            if p["source"] == q["source"] and p["from"] <= q["from"] and q["to"] <= p["to"]:
                a = int(p["marks"][q["from"] - p["from"]].split("-")[0]); z = int(p["marks"][q["to"] - p["from"]].split("-")[1])
                if p["text"].encode()[a - 1:z].decode() != q["text"]: raise ValueError("line %d of the record: its quote is not in its passage" % (i + 1))
                seen += 1; break
    return "%d lines, %d segments, %d passages; %d of %d quotes compared with a passage; chain %s" % (seq, segments, len(passages), seen, len(quotes), chain.hex())

def vectors(where):
    """Runs the second reader over the vectors in a folder."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, where)
    import fold
    return fold.main(["fold.py", where])

if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--vectors" and os.path.isdir(sys.argv[2]): sys.exit(vectors(sys.argv[2]))
    if len(sys.argv) != 2: sys.exit(__doc__)
    try:
        print("It fits: " + check(open(sys.argv[1], "rb").read()))
    except (ValueError, KeyError, UnicodeError) as x:
        print("It does not fit: %s" % x); sys.exit(3)
