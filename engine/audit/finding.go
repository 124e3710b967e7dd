package audit

import (
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Finding is what a reading model pointed at, with its ids already resolved by
// the engine. From and To are sentence numbers, inclusive, from 1.
type Finding struct {
	Question string // question id
	Source   string // source id
	From, To int64
	Text     string // the model's wording
	// Quote: the model was asked to point only; the quoted sentence is the claim
	// and Text is ignored.
	Quote bool
}

// Context is what a check may look at. Functions are called from the caller's
// goroutine only. Heading and Done may be nil.
type Context struct {
	State *state.State
	// Shown gives the sentences of a source that the model was shown in this step
	// (or an earlier one that the prompt named).
	Shown func(source string) []state.Interval
	// Slice cuts sentences from..to of a source, byte for byte.
	Slice func(source string, from, to int64) (string, error)
	// Heading gives the section heading of a sentence, "" for none.
	Heading func(source string, n int64) string
	// Inputs gives the hash of a step's inputs as they are now, for D15.
	Inputs func(kind string, args []string) string
}

// Verdict on one finding.
type Verdict struct {
	// Claim is ready to write when Refusal is nil. Without Text the claim is its
	// quote. Its Flags are set.
	Claim ledger.Claim
	Flags []string
	// Refusal: nothing is written but this.
	Refusal *ledger.Refuse
	// Fallback: the wording was refused and the quoted sentence is the claim; both
	// Claim and Fallback are written.
	Fallback *ledger.Refuse
}

// CheckFinding decides what becomes of one finding of a reading model.
func CheckFinding(c Context, f Finding) Verdict { return Verdict{} }

// CheckAnswer checks the sentences of a proposed answer to q against the claims
// they name (D24). Kept sentences carry the codes of the checks that they did not
// pass; a sentence that names unknown or dead claims, or reports work of its own, is
// refused.
func CheckAnswer(c Context, q string, sentences []ledger.Sentence) ([]ledger.Sentence, []ledger.Refuse) {
	return nil, nil
}

// CheckClose checks that q may be closed with these claims (D8). by is who proposes it.
func CheckClose(c Context, by ledger.By, cl ledger.Close) *ledger.Refuse { return nil }

// CheckOps checks further proposals of a model or program in order; a later one
// may name what an earlier one of the same list makes. Kept ops are ready to write.
func CheckOps(c Context, by ledger.By, ops []ledger.Op) (kept []ledger.Op, refused []ledger.Refuse) {
	return nil, nil
}

// CheckFields refuses the fields of a model's reply that name what only the engine
// owns (D16): counts, times, model names, trust, "done". allowed are the names of
// the schema that the model was given.
func CheckFields(reply map[string]any, allowed ...string) []ledger.Refuse { return nil }
