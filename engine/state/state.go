// Package state is the fold of a ledger's lines: the State, its hash, and the
// lists people read (solved, to check, next). It is pure: no clock, no store,
// no randomness. DESIGN 3.3–3.6 is normative.
package state

import "cairn/engine/ledger"

// FoldVersion is written in every checkpoint; a change of rules raises it.
// vault/FORMAT.md says what each version changed.
const FoldVersion = 2

// Standing of an object (3.6): Retracted and Superseded first, then Stale, then
// Contested, else Active. The marks IsStale and IsContested are stored beside it
// and outlive a retraction.
type Standing string

const (
	Active     Standing = "active"
	Contested  Standing = "contested"
	Stale      Standing = "stale"
	Retracted  Standing = "retracted"
	Superseded Standing = "superseded"
)

// Trust is the ladder of 3.6, lowest first.
type Trust int

const (
	Stated Trust = iota
	Backed
	Agreed
	Checked
)

// Meta is kept for every object: who made it, which line, what happened last.
type Meta struct {
	By      ledger.By // author of the line that created it
	Who     string
	Seq     int64     // line that created it
	LastBy  ledger.By // author of the last line that changed it
	LastSeq int64
	Person  bool // a person wrote, edited, checked or retracted it (a question: dropped or closed it): sticky
}

type Settings struct {
	Budget     int64  // seconds; 0 = none
	Context    int64  // tokens
	Depth      string // quick, thorough, exhaustive
	Digest     string
	Model      string // "" or "-" = no model
	Predict    int64
	ReadRate   int64 // tokens/s, rounded
	TokenBytes int64 // bytes per 100 tokens
	Trial      bool
	WriteRate  int64
}

type Task struct {
	ID          string
	Title       string
	Goal        string
	Constraints []string
	Acceptance  []string
	At          int64 // Unix ms of the task line
}

type Source struct {
	Meta
	ID, Body, File, Table, Name, Title, Media, Extractor, Reason, Parent string
	Bytes, Sentences                                                     int64
	Missing                                                              string // reason, or ""
	Aside                                                                string // reason ("-" when none was given), or ""
	Newer                                                                string // id of a newer version of the document, or ""
}

// Readable: it has text, the text is here, and nobody set it aside.
func (s *Source) Readable() bool { return s.Body != "" && s.Missing == "" && s.Aside == "" }

type QuestionStatus string

const (
	Open    QuestionStatus = "open"
	Parked  QuestionStatus = "parked"
	Closed  QuestionStatus = "closed"
	Dropped QuestionStatus = "dropped"
)

type Question struct {
	Meta
	ID, Text, Parent string
	Status           QuestionStatus
	Place            int64    // 1, 2, 3 … in order of appearance
	Reason           string   // of park, drop, close or reopen
	Claims           []string // named by close
	Stale            bool     // a closed question whose claims went stale
	Answer           string   // id of the newest standing answer, "" if none
}

// Evidence is one slice that a claim rests on or that speaks about it.
type Evidence struct {
	ID       string // quote id
	Slice    ledger.Slice
	Stance   string // supports, contradicts, context
	Seq      int64
	By       ledger.By
	Reported bool  // by the sender of an import, and not checked here since
	marked   bool  // the line itself says reported
	cleared  int64 // seq of the check that found its bytes here
}

// Claim is one proposition. Its records are never changed in place: a change
// makes a new record, so a pointer that was read stays as it was.
type Claim struct {
	Meta
	ID, Question string
	Text         string // as shown; for a claim that is its quote, the slice's text
	IsQuote      bool   // no text of its own
	Basis        []string
	Evidence     []Evidence
	Flags        []string
	Standing     Standing
	IsStale      bool
	IsContested  bool
	Trust        Trust
	Reported     bool
	Into         string // superseded into
	Merged       bool   // by merge: what rested on it rests on Into
	Reason       string // of the retraction
	Checks       []Verdict
	Accepted     bool

	marked bool // the claim's line says reported
}

// HasReported: it has evidence that only a sender reported, which counts for nothing
// here; what rests on such a claim may have stood on it elsewhere.
func (c *Claim) HasReported() bool {
	if c.Reported {
		return true
	}
	for i := range c.Evidence {
		if c.Evidence[i].Reported {
			return true
		}
	}
	return false
}

// Live: counted as part of what is solved (active, contested or stale).
func (c *Claim) Live() bool { return c.Standing != Retracted && c.Standing != Superseded }

type Verdict struct {
	Seq          int64
	By           ledger.By
	Who          string
	How, Verdict string
	Reason       string
	Reported     bool
	marked       bool
}

// Good: the verdict speaks for what was checked.
func (v Verdict) Good() bool { return v.Verdict == "right" || v.Verdict == "passed" }

// Bad: the verdict speaks against what was checked.
func (v Verdict) Bad() bool {
	return v.Verdict == "wrong" || v.Verdict == "says_more" || v.Verdict == "failed"
}

