// Package dto holds the flat values that the window, the command line (--json)
// and the socket exchange. Times are Unix milliseconds, durations are seconds
// unless the name says Ms, sizes are bytes. Empty lists arrive as [], never null.
package dto

// TaskSummary is one row of the list of tasks.
type TaskSummary struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Goal    string `json:"goal"`
	State   string `json:"state"`   // see Status.State
	Group   string `json:"group"`   // working, needs_you, finished (the left column)
	Line    string `json:"line"`    // "reading, done by 23:40"
	Example bool   `json:"example"` // the finished sample made by the makers
	Changed int64  `json:"changed"` // Unix ms of the newest line
	Damage  string `json:"damage"`
}

// Status says honestly what a task is doing now.
type Status struct {
	// State: new, ready, starting, loading, queued, reading, thinking, writing,
	// checking, saving, waiting (for Ollama), asleep, paused, interrupted,
	// needs_you, done, stopped, stuck, disk_full, read_only, damaged
	State      string   `json:"state"`
	Sentence   string   `json:"sentence"`   // "Reading 31 of 86 passages"
	Detail     string   `json:"detail"`     // what happened, what is safe, what to do; "" when nothing to say
	Running    bool     `json:"running"`    // the engine is at work on it
	CanRun     bool     `json:"can_run"`    // "Go on" makes sense
	Done       int64    `json:"done"`       // passages shown
	Total      int64    `json:"total"`      // passages to show at this depth
	SavedAt    int64    `json:"saved_at"`   // time of the newest checkpoint
	Checkpoint int64    `json:"checkpoint"` // number of the newest checkpoint, from 1
	LeftS      float64  `json:"left_s"`     // seconds left, -1 when not known
	Promise    string   `json:"promise"`    // "Every document touched by 14:20, everything by 15:05."
	Step       string   `json:"step"`       // "“Smart spammers”, sentences 14 to 22, for question 2"
	Stream     string   `json:"stream"`     // the text of the running call so far (display only)
	Model      string   `json:"model"`
	Trial      bool     `json:"trial"`     // this model is for trying only
	ReadRate   float64  `json:"read_rate"` // tokens a second, measured
	WriteRate  float64  `json:"write_rate"`
	Gate       string   `json:"gate"`    // green, amber, red
	Reasons    []string `json:"reasons"` // sentences for amber or red
}

// Place is where a quote stands.
type Place struct {
	Source  string `json:"source"` // source id
	Name    string `json:"name"`   // file name
	Title   string `json:"title"`
	Heading string `json:"heading"`
	From    int64  `json:"from"` // sentence numbers
	To      int64  `json:"to"`
	Page    int64  `json:"page"` // 0 when there are no pages
}

type Quote struct {
	ID       string `json:"id"`
	Text     string `json:"text"` // source slice, byte for byte
	Stance   string `json:"stance"`
	Place    Place  `json:"place"`
	Reported bool   `json:"reported"` // reported by the sender, not looked at here
}

type Claim struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	IsQuote  bool     `json:"is_quote"` // the claim is its quote
	Question string   `json:"question"`
	Trust    string   `json:"trust"`    // stated, backed, agreed, checked
	Word     string   `json:"word"`     // "only stated", "quote attached", "derived", "model agrees", "you checked"
	Standing string   `json:"standing"` // active, contested, stale, retracted, superseded
	Flags    []string `json:"flags"`    // sentences: "says more than its quote: “experts”"
	By       string   `json:"by"`       // person, model, engine, program
	ByLine   string   `json:"by_line"`  // "smollm2:135m", "you", "example written by the makers"
	Reported bool     `json:"reported"`
	Reason   string   `json:"reason"` // why retracted
	Quotes   []Quote  `json:"quotes"`
	Seq      int64    `json:"seq"`
	Verdict  string   `json:"verdict"` // the person's newest one here: right, wrong, says_more, unsure; "" when none
}

type AnswerSentence struct {
	Text   string   `json:"text"`
	Claims []string `json:"claims"`
	Backed bool     `json:"backed"` // false: shown grey, "not backed by a record"
	Stale  bool     `json:"stale"`
}

// Candidate is a sentence that search found and no model has read. ID is the id of
// the claim that it becomes when a person accepts it.
type Candidate struct {
	ID    string  `json:"id"`
	Text  string  `json:"text"`
	Place Place   `json:"place"`
	Score float64 `json:"score"`
}

type Question struct {
	ID         string           `json:"id"`
	Number     int              `json:"number"` // 1, 2, 3 …
	Text       string           `json:"text"`
	Status     string           `json:"status"` // open, parked, closed, dropped
	Reason     string           `json:"reason"`
	Coverage   string           `json:"coverage"` // "so far, from 4 of 5 documents; 22 of 34 passages read"
	Partial    bool             `json:"partial"`
	Answer     []AnswerSentence `json:"answer"`
	Claims     []Claim          `json:"claims"`
	Candidates []Candidate      `json:"candidates"`
	Notes      []Note           `json:"notes"`
}

