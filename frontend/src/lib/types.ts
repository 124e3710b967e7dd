// The values that Go and this page exchange, mirrored by hand from app/dto: names
// identical, times Unix milliseconds, durations seconds unless the name says Ms,
// sizes bytes. Lists are never null.

export interface TaskSummary {
  id: string
  title: string
  goal: string
  state: string // see Status.State
  group: string // working, needs_you, finished (the left column)
  line: string // "reading, done by 23:40"
  example: boolean // the finished sample made by the makers
  changed: number // Unix ms of the newest line
  damage: string
}

export interface Status {
  // State: new, ready, starting, loading, queued, reading, thinking, writing,
  // checking, saving, waiting (for Ollama), asleep, paused, interrupted,
  // needs_you, done, stopped, stuck, disk_full, read_only, damaged
  state: string
  sentence: string // "Reading 31 of 86 passages"
  detail: string // what happened, what is safe, what to do; "" when nothing to say
  running: boolean // the engine is at work on it
  can_run: boolean // "Go on" makes sense
  done: number // passages shown
  total: number // passages to show at this depth
  saved_at: number // time of the newest checkpoint
  checkpoint: number // number of the newest checkpoint, from 1
  left_s: number // seconds left, -1 when not known
  promise: string // "Every document touched by 14:20, everything by 15:05."
  step: string // "“Smart spammers”, sentences 14 to 22, for question 2"
  stream: string // the text of the running call so far (display only)
  model: string
  trial: boolean // this model is for trying only
  read_rate: number // tokens a second, measured
  write_rate: number
  gate: string // green, amber, red
  reasons: string[] // sentences for amber or red
}

export interface Place {
  source: string // source id
  name: string // file name
  title: string
  heading: string
  from: number // sentence numbers
  to: number
  page: number // 0 when there are no pages
}

export interface Quote {
  id: string
  text: string // source slice, byte for byte
  stance: string
  place: Place
  reported: boolean // reported by the sender, not looked at here
}

export interface Claim {
  id: string
  text: string
  is_quote: boolean // the claim is its quote
  question: string
  trust: string // stated, backed, agreed, checked
  /** "only stated", "quote attached", "derived", "model agrees", "you checked" */
  word: string
  standing: string // active, contested, stale, retracted, superseded
  flags: string[] // sentences: "says more than its quote: “experts”"
  by: string // person, model, engine, program
  by_line: string // "smollm2:135m", "you", "example written by the makers"
  reported: boolean
  reason: string // why retracted
  quotes: Quote[]
  seq: number
  verdict: string // the person's newest one here: right, wrong, says_more, unsure; "" when none
}

export interface AnswerSentence {
  text: string
  claims: string[]
  backed: boolean // false: shown grey, "not backed by a record"
  stale: boolean
}

export interface Candidate {
  id: string // of the claim that it becomes when a person accepts it
  text: string
  place: Place
  score: number
}

export interface Question {
  id: string
  number: number // 1, 2, 3 …
  text: string
  status: string // open, parked, closed, dropped
  reason: string
  coverage: string // "so far, from 4 of 5 documents; 22 of 34 passages read"
  partial: boolean
  answer: AnswerSentence[]
  claims: Claim[]
  candidates: Candidate[]
  notes: Note[]
}

export interface Note {
  id: string
  on: string
  text: string
  for: string
  due: string
  by: string
}

export interface CheckItem {
  /** note, says_more, contested, stale, unchecked, unreadable, refused, parked */
  kind: string
  text: string
  on: string // object id to open, "" when the line sums up several
  count: number
}

export interface Next {
  kind: string
  text: string // "Read 3 passages of “Smart spammers”"
  serves: string // "for question 2, about 1 minute"
  why: string // "Chosen for expected new evidence; …"
}

export interface View {
  seq: number // event sequence this snapshot holds (see Event)
  id: string
  title: string
  goal: string
  constraints: string[]
  example: boolean
  at: number // ledger seq of the checkpoint shown, 0 = newest
  sum: string // "+3 claims, 1 retracted, 2 questions opened, 1 closed, 0 lost"
  state_hash: string
  status: Status
  questions: Question[]
  retracted: Claim[]
  to_check: CheckItem[]
  next: Next
  counts: Counts
  report: ReportPart[]
  report_stale: boolean
  imported: string // "" or "from a file, unsigned; 12 claims reported by the sender"
  can_undo: boolean
  undo_what: string // "your correction of …"
}

export interface ReportPart {
  heading: string
  sentences: AnswerSentence[]
}

export interface Counts {
  sources: number
  unreadable: number
  aside: number
  claims: number
  checked: number
  to_check: number // live claims nobody has checked
  open: number
  parked: number
  closed: number
  dropped: number
}

export interface Source {
  id: string
  name: string
  title: string
  media: string
  status: string // readable, unreadable, missing, changed, aside
  reason: string // a sentence
  bytes: number
  sentences: number
  pages: number
  claims: number
  cells: Cell[] // one per question, in order: the map of what has been read
}