type Assumption struct {
	Meta
	ID, Question, Text string
	Standing           Standing
	IsStale            bool
	Into, Reason       string
	Checked            bool // a person wrote it or found it right

	said []Verdict // what persons said of it, its writing included
}

// Live: neither retracted nor superseded.
func (a *Assumption) Live() bool { return a.Standing != Retracted && a.Standing != Superseded }

type Attempted struct {
	Meta
	ID, Approach, Outcome, Question, Why string
	Standing                             Standing
	Into, Reason                         string
}

// Answer of a question. A new one takes the place of the one before it.
type Answer struct {
	Meta
	ID, Question string
	Sentences    []ledger.Sentence
	Partial      bool
	Standing     Standing
	IsStale      bool
	Into, Reason string
}

// Live: neither retracted nor superseded.
func (a *Answer) Live() bool { return a.Standing != Retracted && a.Standing != Superseded }

// Report of the task. A new one takes the place of the one before it.
type Report struct {
	Meta
	ID           string
	Answers      []string
	Opening      []ledger.Sentence
	Standing     Standing
	IsStale      bool
	Into, Reason string
}

// Live: neither retracted nor superseded.
func (r *Report) Live() bool { return r.Standing != Retracted && r.Standing != Superseded }

type PlanItem struct {
	Meta
	ID, Kind, Serves string
	Args             []string
	Removed          bool
	Parked           string
}

// Done is one finished step, keyed by Key(kind, args, inputs).
type Done struct {
	Kind, Serves, Inputs, Outcome, Reason string
	Args                                  []string
	Seq                                   int64
}

type Note struct {
	Meta
	ID, On, Text, For, Due string
	Standing               Standing
	Into, Reason           string
}

// Interval of sentence numbers, inclusive, from 1.
type Interval struct{ From, To int64 }

// Range is an interval of one source.
type Range = ledger.Place

// Checkpoint as recorded.
type Checkpoint struct {
	Seq, At int64
	Chain   ledger.Hash
	ledger.Checkpoint
}

// Log is the part of the state that going on never reads.
type Log struct {
	Calls     int64
	PromptN   int64 // tokens
	EvalN     int64
	ModelMs   int64
	Refusals  []Refusal
	Steps     int64
	Attempts  map[string]int64 // step key → starts without a finish since
	Events    []Event          // pauses, wakes, ends, imports in order
	Names     map[string]string
	LastStart *Started // the start without a finish, nil when none
	CallsAt   []Called
}

type Refusal struct {
	Seq, At                                 int64
	Code, Message, Proposal, Question, Text string
}

type Event struct {
	Seq, At int64
	Op      string // pause, wake, end, import, fork, root
	Reason  string
	Asleep  int64
}

type Started struct {
	Seq, At      int64
	Kind, Serves string
	Args         []string
	Inputs       string
	Attempt      int64
	Calls        []ledger.Call // finished calls inside this step, for reuse (3.5)
}

type Called struct {
	Seq, At int64
	ledger.Call
}

// State is the fold of a branch's lines up to Seq. The maps are keyed by object
// id; the slices give the order of first appearance. Only Apply changes it;
// everybody else reads. It is not safe for use while Apply runs: Clone first.
type State struct {
	Seq, Group, At int64
	Chain          ledger.Hash

	// work
	Task         Task
	Settings     Settings
	Sources      map[string]*Source
	SourceIDs    []string
	Questions    map[string]*Question
	QuestionIDs  []string
	Claims       map[string]*Claim
	ClaimIDs     []string
	Assumptions  map[string]*Assumption
	Tried        map[string]*Attempted
	Answers      map[string]*Answer
	AnswerIDs    []string
	Reports      map[string]*Report
	ReportIDs    []string
	Plan         map[string]*PlanItem
	PlanIDs      []string // in plan order, removed ones left out
	PlanStale    bool     // the goal was amended since the plan was made
	Finished     map[string]*Done
	FinishedKeys []string
	Found        map[string][]Range               // question → ranked
	Read         map[string]map[string][]Interval // source → question → shown
	Notes        map[string]*Note
	NoteIDs      []string
	Overrides    map[string]string // amber reason → why
	Passed       map[string]string // amber reason → verdict of its last check: "passed", "right", "failed", …
	Barren       map[string]int64  // what a step served → steps in a row that found nothing (D19)
	Root         *ledger.Root      // nil for a ledger that began with task
	Imported     *ledger.Import    // the last import
	ImportSeq    int64
	Ended        *ledger.End // nil after any later work line

	// log and frame
	Log         Log
	Checkpoints []Checkpoint

	in *inner // indexes, changes by line, digests
}

// Finding is an ill-formed op (no effect) or a flag, with the line it belongs to.
type Finding struct {
	Seq     int64
	Code    string
	Message string
}