type Note struct {
	ID   string `json:"id"`
	On   string `json:"on"`
	Text string `json:"text"`
	For  string `json:"for"`
	Due  string `json:"due"`
	By   string `json:"by"`
}

// CheckItem is one line of "still to check".
type CheckItem struct {
	Kind  string `json:"kind"` // note, says_more, contested, stale, unchecked, unreadable, refused, parked
	Text  string `json:"text"`
	On    string `json:"on"` // object id to open, "" when the line sums up several
	Count int    `json:"count"`
}

type Next struct {
	Kind   string `json:"kind"`
	Text   string `json:"text"`   // "Read 3 passages of “Smart spammers”"
	Serves string `json:"serves"` // "for question 2, about 1 minute"
	Why    string `json:"why"`    // "Chosen for expected new evidence; …"
}

// View is a task at one checkpoint: the newest, or an earlier one with At > 0.
type View struct {
	Seq         int64        `json:"seq"` // event sequence this snapshot holds (see Event)
	ID          string       `json:"id"`
	Title       string       `json:"title"`
	Goal        string       `json:"goal"`
	Constraints []string     `json:"constraints"`
	Example     bool         `json:"example"`
	At          int64        `json:"at"`  // ledger seq of the checkpoint shown, 0 = newest
	Sum         string       `json:"sum"` // "+3 claims, 1 retracted, 2 questions opened, 1 closed, 0 lost"
	StateHash   string       `json:"state_hash"`
	Status      Status       `json:"status"`
	Questions   []Question   `json:"questions"`
	Retracted   []Claim      `json:"retracted"`
	ToCheck     []CheckItem  `json:"to_check"`
	Next        Next         `json:"next"`
	Counts      Counts       `json:"counts"`
	Report      []ReportPart `json:"report"`
	ReportStale bool         `json:"report_stale"`
	Imported    string       `json:"imported"` // "" or "from a file, unsigned; 12 claims reported by the sender"
	CanUndo     bool         `json:"can_undo"`
	UndoWhat    string       `json:"undo_what"` // "your correction of …"
}

type ReportPart struct {
	Heading   string           `json:"heading"`
	Sentences []AnswerSentence `json:"sentences"`
}

type Counts struct {
	Sources    int64 `json:"sources"`
	Unreadable int64 `json:"unreadable"`
	Aside      int64 `json:"aside"`
	Claims     int64 `json:"claims"`
	Checked    int64 `json:"checked"`
	ToCheck    int64 `json:"to_check"` // live claims nobody has checked
	Open       int64 `json:"open"`
	Parked     int64 `json:"parked"`
	Closed     int64 `json:"closed"`
	Dropped    int64 `json:"dropped"`
}

// Source is one row of the table of sources.
type Source struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Title     string `json:"title"`
	Media     string `json:"media"`
	Status    string `json:"status"` // readable, unreadable, missing, changed, aside
	Reason    string `json:"reason"` // a sentence
	Bytes     int64  `json:"bytes"`
	Sentences int64  `json:"sentences"`
	Pages     int64  `json:"pages"`
	Claims    int64  `json:"claims"`
	Cells     []Cell `json:"cells"` // one per question, in order: the map of what has been read
}

type Cell struct {
	Question string  `json:"question"`
	Shown    float64 `json:"shown"` // share of the passages to show at this depth, 0–1
	Claims   int64   `json:"claims"`
}

// SourceText is what the inspector shows around a place.
type SourceText struct {
	Source    Source     `json:"source"`
	First     int64      `json:"first"` // number of the first sentence in Sentences
	Total     int64      `json:"total"`
	Sentences []Sentence `json:"sentences"`
}

type Sentence struct {
	Number  int64  `json:"number"`
	Text    string `json:"text"`
	Heading string `json:"heading"` // section it stands in
	Start   bool   `json:"start"`   // first sentence of a paragraph
	Page    int64  `json:"page"`
	Mark    bool   `json:"mark"` // inside the place asked for
}

// Entry is one row of the timeline.
type Entry struct {
	Seq        int64  `json:"seq"`
	At         int64  `json:"at"`
	Kind       string `json:"kind"`       // step, person, sleep, resume, pause, end, import, refuse, call
	Text       string `json:"text"`       // "Read 4 passages of “Metadata study”"
	Detail     string `json:"detail"`     // "3 claims accepted, 1 refused: …"
	Checkpoint int64  `json:"checkpoint"` // its number, 0 when none
	TookMs     int64  `json:"took_ms"`
}

// DefaultDepth of a new task where nobody chose one: the best passages of every
// document. What that takes is said before it begins.
const DefaultDepth = "thorough"

