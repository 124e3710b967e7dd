package task

import (
	"fmt"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

// AmberImport is the reason that an imported file gives until a person accepted
// its preview.
func AmberImport(file string) string { return "import:" + file[:min(len(file), 16)] }

// Amber gives the reasons for which the task should not simply go on: each until
// it was checked or a person overrode it (DESIGN 3.7).
func Amber(st *state.State) []string {
	if st.Imported == nil {
		return nil
	}
	reason := AmberImport(st.Imported.File)
	if v, ok := st.Passed[reason]; ok && v == "passed" {
		return nil
	}
	if _, ok := st.Overrides[reason]; ok {
		return nil
	}
	return []string{reason}
}

// Gate says whether the task may go on from its newest state: green or amber. Red
// is a fault of the record, which Task.Fault and an audit name.
func Gate(st *state.State) string {
	if len(Amber(st)) > 0 {
		return "amber"
	}
	return "green"
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
