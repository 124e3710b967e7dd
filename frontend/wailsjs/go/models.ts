export namespace dto {
	
	export interface AnswerSentence {
	    text: string;
	    claims: string[];
	    backed: boolean;
	    stale: boolean;
	}
	export interface Place {
	    source: string;
	    name: string;
	    title: string;
	    heading: string;
	    from: number;
	    to: number;
	    page: number;
	}
	export interface Candidate {
	    id: string;
	    text: string;
	    place: Place;
	    score: number;
	}
	export interface Cell {
	    question: string;
	    shown: number;
	    claims: number;
	}
	export interface Check {
	    name: string;
	    value: string;
	    good: boolean;
	    mend: string;
	}
	export interface CheckItem {
	    kind: string;
	    text: string;
	    on: string;
	    count: number;
	}
	export interface Quote {
	    id: string;
	    text: string;
	    stance: string;
	    place: Place;
	    reported: boolean;
	}
	export interface Claim {
	    id: string;
	    text: string;
	    is_quote: boolean;
	    question: string;
	    trust: string;
	    word: string;
	    standing: string;
	    flags: string[];
	    by: string;
	    by_line: string;
	    reported: boolean;
	    reason: string;
	    quotes: Quote[];
	    seq: number;
	    verdict: string;
	}
	export interface Counts {
	    sources: number;
	    unreadable: number;
	    aside: number;
	    claims: number;
	    checked: number;
	    to_check: number;
	    open: number;
	    parked: number;
	    closed: number;
	    dropped: number;
	}
	export interface Entry {
	    seq: number;
	    at: number;
	    kind: string;
	    text: string;
	    detail: string;
	    checkpoint: number;
	    took_ms: number;
	}
	export interface Model {
	    name: string;
	    digest: string;
	    bytes: number;
	    trial: boolean;
	    note: string;
	    default: boolean;
	}
	export interface Problem {
	    kind: string;
	    what: string;
	    safe: string;
	    do: string;
	}
	export interface Setup {
	    stage: string;
	    sentence: string;
	    done: number;
	    total: number;
	    left_s: number;
	    error?: Problem;
	    runtime: string;
	    models: Model[];
	    home: string;
	    version: string;
	}
	export interface Status {
	    state: string;
	    sentence: string;
	    detail: string;
	    running: boolean;
	    can_run: boolean;
	    done: number;
	    total: number;
	    saved_at: number;
	    checkpoint: number;
	    left_s: number;
	    promise: string;
	    step: string;
	    stream: string;
	    model: string;
	    trial: boolean;
	    read_rate: number;
	    write_rate: number;
	    gate: string;
	    reasons: string[];
	}
	export interface Event {
	    task: string;
	    seq: number;
	    kind: string;
	    status?: Status;
	    text?: string;
	    setup?: Setup;
	}
	export interface FieldProblem {
	    field: string;
	    text: string;
	}
	export interface Promise {
	    depth: string;
	    text: string;
	    seconds: number;
	}
	export interface FormCheck {
	    problems: FieldProblem[];
	    folder: string;
	    files: number;
	    likely: number;
	    promises: Promise[];
	    can_start: boolean;
	    model: string;
	}
	
	export interface NewTask {
	    title: string;
	    goal: string;
	    questions: string[];
	    constraints: string[];
	    folder: string;
	    model: string;
	    depth: string;
	    budget: number;
	    start: boolean;
	}
	export interface Next {
	    kind: string;
	    text: string;
	    serves: string;
	    why: string;
	}
	export interface Note {
	    id: string;
	    on: string;
	    text: string;
	    for: string;
	    due: string;
	    by: string;
	}
	
	export interface Preferences {
	    theme: string;
	    auto_go_on: boolean;
	    model: string;
	    ollama: string;
	    welcomed: boolean;
	}
	export interface Preview {
	    token: string;
	    name: string;
	    title: string;
	    goal: string;
	    from: string;
	    lines: number;
	    withheld: number;
	    claims: number;
	    questions: number;
	    checked: number;
	    sources: number;
	    here: number;
	    missing: string[];
	    warnings: string[];
	}
	
	
	export interface Question {
	    id: string;
	    number: number;
	    text: string;
	    status: string;
	    reason: string;
	    coverage: string;
	    partial: boolean;
	    answer: AnswerSentence[];
	    claims: Claim[];
	    candidates: Candidate[];
	    notes: Note[];
	}
	
	export interface Removal {
	    task: string;
	    title: string;
	    source: string;
	    name: string;
	    question: string;
	    removed: string[];
	    yours: string[];
	    stays: string[];
	    beyond: string[];
	    now: string;
	    sentence: string;
	    done: boolean;
	}
	export interface ReportPart {
	    heading: string;
	    sentences: AnswerSentence[];
	}
	export interface Sentence {
	    number: number;
	    text: string;
	    heading: string;
	    start: boolean;
	    page: number;
	    mark: boolean;
	}
	
	export interface Source {
	    id: string;
	    name: string;
	    title: string;
	    media: string;
	    status: string;
	    reason: string;
	    bytes: number;
	    sentences: number;
	    pages: number;
	    claims: number;
	    cells: Cell[];
	}
	export interface SourceText {
	    source: Source;
	    first: number;
	    total: number;
	    sentences: Sentence[];
	}
	
	export interface TaskSummary {
	    id: string;
	    title: string;
	    goal: string;
	    state: string;
	    group: string;
	    line: string;
	    example: boolean;
	    changed: number;
	    damage: string;
	}
	export interface VaultBackup {
	    path: string;
	    at: number;
	    bytes: number;
	    records: number;
	    histories: number;
	    lines: number;
	    removed: string[];
	    sentence: string;
	}
	export interface VaultFault {
	    file: string;
	    record: string;
	    what: string;
	}
	export interface VaultCheck {
	    sound: boolean;
	    sentence: string;
	    do: string;
	    records: number;
	    texts: number;
	    histories: number;
	    lines: number;
	    audited: number;
	    backups: number;
	    mends: boolean;
	    faults: VaultFault[];
	}
	export interface VaultCompact {
	    before: number;
	    after: number;
	    dropped: number;
	    sentence: string;
	}
	
	export interface VaultState {
	    folder: string;
	    histories: number;
	    lines: number;
	    store: number;
	    journals: number;
	    aside: number;
	    drafts: number;
	    free: number;
	    read_only: boolean;
	    backups: VaultBackup[];
	    notices: string[];
	}
	export interface Verification {
	    good: boolean;
	    sentence: string;
	    line: number;
	    lines: number;
	    withheld: number;
	    claims: number;
	    quotes: number;
	    chain: string;
	    state_hash: string;
	}
	export interface View {
	    seq: number;
	    id: string;
	    title: string;
	    goal: string;
	    constraints: string[];
	    example: boolean;
	    at: number;
	    sum: string;
	    state_hash: string;
	    status: Status;
	    questions: Question[];
	    retracted: Claim[];
	    to_check: CheckItem[];
	    next: Next;
	    counts: Counts;
	    report: ReportPart[];
	    report_stale: boolean;
	    imported: string;
	    can_undo: boolean;
	    undo_what: string;
	}

}

export namespace window {
	
	export interface Seen {
	    title: string;
	    tasks: number;
	    violations: string[];
	    errors: string[];
	}

}

