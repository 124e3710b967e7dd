package handoff

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/state"
)

// maxHistory is how many checkpoints the readable part lists; the record has all.
const maxHistory = 100

// Render gives the readable part above the block. It is a function of the block
// alone: the same lines give the same bytes on every machine.
func Render(p *Parsed) []byte {
	r := &renderer{p: p, st: p.State, sources: map[string]int{}, claims: map[string]string{}, claimsBy: map[string][]*state.Claim{}, passages: map[string][]*Passage{}}
	r.number()
	r.head()
	r.goal()
	r.solved()
	r.toCheck()
	r.next()
	r.listSources()
	r.history()
	r.leftOut()
	r.howToCheck()
	return []byte(r.b.String())
}

type renderer struct {
	p        *Parsed
	st       *state.State
	b        strings.Builder
	sources  map[string]int            // source id → number
	claims   map[string]string         // claim id → "2.1"
	claimsBy map[string][]*state.Claim // question → live claims
	passages map[string][]*Passage     // source → passages
}

func (r *renderer) put(format string, args ...any) { fmt.Fprintf(&r.b, format, args...) }

// number gives sources, questions and live claims the numbers that the text uses.
func (r *renderer) number() {
	for i := range r.p.Passages {
		p := &r.p.Passages[i]
		r.passages[p.Source] = append(r.passages[p.Source], p)
	}
	for i, id := range r.st.SourceIDs {
		r.sources[id] = i + 1
	}
	for _, id := range r.st.ClaimIDs {
		if k := r.st.Claims[id]; k.Live() {
			q := k.Question
			if r.st.Questions[q] == nil {
				q = ""
			}
			r.claimsBy[q] = append(r.claimsBy[q], k)
		}
	}
	name := func(i int, q string) {
		for j, k := range r.claimsBy[q] {
			r.claims[k.ID] = fmt.Sprintf("%d.%d", i, j+1)
		}
	}
	for i, id := range r.st.QuestionIDs {
		name(i+1, id)
	}
	name(len(r.st.QuestionIDs)+1, "")
}

func (r *renderer) questionNumber(id string) int {
	for i, q := range r.st.QuestionIDs {
		if q == id {
			return i + 1
		}
	}
	return 0
}

