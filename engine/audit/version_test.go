package audit

import (
	"strings"
	"testing"

	"cairn/engine/internal/ledgertest"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// A ledger whose checkpoints are of another fold version is recomputed under the
// rules of this one, and says so; neither its states nor evidence that counts
// otherwise now are damage.
func TestAnotherFoldVersionIsNoDamage(t *testing.T) {
	for version, red := range map[int64]bool{state.FoldVersion - 1: false, state.FoldVersion + 1: false, state.FoldVersion: true} {
		l, q, _ := sampleLedger()
		l.Mutate = func(c *ledger.Checkpoint) {
			c.Fold = version
			if version != state.FoldVersion {
				c.State, c.Sum.Claims = ledger.HashOf([]byte("by other rules")).String(), 9
				c.Counts.Steps = 17
			}
		}
		bare := &ledger.Claim{Question: q, Text: "Nothing speaks for it."}
		l.Group(ledgertest.By(ledger.Model, bare))
		l.Group(ledgertest.By(ledger.Engine, &ledger.Reopen{ID: q}))
		l.Group(ledgertest.By(ledger.Engine, &ledger.Close{ID: q, Claims: []string{ledger.ClaimID(*bare)}}))
		last := l.State.Seq
		r := mustAudit(t, l, l.State)
		if red != (r.Gate == Red) {
			t.Errorf("fold %d: gate %s: %+v", version, r.Gate, r.Problems)
		}
		said := false
		for _, u := range r.Unchecked {
			said = said || u.Code == "state" && u.Seq == last && strings.Contains(u.Message, "recomputed under the rules of this one")
		}
		if said == red {
			t.Errorf("fold %d: what is said: %+v", version, r.Unchecked)
		}
	}
}
