package lives

import (
	"context"
	"maps"
	"slices"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/task"
)

// meddle has a model propose whatever a model may, about whatever there is: most of
// all about what the person decided. What it may not is refused as a whole.
func (t *turn) meddle(ctx context.Context) error {
	claims := t.claims(false)
	if len(claims) == 0 {
		return errNone
	}
	by := task.Entry{By: ledger.Model, Who: ledger.WhoDigest(digestOf(1))}
	for range 4 {
		st := t.task.Snapshot()
		a, b := pick(t.dice, claims), pick(t.dice, claims)
		for _, id := range slices.Sorted(maps.Keys(t.rec.decisions.gone)) {
			if t.dice.IntN(2) == 0 && t.st.Claims[id] != nil {
				a = id
				break
			}
		}
		q := pick(t.dice, t.st.QuestionIDs)
		old := t.st.Claims[a]
		same := &ledger.Claim{Question: old.Question, Basis: old.Basis, Text: "Again, in other words: " + old.Text}
		for i := range old.Evidence {
			if i < len(old.Basis) {
				same.Quotes = append(same.Quotes, old.Evidence[i].Slice)
			}
		}
		by.Op = pick(t.dice, []ledger.Op{&ledger.Renew{ID: a}, &ledger.Renew{ID: a}, &ledger.Retract{ID: a, Reason: "not found again"}, &ledger.Supersede{ID: a, Into: b},
			&ledger.Merge{ID: a, Into: b}, &ledger.Close{ID: q, Claims: []string{a}}, &ledger.Check{ID: a, How: "model", Verdict: "right"},
			&ledger.Note{On: a, Text: "I am sure."}, &ledger.Reopen{ID: q}, &ledger.Drop{ID: q, Reason: "done"}, same})
		if _, ok := by.Op.(*ledger.Close); ok && st.Claims[a].Trust < state.Backed {
			continue // the gate before the record looks at that, and is not asked here
		}
		if c, ok := by.Op.(*ledger.Claim); ok && len(c.Quotes) != len(c.Basis) {
			continue
		}
		if err := t.task.Commit(ctx, []task.Entry{by}, nil); err != nil && engine.KindOf(err) != engine.KindRefused && engine.KindOf(err) != engine.KindUsage {
			return err
		}
	}
	return nil
}
