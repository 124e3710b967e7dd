package view

import (
	"fmt"
	"strings"
	"time"

	"cairn/app/dto"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/state"
)

// next is the third of the three things. For an earlier checkpoint it is what
// that checkpoint recorded; else it is computed anew.
func (in Input) next() dto.Next {
	st := in.State
	if in.History || in.Library == nil {
		c := last(st)
		if c == nil || c.Next == nil {
			return dto.Next{}
		}
		return in.Step(planner.Step{Kind: c.Next.Kind, Args: c.Next.Args, Serves: c.Next.Serves})
	}
	if st.Ended != nil && st.Ended.Outcome == planner.Done {
		return in.Step(planner.Step{Kind: planner.Done})
	}
	step, err := planner.Next(st, in.Library)
	if err != nil {
		return dto.Next{Kind: planner.Stuck, Text: "The next step can't be told, because a stored text can't be read.", Why: "See the list of sources."}
	}
	return in.Step(step)
}

// Step words a step of the planner.
func (in Input) Step(s planner.Step) dto.Next {
	st := in.State
	out := dto.Next{Kind: s.Kind, Serves: in.serves(s)}
	switch s.Kind {
	case planner.Plan:
		out.Text = "Order the " + count(int64(len(st.QuestionIDs)), "question", "questions") + " for the work"
		out.Why = "Every run begins with it; you can change the order."
		if len(st.QuestionIDs) == 1 {
			out.Text, out.Why = "Take up the question", "Every run begins with it."
		}
	case planner.Search:
		out.Text = "Search all documents"
		out.Why = "Search takes seconds and finds what is worth reading first."
	case planner.Read:
		out.Text = "Read " + in.passage(s)
		out.Why = "Chosen for the most new evidence in the time; a document not seen yet counts more."
	case planner.Answer:
		out.Text = "Write the answer from " + count(int64(len(planner.Basis(st, s.Serves))), "claim", "claims")
		out.Why = "What was to be read for it at this depth has been read."
	case planner.Report:
		out.Text = "Put the report together from " + count(int64(len(s.Args)), "answer", "answers")
		out.Why = "The answers stand."
	case planner.Done:
		out.Text = "Nothing is left to do"
		out.Why = "Every question is closed and the report is up to date."
	case planner.Stuck, planner.Person:
		out.Text = "This needs you"
		var why []string
		for _, r := range s.Reasons {
			why = append(why, Reason(r))
		}
		out.Why = strings.Join(why, " ")
	default:
		out.Text = "Go on with " + s.Kind
	}
	return out
}

// passage names what a reading step shows.
func (in Input) passage(s planner.Step) string {
	for _, a := range s.Args {
		r, ok := ledger.ParseRef(a)
		if !ok {
			continue
		}
		name := "a document"
		if src := in.State.Sources[r.Source]; src != nil {
			if name = src.Title; name == "" {
				name = src.Name
			}
			name = "“" + Cut(name, 60) + "”"
		}
		if r.From == r.To {
			return fmt.Sprintf("%s, sentence %d", name, r.From)
		}
		return fmt.Sprintf("%s, sentences %d to %d", name, r.From, r.To)
	}
	return "the next passage"
}

func (in Input) serves(s planner.Step) string {
	if s.Serves == "" {
		return ""
	}
	text := "for question " + in.number(s.Serves)
	if s.Kind != planner.Read || in.Library == nil || in.History {
		return text
	}
	for _, a := range s.Args {
		r, ok := ledger.ParseRef(a)
		if !ok {
			continue
		}
		passages, err := in.Library.Passages(r.Source)
		if err != nil {
			return text
		}
		for _, p := range passages {
			if p.From == r.From && p.To == r.To {
				set := in.State.Settings
				return text + ", " + Duration(planner.Seconds(set, planner.Tokens(set, p.Bytes)+60, 40))
			}
		}
	}
	return text
}

func (in Input) number(question string) string {
	for i, id := range in.State.QuestionIDs {
		if id == question {
			return fmt.Sprint(i + 1)
		}
	}
	return "?"
}

// StepLine is one line for the running view: "“Smart spammers”, sentences 14 to
// 22, for question 2".
func (in Input) StepLine(kind string, args []string, serves string) string {
	s := planner.Step{Kind: kind, Args: args, Serves: serves}
	text := ""
	if kind == planner.Read {
		text = in.passage(s)
	}
	if serves != "" {
		if text != "" {
			text += ", "
		}
		text += "for question " + in.number(serves)
	}
	return text
}

// Progress gives passages shown and in all, and seconds left (-1: not known).
func Progress(st *state.State, lib planner.Library) (done, total int64, left float64) {
	list, seconds, err := planner.Progress(st, lib)
	if err != nil {
		return 0, 0, -1
	}
	for _, c := range list {
		done += c.Shown
		total += c.Shown + c.Left
	}
	return done, total, seconds
}

// Promise says what will be known by when, from the work that is left. firsts is
// when each document will have been touched.
func Promise(now time.Time, firsts, all float64) string {
	if all <= 0 {
		return ""
	}
	at := func(s float64) string { return When(now, now.Add(time.Duration(s*float64(time.Second)))) }
	if firsts > 0 && firsts < all*0.9 {
		return fmt.Sprintf("Every document touched by %s, everything by %s.", at(firsts), at(all))
	}
	return fmt.Sprintf("Everything by %s.", at(all))
}

// Firsts estimates the seconds until every readable document has been shown once
// for some question.
func Firsts(st *state.State, lib planner.Library) float64 {
	queue, err := planner.Queue(st, lib)
	if err != nil {
		return 0
	}
	touched := map[string]bool{}
	for source, by := range st.Read {
		touched[source] = len(by) > 0
	}
	waiting := map[string]bool{}
	for _, r := range queue {
		if !touched[r.Source] {
			waiting[r.Source] = true
		}
	}
	var seconds float64
	for _, r := range queue {
		if len(waiting) == 0 {
			break
		}
		seconds += planner.Seconds(st.Settings, r.Tokens, 40)
		delete(waiting, r.Source)
	}
	return seconds
}
