package ledger

// The ops of DESIGN 3.2 as Go values; vault/FORMAT.md is their normative text.
// Field tags: `json` is the name on the line and says whether the field may be
// absent; `is` is the rule that its value must keep (rules.go). A field that is
// empty is absent from the line. Lists keep the order written unless the rule
// says sorted. Who may write an op stands in kinds.go.

// Op is the body of one line; the pointer types below implement it.
type Op interface{ OpName() string }

// Origin names the line that was re-issued by join or root: the chain value
// after it, and its seq. It stands on the line (Head), written by the engine only.
type Origin struct {
	Chain string `json:"chain" is:"hash"`
	Seq   int64  `json:"seq" is:"pos"`
}

// ---- work: the task -------------------------------------------------------

// Task opens a ledger (seq 1, or after root with an origin). Object t{goal,nonce}.
type Task struct {
	Acceptance  []string `json:"acceptance,omitempty" is:"text,max=64"`
	Constraints []string `json:"constraints,omitempty" is:"text,max=64"`
	Goal        string   `json:"goal" is:"text"`
	Nonce       string   `json:"nonce" is:"nonce"`
	Title       string   `json:"title,omitempty" is:"line"`
}

// Amend sets one field of the task, verbatim; Text for goal and title, List for
// constraints and acceptance. An absent value empties the field (never the goal).
type Amend struct {
	Field string   `json:"field" is:"one=goal|title|constraints|acceptance"`
	List  []string `json:"list,omitempty" is:"text,max=64"`
	Text  string   `json:"text,omitempty" is:"text"`
}

// Set changes settings and rounded speed figures; a field that is absent stays
// as it was. Rates are tokens per second, TokenBytes is bytes per 100 tokens,
// Budget is seconds (-1 takes it away), Context and Predict are tokens. Trial
// belongs to Model: a line with Model sets both.
type Set struct {
	Budget     int64  `json:"budget,omitempty" is:"signed"`
	Context    int64  `json:"context,omitempty"`
	Depth      string `json:"depth,omitempty" is:"one=quick|thorough|exhaustive"`
	Digest     string `json:"digest,omitempty" is:"line"`
	Model      string `json:"model,omitempty" is:"line"` // "-" = no model
	Predict    int64  `json:"predict,omitempty"`
	ReadRate   int64  `json:"read_rate,omitempty"`
	TokenBytes int64  `json:"token_bytes,omitempty"`
	Trial      bool   `json:"trial,omitempty"` // the model is for trying only
	WriteRate  int64  `json:"write_rate,omitempty"`
}

// Source records one document. Object s{body,file}; s{name} where the file could
// not be opened. Without Body it is unreadable and Reason says why. Written
// again for the same id it lifts `missing`. Parent is the version before it.
type Source struct {
	Body      string `json:"body,omitempty" is:"hash"`      // hash of the text blob
	Bytes     int64  `json:"bytes,omitempty"`               // size of the text
	Extractor string `json:"extractor,omitempty" is:"line"` // name and version
	File      string `json:"file,omitempty" is:"hash"`      // hash of the file's bytes
	Media     string `json:"media,omitempty" is:"word"`     // markdown, text, html, pdf, …
	Name      string `json:"name" is:"name"`                // base name of the file
	Parent    string `json:"parent,omitempty" is:"id=s"`
	Reason    string `json:"reason,omitempty" is:"word"` // empty, binary, too_large, no_text, timeout, memory, encrypted, damaged, unsupported, denied, link_out, link_folder, link_broken, not_regular, failed
	Sentences int64  `json:"sentences,omitempty"`
	Table     string `json:"table,omitempty" is:"hash"` // hash of the sentence table blob
	Title     string `json:"title,omitempty" is:"line"`
}

// Missing says that a source's text is not here (imports) or its file is gone.
type Missing struct {
	ID     string `json:"id" is:"id=s"`
	Reason string `json:"reason" is:"one=gone|not_here|changed"`
}

