package state

import (
	"slices"

	"cairn/engine/ledger"
)

// kind of a record of work.
type kind uint8

const (
	kTask kind = iota
	kSettings
	kSource
	kQuestion
	kClaim
	kAssumption
	kTried
	kAnswer
	kReport
	kItem
	kPlan
	kStep
	kNote
	kFound
	kRead
	kOverride
	kPassed
	kBarren
)

// key names a record: its kind and its id within the kind.
type key struct {
	kind kind
	id   string
}

// change is one record's value before a line changed it; nil: the line made it.
// A derived change (trust, a question's current answer) follows from others: it
// is rolled back but never undone, and does not stand in the way of an undo.
type change struct {
	key
	derived bool
	before  any
}

// lineInfo is what undo needs to know about a line.
type lineInfo struct {
	op    string // "" for a withheld line
	by    ledger.By
	start int   // of its changes in inner.changes
	undid int64 // the line that an undo took back
	gone  bool  // it is undone now
}

// rejection is a place on which a claim rested that a person rejected.
type rejection struct {
	claim string
	place ledger.Place
}

// planRecord is the order of the plan.
type planRecord struct {
	order []string
	stale bool
}

// inner holds what follows from the exported part of State: indexes, the changes
// of each line, the digests of the state hash. Index entries may outlive what
// they point to, so every use looks at the record again.
type inner struct {
	lines   []lineInfo // of line seq-1
	changes []change

	rests      map[string][]string    // object → what was made to rest on it directly
	quotes     map[string]string      // quote id → claim
	mergedFrom map[string][]string    // claim → claims merged into it
	claimsOf   map[string][]string    // question ("" for none) → claims in order
	answersOf  map[string][]string    // question → answers in order
	sameBasis  map[string][]string    // question and basis → claims
	rejected   map[string][]rejection // question|source → what a person retracted or superseded there

	origins map[ledger.Origin]struct{} // of lines that were written again here

	dirty   map[key]struct{}
	buckets [256]bucket
	hash    ledger.Hash // of the state when nothing is dirty
	hashed  bool
	hashing *hasher // Hash writes here, and readers call it too
	lazy    bool    // checkpoints are taken without comparing their state hash
}

// New gives the state before the first line.
func New() *State {
	return &State{
		Sources:     map[string]*Source{},
		Questions:   map[string]*Question{},
		Claims:      map[string]*Claim{},
		Assumptions: map[string]*Assumption{},
		Tried:       map[string]*Attempted{},
		Answers:     map[string]*Answer{},
		Reports:     map[string]*Report{},
		Plan:        map[string]*PlanItem{},
		Finished:    map[string]*Done{},
		Found:       map[string][]Range{},
		Read:        map[string]map[string][]Interval{},
		Notes:       map[string]*Note{},
		Overrides:   map[string]string{},
		Passed:      map[string]string{},
		Barren:      map[string]int64{},
		Log:         Log{Attempts: map[string]int64{}, Names: map[string]string{}},
		in: &inner{
			rests:      map[string][]string{},
			quotes:     map[string]string{},
			mergedFrom: map[string][]string{},
			claimsOf:   map[string][]string{},
			answersOf:  map[string][]string{},
			sameBasis:  map[string][]string{},
			rejected:   map[string][]rejection{},
			origins:    map[ledger.Origin]struct{}{},
			hashing:    new(hasher),
			dirty:      map[key]struct{}{{kSettings, ""}: {}, {kPlan, ""}: {}},
		},
	}
}

// changed notes that the record k had the value before, nil for a new one.
func (s *State) changed(k key, before any, derived bool) {
	s.in.changes = append(s.in.changes, change{key: k, before: before, derived: derived})
	s.in.dirty[k] = struct{}{}
}

// put stores rec in m, and its id in ids when it is new.
func put[T any](s *State, k kind, m map[string]*T, ids *[]string, id string, rec *T, derived bool) {
	old, there := m[id]
	m[id] = rec
	if !there {
		if ids != nil {
			*ids = append(*ids, id)
		}
		s.changed(key{k, id}, nil, derived)
		return
	}
	s.changed(key{k, id}, old, derived)
}

func (s *State) putSource(r *Source) { put(s, kSource, s.Sources, &s.SourceIDs, r.ID, r, false) }
func (s *State) putQuestion(r *Question) {
	put(s, kQuestion, s.Questions, &s.QuestionIDs, r.ID, r, false)
}

