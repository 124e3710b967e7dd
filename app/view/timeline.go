package view

import (
	"fmt"
	"slices"
	"strings"

	"cairn/app/dto"
	"cairn/engine/ledger"
	"cairn/engine/planner"
)

// Timeline turns a branch's lines, given in order, into rows of the history.
type Timeline struct {
	in   Input
	full bool

	out     []dto.Entry
	number  int64 // of checkpoints so far
	started int64 // time of the step's start line
	asleep  int64 // since then
	awake   int64 // of its calls, by a clock that nobody sets
	group   groupWords
}

// groupWords is what one group did, as far as a row tells it.
type groupWords struct {
	sources, unreadable, claims, quotes int
	unread                              []string // the unreadable ones, each with its reason
	refused                             []string
	person                              []string
	outcome, reason                     string
	imported                            bool
}

// NewTimeline begins one. full shows calls and refusals too.
func NewTimeline(in Input, full bool) *Timeline { return &Timeline{in: in, full: full} }

// Entries gives the rows, newest first.
func (t *Timeline) Entries() []dto.Entry {
	out := slices.Clone(t.out)
	slices.Reverse(out)
	return dto.Whole(out)
}

func (t *Timeline) put(l *ledger.Line, kind, text, detail string) {
	t.out = append(t.out, dto.Entry{Seq: l.Seq, At: l.At, Kind: kind, Text: text, Detail: detail})
}

// Add takes the next line. A withheld line has nothing to tell.
func (t *Timeline) Add(l *ledger.Line) {
	if l.Withheld {
		return
	}
	switch op := l.Op.(type) {
	case *ledger.Start:
		t.started, t.asleep, t.awake = l.At, 0, 0
	case *ledger.Call:
		t.awake += op.Awake
		if t.full {
			t.put(l, "call", callWords(op), op.Model)
		}
	case *ledger.Refuse:
		t.group.refused = append(t.group.refused, op.Message)
		if t.full {
			t.put(l, "refuse", op.Message, Cut(op.Text, 200))
		}
	case *ledger.Pause:
		t.put(l, "pause", "Paused", Reason(op.Reason))
	case *ledger.Wake:
		t.asleep += op.Asleep
		t.wake(l, op)
	case *ledger.End:
		t.end(l, op)
	case *ledger.Finish:
		t.group.outcome, t.group.reason = op.Outcome, op.Reason
	case *ledger.Import:
		t.group.imported = true
	case *ledger.Fork:
		t.put(l, "import", "An alternative began here", op.Name)
	case *ledger.Join:
		t.put(l, "import", "Took over what another line of work found", "")
	case *ledger.Root:
		t.put(l, "import", "Handed over from an earlier history", "What came before is not part of this file.")
	case *ledger.Checkpoint:
		t.checkpoint(l, op)
	default:
		t.work(l)
	}
}

func (t *Timeline) work(l *ledger.Line) {
	g := &t.group
	switch op := l.Op.(type) {
	case *ledger.Source:
		g.sources++
		if op.Body == "" {
			g.unreadable++
			g.unread = append(g.unread, op.Name+": "+SourceReason(op.Reason))
		}
	case *ledger.Claim:
		g.claims++
	case *ledger.Quote:
		g.quotes++
	}
	if l.By != ledger.Person {
		return
	}
	if w := t.act(l.Op); w != "" {
		who := t.in.byLine(l.By, l.Who)
		g.person = append(g.person, strings.ToUpper(who[:1])+who[1:]+" "+w)
	}
}

// act words what a person did.
func (t *Timeline) act(op ledger.Op) string {
	st := t.in.State
	claim := func(id string) string {
		if c := st.Claims[id]; c != nil {
			return " “" + Cut(c.Text, 80) + "”"
		}
		return ""
	}
	switch op := op.(type) {
	case *ledger.Task:
		return "began the task"
	case *ledger.Amend:
		return "changed the " + op.Field
	case *ledger.Set:
		return "changed the settings"
	case *ledger.Question:
		return "asked “" + Cut(op.Text, 80) + "”"
	case *ledger.Drop:
		return "dropped question " + t.in.number(op.ID)
	case *ledger.Reopen:
		return "opened question " + t.in.number(op.ID) + " again"
	case *ledger.Close:
		return "closed question " + t.in.number(op.ID)
	case *ledger.Claim:
		return "wrote a claim"
	case *ledger.Supersede:
		return "corrected" + claim(op.ID)
	case *ledger.Retract:
		return "retracted" + claim(op.ID) + ": " + op.Reason
	case *ledger.Merge:
		return "merged two claims"
	case *ledger.Check:
		return "checked" + claim(op.ID) + ": " + strings.ReplaceAll(op.Verdict, "_", " ")
	case *ledger.Scope:
		name := "a source"
		if s := st.Sources[op.ID]; s != nil {
			name = "“" + s.Name + "”"
		}
		if op.State == "aside" {
			return "set " + name + " aside"
		}
		return "took " + name + " back"
	case *ledger.Note:
		return "noted: " + Cut(op.Text, 80)
	case *ledger.Undo:
		return "undid an earlier act"
	case *ledger.Override:
		return "let it go on in spite of a warning"
	case *ledger.Erase:
		return "erased stored texts"
	}
	return ""
}

