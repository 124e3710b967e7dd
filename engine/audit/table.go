// Package audit holds the checks that keep a checkpoint honest. A check is code
// with an id, a rule, a class, a message for people and the lie it catches; the
// table below lists them. They work at two doors: proposals of a model or a
// program (CheckFinding, CheckAnswer, CheckClose, CheckOps), and whole ledgers
// that are opened, resumed or imported (Audit).
package audit

// Class says what happens when a check does not pass.
type Class string

const (
	// Refuse: the op is not written; the refusal is.
	Refuse Class = "refuse"
	// Flag: the op is written with the check's code and shows under "to check".
	Flag Class = "flag"
	// Invariant: holds for every ledger; a breach is damage or a defect and turns the gate red.
	Invariant Class = "invariant"
)

// Check is one row of the table of checks.
type Check struct {
	ID      string
	Rule    string // what must hold
	Class   Class
	Message string // for people, when it does not hold
	Catches string // the lie that it catches
}

// Table lists every check of this program in the order of its ids.
var Table = []Check{
	{"D1", "The source exists here under the hash that the ledger names.", Invariant,
		"This source is not what the record says it is.", "an invented source or page; swapped source bytes"},
	{"D2", "A quote is a slice of its source, byte for byte; a typed one is located in the text.", Refuse,
		"These words do not stand in the source.", "an invented, altered or spliced quote; a real quote under a wrong source"},
	{"D3", "A typed quote is long enough to be found once, and not longer than 1,200 characters.", Refuse,
		"This quote is too short or too long to be located.", "a quote spliced from scraps"},
	{"D4", "The cited sentences were shown to the model.", Refuse,
		"The model cites sentences that it was not shown.", "“I read all of it”"},
	{"D5", "Every number, date, unit and percentage stands in what the claim rests on; rounding is marked.", Refuse,
		"A number of the claim does not stand in its quote.", "a number that differs from the quote"},
	{"D6", "A “not”, “may” or “in mice” of the cited sentence is kept.", Flag,
		"The quoted sentence limits what it says; the claim does not.", "a clipped “not”, “may”, “in mice”"},
	{"D7", "Claims of one checkpoint are in the next, or a line says who removed them and why.", Invariant,
		"Claims vanished without a line that says so.", "an earlier claim dropped"},
	{"D8", "Questions are conserved too, and are closed only with claims that have evidence.", Invariant,
		"A question vanished, or was closed without evidence.", "an open question dropped quietly or closed without evidence"},
	{"D9", "What an id names never changes.", Invariant,
		"Another object stands under the same id.", "a claim reworded under the same id"},
	{"D10", "Goal and constraints change only by a person's amendment.", Invariant,
		"Goal or constraints differ from what the person wrote.", "a goal or constraint shifted"},
	{"D11", "“I did X” is a line of the engine, never a statement of the model.", Refuse,
		"The model reports work that is not on record.", "“I searched / opened / computed X”; an invented or hidden tool result; false approval"},
	{"D12", "A step is done only after a call that ended complete.", Invariant,
		"A step counts as done although its call did not end.", "a step “complete” after a crash, a cut stream or a length stop"},
	{"D13", "What a claim rests on leads to a source, a calculation, an assumption or a person, without a circle.", Refuse,
		"The claim rests on itself.", "self-citation; circular evidence"},
	{"D14", "What a claim rests on was written before it.", Refuse,
		"The claim rests on something written later.", "later evidence"},
	{"D15", "A proposed step serves an open question and was not already done with a result that stands.", Refuse,
		"This step was already done, or serves nothing that is open.", "an old step as new progress; a next step serving no open item"},
	{"D16", "Counts, times, model names, trust and “done” come from the engine.", Refuse,
		"The model states something that only the engine may state.", "invented progress, “verified” set by the model"},
	{"D17", "The same finding is not counted twice.", Flag,
		"Nearly the same claim is already on record.", "a duplicate kept as new"},
	{"D18", "Two numbers for the same thing are shown as contested.", Flag,
		"Another claim gives another number for this.", "contradictory claims kept side by side"},
	{"D20", "A plan or question is not copied out of a source.", Flag,
		"This wording comes from a source, not from the task.", "an instruction found in a source adopted as plan"},
	{"D21", "The chain, the group sizes and the blobs fit.", Invariant,
		"The record was altered or is incomplete.", "bytes changed after they were written"},
	{"D22", "Names and acronyms of the claim occur in its quotes, their headings or the source's title.", Flag,
		"The claim says more than its quote.", "the right sentence with a name swapped"},
	{"D23", "At least half of the claim's content words occur there; below a third its wording is refused.", Refuse,
		"The claim is about something else than its quote.", "a valid sentence number under a claim about something else"},
	{"D24", "Each sentence of an answer agrees with the claims it names.", Flag,
		"The sentence says more than the claims it names.", "an answer that says more than its claims"},
	{"state", "The state that a checkpoint names is the fold of the lines before it.", Invariant,
		"The lines do not lead to the state that this checkpoint names.", "a checkpoint written for another state"},
}

// Codes of refusals that are not one of the numbered checks.
const (
	CodeSticky  = "sticky"  // a person decided otherwise
	CodeUnknown = "unknown" // an id that does not exist here
	CodeSchema  = "schema"  // empty, or not of the form asked for
	CodeLimit   = "limit"   // longer than allowed
	CodeTried   = "tried"   // equal to an approach that already failed
)

// ByID finds a check.
func ByID(id string) (Check, bool) {
	for _, c := range Table {
		if c.ID == id {
			return c, true
		}
	}
	return Check{}, false
}