// putClaim also notes the places of a claim that a person rejected by this.
func (s *State) putClaim(r *Claim) {
	put(s, kClaim, s.Claims, &s.ClaimIDs, r.ID, r, false)
	if r.rejected() {
		s.noteRejected(r)
	}
}

func (s *State) putAnswer(r *Answer)   { put(s, kAnswer, s.Answers, &s.AnswerIDs, r.ID, r, false) }
func (s *State) putReport(r *Report)   { put(s, kReport, s.Reports, &s.ReportIDs, r.ID, r, false) }
func (s *State) putNote(r *Note)       { put(s, kNote, s.Notes, &s.NoteIDs, r.ID, r, false) }
func (s *State) putItem(r *PlanItem)   { put(s, kItem, s.Plan, nil, r.ID, r, false) }
func (s *State) putTried(r *Attempted) { put(s, kTried, s.Tried, nil, r.ID, r, false) }
func (s *State) putAssumption(r *Assumption) {
	put(s, kAssumption, s.Assumptions, nil, r.ID, r, false)
}

func (s *State) putStep(id string, r *Done) { put(s, kStep, s.Finished, &s.FinishedKeys, id, r, false) }

func (s *State) putTask(t Task) {
	s.changed(key{kTask, ""}, s.Task, false)
	s.Task = t
}

func (s *State) putSettings(v Settings) {
	s.changed(key{kSettings, ""}, s.Settings, false)
	s.Settings = v
}

func (s *State) putPlan(order []string, stale bool) {
	s.changed(key{kPlan, ""}, planRecord{s.PlanIDs, s.PlanStale}, false)
	s.PlanIDs, s.PlanStale = order, stale
}

func (s *State) putFound(question string, ranges []Range) {
	if old, there := s.Found[question]; there {
		s.changed(key{kFound, question}, old, false)
	} else {
		s.changed(key{kFound, question}, nil, false)
	}
	s.Found[question] = ranges
}

func (s *State) putRead(source, question string, spans []Interval) {
	k := key{kRead, source + "/" + question}
	of := s.Read[source]
	if of == nil {
		of = map[string][]Interval{}
		s.Read[source] = of
	}
	if old, there := of[question]; there {
		s.changed(k, old, false)
	} else {
		s.changed(k, nil, false)
	}
	of[question] = spans
}

// putWord stores a text in one of the maps of plain values.
func putWord[V any](s *State, k kind, m map[string]V, id string, v V) {
	if old, there := m[id]; there {
		s.changed(key{k, id}, old, false)
	} else {
		s.changed(key{k, id}, nil, false)
	}
	m[id] = v
}

// rollback takes back every change since mark, newest first.
func (s *State) rollback(mark int) {
	for i := len(s.in.changes) - 1; i >= mark; i-- {
		c := s.in.changes[i]
		s.restore(c.key, c.before)
		s.in.dirty[c.key] = struct{}{}
	}
	clear(s.in.changes[mark:])
	s.in.changes = s.in.changes[:mark]
}

func restoreIn[T any](m map[string]*T, ids *[]string, id string, before any) {
	if before != nil {
		if _, there := m[id]; !there && ids != nil {
			*ids = append(*ids, id) // an undo had taken it out
		}
		m[id] = before.(*T)
		return
	}
	delete(m, id)
	if ids == nil {
		return
	}
	for i := len(*ids) - 1; i >= 0; i-- {
		if (*ids)[i] == id {
			*ids = slices.Delete(*ids, i, i+1)
			return
		}
	}
}

func restoreWord[V any](m map[string]V, id string, before any) {
	if before != nil {
		m[id] = before.(V)
		return
	}
	delete(m, id)
}