// Scope sets a source aside or back.
type Scope struct {
	ID     string `json:"id" is:"id=s"`
	Reason string `json:"reason,omitempty" is:"text"`
	State  string `json:"state" is:"one=aside|back"`
}

// ---- work: knowledge ------------------------------------------------------

// Question object q{parent,text}.
type Question struct {
	Parent string `json:"parent,omitempty" is:"id=q"`
	Text   string `json:"text" is:"text"`
}

// Close closes a question with the claims that answer it. Without claims only a
// person or the engine may close, and Reason says why ("nothing_found").
type Close struct {
	Claims []string `json:"claims,omitempty" is:"id=c,max=512"`
	ID     string   `json:"id" is:"id=q"`
	Reason string   `json:"reason,omitempty" is:"text"`
}

// Drop removes a question from the task.
type Drop struct {
	ID     string `json:"id" is:"id=q"`
	Reason string `json:"reason,omitempty" is:"text"`
}

// Park leaves a question or plan item open and unworked.
type Park struct {
	ID     string `json:"id" is:"id=pq"`
	Reason string `json:"reason" is:"line"`
}

// Reopen opens a closed, dropped or parked question, or a parked plan item.
type Reopen struct {
	ID     string `json:"id" is:"id=pq"`
	Reason string `json:"reason,omitempty" is:"text"`
}

// Slice is a run of sentences of one source with its exact bytes. It is
// evidence on the line itself, so that it survives the loss of the store.
type Slice struct {
	From   int64  `json:"from" is:"pos"` // first sentence number, from 1
	Level  int64  `json:"level,omitempty"`
	Source string `json:"source" is:"id=s"`
	Text   string `json:"text" is:"slice"` // source text from the start of From to the end of To
	To     int64  `json:"to" is:"pos"`
}

// Claim object c{basis,question,text}. Basis: references "<source id>/<from>-<to>"
// or ids of claims and assumptions. Quotes carries the slice of every reference
// in Basis, in the order of Basis. Text absent: the claim is its (first) quote.
type Claim struct {
	Basis    []string `json:"basis,omitempty" is:"basis,max=64,sorted"`
	Flags    []string `json:"flags,omitempty" is:"line,max=64"` // codes of flag-class checks, e.g. "D22"
	Question string   `json:"question,omitempty" is:"id=q"`
	Quotes   []Slice  `json:"quotes,omitempty" is:"max=64"`
	Text     string   `json:"text,omitempty" is:"text"`
}

// Quote object k{claim,from,source,stance,to}: more evidence for a claim.
type Quote struct {
	Claim  string `json:"claim" is:"id=c"`
	From   int64  `json:"from" is:"pos"`
	Level  int64  `json:"level,omitempty"`
	Source string `json:"source" is:"id=s"`
	Stance string `json:"stance" is:"one=supports|contradicts|context"`
	Text   string `json:"text" is:"slice"`
	To     int64  `json:"to" is:"pos"`
}

// Retract takes back a claim, assumption, attempt, note, answer or report.
type Retract struct {
	ID     string `json:"id" is:"id=cmnorw"`
	Reason string `json:"reason" is:"text"`
}

// Supersede puts Into in the place of ID; both of one kind.
type Supersede struct {
	ID   string `json:"id" is:"id=cmnorw"`
	Into string `json:"into" is:"id=cmnorw"`
}

// Merge takes claim ID into claim Into, with its quotes and what rests on it.
type Merge struct {
	ID   string `json:"id" is:"id=c"`
	Into string `json:"into" is:"id=c"`
}

// Renew says that a stale (or by model or engine retracted) object was found again.
type Renew struct {
	ID string `json:"id" is:"id=cmoqrw"`
}

// Assume object m{question,text}.
type Assume struct {
	Question string `json:"question,omitempty" is:"id=q"`
	Text     string `json:"text" is:"text"`
}