func day(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04 UTC") }

func (r *renderer) last() *state.Checkpoint {
	if n := len(r.st.Checkpoints); n > 0 {
		return &r.st.Checkpoints[n-1]
	}
	return nil
}

func (r *renderer) head() {
	title := r.st.Task.Title
	if title == "" {
		title = "Research task"
	}
	seal := r.p.Seals[len(r.p.Seals)-1]
	at := r.st.At
	if c := r.last(); c != nil {
		at = c.At
	}
	r.put("---\ntitle: %s\ndate: %s\nformat: %s\nrenderer: %d\nstate: %s\nchain: %s\nsigner: \"unsigned\"\n---\n\n",
		yaml(title), yaml(day(at)), yaml("cairn hand-off "+strconv.Itoa(FormatVersion)), Renderer, yaml(seal.State), yaml(seal.Chain))
	r.put("# %s\n\n", inline(title))
	r.put("This is a checkpoint of a research task, as it stood on %s. %s wrote this text from the record at its end.\n", day(at), inline(seal.App))
	r.put("Every quote is cut out of its source by number, not typed. That a quote is attached does not mean that it was judged to support its claim.\n")
	r.put("What is said here about checking is the sender's word, until you looked yourself. The file is not signed.\n\n")
	if c := r.last(); c != nil && c.Sum != nil {
		r.put("The last step: %s.\n\n", sumText(c.Sum))
	}
}

// sumText is the conservation line of a checkpoint.
func sumText(s *ledger.Sum) string {
	var out []string
	n := func(v int64, one, many string) {
		switch {
		case v == 1:
			out = append(out, "1 "+one)
		case v > 1:
			out = append(out, fmt.Sprintf("%d %s", v, many))
		}
	}
	if s.Claims > 0 {
		n(s.Claims, "new claim", "new claims")
	}
	n(s.Retracted, "taken back", "taken back")
	n(s.Superseded, "replaced", "replaced")
	n(s.Merged, "joined with another", "joined with others")
	n(s.Restored, "restored", "restored")
	n(s.Opened, "question opened", "questions opened")
	n(s.Closed, "question closed", "questions closed")
	n(s.Dropped, "question dropped", "questions dropped")
	n(s.Parked, "question set aside", "questions set aside")
	out = append(out, fmt.Sprintf("%d lost", s.Lost))
	return strings.Join(out, ", ")
}

func (r *renderer) goal() {
	r.put("## Goal\n\n")
	lines(&r.b, "> ", r.st.Task.Goal)
	r.put("\n")
	r.list("What must be kept to:", r.st.Task.Constraints)
	r.list("It is done when:", r.st.Task.Acceptance)
}

func (r *renderer) list(head string, items []string) {
	if len(items) == 0 {
		return
	}
	r.put("%s\n\n", head)
	for _, i := range items {
		r.put("- %s\n", inline(i))
	}
	r.put("\n")
}

func (r *renderer) solved() {
	r.put("## Solved so far\n\n")
	if len(r.claims) == 0 {
		r.put("Nothing is on record yet.\n\n")
	}
	for i, id := range r.st.QuestionIDs {
		q := r.st.Questions[id]
		r.put("### Question %d: %s\n\n", i+1, inline(q.Text))
		r.put("%s\n\n", r.status(q))
		r.answer(q)
		for _, k := range r.claimsBy[id] {
			r.claim(k)
		}
	}
	if rest := r.claimsBy[""]; len(rest) > 0 {
		r.put("### Without a question\n\n")
		for _, k := range rest {
			r.claim(k)
		}
	}
}

func (r *renderer) status(q *state.Question) string {
	var s string
	switch q.Status {
	case state.Closed:
		s = "Closed"
		if q.Stale {
			s = "Closed, but what it rests on has changed since"
		}
	case state.Parked:
		s = "Open, set aside"
	case state.Dropped:
		s = "Dropped by a person"
	default:
		s = "Open"
	}
	if q.Reason != "" {
		s += " (" + inline(q.Reason) + ")"
	}
	switch n := len(r.claimsBy[q.ID]); n {
	case 0:
		return s + ". No claim is on record: no evidence was found so far."
	case 1:
		return s + ". 1 claim."
	default:
		return fmt.Sprintf("%s. %d claims.", s, n)
	}
}

func (r *renderer) answer(q *state.Question) {
	a := r.st.Answers[q.Answer]
	if a == nil || !a.Live() {
		return
	}
	r.put("Answer%s, written by %s from the claims below:\n\n", map[bool]string{true: " so far"}[a.Partial], author(a.By))
	for _, s := range a.Sentences {
		var refs []string
		for _, id := range s.Claims {
			if n := r.claims[id]; n != "" {
				refs = append(refs, n)
			}
		}
		switch {
		case len(refs) == 0:
			r.put("- %s — *not backed by a record*\n", inline(s.Text))
		case len(s.Flags) > 0:
			r.put("- %s (%s) — *says more than its claims*\n", inline(s.Text), strings.Join(refs, ", "))
		default:
			r.put("- %s (%s)\n", inline(s.Text), strings.Join(refs, ", "))
		}
	}
	r.put("\n")
}

func author(by ledger.By) string {
	switch by {
	case ledger.Person:
		return "a person"
	case ledger.Model:
		return "a model"
	case ledger.Program:
		return "a program"
	}
	return "the engine"
}

// trustWord says how far a claim was looked at, in the words of the window.
func trustWord(k *state.Claim) string {
	w := "only stated"
	switch k.Trust {
	case state.Checked:
		w = "checked by a person"
	case state.Agreed:
		w = "a second look agrees"
	case state.Backed:
		w = "quote attached"
		if len(k.Evidence) == 0 {
			w = "derived from other claims"
		}
	}
	if k.Reported {
		w += ", reported by an earlier sender"
	}
	return w
}

func (r *renderer) claim(k *state.Claim) {
	words := []string{trustWord(k), "worded by " + author(k.By)}
	if k.IsQuote {
		words[1] = "the quoted sentence itself, chosen by " + author(k.By)
	}
	if k.IsContested {
		words = append(words, "contested")
	}
	if k.IsStale {
		words = append(words, "what it rests on has changed")
	}
	if len(k.Flags) > 0 {
		words = append(words, "noted by the checks: "+inline(strings.Join(k.Flags, ", ")))
	}
	r.put("**%s** %s\n— *%s*\n\n", r.claims[k.ID], inline(k.Text), strings.Join(words, "; "))
	for _, b := range k.Basis {
		if n := r.claims[b]; n != "" {
			r.put("rests on claim %s\n\n", n)
		} else if a := r.st.Assumptions[b]; a != nil {
			r.put("rests on the assumption: %s\n\n", inline(a.Text))
		}
	}
	for _, e := range k.Evidence {
		r.quote(e)
	}
}

func (r *renderer) quote(e state.Evidence) {
	lines(&r.b, "> ", e.Slice.Text)
	stance := map[string]string{"contradicts": " — speaks against the claim", "context": " — for context"}[e.Stance]
	r.put(">\n> Source %d, %s%s\n\n", r.sources[e.Slice.Source], r.place(e.Slice.Source, e.Slice.From, e.Slice.To), stance)
}

// place is "“Smart spammers”, sentences 14 to 15, section “Data”, page 3".
func (r *renderer) place(src string, from, to int64) string {
	s := r.st.Sources[src]
	if s == nil {
		return "a source that is not on record"
	}
	out := "“" + inline(nameOf(s)) + "”, sentence " + strconv.FormatInt(from, 10)
	if to > from {
		out = fmt.Sprintf("“%s”, sentences %d to %d", inline(nameOf(s)), from, to)
	}
	if p := r.passage(src, from, to); p != nil {
		if p.Heading != "" {
			out += ", section “" + inline(p.Heading) + "”"
		}
		if p.Page > 0 {
			out += fmt.Sprintf(", page %d", p.Page)
		}
	}
	return out
}

func nameOf(s *state.Source) string {
	if s.Title != "" {
		return s.Title
	}
	return s.Name
}

func (r *renderer) toCheck() {
	r.put("## Still to check\n\n")
	n := 0
	item := func(format string, args ...any) {
		n++
		r.put("- "+format+"\n", args...)
	}
	for _, it := range r.st.OpenItems() {
		r.openItem(it, item)
	}
	c := r.st.Counts()
	if left := c.Claims - c.Checked; left > 0 {
		item("%s nobody has checked.", count(left, "claim that", "claims that"))
	}
	for _, id := range r.st.SourceIDs {
		s := r.st.Sources[id]
		switch {
		case s.Body == "":
			item("Source %d, “%s”, could not be read; nothing of it counts as read.", r.sources[id], inline(s.Name))
		case s.Aside != "":
			item("Source %d, “%s”, was set aside by a person (%s).", r.sources[id], inline(s.Name), inline(s.Aside))
		case s.Missing == "gone", s.Missing == "changed":
			item("The file of source %d, “%s”, was %s after it was read.", r.sources[id], inline(s.Name), map[string]string{"gone": "removed", "changed": "changed"}[s.Missing])
		}
	}
	if k := len(r.st.Log.Refusals); k > 0 {
		item("%s refused by the checks; each is in the record with its reason.", count(int64(k), "proposal was", "proposals were"))
	}
	if n == 0 {
		r.put("Nothing is left to check.\n")
	}
	r.put("\n")
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

func (r *renderer) openItem(it state.Item, item func(string, ...any)) {
	switch it.Kind {
	case state.ItemNote:
		x := r.st.Notes[it.ID]
		who := ""
		if x.For != "" {
			who += " For " + inline(x.For) + "."
		}
		if x.Due != "" {
			who += " By " + inline(x.Due) + "."
		}
		item("**Note:** %s%s", inline(x.Text), who)
	case state.ItemContested:
		item("Claim %s is contested.", r.claims[it.ID])
	case state.ItemStale:
		switch {
		case r.claims[it.ID] != "":
			item("Claim %s rests on something that has changed.", r.claims[it.ID])
		case r.questionNumber(it.ID) > 0:
			item("Question %d was closed with claims that have changed.", r.questionNumber(it.ID))
		default:
			item("An answer or the report rests on something that has changed.")
		}
	case state.ItemSaysMore:
		item("Claim %s may say more than its quote (%s).", r.claims[it.ID], inline(strings.Join(r.st.Claims[it.ID].Flags, ", ")))
	case state.ItemQuestion:
		item("Question %d is open.", r.questionNumber(it.ID))
	case state.ItemParked:
		item("Question %d is set aside.", r.questionNumber(it.ID))
	}
}

func (r *renderer) next() {
	r.put("## Next step\n\n")
	c := r.last()
	switch {
	case c == nil || c.Next == nil:
		r.put("The record names none.\n\n")
	case c.Next.Kind == "done":
		r.put("None: every question is settled.\n\n")
	case c.Next.Kind == "stuck":
		r.put("None: the work is stuck. %s\n\n", r.args(c.Next.Args))
	case c.Next.Kind == "person":
		r.put("A person is needed. %s\n\n", r.args(c.Next.Args))
	default:
		r.put("%s", map[string]string{"plan": "Plan the work", "search": "Search the sources", "read": "Read", "reason": "Reason", "calculate": "Calculate",
			"verify": "Look a second time", "answer": "Write an answer", "report": "Write the report"}[c.Next.Kind])
		if a := r.args(c.Next.Args); a != "" {
			r.put(": %s", a)
		}
		if n := r.questionNumber(c.Next.Serves); n > 0 {
			r.put(" (for question %d)", n)
		}
		r.put(".\n\n")
	}
}

// args says a step's arguments: places by name, the rest as it is.
func (r *renderer) args(args []string) string {
	var out []string
	for _, a := range args {
		if p, ok := ledger.ParseRef(a); ok {
			out = append(out, r.place(p.Source, p.From, p.To))
		} else if n := r.questionNumber(a); n > 0 {
			out = append(out, fmt.Sprintf("question %d", n))
		} else if s := r.st.Sources[a]; s != nil {
			out = append(out, "“"+inline(nameOf(s))+"”")
		} else if ledger.IDKind(a) == 0 {
			out = append(out, inline(a))
		}
		if len(out) == 12 {
			out = append(out, "…")
			break
		}
	}
	return strings.Join(out, "; ")
}

func (r *renderer) listSources() {
	r.put("## Sources\n\n")
	for i, id := range r.st.SourceIDs {
		s := r.st.Sources[id]
		r.put("%d. ", i+1)
		if s.Title != "" {
			r.put("%s. ", inline(s.Title))
		}
		r.put("File “%s”", inline(s.Name))
		if s.Media != "" {
			r.put(" (%s)", inline(s.Media))
		}
		if s.Body == "" {
			r.put(", not readable. %s\n", inline(source.Explain(s.Reason)))
			continue
		}
		r.put(", %s. File %s, text %s.\n", count(s.Sentences, "sentence", "sentences"), s.File, s.Body)
	}
	if len(r.st.SourceIDs) == 0 {
		r.put("None.\n")
	}
	r.put("\n")
}

func (r *renderer) history() {
	r.put("## History\n\n")
	cs := r.st.Checkpoints
	if n := len(cs) - maxHistory; n > 0 {
		r.put("%s in the record below.\n\n", count(int64(n), "earlier checkpoint stands", "earlier checkpoints stand"))
		cs = cs[n:]
	}
	for i := range cs {
		c := &cs[i]
		what := "between steps"
		if c.Step != nil {
			what = "step “" + inline(c.Step.Kind) + "”"
		}
		r.put("- line %d, %s, %s", c.Seq, day(c.At), what)
		if c.Sum != nil {
			r.put(": %s", sumText(c.Sum))
		}
		r.put("; state %s\n", c.State[:16])
	}
	r.put("\n")
}

func (r *renderer) leftOut() {
	r.put("## What was left out\n\n")
	r.put("- The full texts of the sources. Who has the same files can check every quote by their hashes.\n")
	r.put("- Prompts and replies of the model; their hashes are in the record.\n")
	if n := r.p.Result.Withheld; n > 0 {
		r.put("- %s of the log (calls, refusals, accounts): only the hash of each is here, so that the chain can still be followed.\n", count(n, "line", "lines"))
	}
	bare := 0
	for _, id := range r.st.ClaimIDs {
		k := r.st.Claims[id]
		for _, e := range k.Evidence {
			if k.Live() && r.passage(e.Slice.Source, e.Slice.From, e.Slice.To) == nil {
				bare++
			}
		}
	}
	if bare > 0 {
		r.put("- The text around %s: the sender did not have it.\n", count(int64(bare), "quote", "quotes"))
	}
	var back []*state.Claim
	for _, id := range r.st.ClaimIDs {
		if k := r.st.Claims[id]; !k.Live() {
			back = append(back, k)
		}
	}
	if len(back) > 0 {
		sort.SliceStable(back, func(i, j int) bool { return back[i].Seq < back[j].Seq })
		r.put("- %s not shown above; the record has them:\n", count(int64(len(back)), "claim that was taken back or replaced is", "claims that were taken back or replaced are"))
		for i, k := range back {
			if i == maxHistory {
				r.put("  - …\n")
				break
			}
			reason := "replaced by other words"
			if k.Standing == state.Retracted {
				reason = "taken back by " + author(k.LastBy) + ": " + inline(k.Reason)
			}
			r.put("  - %s — %s\n", inline(k.Text), reason)
		}
	}
	r.put("\n")
}

// passage is the one that holds sentences from..to, nil where none travelled.
func (r *renderer) passage(src string, from, to int64) *Passage {
	for _, p := range r.passages[src] {
		if p.From <= from && to <= p.To {
			return p
		}
	}
	return nil
}

func (r *renderer) howToCheck() {
	r.put("## How to check this file without Cairn\n\n")
	r.put("Two commands. The first prints the SHA-256 of the record below; it must be `%s`:\n\n", r.p.Result.Block)
	r.put("    tr -d '\\r' < FILE | sed -n '/^```cairn-jsonl$/,/^```$/p' | sed '1d;$d' | sha256sum\n\n")
	r.put("The second follows the chain of all lines, counts them, and compares every quote with the passage that travelled; `verify.py` stands in `docs/` of Cairn's source code and needs nothing but Python:\n\n")
	r.put("    python3 verify.py FILE\n\n")
	r.put("## The record\n\n")
	r.put("%s: each is one line of the ledger, one passage around a quote, or the seal at the end. Please don't edit anything from here on.\n\n",
		count(int64(len(r.p.Lines)+len(r.p.Passages)+len(r.p.Seals)), "line", "lines"))
}
