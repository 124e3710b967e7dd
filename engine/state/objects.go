package state

import (
	"slices"

	"cairn/engine/ledger"
)

var kindWords = map[byte]string{'c': "claim", 'm': "assumption", 'n': "note", 'o': "report", 'r': "attempt",
	'w': "answer", 'q': "question", 's': "source", 'p': "plan item"}

// standing of an object that can be retracted or superseded; "" for an unknown one.
func (s *State) standing(id string) Standing {
	switch ledger.IDKind(id) {
	case 'c':
		if r := s.Claims[id]; r != nil {
			return r.Standing
		}
	case 'm':
		if r := s.Assumptions[id]; r != nil {
			return r.Standing
		}
	case 'n':
		if r := s.Notes[id]; r != nil {
			return r.Standing
		}
	case 'o':
		if r := s.Reports[id]; r != nil {
			return r.Standing
		}
	case 'r':
		if r := s.Tried[id]; r != nil {
			return r.Standing
		}
	case 'w':
		if r := s.Answers[id]; r != nil {
			return r.Standing
		}
	}
	return ""
}

// setStanding makes a new record with that standing. Active clears the mark of
// staleness; Into and Reason go with it.
func (s *State) setStanding(l *ledger.Line, id string, to Standing, into, reason string) {
	switch ledger.IDKind(id) {
	case 'c':
		r := *s.Claims[id]
		r.Standing, r.Into, r.Reason, r.Merged = to, into, reason, false
		if to == Active {
			r.IsStale = false
			settle(&r)
		}
		r.touch(l)
		s.putClaim(&r)
		s.retrust(id)
	case 'm':
		r := *s.Assumptions[id]
		r.Standing, r.Into, r.Reason, r.IsStale = to, into, reason, false
		r.touch(l)
		s.putAssumption(&r)
		s.retrustOn(id)
	case 'n':
		r := *s.Notes[id]
		r.Standing, r.Into, r.Reason = to, into, reason
		r.touch(l)
		s.putNote(&r)
	case 'o':
		r := *s.Reports[id]
		r.Standing, r.Into, r.Reason, r.IsStale = to, into, reason, false
		r.touch(l)
		s.putReport(&r)
	case 'r':
		r := *s.Tried[id]
		r.Standing, r.Into, r.Reason = to, into, reason
		r.touch(l)
		s.putTried(&r)
	case 'w':
		r := *s.Answers[id]
		r.Standing, r.Into, r.Reason, r.IsStale = to, into, reason, false
		r.touch(l)
		s.putAnswer(&r)
		s.currentAnswer(r.Question)
	}
}

func (s *State) retract(l *ledger.Line, op *ledger.Retract) *Finding {
	what := kindWords[ledger.IDKind(op.ID)]
	switch s.standing(op.ID) {
	case "":
		return refuse(CodeUnknown, "%s %s is not recorded", what, op.ID)
	case Retracted, Superseded:
		return refuse(CodeStanding, "%s %s is %s already", what, op.ID, s.standing(op.ID))
	}
	if f := s.metaOfObject(op.ID).sticky(l, what); f != nil {
		return f
	}
	s.setStanding(l, op.ID, Retracted, "", op.Reason)
	s.makeStale(op.ID)
	return nil
}

func (s *State) supersede(l *ledger.Line, op *ledger.Supersede) *Finding {
	what := kindWords[ledger.IDKind(op.ID)]
	from, into := s.standing(op.ID), s.standing(op.Into)
	if from == "" || into == "" || op.ID[0] != op.Into[0] || op.ID == op.Into {
		return refuse(CodeUnknown, "the %s to replace, or the one in its place, is not recorded", what)
	}
	if from == Retracted || from == Superseded {
		return refuse(CodeStanding, "%s %s is %s already", what, op.ID, from)
	}
	if into == Retracted && l.By != ledger.Person {
		return refuse(CodeStanding, "%s %s was retracted", what, op.Into)
	}
	if f := s.metaOfObject(op.ID).sticky(l, what); f != nil {
		return f
	}
	if !isLive(into) {
		if f := s.metaOfObject(op.Into).sticky(l, what); f != nil {
			return f
		}
	}
	if s.RestsUpon(op.Into, op.ID) {
		return refuse(CodeCycle, "%s rests on %s", op.Into, op.ID)
	}
	if !isLive(into) {
		s.setStanding(l, op.Into, Active, "", "")
		if s.onItself(op.Into) {
			return refuse(CodeCycle, "%s would rest on itself", op.Into)
		}
		if s.restale(op.Into); !s.isFresh(op.Into) {
			s.makeStale(op.Into) // what named a merged claim rests on it again
		}
	} else if l.By == ledger.Person {
		s.hold(l, op.Into)
	}
	s.setStanding(l, op.ID, Superseded, op.Into, "")
	s.makeStale(op.ID)
	return nil
}

