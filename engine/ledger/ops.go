package ledger

// The ops of DESIGN 3.2 as Go values. Field tags are the names on the line; a
// field that is empty is absent from the line. Lists are kept in the order
// written except where the comment says sorted. `by` columns: who may write it.

// Op is the body of one line. Name is the value of the line's "op" field.
type Op interface{ Name() string }

// ---- work: the task -------------------------------------------------------

// Task opens a ledger (seq 1). by: person. Object t{goal,nonce}.
type Task struct {
	Acceptance  []string `json:"acceptance,omitempty"`
	Constraints []string `json:"constraints,omitempty"`
	Goal        string   `json:"goal"`
	Nonce       string   `json:"nonce"` // 32 hex digits
	Title       string   `json:"title,omitempty"`
}

// Amend sets one field of the task, verbatim. by: person.
type Amend struct {
	Field string   `json:"field"` // goal, title, constraints, acceptance
	List  []string `json:"list,omitempty"`
	Text  string   `json:"text,omitempty"`
}

// Set changes settings and rounded speed figures; a field that is absent stays
// as it was. by: person, engine. Rates are tokens per second, TokenBytes is
// bytes per 100 tokens, Budget is seconds, Context and Predict are tokens.
type Set struct {
	Budget     int64  `json:"budget,omitempty"`
	Context    int64  `json:"context,omitempty"`
	Depth      string `json:"depth,omitempty"` // quick, thorough, exhaustive
	Digest     string `json:"digest,omitempty"`
	Model      string `json:"model,omitempty"` // "-" = no model
	Predict    int64  `json:"predict,omitempty"`
	ReadRate   int64  `json:"read_rate,omitempty"`
	TokenBytes int64  `json:"token_bytes,omitempty"`
	Trial      bool   `json:"trial,omitempty"` // the model is for trying only
	WriteRate  int64  `json:"write_rate,omitempty"`
}

// Source records one document. by: engine. Object s{body,file} (or s{name} where
// the file could not be opened). Without Body it is unreadable and Reason says
// why: empty, binary, too_large, no_text, timeout, memory, encrypted, damaged,
// unsupported, denied. Written again for the same id it lifts `missing`.
type Source struct {
	Body      string `json:"body,omitempty"`      // hash of the text blob
	Bytes     int64  `json:"bytes,omitempty"`     // size of the text
	Extractor string `json:"extractor,omitempty"` // name and version
	File      string `json:"file,omitempty"`      // hash of the file's bytes
	Media     string `json:"media,omitempty"`     // markdown, text, html, pdf, …
	File_     string `json:"name"`                // base name of the file
	Parent    string `json:"parent,omitempty"`    // source id
	Reason    string `json:"reason,omitempty"`
	Sentences int64  `json:"sentences,omitempty"`
	Table     string `json:"table,omitempty"` // hash of the sentence table blob
	Title     string `json:"title,omitempty"`
}

// Missing says that a source's text is not here (imports) or its file is gone. by: engine.
type Missing struct {
	ID     string `json:"id"`
	Reason string `json:"reason"` // gone, not_here, changed
}

// Scope sets a source aside or back. by: person.
type Scope struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
	State  string `json:"state"` // aside, back
}

// ---- work: knowledge ------------------------------------------------------

// Question object q{parent,text}. by: person, model, program, engine.
type Question struct {
	Parent string `json:"parent,omitempty"`
	Text   string `json:"text"`
}

// Close closes a question with the claims that answer it. by: any; D8.
type Close struct {
	Claims []string `json:"claims,omitempty"`
	ID     string   `json:"id"`
	Reason string   `json:"reason,omitempty"` // e.g. "nothing_found" when Claims is empty (person or engine only)
}

// Drop removes a question from the task. by: person.
type Drop struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
}

// Park leaves a question (or plan item) open and unworked. by: engine.
type Park struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Reopen opens a closed, dropped or parked question. by: person, engine.
type Reopen struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
}

// Slice is a run of sentences of one source with its exact bytes. It is
// evidence on the line itself, so that it survives the loss of the store.
type Slice struct {
	From   int64  `json:"from"` // first sentence number, from 1
	Level  int64  `json:"level,omitempty"`
	Source string `json:"source"`
	Text   string `json:"text"` // source text from the start of From to the end of To
	To     int64  `json:"to"`
}

// Claim object c{basis,question,text}. Basis (sorted, no repeats): references
// "<source id>/<from>-<to>" or ids of claims, assumptions, calculations. Quotes
// carries the slice of every reference in Basis, in the order of Basis. Text
// absent: the claim is its (first) quote. by: person, model, program, engine.
type Claim struct {
	Basis    []string `json:"basis"`
	Flags    []string `json:"flags,omitempty"` // codes of flag-class checks, e.g. "D22"
	Origin   *Origin  `json:"origin,omitempty"`
	Question string   `json:"question,omitempty"`
	Quotes   []Slice  `json:"quotes,omitempty"`
	Reported bool     `json:"reported,omitempty"`
	Text     string   `json:"text,omitempty"`
}

