package audit

import (
	"slices"
	"sort"
	"strings"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

// proposable are the ops that a model or a program may propose (DESIGN 3.2). The
// value for every other op is the check that its proposal fails.
var notProposable = map[string]struct{ code, what string }{
	"call": {"D11", "calls are recorded by the engine"}, "read": {"D11", "what was read is recorded by the engine"},
	"found": {"D11", "what search found is recorded by the engine"}, "start": {"D11", "steps are recorded by the engine"},
	"finish": {"D12", "the engine decides when a step is done"}, "checkpoint": {"D16", "checkpoints are written by the engine"},
	"end": {"D16", "the engine decides when a task is done"}, "amend": {"D10", "only a person changes goal and constraints"},
	"task": {"D10", "only a person sets a task"}, "check": {"D11", "checking is not proposed, it is done"},
	"accept": {"D11", "only a person accepts"}, "drop": {"D8", "only a person drops a question"},
	"source": {"D1", "sources are taken in by the engine"}, "account": {"D16", "the account is asked for, never proposed"},
}

// CheckOps checks further proposals of a model or program in order; a later one
// may name what an earlier one of the same list makes. Kept ops are ready to write:
// fields that only the engine sets are refused with their op, flags are set by the
// checks. Claims are held to the same rules as CheckFinding.
func CheckOps(c Context, by ledger.By, ops []ledger.Op) (kept []ledger.Op, refused []ledger.Refuse) {
	k := &opCheck{c: c, by: by, made: map[string]bool{}}
	for _, op := range ops {
		out, also, r := k.check(op)
		if also != nil {
			refused = append(refused, *also)
		}
		if r != nil {
			refused = append(refused, *r)
			continue
		}
		if out != nil {
			kept = append(kept, out)
		}
	}
	return kept, refused
}

// opCheck remembers what earlier proposals of the list made.
type opCheck struct {
	c    Context
	by   ledger.By
	made map[string]bool
}

func (k *opCheck) known(id string) bool {
	s := k.c.State
	return k.made[id] || s.Claims[id] != nil || s.Questions[id] != nil || s.Assumptions[id] != nil ||
		s.Tried[id] != nil || s.Answers[id] != nil || s.Sources[id] != nil || s.Plan[id] != nil || s.Notes[id] != nil || s.Reports[id] != nil
}

func unknown(proposal, what, text string) *ledger.Refuse {
	return refuse(CodeUnknown, proposal, "", text, "Refused: "+what+" is not on record.")
}

// check gives the op to write (nil: nothing to write), a refusal to write beside
// it, or the refusal of the whole.
func (k *opCheck) check(op ledger.Op) (ledger.Op, *ledger.Refuse, *ledger.Refuse) {
	if n, ok := notProposable[op.OpName()]; ok {
		return nil, nil, refuse(n.code, op.OpName(), "", "", "Refused: "+n.what+".")
	}
	switch o := op.(type) {
	case *ledger.Claim:
		return k.claim(o)
	case *ledger.Quote:
		return k.quote(o)
	case *ledger.Question:
		return k.question(o)
	case *ledger.Close:
		return op, nil, k.close(o)
	case *ledger.Retract:
		if r := k.onClaim("retract", o.ID); r != nil {
			return nil, nil, r
		}
		if strings.TrimSpace(o.Reason) == "" {
			return nil, nil, refuse("D7", "retract", "", "", "Refused: a claim is taken back with a reason.")
		}
		return op, nil, nil
	case *ledger.Supersede:
		if r := k.onClaim("supersede", o.ID); r != nil {
			return nil, nil, r
		}
		if k.c.State.Claims[o.Into] == nil && !k.made[o.Into] {
			return nil, nil, unknown("supersede", "the new claim", "")
		}
		return op, nil, nil
	case *ledger.Merge:
		return op, nil, k.merge(o)
	case *ledger.Renew:
		return op, nil, k.onClaim("renew", o.ID)
	case *ledger.Assume:
		if r := k.text("assume", o.Text); r != nil {
			return nil, nil, r
		}
		if o.Question != "" && k.c.State.Questions[o.Question] == nil && !k.made[o.Question] {
			return nil, nil, unknown("assume", "the question", o.Text)
		}
		k.made[ledger.AssumeID(*o)] = true
		return op, nil, nil
	case *ledger.Tried:
		return op, nil, k.tried(o)
	case *ledger.Plan:
		return op, nil, k.plan(o)
	case *ledger.Answer:
		sentences, refused := CheckAnswer(k.c, o.Question, o.Sentences)
		var also *ledger.Refuse
		if len(refused) > 0 {
			also = &refused[0]
		}
		if len(sentences) == 0 {
			if also == nil {
				also = refuse(CodeSchema, "answer", o.Question, "", "Refused: the answer has no sentence.")
			}
			return nil, nil, also
		}
		out := *o
		out.Sentences = sentences
		return &out, also, nil
	case *ledger.Note:
		if r := k.text("note", o.Text); r != nil {
			return nil, nil, r
		}
		if o.On != "" && !k.known(o.On) {
			return nil, nil, unknown("note", "what the note is about", o.Text)
		}
		return op, nil, nil
	}
	return nil, nil, refuse("D16", op.OpName(), "", "", "Refused: "+op.OpName()+" is not something a model or program proposes.")
}

func (k *opCheck) text(proposal, text string) *ledger.Refuse {
	if r := checkWords(Context{State: &state.State{}}, "", strings.TrimSpace(text), ""); r != nil {
		r.Proposal = proposal
		return r
	}
	if reportsWork(text, "") {
		return refuse("D11", proposal, "", text, "Refused: it reports work that only the engine records.")
	}
	return nil
}

// claim holds a proposed claim with any basis against it (D1, D2, D4, D5, D13, D14,
// D22, D23).
func (k *opCheck) claim(o *ledger.Claim) (ledger.Op, *ledger.Refuse, *ledger.Refuse) {
	if o.Flags != nil {
		return nil, nil, refuse("D16", "claim", o.Question, o.Text, "Refused: flags are set by the checks.")
	}
	if o.Question != "" && !k.made[o.Question] {
		if r := checkQuestion(k.c, o.Question, "claim", o.Text); r != nil {
			return nil, nil, r
		}
	}
	if len(o.Basis) == 0 {
		return nil, nil, refuse("D13", "claim", o.Question, o.Text, "Refused: the claim rests on nothing.")
	}
	out := ledger.Claim{Basis: ledger.SortBasis(slices.Clone(o.Basis)), Question: o.Question, Text: strings.TrimSpace(o.Text)}
	var quoted, around []string
	for _, b := range out.Basis {
		if p, ok := ledger.ParseRef(b); ok {
			slice, r := k.c.cut("claim", o.Question, o.Text, p.Source, p.From, p.To)
			if r != nil {
				return nil, nil, r
			}
			for _, q := range o.Quotes {
				if q.Source == p.Source && q.From == p.From && q.To == p.To && q.Text != slice {
					return nil, nil, refuse("D2", "claim", o.Question, q.Text, "Refused: these words do not stand there in the source.")
				}
			}
			out.Quotes = append(out.Quotes, ledger.Slice{From: p.From, Source: p.Source, Text: slice, To: p.To})
			quoted = append(quoted, slice)
			continue
		}
		switch {
		case k.c.State.Claims[b] != nil:
			c := k.c.State.Claims[b]
			if !c.Live() {
				return nil, nil, refuse("D13", "claim", o.Question, o.Text, "Refused: it rests on a claim that no longer stands.")
			}
			quoted = append(quoted, c.Text)
			for _, e := range c.Evidence {
				quoted = append(quoted, e.Slice.Text)
			}
		case k.c.State.Assumptions[b] != nil:
			quoted = append(quoted, k.c.State.Assumptions[b].Text)
		case k.made[b]:
			return nil, nil, refuse("D14", "claim", o.Question, o.Text, "Refused: it rests on something that is only now proposed.")
		default:
			return nil, nil, refuse("D13", "claim", o.Question, o.Text, "Refused: it rests on something that is not on record.")
		}
	}
	if len(o.Quotes) > len(out.Quotes) {
		return nil, nil, refuse("D2", "claim", o.Question, o.Text, "Refused: it brings a quote that its basis does not name.")
	}
	if out.Text == "" && len(out.Quotes) == 0 {
		return nil, nil, refuse(CodeSchema, "claim", o.Question, "", "Refused: the claim has no words.")
	}
	v := Verdict{Claim: out}
	shown := out.Text
	if out.Text != "" {
		if r := checkWords(k.c, o.Question, out.Text, strings.Join(quoted, "\n")); r != nil {
			return nil, nil, r
		}
		for _, q := range out.Quotes {
			if s := k.c.State.Sources[q.Source]; s != nil {
				around = append(around, s.Title)
			}
			if k.c.Heading != nil {
				around = append(around, k.c.Heading(q.Source, q.From))
			}
		}
		w := newEvidence(quoted, around).holdAgainst(out.Text, nil)
		if w.refuse == "" && reportsWork(out.Text, strings.Join(quoted, "\n")) {
			w.refuse, w.message = "D11", "Refused: it reports work that only the engine records."
		}
		if w.refuse != "" {
			r := refuse(w.refuse, "claim", o.Question, out.Text, w.message)
			if len(out.Quotes) == 0 {
				return nil, nil, r
			}
			r.Message += " The quoted sentence is the claim."
			v.Fallback = r
			v.Claim.Text = ""
		} else {
			v.Flags, v.Why = w.flags, w.why
		}
	}
	if v.Claim.Text == "" {
		shown = out.Quotes[0].Text
	}
	v = k.c.finish(v, shown)
	if v.Refusal != nil {
		return nil, nil, v.Refusal
	}
	k.made[v.ID] = true
	if v.Known {
		return nil, v.Fallback, nil
	}
	return &v.Claim, v.Fallback, nil
}

func (k *opCheck) quote(o *ledger.Quote) (ledger.Op, *ledger.Refuse, *ledger.Refuse) {
	if k.c.State.Claims[o.Claim] == nil && !k.made[o.Claim] {
		return nil, nil, unknown("quote", "the claim", o.Text)
	}
	switch o.Stance {
	case "supports", "contradicts", "context":
	default:
		return nil, nil, refuse(CodeSchema, "quote", "", o.Text, "Refused: a quote supports, contradicts or gives context.")
	}
	slice, r := k.c.cut("quote", "", o.Text, o.Source, o.From, o.To)
	if r != nil {
		return nil, nil, r
	}
	if o.Text != "" && o.Text != slice {
		return nil, nil, refuse("D2", "quote", "", o.Text, "Refused: these words do not stand there in the source.")
	}
	out := *o
	out.Text = slice
	return &out, nil, nil
}

func (k *opCheck) question(o *ledger.Question) (ledger.Op, *ledger.Refuse, *ledger.Refuse) {
	if r := k.text("question", o.Text); r != nil {
		return nil, nil, r
	}
	if o.Parent != "" && k.c.State.Questions[o.Parent] == nil && !k.made[o.Parent] {
		return nil, nil, unknown("question", "the question above it", o.Text)
	}
	id := ledger.QuestionID(*o)
	if q := k.c.State.Questions[id]; q != nil {
		if q.Person && q.Status != state.Open {
			return nil, nil, refuse(CodeSticky, "question", id, o.Text, "Refused: a person settled this question.")
		}
		return nil, nil, nil
	}
	words := wordSet(o.Text)
	for _, q := range k.c.State.Questions {
		if jaccard(words, wordSet(q.Text)) >= 0.9 {
			return nil, nil, refuse("D17", "question", q.ID, o.Text, "Refused: nearly the same question is on record.")
		}
	}
	if src := k.copied(o.Text); src != "" {
		return nil, nil, refuse("D20", "question", "", o.Text, "Refused: this wording comes from “"+src+"”, not from the task.")
	}
	k.made[id] = true
	return o, nil, nil
}

// copied is D20: eight words in a row that stand in what was shown of a source.
func (k *opCheck) copied(text string) string {
	if k.c.Shown == nil || k.c.Slice == nil {
		return ""
	}
	ws := strings.FieldsFunc(strings.ToLower(clean(text)), func(r rune) bool { return !isWord(r) })
	if len(ws) < 8 {
		return ""
	}
	for _, id := range k.c.State.SourceIDs {
		s := k.c.State.Sources[id]
		for _, iv := range k.c.Shown(id) {
			body, err := k.c.Slice(id, iv.From, iv.To)
			if err != nil {
				continue
			}
			b := " " + strings.Join(strings.FieldsFunc(strings.ToLower(clean(body)), func(r rune) bool { return !isWord(r) }), " ") + " "
			for i := 0; i+8 <= len(ws); i++ {
				if strings.Contains(b, " "+strings.Join(ws[i:i+8], " ")+" ") {
					return s.Name
				}
			}
		}
	}
	return ""
}

func (k *opCheck) close(o *ledger.Close) *ledger.Refuse {
	c := *o
	c.Claims = nil
	for _, id := range o.Claims {
		if !k.made[id] { // what this list made has passed its own checks and is backed
			c.Claims = append(c.Claims, id)
		}
	}
	if len(c.Claims) == 0 && len(o.Claims) > 0 {
		if k.c.State.Questions[o.ID] == nil {
			return unknown("close", "the question", "")
		}
		if q := k.c.State.Questions[o.ID]; q.Person && q.Status != state.Open && q.Status != state.Parked {
			return refuse(CodeSticky, "close", o.ID, "", "Refused: a person settled this question.")
		}
		return nil
	}
	return CheckClose(k.c, k.by, c)
}

// onClaim: the claim exists, stands, and no person decided about it.
func (k *opCheck) onClaim(op, id string) *ledger.Refuse {
	c := k.c.State.Claims[id]
	switch {
	case c == nil:
		return unknown(op, "the claim", "")
	case c.Person:
		return refuse(CodeSticky, op, c.Question, c.Text, "Refused: a person wrote, checked or changed this claim.")
	case !c.Live() && op != "renew":
		return refuse("D7", op, c.Question, c.Text, "Refused: this claim no longer stands.")
	}
	return nil
}

func (k *opCheck) merge(o *ledger.Merge) *ledger.Refuse {
	if r := k.onClaim("merge", o.ID); r != nil {
		return r
	}
	if r := k.onClaim("merge", o.Into); r != nil {
		return r
	}
	a, b := k.c.State.Claims[o.ID], k.c.State.Claims[o.Into]
	switch {
	case o.ID == o.Into:
		return refuse("D13", "merge", a.Question, a.Text, "Refused: a claim is not merged into itself.")
	case restsOn(k.c.State, o.Into, o.ID, map[string]bool{}):
		return refuse("D13", "merge", a.Question, a.Text, "Refused: the other claim rests on this one.")
	case jaccard(wordSet(a.Text), wordSet(b.Text)) < 0.9 && !sameQuotes(a, b):
		return refuse("D17", "merge", a.Question, a.Text, "Refused: the two claims differ in words and in quotes.")
	}
	return nil
}

// restsOn: claim id rests on other, directly or not.
func restsOn(s *state.State, id, other string, seen map[string]bool) bool {
	if seen[id] {
		return false
	}
	seen[id] = true
	c := s.Claims[id]
	if c == nil {
		return false
	}
	for _, b := range c.Basis {
		if b == other || restsOn(s, b, other, seen) {
			return true
		}
	}
	return false
}

func sameQuotes(a, b *state.Claim) bool {
	f := func(c *state.Claim) (out []string) {
		for _, e := range c.Evidence {
			out = append(out, ledger.Ref(e.Slice.Source, e.Slice.From, e.Slice.To))
		}
		sort.Strings(out)
		return slices.Compact(out)
	}
	x := f(a)
	return len(x) > 0 && slices.Equal(x, f(b))
}

func (k *opCheck) tried(o *ledger.Tried) *ledger.Refuse {
	if r := k.text("tried", o.Approach); r != nil {
		return r
	}
	for _, t := range k.c.State.Tried {
		if t.Question == o.Question && jaccard(wordSet(t.Approach), wordSet(o.Approach)) >= 0.9 {
			return refuse(CodeTried, "tried", o.Question, o.Approach, "Refused: this approach is on record already.")
		}
	}
	return nil
}

// StepKinds are the kinds of step that a plan may name.
var StepKinds = set("plan search read reason calculate verify answer report")

func (k *opCheck) plan(o *ledger.Plan) *ledger.Refuse {
	s := k.c.State
	own := k.by == ledger.Model || k.by == ledger.Program
	for _, id := range append(slices.Clone(o.Remove), o.Order...) {
		it := s.Plan[id]
		if it == nil {
			return unknown("plan", "a step of the plan", "")
		}
		if own && it.Person {
			return refuse(CodeSticky, "plan", "", "", "Refused: a person put this step into the plan.")
		}
	}
	for _, it := range o.Add {
		if !StepKinds[it.Kind] {
			return refuse("D15", "plan", "", it.Kind, "Refused: there is no such kind of step.")
		}
		q := s.Questions[it.Serves]
		if q == nil && !k.made[it.Serves] && (it.Serves != "" || it.Kind != "report" && it.Kind != "plan") {
			return refuse("D15", "plan", "", strings.Join(it.Args, " "), "Refused: the step serves no question on record.")
		}
		if q != nil && (q.Status == state.Closed && !q.Stale || q.Status == state.Dropped) {
			return refuse("D15", "plan", it.Serves, strings.Join(it.Args, " "), "Refused: the step serves a question that is settled.")
		}
		if src := k.copied(strings.Join(it.Args, " ")); src != "" {
			return refuse("D20", "plan", it.Serves, strings.Join(it.Args, " "), "Refused: this wording comes from “"+src+"”, not from the task.")
		}
		if AlreadyDone(k.c, it) {
			return refuse("D15", "plan", it.Serves, strings.Join(it.Args, " "), "Refused: this step was already done, and its result stands.")
		}
	}
	return nil
}

// AlreadyDone is the second half of D15: (kind, arguments, hash of the inputs) was
// finished with a result. Without Context.Inputs, kind and arguments decide.
func AlreadyDone(c Context, it ledger.Item) bool {
	if c.Inputs != nil {
		d := c.State.Finished[ledger.StepKey(it.Kind, it.Args, c.Inputs(it.Kind, it.Args))]
		return d != nil && d.Outcome == "done"
	}
	for _, d := range c.State.Finished {
		if d.Outcome == "done" && d.Kind == it.Kind && d.Serves == it.Serves && slices.Equal(d.Args, it.Args) {
			return true
		}
	}
	return false
}

// engineOwned are names that a model likes to report and that only the engine states.
var engineOwned = set(`at by checked checks completed completeness confidence confirmed cost count counts date digest done duration
	elapsed finished gate hash id ids model model_name percent progress read score seq sources sources_read state status step
	steps steps_done time timestamp tokens total trust verified verdict who`)

// CheckFields refuses the fields of a model's reply that the schema does not have:
// D16 where they name what only the engine owns, schema otherwise. allowed are the
// names of the schema, at any depth.
func CheckFields(reply map[string]any, allowed ...string) []ledger.Refuse {
	ok := map[string]bool{}
	for _, a := range allowed {
		ok[a] = true
	}
	var out []ledger.Refuse
	names := make([]string, 0, len(reply))
	for n := range reply {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		v := reply[n]
		if !ok[n] {
			low := strings.ToLower(n)
			code, msg := CodeSchema, "Refused: the model gave a field that was not asked for."
			if engineOwned[low] || strings.HasPrefix(low, "num_") || strings.HasSuffix(low, "_count") || strings.HasSuffix(low, "_at") {
				code, msg = "D16", "Refused: the model states something that only the engine may state."
			}
			out = append(out, *refuse(code, "reply", "", n+": "+plain(v), msg))
			continue
		}
		out = append(out, checkInner(v, allowed)...)
	}
	return out
}

func checkInner(v any, allowed []string) []ledger.Refuse {
	switch x := v.(type) {
	case map[string]any:
		return CheckFields(x, allowed...)
	case []any:
		var out []ledger.Refuse
		for _, e := range x {
			out = append(out, checkInner(e, allowed)...)
			if len(out) >= 20 {
				break
			}
		}
		return out
	}
	return nil
}