// Tried object r{approach,outcome,question,why}.
type Tried struct {
	Approach string `json:"approach" is:"text"`
	Outcome  string `json:"outcome" is:"text"`
	Question string `json:"question,omitempty" is:"id=q"`
	Why      string `json:"why,omitempty" is:"text"`
}

// Sentence is one sentence of an answer or report with the claims it rests on.
type Sentence struct {
	Claims []string `json:"claims,omitempty" is:"id=c,max=64"`
	Flags  []string `json:"flags,omitempty" is:"line,max=16"`
	Text   string   `json:"text" is:"text"`
}

// Answer object w{question,sentences} (sentences without flags). It takes the
// place of the question's answer before it.
type Answer struct {
	Partial   bool       `json:"partial,omitempty"`
	Question  string     `json:"question" is:"id=q"`
	Sentences []Sentence `json:"sentences" is:"max=256"`
}

// Report object o{answers,opening}. The answers are named, not repeated. It
// takes the place of the report before it.
type Report struct {
	Answers []string   `json:"answers,omitempty" is:"id=w,max=256"` // in order
	Opening []Sentence `json:"opening,omitempty" is:"max=64"`       // introductory sentences
}

// ---- work: steering -------------------------------------------------------

// Item is one planned step. Object p{args,kind,serves}.
type Item struct {
	Args   []string `json:"args,omitempty" is:"line,max=256"`
	Kind   string   `json:"kind" is:"step"`
	Serves string   `json:"serves,omitempty" is:"line"` // the open item (question id) it serves
}

// Plan adds, orders and removes planned steps. Order: the listed items take the
// places that they hold now, in the order given; the others stay where they are.
type Plan struct {
	Add    []Item   `json:"add,omitempty" is:"max=128"`
	Order  []string `json:"order,omitempty" is:"id=p,max=256"`
	Remove []string `json:"remove,omitempty" is:"id=p,max=256"`
}

// Finish ends a step. Its key is StepKey(Kind, Args, Inputs).
type Finish struct {
	Args    []string `json:"args,omitempty" is:"line,max=256"`
	Inputs  string   `json:"inputs" is:"hash"`
	Kind    string   `json:"kind" is:"step"`
	Outcome string   `json:"outcome" is:"one=done|nothing|parked"`
	Reason  string   `json:"reason,omitempty" is:"line"`
	Serves  string   `json:"serves,omitempty" is:"line"`
}

// Found: ranked sentence ranges for a question, as search returned them, best
// first, each "<source id>/<from>-<to>". Part absent: a new list in place of the
// old one; Part 1, 2, …: goes on where the line before ended.
type Found struct {
	Part     int64    `json:"part,omitempty"`
	Question string   `json:"question" is:"id=q"`
	Ranges   []string `json:"ranges,omitempty" is:"ref,max=1024"`
}

// Read: which sentences of a source were shown for which questions. Ranges are
// "<from>-<to>".
type Read struct {
	Questions []string `json:"questions" is:"id=q,max=256"`
	Ranges    []string `json:"ranges" is:"range,max=1024"`
	Source    string   `json:"source" is:"id=s"`
}

// Check is a verdict on an object or on an amber reason.
type Check struct {
	How     string `json:"how" is:"one=calculation|model|program|person"`
	ID      string `json:"id" is:"subject"`
	Reason  string `json:"reason,omitempty" is:"text"`
	Verdict string `json:"verdict" is:"one=right|wrong|says_more|unsure|passed|failed"`
}

// Override lets the task go on in spite of an amber reason.
type Override struct {
	ID  string `json:"id" is:"amber"`
	Why string `json:"why" is:"text"`
}

// Note object n{due,for,on,text}. With For or Due it shows under "to check".
type Note struct {
	Due  string `json:"due,omitempty" is:"line"`
	For  string `json:"for,omitempty" is:"line"`
	On   string `json:"on,omitempty" is:"any"` // object id; absent: the task
	Text string `json:"text" is:"text"`
}