func (t *Timeline) wake(l *ledger.Line, op *ledger.Wake) {
	switch {
	case op.Reason == "slept":
		t.put(l, "sleep", "The computer slept for "+Duration(float64(op.Asleep)/1000), "The step went on from where it was saved.")
	default:
		t.put(l, "resume", "Went on", Reason(op.Reason)+" Nothing was lost; at most one call was repeated.")
	}
}

func (t *Timeline) end(l *ledger.Line, op *ledger.End) {
	var why []string
	for _, r := range op.Reasons {
		why = append(why, Reason(r))
	}
	text := map[string]string{"done": "Done", "stopped": "Stopped", "stuck": "It can't go on by itself"}[op.Outcome]
	if text == "" {
		text = "Ended"
	}
	t.put(l, "end", text, strings.Join(why, " "))
}

func (t *Timeline) checkpoint(l *ledger.Line, op *ledger.Checkpoint) {
	t.number++
	g := t.group
	t.group = groupWords{}
	e := dto.Entry{Seq: l.Seq, At: l.At, Checkpoint: t.number}
	switch {
	case g.imported:
		e.Kind, e.Text = "import", "Taken over from a file"
		if t.in.Example {
			e.Text = "The example was put together by its makers"
		}
	case op.Step != nil:
		e.Kind, e.Text = "step", t.step(op.Step)
		if t.started > 0 {
			e.TookMs = took(l.At-t.started-t.asleep, t.awake)
		}
		t.started, t.asleep = 0, 0
	case len(g.person) > 0:
		e.Kind, e.Text = "person", capped(g.person)
	case g.sources > 0:
		e.Kind, e.Text = "step", count(int64(g.sources), "document", "documents")+" came in"
		if g.unreadable > 0 {
			e.Text += ", " + fmt.Sprint(g.unreadable) + " of them can't be read"
		}
	default:
		e.Kind, e.Text = "step", "Saved"
	}
	e.Detail = detail(g, op)
	if t.full {
		e.Detail = strings.Join(append(nonEmpty(e.Detail), Capped(g.unread)...), "\n")
	}
	t.out = append(t.out, e)
}

// took is how long a step took: by the times of its lines, or, where the clock was
// set or the machine slept meanwhile, what its calls took.
func took(wall, awake int64) int64 {
	const hour = 3_600_000
	if wall < awake || wall > awake+hour {
		return awake
	}
	return wall
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// most is how many rows of a list of files are named.
const most = 20

// Capped is list, or its first rows and how many more there are.
func Capped(list []string) []string {
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), fmt.Sprintf("and %d more", len(list)-most))
}

func capped(list []string) string {
	if len(list) <= 2 {
		return strings.Join(list, ". ")
	}
	return fmt.Sprintf("%s. And %d more", list[0], len(list)-1)
}

// step words a finished step.
func (t *Timeline) step(s *ledger.NextStep) string {
	p := planner.Step{Kind: s.Kind, Args: s.Args, Serves: s.Serves}
	switch s.Kind {
	case planner.Plan:
		return "Ordered the questions"
	case planner.Search:
		return "Searched all documents for question " + t.in.number(s.Serves)
	case planner.Read:
		return "Read " + t.in.passage(p) + ", for question " + t.in.number(s.Serves)
	case planner.Answer:
		return "Answered question " + t.in.number(s.Serves)
	case planner.Report:
		return "Put the report together"
	}
	return "Did " + s.Kind
}

func detail(g groupWords, op *ledger.Checkpoint) string {
	var parts []string
	if g.claims > 0 {
		parts = append(parts, count(int64(g.claims), "claim", "claims")+" accepted")
	}
	if n := len(g.refused); n > 0 {
		parts = append(parts, fmt.Sprintf("%d refused: %s", n, strings.TrimPrefix(strings.TrimRight(g.refused[0], "."), "Refused: ")))
	}
	switch g.outcome {
	case "nothing":
		parts = append(parts, "nothing found")
	case "parked":
		parts = append(parts, "left for you: "+strings.TrimRight(Reason(g.reason), "."))
	}
	if op.Sum != nil && op.Sum.Closed > 0 {
		parts = append(parts, count(op.Sum.Closed, "question", "questions")+" closed")
	}
	return strings.Join(parts, ", ")
}

func callWords(c *ledger.Call) string {
	s := fmt.Sprintf("The model read %s and wrote %s", count(c.PromptCount, "token", "tokens"), count(c.EvalCount, "token", "tokens"))
	if ms := c.Awake; ms > 0 {
		s += fmt.Sprintf(" in %.1f s", float64(ms)/1000)
	}
	switch c.Outcome {
	case "complete":
	case "cut":
		s += "; the reply was cut off"
	case "cancelled":
		s += "; it was stopped"
	case "refused":
		s += "; Ollama refused it"
	default:
		s += "; the reply was lost"
	}
	return s
}
