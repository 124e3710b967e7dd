// Package view turns a task's state into what people look at: solved, to check,
// next, with plain words and no judgement of its own. It computes nothing that
// the state does not hold and is pure but for reading stored texts.
package view

import (
	"fmt"
	"time"

	"cairn/app/dto"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/search"
	"cairn/engine/source"
	"cairn/engine/state"
)

// Texts gives stored texts; ok is false where a text is not here.
type Texts interface {
	Text(src *state.Source) (body []byte, table *source.Table, ok bool)
}

// Input is everything a view is made of.
type Input struct {
	State   *state.State
	Texts   Texts
	Library planner.Library
	Me      string            // who of this machine's person
	Names   map[string]string // who → words, before those in the log
	Example bool
	// Looked: sources whose files are changed or gone in the folder as it is now,
	// which no line says yet: id → "changed" or "gone".
	Looked map[string]string
	// Sentences ranks single sentences for a text, as search does it now. nil: the
	// ranges on record are shown instead.
	Sentences func(text string) []search.Hit
	Now       time.Time // for "by 15:05"; its zone is the reader's
	ID        string    // the task's id
	// History: the state is an earlier one, so nothing is promised.
	History bool
}

// Task is the whole view without Status, Seq and the undo fields, which belong
// to who runs the task.
func Task(in Input) dto.View {
	st := in.State
	v := dto.View{
		ID: in.ID, Title: Title(st), Goal: st.Task.Goal, Constraints: st.Task.Constraints, Example: in.Example,
		StateHash: hash(st), Sum: Sum(last(st)), Counts: counts(st), Imported: imported(in),
	}
	covers := coverage(in)
	for i, id := range st.QuestionIDs {
		q := st.Questions[id]
		v.Questions = append(v.Questions, in.question(i+1, q, covers[id]))
	}
	if rest := in.claims(""); len(rest) > 0 {
		v.Questions = append(v.Questions, dto.Question{Text: "Without a question", Status: string(state.Open), Claims: rest})
	}
	for _, id := range st.ClaimIDs {
		if c := st.Claims[id]; !c.Live() {
			v.Retracted = append(v.Retracted, in.claim(c))
		}
	}
	v.ToCheck = in.toCheck()
	v.Next = in.next()
	v.Report, v.ReportStale = in.report()
	return dto.Whole(v)
}

// Title is the task's title, or its goal cut to one line.
func Title(st *state.State) string {
	if st.Task.Title != "" {
		return st.Task.Title
	}
	return Cut(st.Task.Goal, 80)
}

func last(st *state.State) *state.Checkpoint {
	if len(st.Checkpoints) == 0 {
		return nil
	}
	return &st.Checkpoints[len(st.Checkpoints)-1]
}

func hash(st *state.State) string {
	if c := last(st); c != nil {
		return c.State
	}
	return ""
}

// Sum is promise 4 in words; "" for a checkpoint without one.
func Sum(c *state.Checkpoint) string {
	if c == nil || c.Sum == nil {
		return ""
	}
	s := c.Sum
	out := ""
	add := func(n int64, one, many string) {
		if n != 0 {
			out += ", " + count(n, one, many)
		}
	}
	if s.Claims > 0 {
		out += ", +" + count(s.Claims, "claim", "claims")
	}
	add(s.Quotes, "quote added", "quotes added")
	add(s.Retracted, "retracted", "retracted")
	add(s.Superseded, "replaced", "replaced")
	add(s.Merged, "merged", "merged")
	add(s.Opened, "question opened", "questions opened")
	add(s.Closed, "closed", "closed")
	add(s.Dropped, "dropped", "dropped")
	return (out + ", " + fmt.Sprint(s.Lost) + " lost")[2:]
}

func counts(st *state.State) dto.Counts {
	var n dto.Counts
	for _, s := range st.Sources {
		switch {
		case s.Aside != "":
			n.Aside++
		case s.Readable():
			n.Sources++
		case s.Body == "" && s.Newer == "": // a text that is stored was read, whatever became of its file
			n.Unreadable++
		}
	}
	for _, c := range st.Claims {
		if !c.Live() {
			continue
		}
		n.Claims++
		switch {
		case !Judged(c):
			n.ToCheck++
		case verdict(c) != "says_more":
			n.Checked++
		}
	}
	for _, q := range st.Questions {
		switch q.Status {
		case state.Open:
			n.Open++
		case state.Parked:
			n.Parked++
		case state.Closed:
			n.Closed++
		case state.Dropped:
			n.Dropped++
		}
	}
	return n
}