// NewTask is the form.
type NewTask struct {
	Title       string   `json:"title"`
	Goal        string   `json:"goal"`
	Questions   []string `json:"questions"`
	Constraints []string `json:"constraints"`
	Folder      string   `json:"folder"`
	Model       string   `json:"model"`  // "" = the default, "-" = none
	Depth       string   `json:"depth"`  // quick, thorough, exhaustive
	Budget      int64    `json:"budget"` // seconds, 0 = by depth
	Start       bool     `json:"start"`  // begin at once
}

// FormCheck answers the form as one types.
type FormCheck struct {
	Problems []FieldProblem `json:"problems"`
	Folder   string         `json:"folder"` // "80 files, 78 readable, 2 not (1 picture, 1 empty)"
	Files    int64          `json:"files"`
	Likely   int64          `json:"likely"`   // files of a kind that can be read
	Promises []Promise      `json:"promises"` // one per depth
	CanStart bool           `json:"can_start"`
	Model    string         `json:"model"` // sentence about the model chosen
}

type FieldProblem struct {
	Field string `json:"field"` // goal, questions, folder, model, budget
	Text  string `json:"text"`
}

type Promise struct {
	Depth   string `json:"depth"`
	Text    string `json:"text"` // "First findings in 2 minutes, every document touched by 23:40, everything by Tuesday 9:00."
	Seconds int64  `json:"seconds"`
}

// Setup is what happens behind the first window: runtime, model, sample.
type Setup struct {
	Stage    string   `json:"stage"` // checking, building_runtime, starting_runtime, getting_model, ready, no_model, error
	Sentence string   `json:"sentence"`
	Done     int64    `json:"done"`
	Total    int64    `json:"total"`
	LeftS    float64  `json:"left_s"` // -1 when not known
	Error    *Problem `json:"error"`
	Runtime  string   `json:"runtime"` // "Ollama 0.17.4 at 127.0.0.1:11434"
	Models   []Model  `json:"models"`
	Home     string   `json:"home"`
	Version  string   `json:"version"`
}

type Model struct {
	Name    string `json:"name"`
	Digest  string `json:"digest"`
	Bytes   int64  `json:"bytes"`
	Trial   bool   `json:"trial"` // for trying only
	Note    string `json:"note"`  // "For trying only: it is far too small to be right about anything."
	Default bool   `json:"default"`
}

// Preview is shown before an import is accepted.
type Preview struct {
	Token     string   `json:"token"` // names the bytes that were checked
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Goal      string   `json:"goal"`
	From      string   `json:"from"` // "unsigned" (signing comes later)
	Lines     int64    `json:"lines"`
	Withheld  int64    `json:"withheld"`
	Claims    int64    `json:"claims"`
	Questions int64    `json:"questions"`
	Checked   int64    `json:"checked"` // checks the sender made
	Sources   int64    `json:"sources"`
	Here      int64    `json:"here"` // sources whose text is here, so their quotes can be checked
	Missing   []string `json:"missing"`
	Warnings  []string `json:"warnings"`
}

// Verification is the outcome of `verify`.
type Verification struct {
	Good      bool   `json:"good"`
	Sentence  string `json:"sentence"`
	Line      int64  `json:"line"` // first line that no longer fits, 0 when good
	Lines     int64  `json:"lines"`
	Withheld  int64  `json:"withheld"`
	Claims    int64  `json:"claims"`
	Quotes    int64  `json:"quotes"`
	Chain     string `json:"chain"`
	StateHash string `json:"state_hash"`
}

// Event is small (below 8 KB) and sequenced per task; on a gap fetch the View again.
type Event struct {
	Task   string  `json:"task"` // "" for setup and the list of tasks
	Seq    int64   `json:"seq"`
	Kind   string  `json:"kind"` // status, stream, saved, tasks, setup, sources, open_file, vault
	Status *Status `json:"status,omitempty"`
	Text   string  `json:"text,omitempty"` // stream: the text to append; vault: how far a check, backup or compaction is
	Setup  *Setup  `json:"setup,omitempty"`
}

// Problem is an engine.Error for people.
type Problem struct {
	Kind string `json:"kind"`
	What string `json:"what"`
	Safe string `json:"safe"`
	Do   string `json:"do"`
}

// Check is one line of doctor.
type Check struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Good  bool   `json:"good"`
	Mend  string `json:"mend"` // what to do when not good
}

// Preferences are machine settings; local records, they never travel.
type Preferences struct {
	Theme    string `json:"theme"`      // system, light, dark
	AutoGoOn bool   `json:"auto_go_on"` // a task that was running goes on by itself on reopening
	Model    string `json:"model"`      // default model
	Ollama   string `json:"ollama"`     // address, "" = find or built-in
	Welcomed bool   `json:"welcomed"`
}