// Quote object k{claim,from,source,stance,to}: more evidence for a claim.
type Quote struct {
	Claim    string  `json:"claim"`
	From     int64   `json:"from"`
	Level    int64   `json:"level,omitempty"`
	Origin   *Origin `json:"origin,omitempty"`
	Reported bool    `json:"reported,omitempty"`
	Source   string  `json:"source"`
	Stance   string  `json:"stance"` // supports, contradicts, context
	Text     string  `json:"text"`
	To       int64   `json:"to"`
}

// Origin names the line that was re-issued by join or root. Written by the engine only.
type Origin struct {
	Chain string `json:"chain"`
	Seq   int64  `json:"seq"`
}

type Retract struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

type Supersede struct {
	ID   string `json:"id"`
	Into string `json:"into"`
}

type Merge struct {
	ID   string `json:"id"`
	Into string `json:"into"`
}

type Renew struct {
	ID string `json:"id"`
}

// Assume object m{question,text}.
type Assume struct {
	Question string `json:"question,omitempty"`
	Text     string `json:"text"`
}

// Tried object r{approach,outcome,question,why}.
type Tried struct {
	Approach string `json:"approach"`
	Outcome  string `json:"outcome"`
	Question string `json:"question,omitempty"`
	Why      string `json:"why,omitempty"`
}

// Sentence is one sentence of an answer or report with the claims it rests on.
type Sentence struct {
	Claims []string `json:"claims,omitempty"`
	Flags  []string `json:"flags,omitempty"`
	Text   string   `json:"text"`
}

// Answer object w{question,sentences} (sentences without flags).
type Answer struct {
	Partial   bool       `json:"partial,omitempty"`
	Question  string     `json:"question"`
	Sentences []Sentence `json:"sentences"`
}

// Report object o{sections}. Lines ≤ 64 KiB: the answers are named, not repeated.
type Report struct {
	Answers []string   `json:"answers"`           // ids of answers in order
	Opening []Sentence `json:"opening,omitempty"` // introductory sentences
}

// ---- work: steering -------------------------------------------------------

// Item is one planned step. Object p{args,kind,serves}.
type Item struct {
	Args   []string `json:"args,omitempty"`
	Kind   string   `json:"kind"`             // plan, search, read, reason, calculate, verify, answer, report
	Serves string   `json:"serves,omitempty"` // the open item (question id) it serves
}

type Plan struct {
	Add    []Item   `json:"add,omitempty"`
	Order  []string `json:"order,omitempty"`
	Remove []string `json:"remove,omitempty"`
}

// Finish ends a step. Step key = (kind, args, inputs). by: engine.
type Finish struct {
	Args    []string `json:"args,omitempty"`
	Inputs  string   `json:"inputs"` // hash
	Kind    string   `json:"kind"`
	Outcome string   `json:"outcome"` // done, nothing, parked
	Reason  string   `json:"reason,omitempty"`
	Serves  string   `json:"serves,omitempty"`
}

// Found: ranked sentence ranges for a question, as search returned them, best
// first, each "<source id>/<from>-<to>". by: engine.
type Found struct {
	Question string   `json:"question"`
	Ranges   []string `json:"ranges,omitempty"`
}

// Read: which sentences of a source were shown for which questions. Ranges are
// "<from>-<to>". by: engine.
type Read struct {
	Questions []string `json:"questions"`
	Ranges    []string `json:"ranges"`
	Source    string   `json:"source"`
}

// Check is a verdict on an object or on an amber reason. by: engine (how
// calculation, model) or person, program. Verdict: right, wrong, says_more, unsure, passed, failed.
type Check struct {
	How      string  `json:"how"` // calculation, model, program, person
	ID       string  `json:"id"`
	Origin   *Origin `json:"origin,omitempty"`
	Reason   string  `json:"reason,omitempty"`
	Reported bool    `json:"reported,omitempty"`
	Verdict  string  `json:"verdict"`
}

type Override struct {
	ID  string `json:"id"` // id of an amber reason
	Why string `json:"why"`
}

// Note object n{due,for,on,text}. With For/Due it shows under "to check".
type Note struct {
	Due  string `json:"due,omitempty"`
	For  string `json:"for,omitempty"`
	On   string `json:"on,omitempty"`
	Text string `json:"text"`
}

type Undo struct {
	Line int64 `json:"line"` // seq of the line to undo
}

type Erase struct {
	Blobs  []string `json:"blobs"`
	Reason string   `json:"reason"`
}

// Accept takes a candidate (Question+Source+From+To, together with the claim it
// became in ID) or a claim (ID). by: person, in one group with the person's check.
type Accept struct {
	ID string `json:"id"`
}

// ---- log (may be withheld; every log line carries Salt on the line) --------

type Start struct {
	Args    []string `json:"args,omitempty"`
	Attempt int64    `json:"attempt"`
	Inputs  string   `json:"inputs"`
	Kind    string   `json:"kind"`
	Serves  string   `json:"serves,omitempty"`
}