// Undo takes back the effect of one line.
type Undo struct {
	Line int64 `json:"line" is:"pos"` // its seq
}

// Erase says that blobs were deleted for good.
type Erase struct {
	Blobs  []string `json:"blobs" is:"hash,max=512"`
	Reason string   `json:"reason" is:"text"`
}

// Accept takes a claim (a candidate became one in the same group); written with
// the person's check as one group.
type Accept struct {
	ID string `json:"id" is:"id=c"`
}

// ---- log (may be withheld; every log line carries a salt) -------------------

// Start opens an attempt at a step.
type Start struct {
	Args    []string `json:"args,omitempty" is:"line,max=256"`
	Attempt int64    `json:"attempt" is:"pos"`
	Inputs  string   `json:"inputs" is:"hash"`
	Kind    string   `json:"kind" is:"step"`
	Serves  string   `json:"serves,omitempty" is:"line"`
}

// Call is one model or tool call. Durations are milliseconds. Keep "step": its
// blobs are expected to be gone after the step's finish (confidential task).
type Call struct {
	Awake       int64  `json:"awake,omitempty"`
	Digest      string `json:"digest,omitempty" is:"line"`
	DoneReason  string `json:"done_reason,omitempty" is:"line"`
	EvalCount   int64  `json:"eval_count,omitempty"`
	EvalMs      int64  `json:"eval_ms,omitempty"`
	Keep        string `json:"keep,omitempty" is:"one=step"`
	LoadMs      int64  `json:"load_ms,omitempty"`
	Model       string `json:"model,omitempty" is:"line"`
	Options     string `json:"options,omitempty" is:"hash"` // hash of the canonical options
	Outcome     string `json:"outcome" is:"one=complete|cut|cancelled|refused|lost"`
	Prompt      string `json:"prompt,omitempty" is:"hash"` // blob
	PromptCount int64  `json:"prompt_count,omitempty"`
	PromptMs    int64  `json:"prompt_ms,omitempty"`
	Purpose     string `json:"purpose,omitempty" is:"word"` // read, answer, report, probe
	Reply       string `json:"reply,omitempty" is:"hash"`   // blob
	Template    string `json:"template,omitempty" is:"line"`
}

// Refuse records a proposal that was not written and the check that stopped it.
type Refuse struct {
	Code     string `json:"code" is:"line"` // D1…D24, schema, limit, sticky, unknown
	Message  string `json:"message" is:"text"`
	Proposal string `json:"proposal" is:"line"` // op name
	Question string `json:"question,omitempty" is:"id=q"`
	Text     string `json:"text,omitempty" is:"text"` // the model's words, cut to 1,000 bytes
}

// Account is the model's own summary, as a blob; it is not state.
type Account struct {
	Text string `json:"text" is:"hash"`
}

// Pause: the run stopped. Reason: person, quit, model_away, disk_full, budget, error.
type Pause struct {
	Reason string `json:"reason" is:"word"`
}

// Wake: the run goes on. Reason: slept, killed, closed, crashed, stopped.
type Wake struct {
	Asleep int64  `json:"asleep,omitempty"` // milliseconds
	Reason string `json:"reason" is:"word"`
}

// Name gives a key or a branch a name for people.
type Name struct {
	Name string `json:"name" is:"line"`
	Of   string `json:"of" is:"line"` // "key:…" or a branch id
}

// ---- frame ----------------------------------------------------------------

// Sum is promise 4: what this group did to the claims and questions.
// Claims now = before + Claims + Restored − Retracted − Superseded − Merged.
type Sum struct {
	Claims     int64    `json:"claims,omitempty"` // added
	Closed     int64    `json:"closed,omitempty"`
	Dropped    int64    `json:"dropped,omitempty"`
	IDs        []string `json:"ids,omitempty" is:"any,max=256"` // touched claims and questions
	Lost       int64    `json:"lost"`                           // always 0; D7, D8
	Merged     int64    `json:"merged,omitempty"`
	More       string   `json:"more,omitempty" is:"hash"` // blob with further ids
	Opened     int64    `json:"opened,omitempty"`         // new or open again
	Parked     int64    `json:"parked,omitempty"`
	Quotes     int64    `json:"quotes,omitempty"`
	Restored   int64    `json:"restored,omitempty"` // live again
	Retracted  int64    `json:"retracted,omitempty"`
	Superseded int64    `json:"superseded,omitempty"`
}