// isFresh: the object stands and is not stale.
func (s *State) isFresh(id string) bool {
	st := s.standing(id)
	return isLive(st) && st != Stale
}

func isLive(st Standing) bool { return st != Retracted && st != Superseded }

// hold notes that a person edited a claim into this one.
func (s *State) hold(l *ledger.Line, id string) {
	if old := s.Claims[id]; old != nil && !old.Person {
		c := *old
		c.touch(l)
		s.putClaim(&c)
	}
}

// restale marks what came back although something it rests on is gone or stale.
func (s *State) restale(id string) {
	switch ledger.IDKind(id) {
	case 'c':
		if old := s.Claims[id]; old != nil && old.Live() && !old.IsStale && !s.freshBasis(id) {
			c := *old
			c.IsStale = true
			settle(&c)
			s.putClaim(&c)
		}
	case 'w':
		if old := s.Answers[id]; old != nil && old.Live() && !old.IsStale && !s.freshBasis(id) {
			a := *old
			a.IsStale, a.Standing = true, Stale
			s.putAnswer(&a)
		}
	case 'o':
		if old := s.Reports[id]; old != nil && old.Live() && !old.IsStale && !s.freshBasis(id) {
			s.markReport(old)
		}
	case 'q':
		if old := s.Questions[id]; old != nil && old.Status == Closed && !old.Stale && !s.allFresh(old.Claims) {
			q := *old
			q.Stale = true
			s.putQuestion(&q)
		}
	}
}

// renew: the same object was found again.
func (s *State) renew(l *ledger.Line, op *ledger.Renew) *Finding {
	what := kindWords[ledger.IDKind(op.ID)]
	if ledger.IDKind(op.ID) == 'q' {
		return s.renewClose(l, op.ID)
	}
	st := s.standing(op.ID)
	if st == "" {
		return refuse(CodeUnknown, "%s %s is not recorded", what, op.ID)
	}
	m := s.metaOfObject(op.ID)
	if f := m.sticky(l, what); f != nil {
		return f
	}
	if st == Superseded || st == Active || st == Contested {
		return refuse(CodeStanding, "%s %s is %s", what, op.ID, st)
	}
	if !s.freshBasis(op.ID) {
		return refuse(CodeStanding, "something that %s rests on is stale or gone", op.ID)
	}
	s.setStanding(l, op.ID, Active, "", "")
	return nil
}

func (s *State) renewClose(l *ledger.Line, id string) *Finding {
	old := s.Questions[id]
	if old == nil {
		return refuse(CodeUnknown, "question %s is not recorded", id)
	}
	if f := old.held(l); f != nil {
		return f
	}
	if old.Status != Closed || !old.Stale {
		return refuse(CodeStanding, "question %s is no stale closed one", id)
	}
	if !s.allFresh(old.Claims) {
		return refuse(CodeStanding, "a claim that closed %s is stale or gone", id)
	}
	q := *old
	q.Stale = false
	q.LastBy, q.LastSeq = l.By, l.Seq
	s.putQuestion(&q)
	return nil
}

// freshBasis: everything the object rests on is active and not stale.
func (s *State) freshBasis(id string) bool {
	switch id[0] {
	case 'c':
		_, fresh := s.basisState(s.Claims[id].Basis)
		return fresh
	case 'w':
		return s.allFresh(citedBy(s.Answers[id].Sentences))
	case 'o':
		r := s.Reports[id]
		return s.allFresh(citedBy(r.Opening)) && s.allFresh(r.Answers)
	}
	return true
}

func (s *State) assume(l *ledger.Line, op *ledger.Assume) *Finding {
	id := ledger.AssumeID(*op)
	if s.Assumptions[id] != nil {
		return nil
	}
	if f := s.asks(l, op.Question); f != nil {
		return f
	}
	a := &Assumption{Meta: metaOf(l), ID: id, Question: op.Question, Text: op.Text, Standing: Active}
	if l.By == ledger.Person {
		a.said = []Verdict{{Seq: l.Seq, By: l.By, Who: l.Who, How: "person", Verdict: "right", Reported: l.Reported, marked: l.Reported}}
	}
	a.settle()
	s.putAssumption(a)
	return nil
}

func (s *State) tried(l *ledger.Line, op *ledger.Tried) *Finding {
	id := ledger.TriedID(*op)
	if s.Tried[id] != nil {
		return nil
	}
	if f := s.asks(l, op.Question); f != nil {
		return f
	}
	s.putTried(&Attempted{Meta: metaOf(l), ID: id, Approach: op.Approach, Outcome: op.Outcome, Question: op.Question,
		Why: op.Why, Standing: Active})
	return nil
}