export interface Cell {
  question: string
  shown: number // share of the passages to show at this depth, 0–1
  claims: number
}

export interface SourceText {
  source: Source
  first: number // number of the first sentence in Sentences
  total: number
  sentences: Sentence[]
}

export interface Sentence {
  number: number
  text: string
  heading: string // section it stands in
  start: boolean // first sentence of a paragraph
  page: number
  mark: boolean // inside the place asked for
}

export interface Entry {
  seq: number
  at: number
  kind: string // step, person, sleep, resume, pause, end, import, refuse, call
  text: string // "Read 4 passages of “Metadata study”"
  detail: string // "3 claims accepted, 1 refused: …"
  checkpoint: number // its number, 0 when none
  took_ms: number
}

export interface NewTask {
  title: string
  goal: string
  questions: string[]
  constraints: string[]
  folder: string
  model: string // "" = the default, "-" = none
  depth: string // quick, thorough, exhaustive
  budget: number // seconds, 0 = by depth
  start: boolean // begin at once
}

export interface FormCheck {
  problems: FieldProblem[]
  folder: string // "80 files, 78 readable, 2 not (1 picture, 1 empty)"
  files: number
  likely: number // files of a kind that can be read
  promises: Promise[] // one per depth
  can_start: boolean
  model: string // sentence about the model chosen
}

export interface FieldProblem {
  field: string // goal, questions, folder, model, budget
  text: string
}

export interface Promise {
  depth: string
  /** "First findings in 2 minutes, every document touched by 23:40, everything by Tuesday 9:00." */
  text: string
  seconds: number
}

export interface Setup {
  /** checking, building_runtime, starting_runtime, getting_model, ready, no_model, error */
  stage: string
  sentence: string
  done: number
  total: number
  left_s: number // -1 when not known
  error: Problem | null
  runtime: string // "Ollama 0.17.4 at 127.0.0.1:11434"
  models: Model[]
  home: string
  version: string
}

export interface Model {
  name: string
  digest: string
  bytes: number
  trial: boolean // for trying only
  note: string // "For trying only: it is far too small to be right about anything."
  default: boolean
}

export interface Preview {
  token: string // names the bytes that were checked
  name: string
  title: string
  goal: string
  from: string // "unsigned" (signing comes later)
  lines: number
  withheld: number
  claims: number
  questions: number
  checked: number // checks the sender made
  sources: number
  here: number // sources whose text is here, so their quotes can be checked
  missing: string[]
  warnings: string[]
}

/** What deleting for good takes away, what stays, and what it can't reach. */
export interface Removal {
  task: string
  title: string
  source: string // the document, '' when the whole task goes
  name: string
  question: string
  removed: string[]
  yours: string[] // what the person wrote and goes too
  stays: string[]
  beyond: string[]
  now: string // the task that stands in its place
  sentence: string
  done: boolean
}

export interface Verification {
  good: boolean
  sentence: string
  line: number // first line that no longer fits, 0 when good
  lines: number
  withheld: number
  claims: number
  quotes: number
  chain: string
  state_hash: string
}

export interface Event {
  task: string // "" for setup and the list of tasks
  seq: number
  kind: string // status, stream, saved, tasks, setup, sources, open_file
  status?: Status
  text?: string // stream: the text to append
  setup?: Setup
}

export interface Problem {
  kind: string
  what: string
  safe: string
  do: string
}

export interface Check {
  name: string
  value: string
  good: boolean
  mend: string // what to do when not good
}

export interface Preferences {
  theme: string // system, light, dark
  auto_go_on: boolean // a task that was running goes on by itself on reopening
  model: string // default model
  ollama: string // address, "" = find or built-in
  welcomed: boolean
}

export interface VaultState {
  folder: string
  histories: number
  lines: number
  store: number // bytes, as the ones below
  journals: number
  aside: number // set aside by repairs, never deleted by itself
  drafts: number
  free: number
  read_only: boolean // a sync failed; the next start copies to new files
  backups: VaultBackup[] // in Cairn's folder, newest first
  notices: string[] // what opening mended, moved or lost
}

export interface VaultFault {
  file: string // in Cairn's folder
  record: string // in that file
  what: string // a sentence
}

export interface VaultCheck {
  sound: boolean
  sentence: string
  do: string // what helps, "" when sound
  records: number
  texts: number
  histories: number
  lines: number
  audited: number // tasks whose lines were folded and audited
  backups: number
  mends: boolean // the next opening, or a repair, mends what was found
  faults: VaultFault[]
}

export interface VaultCompact {
  before: number
  after: number
  dropped: number // texts that no line named
  sentence: string
}

export interface VaultBackup {
  path: string
  at: number
  bytes: number
  records: number
  histories: number
  lines: number
  removed: string[] // older backups that made room
  sentence: string
}