// Counts of the state after the group.
type Counts struct {
	Checked    int64 `json:"checked,omitempty"`
	Claims     int64 `json:"claims,omitempty"` // live: active, contested or stale
	Closed     int64 `json:"closed,omitempty"`
	Contested  int64 `json:"contested,omitempty"`
	Dropped    int64 `json:"dropped,omitempty"`
	Open       int64 `json:"open,omitempty"` // open questions, parked ones not counted
	Parked     int64 `json:"parked,omitempty"`
	Questions  int64 `json:"questions,omitempty"`
	Sources    int64 `json:"sources,omitempty"` // readable
	Stale      int64 `json:"stale,omitempty"`
	Steps      int64 `json:"steps,omitempty"`
	Unreadable int64 `json:"unreadable,omitempty"`
}

// NextStep names a step. Kind is a step kind, or done, stuck, person.
type NextStep struct {
	Args   []string `json:"args,omitempty" is:"line,max=256"`
	Kind   string   `json:"kind" is:"word"`
	Serves string   `json:"serves,omitempty" is:"line"`
}

// Cover is the completeness of one question: sentences shown and left, of readable sources.
type Cover struct {
	Left     int64  `json:"left,omitempty"`
	Question string `json:"question" is:"id=q"`
	Shown    int64  `json:"shown,omitempty"`
}

// Checkpoint closes a group and states where the work stands.
type Checkpoint struct {
	App      string    `json:"app" is:"line"`
	Complete []Cover   `json:"complete,omitempty" is:"max=256"`
	Counts   *Counts   `json:"counts,omitempty"`
	Fold     int64     `json:"fold" is:"pos"`
	Gate     string    `json:"gate" is:"one=green|amber|red"`
	Model    string    `json:"model,omitempty" is:"line"`
	Next     *NextStep `json:"next,omitempty"`
	Open     []string  `json:"open,omitempty" is:"any,max=20"` // most important first
	Parent   int64     `json:"parent,omitempty"`               // seq of the checkpoint before
	Reasons  []string  `json:"reasons,omitempty" is:"amber,max=64"`
	State    string    `json:"state" is:"hash"`
	Step     *NextStep `json:"step,omitempty"` // what this group closed; absent: a person's act
	Sum      *Sum      `json:"sum,omitempty"`
	Template string    `json:"template,omitempty" is:"line"`
}

// Fork begins a branch after a checkpoint of its parent. Parent is c(k).
type Fork struct {
	Name   string `json:"name,omitempty" is:"line"`
	Nonce  string `json:"nonce" is:"nonce"`
	Parent string `json:"parent" is:"hash"`
}

// Join says that another branch's results follow, re-issued with their origin.
type Join struct {
	Branch string `json:"branch" is:"hash"`
	Chain  string `json:"chain" is:"hash"`
}

// Import ends the taking over of a file's lines.
type Import struct {
	File  string `json:"file" is:"hash"` // of the file's block
	Known int64  `json:"known"`          // leading lines that this vault already had
}

// Root begins a new ledger in place of task; Parent is the chain value it was made from.
type Root struct {
	Nonce  string `json:"nonce" is:"nonce"`
	Parent string `json:"parent" is:"hash"`
}

// End says how a run ended; not terminal.
type End struct {
	Outcome string   `json:"outcome" is:"one=done|stopped|stuck"`
	Reasons []string `json:"reasons,omitempty" is:"line,max=64"`
}