// Judged: a person here said what they think of the claim.
func Judged(c *state.Claim) bool {
	if v := verdict(c); v != "" {
		return v != "unsure"
	}
	return c.Trust == state.Checked
}

// verdict is the newest one of a person here, "" when there is none.
func verdict(c *state.Claim) string {
	for i := len(c.Checks) - 1; i >= 0; i-- {
		if v := c.Checks[i]; v.By == ledger.Person && !v.Reported {
			return v.Verdict
		}
	}
	return ""
}

func imported(in Input) string {
	st := in.State
	if st.Imported == nil {
		return ""
	}
	var n int64
	for _, c := range st.Claims {
		if c.Live() && reported(c) {
			n++
		}
	}
	if in.Example {
		return "An example: its makers wrote the claims, no model did; " + count(n, "claim", "claims") + " to look at."
	}
	return "from a file, unsigned; " + count(n, "claim", "claims") + " reported by the sender"
}

type cover struct {
	shown, left     int64
	documents, docs int
}

func coverage(in Input) map[string]cover {
	out := map[string]cover{}
	if in.Library == nil {
		return out
	}
	list, _, err := planner.Progress(in.State, in.Library)
	if err != nil {
		return out // a text is not here; the list of sources says which
	}
	docs := 0
	for _, s := range in.State.Sources {
		if s.Readable() {
			docs++
		}
	}
	for _, c := range list {
		out[c.Question] = cover{c.Shown, c.Left, c.Documents, docs}
	}
	return out
}

func (c cover) words() string {
	if c.docs == 0 {
		return ""
	}
	if c.shown == 0 && c.left == 0 {
		return ""
	}
	if c.shown == 0 {
		return "nothing read yet; " + count(c.left, "passage", "passages") + " to read"
	}
	return fmt.Sprintf("from %d of %s; %d of %s read", c.documents, count(int64(c.docs), "document", "documents"),
		c.shown, count(c.shown+c.left, "passage", "passages"))
}

func (in Input) question(number int, q *state.Question, c cover) dto.Question {
	out := dto.Question{
		ID: q.ID, Number: number, Text: q.Text, Status: string(q.Status), Reason: QuestionReason(q.Reason), Coverage: c.words(),
		Claims: in.claims(q.ID), Candidates: in.Candidates(q.ID, 5), Notes: in.notes(q.ID),
	}
	if a := in.State.Answers[q.Answer]; a != nil && a.Standing == state.Active {
		out.Answer = in.sentences(a.Sentences, a.IsStale)
		out.Partial = a.Partial || q.Status == state.Open && c.left > 0
	}
	if out.Partial && out.Coverage != "" {
		out.Coverage = "so far, " + out.Coverage
	}
	return out
}

func (in Input) sentences(list []ledger.Sentence, stale bool) []dto.AnswerSentence {
	var out []dto.AnswerSentence
	for _, s := range list {
		a := dto.AnswerSentence{Text: s.Text, Claims: s.Claims, Backed: len(s.Claims) > 0, Stale: stale}
		for _, id := range s.Claims {
			c := in.State.Claims[id]
			switch {
			case c == nil || c.Trust == state.Stated && !quoted(c):
				a.Backed = false
			case !c.Live() || c.IsStale:
				a.Stale = true
			}
		}
		out = append(out, a)
	}
	return out
}

func (in Input) report() ([]dto.ReportPart, bool) {
	st := in.State
	for i := len(st.ReportIDs) - 1; i >= 0; i-- {
		r := st.Reports[st.ReportIDs[i]]
		if r == nil || r.Standing != state.Active {
			continue
		}
		var out []dto.ReportPart
		if len(r.Opening) > 0 {
			out = append(out, dto.ReportPart{Sentences: in.sentences(r.Opening, false)})
		}
		for _, id := range r.Answers {
			a := st.Answers[id]
			if a == nil {
				continue
			}
			p := dto.ReportPart{Sentences: in.sentences(a.Sentences, a.IsStale || a.Standing != state.Active)}
			if q := st.Questions[a.Question]; q != nil {
				p.Heading = q.Text
			}
			out = append(out, p)
		}
		return out, r.IsStale
	}
	return nil, false
}

func (in Input) notes(on string) []dto.Note {
	var out []dto.Note
	for _, id := range in.State.NoteIDs {
		n := in.State.Notes[id]
		if n.Standing == state.Active && (on == "" || n.On == on) {
			out = append(out, dto.Note{ID: n.ID, On: n.On, Text: n.Text, For: n.For, Due: n.Due, By: in.byLine(n.By, n.Who)})
		}
	}
	return out
}
