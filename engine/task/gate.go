package task

import (
	"fmt"

	"cairn/engine/audit"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Amber gives the ids of the reasons for which the task should not simply go on:
// each until it was checked or a person overrode it (DESIGN 3.7).
func Amber(st *state.State) []string {
	var out []string
	for _, r := range audit.Reasons(st, audit.Now{}) {
		if len(out) < 64 {
			out = append(out, r.ID)
		}
	}
	return out
}

// Gate says whether the task may go on from its newest state: green or amber. Red
// is a fault of the record, which Task.Fault and an audit name.
func Gate(st *state.State) string {
	if len(Amber(st)) > 0 {
		return audit.Amber
	}
	return audit.Green
}

// consequences are the engine's lines that a group needs for what it did to
// things that rest on one another (DESIGN 3.6): a closed question none of whose
// claims stands is opened again; a person's claim that went stale becomes a
// question for the person, because it is never redone.
func consequences(st *state.State, since int64) []Entry {
	var out []Entry
	for _, id := range st.QuestionIDs {
		q := st.Questions[id]
		if q.Status != state.Closed || !q.Stale || len(q.Claims) == 0 {
			continue
		}
		stands := false
		for _, c := range q.Claims {
			if claim := st.StandsFor(c); claim != nil && claim.Live() && !claim.IsStale {
				stands = true
			}
		}
		if !stands {
			out = append(out, engineSays(&ledger.Reopen{ID: id, Reason: "none of its claims stands any more"}))
		}
	}
	for _, id := range st.ClaimIDs {
		c := st.Claims[id]
		if !c.IsStale || !c.Live() || c.By != ledger.Person || c.LastSeq <= since || c.Seq > since {
			continue
		}
		q := ledger.Question{Parent: c.Question, Text: fmt.Sprintf("Does this still hold: “%s”? What it rests on has changed.", c.Text)}
		if _, asked := st.Questions[ledger.QuestionID(q)]; !asked {
			out = append(out, engineSays(&q))
		}
	}
	return out
}

func engineSays(op ledger.Op) Entry { return Entry{By: ledger.Engine, Op: op} }