// Call is one model or tool call. Durations are milliseconds.
type Call struct {
	Awake      int64  `json:"awake,omitempty"`
	Digest     string `json:"digest,omitempty"`
	DoneReason string `json:"done_reason,omitempty"`
	EvalCount  int64  `json:"eval_count,omitempty"`
	EvalMs     int64  `json:"eval_ms,omitempty"`
	LoadMs     int64  `json:"load_ms,omitempty"`
	Model      string `json:"model,omitempty"`
	Options    string `json:"options,omitempty"` // hash of the canonical options
	Outcome    string `json:"outcome"`           // complete, cut, cancelled, refused, lost
	Prompt     string `json:"prompt,omitempty"`  // blob
	PromptN    int64  `json:"prompt_count,omitempty"`
	PromptMs   int64  `json:"prompt_ms,omitempty"`
	Purpose    string `json:"purpose,omitempty"` // read, answer, report, probe
	Reply      string `json:"reply,omitempty"`   // blob
	Template   string `json:"template,omitempty"`
}

// Refuse records a proposal that was not written and the check that stopped it.
type Refuse struct {
	Code     string `json:"code"` // D1…D24, schema, limit, sticky, unknown
	Message  string `json:"message"`
	Proposal string `json:"proposal"` // op name
	Question string `json:"question,omitempty"`
	Text     string `json:"text,omitempty"` // the model's words, cut to 1,000 bytes
}

type Account struct {
	Text string `json:"text"` // blob
}

type Pause struct {
	Reason string `json:"reason"` // person, quit, model_away, disk_full, budget, error
}

type Wake struct {
	Asleep int64  `json:"asleep,omitempty"` // milliseconds
	Reason string `json:"reason"`           // slept, killed, closed, crashed, stopped
}

type NameOp struct {
	Name_ string `json:"name"`
	Of    string `json:"of"` // a key ("key:…") or branch id
}

// ---- frame ----------------------------------------------------------------

// Sum is promise 4: what this group did to the state.
type Sum struct {
	Claims     int64    `json:"claims,omitempty"` // added
	Closed     int64    `json:"closed,omitempty"`
	Dropped    int64    `json:"dropped,omitempty"`
	IDs        []string `json:"ids,omitempty"` // ≤ 256 touched ids
	Lost       int64    `json:"lost"`          // always 0; D7, D8
	Merged     int64    `json:"merged,omitempty"`
	More       string   `json:"more,omitempty"` // blob with further ids
	Opened     int64    `json:"opened,omitempty"`
	Quotes     int64    `json:"quotes,omitempty"`
	Retracted  int64    `json:"retracted,omitempty"`
	Superseded int64    `json:"superseded,omitempty"`
}

// Counts of the state after the group.
type Counts struct {
	Checked   int64 `json:"checked,omitempty"`
	Claims    int64 `json:"claims,omitempty"` // active
	Contested int64 `json:"contested,omitempty"`
	Open      int64 `json:"open,omitempty"` // open questions
	Questions int64 `json:"questions,omitempty"`
	Sources   int64 `json:"sources,omitempty"` // readable
	Stale     int64 `json:"stale,omitempty"`
	Steps     int64 `json:"steps,omitempty"`
	Unread    int64 `json:"unreadable,omitempty"`
}

type NextStep struct {
	Args   []string `json:"args,omitempty"`
	Kind   string   `json:"kind"` // a step kind, or done, stuck, person
	Serves string   `json:"serves,omitempty"`
}

// Cover is the completeness of one question: sentences shown, left, of readable sources.
type Cover struct {
	Left     int64  `json:"left,omitempty"`
	Question string `json:"question"`
	Shown    int64  `json:"shown,omitempty"`
}

type Checkpoint struct {
	App      string    `json:"app"`
	Complete []Cover   `json:"complete,omitempty"`
	Counts   *Counts   `json:"counts,omitempty"`
	Fold     int64     `json:"fold"`
	Gate     string    `json:"gate"` // green, amber, red
	Model    string    `json:"model,omitempty"`
	Next     *NextStep `json:"next,omitempty"`
	Open     []string  `json:"open,omitempty"` // ≤ 20 ids, most important first
	Parent   int64     `json:"parent,omitempty"`
	Reasons  []string  `json:"reasons,omitempty"` // amber reason ids
	State    string    `json:"state"`             // state hash
	Step     *NextStep `json:"step,omitempty"`    // what this group closed; absent: a person's act
	Sum      *Sum      `json:"sum,omitempty"`
	Template string    `json:"template,omitempty"`
}

type Fork struct {
	Name_  string `json:"name,omitempty"`
	Nonce  string `json:"nonce"`
	Parent string `json:"parent"` // chain value c(k)
}

type Join struct {
	Branch string `json:"branch"`
	Chain  string `json:"chain"`
}

type Import struct {
	File  string `json:"file"`  // hash of the file's block
	Known int64  `json:"known"` // leading lines that this vault already had
}

type Root struct {
	Parent string `json:"parent"`
	Nonce  string `json:"nonce"`
}

type End struct {
	Outcome string   `json:"outcome"` // done, stopped, stuck
	Reasons []string `json:"reasons,omitempty"`
}