// answer takes the place of the question's answer. Written again with the same
// sentences, it stands again as it is written now.
func (s *State) answer(l *ledger.Line, op *ledger.Answer) *Finding {
	q := s.Questions[op.Question]
	if q == nil {
		return refuse(CodeUnknown, "question %s is not recorded", op.Question)
	}
	if q.Status == Dropped {
		if f := q.held(l); f != nil {
			return f
		}
	}
	for _, c := range citedBy(op.Sentences) {
		if s.Claims[c] == nil {
			return refuse(CodeUnknown, "claim %s is not recorded", c)
		}
	}
	id := ledger.AnswerID(*op)
	now := s.Answers[q.Answer]
	if now != nil && now.ID != id {
		if f := now.sticky(l, "answer"); f != nil {
			return f
		}
	}
	old := s.Answers[id]
	if old != nil && !old.Live() {
		if f := old.sticky(l, "answer"); f != nil {
			return f
		}
	}
	a := &Answer{Meta: metaOf(l), ID: id, Question: op.Question, Sentences: op.Sentences, Partial: op.Partial, Standing: Active}
	if !s.allFresh(citedBy(op.Sentences)) {
		a.IsStale, a.Standing = true, Stale
	}
	if old != nil {
		if old.Live() && old.IsStale == a.IsStale && old.Partial == a.Partial && sameSentences(old.Sentences, a.Sentences) {
			return nil
		}
		a.Meta = old.Meta
		a.touch(l)
	} else {
		s.indexAnswer(a)
	}
	s.putAnswer(a)
	if now != nil && now.ID != id {
		before := *now
		before.Standing, before.Into, before.IsStale = Superseded, id, false
		before.LastBy, before.LastSeq = l.By, l.Seq
		s.putAnswer(&before)
		s.makeStale(now.ID)
	}
	s.currentAnswer(op.Question)
	return nil
}

func sameSentences(a, b []ledger.Sentence) bool {
	return slices.EqualFunc(a, b, func(x, y ledger.Sentence) bool {
		return x.Text == y.Text && slices.Equal(x.Claims, y.Claims) && slices.Equal(x.Flags, y.Flags)
	})
}

// currentAnswer sets the question's answer to the live one, if any.
func (s *State) currentAnswer(question string) {
	old := s.Questions[question]
	if old == nil {
		return
	}
	current := ""
	for _, id := range s.in.answersOf[question] {
		if a := s.Answers[id]; a != nil && a.Live() {
			current = id
		}
	}
	if old.Answer == current {
		return
	}
	q := *old
	q.Answer = current
	put(s, kQuestion, s.Questions, &s.QuestionIDs, q.ID, &q, true)
}

// report takes the place of the report before it; the same one written again
// stands again.
func (s *State) report(l *ledger.Line, op *ledger.Report) *Finding {
	for _, w := range op.Answers {
		if s.Answers[w] == nil {
			return refuse(CodeUnknown, "answer %s is not recorded", w)
		}
	}
	for _, c := range citedBy(op.Opening) {
		if s.Claims[c] == nil {
			return refuse(CodeUnknown, "claim %s is not recorded", c)
		}
	}
	id := ledger.ReportID(*op)
	now := s.CurrentReport()
	if now != nil && now.ID != id {
		if f := now.sticky(l, "report"); f != nil {
			return f
		}
	}
	r := &Report{Meta: metaOf(l), ID: id, Answers: op.Answers, Opening: op.Opening, Standing: Active}
	if !s.allFresh(op.Answers) || !s.allFresh(citedBy(op.Opening)) {
		r.IsStale, r.Standing = true, Stale
	}
	if old := s.Reports[id]; old != nil {
		if old.Live() && old.IsStale == r.IsStale && sameSentences(old.Opening, r.Opening) {
			return nil
		}
		r.Meta = old.Meta
		r.touch(l)
	} else {
		s.indexReport(r)
	}
	s.putReport(r)
	if now != nil && now.ID != id {
		before := *now
		before.Standing, before.Into, before.IsStale = Superseded, id, false
		before.LastBy, before.LastSeq = l.By, l.Seq
		s.putReport(&before)
	}
	return nil
}

// CurrentReport is the report that stands, nil when there is none.
func (s *State) CurrentReport() *Report {
	for i := len(s.ReportIDs) - 1; i >= 0; i-- {
		if r := s.Reports[s.ReportIDs[i]]; r.Live() {
			return r
		}
	}
	return nil
}

func (s *State) note(l *ledger.Line, op *ledger.Note) *Finding {
	if op.On != "" && !s.known(op.On) {
		return refuse(CodeUnknown, "%s is not recorded", op.On)
	}
	id := ledger.NoteID(*op)
	if s.Notes[id] != nil {
		return nil
	}
	s.putNote(&Note{Meta: metaOf(l), ID: id, On: op.On, Text: op.Text, For: op.For, Due: op.Due, Standing: Active})
	return nil
}

// known reports whether an object with that id is recorded.
func (s *State) known(id string) bool {
	switch ledger.IDKind(id) {
	case 't':
		return s.Task.ID == id
	case 'k':
		_, ok := s.in.quotes[id]
		return ok
	case 'f':
		return s.Finished[id] != nil
	}
	return s.metaOfObject(id) != nil
}