// restore puts a record back as it was, without noting a change.
func (s *State) restore(k key, before any) {
	switch k.kind {
	case kTask:
		s.Task = before.(Task)
	case kSettings:
		s.Settings = before.(Settings)
	case kPlan:
		p := before.(planRecord)
		s.PlanIDs, s.PlanStale = p.order, p.stale
	case kSource:
		restoreIn(s.Sources, &s.SourceIDs, k.id, before)
	case kQuestion:
		restoreIn(s.Questions, &s.QuestionIDs, k.id, before)
	case kClaim:
		if before == nil {
			s.unindexClaim(s.Claims[k.id])
		}
		restoreIn(s.Claims, &s.ClaimIDs, k.id, before)
	case kAssumption:
		restoreIn(s.Assumptions, nil, k.id, before)
	case kTried:
		restoreIn(s.Tried, nil, k.id, before)
	case kAnswer:
		if before == nil {
			s.unindexAnswer(s.Answers[k.id])
		}
		restoreIn(s.Answers, &s.AnswerIDs, k.id, before)
	case kReport:
		if before == nil {
			s.unindexReport(s.Reports[k.id])
		}
		restoreIn(s.Reports, &s.ReportIDs, k.id, before)
	case kItem:
		restoreIn(s.Plan, nil, k.id, before)
	case kStep:
		restoreIn(s.Finished, &s.FinishedKeys, k.id, before)
	case kNote:
		restoreIn(s.Notes, &s.NoteIDs, k.id, before)
	case kFound:
		restoreWord(s.Found, k.id, before)
	case kRead:
		source, question := splitRead(k.id)
		if s.Read[source] == nil {
			s.Read[source] = map[string][]Interval{}
		}
		restoreWord(s.Read[source], question, before)
		if len(s.Read[source]) == 0 {
			delete(s.Read, source)
		}
	case kOverride:
		restoreWord(s.Overrides, k.id, before)
	case kPassed:
		restoreWord(s.Passed, k.id, before)
	case kBarren:
		restoreWord(s.Barren, k.id, before)
	}
}

// splitRead takes the id of a read record apart; both parts are object ids.
func splitRead(id string) (source, question string) {
	const n = 33
	if len(id) < n+1 {
		return id, ""
	}
	return id[:n], id[n+1:]
}

// addTo appends id to a list of an index; takeFrom takes it off the end again.
func addTo(m map[string][]string, at, id string) { m[at] = append(m[at], id) }

func takeFrom(m map[string][]string, at, id string) {
	if list := m[at]; len(list) > 0 && list[len(list)-1] == id {
		m[at] = list[:len(list)-1]
	}
}

func (s *State) indexClaim(c *Claim) {
	for _, on := range restsOn(c.Basis) {
		addTo(s.in.rests, on, c.ID)
	}
	addTo(s.in.claimsOf, c.Question, c.ID)
	addTo(s.in.sameBasis, basisKey(c.Question, c.Basis), c.ID)
	for i := range c.Evidence {
		s.in.quotes[c.Evidence[i].ID] = c.ID
	}
}

func (s *State) unindexClaim(c *Claim) {
	if c == nil {
		return
	}
	for _, on := range restsOn(c.Basis) {
		takeFrom(s.in.rests, on, c.ID)
	}
	takeFrom(s.in.claimsOf, c.Question, c.ID)
	takeFrom(s.in.sameBasis, basisKey(c.Question, c.Basis), c.ID)
}

func (s *State) indexAnswer(a *Answer) {
	for _, on := range citedBy(a.Sentences) {
		addTo(s.in.rests, on, a.ID)
	}
	addTo(s.in.answersOf, a.Question, a.ID)
}

func (s *State) unindexAnswer(a *Answer) {
	if a == nil {
		return
	}
	for _, on := range citedBy(a.Sentences) {
		takeFrom(s.in.rests, on, a.ID)
	}
	takeFrom(s.in.answersOf, a.Question, a.ID)
}

func (s *State) indexReport(r *Report) {
	for _, on := range append(citedBy(r.Opening), r.Answers...) {
		addTo(s.in.rests, on, r.ID)
	}
}

func (s *State) unindexReport(r *Report) {
	if r == nil {
		return
	}
	for _, on := range append(citedBy(r.Opening), r.Answers...) {
		takeFrom(s.in.rests, on, r.ID)
	}
}

// restsOn gives the objects that a basis names, each once: claims, assumptions,
// and the sources of its references.
func restsOn(basis []string) []string {
	out := make([]string, 0, len(basis))
	for _, b := range basis {
		if len(b) > 33 && b[0] == 's' {
			b = b[:33]
		}
		if !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// citedBy gives the claims that sentences name, each once.
func citedBy(sentences []ledger.Sentence) []string {
	var out []string
	seen := map[string]bool{}
	for _, sentence := range sentences {
		for _, c := range sentence.Claims {
			if !seen[c] {
				seen[c] = true
				out = append(out, c)
			}
		}
	}
	return out
}

func basisKey(question string, basis []string) string {
	n := len(question) + 1
	for _, b := range basis {
		n += len(b) + 1
	}
	out := make([]byte, 0, n)
	out = append(out, question...)
	for _, b := range basis {
		out = append(out, '|')
		out = append(out, b...)
	}
	return string(out)
}
