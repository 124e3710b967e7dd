package task

import (
	"maps"
	"slices"
	"strings"

	"cairn/engine/ledger"
)

// leave decides line by line what a new ledger leaves out: documents, what quotes
// them or rests on them, what was made of them, and what repeats their words. What
// rests on a thing comes after it, so one pass in the order of the lines is enough.
// The zero value leaves out nothing. A line is passed to it with the group it
// stands in; the lines of a branch in their order.
type leave struct {
	sources map[string]bool
	words   *words

	gone  map[string]bool  // ids of what was left out, sources too
	about map[string]bool  // questions for which a claim was left out
	freed map[string]bool  // what a person replaced by something that is left out
	frees map[int64]string // by the line that replaced it, which may have been undone
	tally Left
}

// Left says what a new ledger left out, or would.
type Left struct {
	Sources, Claims, Quotes, Questions, Answers, Reports, Notes, Others int
	Checks                                                              int      // a person's checks of what was left out
	Yours                                                               []string // what the person wrote that was left out, in its words
	Stays                                                               []string // what the person wrote that has such words and stays: goal, conditions, questions
}

func leaving(sources map[string]bool, w *words) *leave {
	l := &leave{sources: sources, words: w, gone: map[string]bool{}, about: map[string]bool{}, freed: map[string]bool{}, frees: map[int64]string{}}
	for id := range sources {
		l.gone[id] = true
	}
	return l
}

// fork is what holds at this line for an alternative that begins here.
func (l *leave) fork() *leave {
	return &leave{sources: l.sources, words: l.words, gone: maps.Clone(l.gone), about: maps.Clone(l.about), freed: maps.Clone(l.freed), frees: maps.Clone(l.frees)}
}

// group reports whether the step that these lines end was shown something that
// is left out: then the model's words in it are not kept.
func (l *leave) group(lines []*ledger.Line) bool {
	if len(l.gone) == 0 {
		return false
	}
	for _, line := range lines {
		f, ok := line.Op.(*ledger.Finish)
		if !ok {
			continue
		}
		if f.Kind == "answer" && len(f.Args) > 0 && l.about[f.Args[0]] {
			return true
		}
		if slices.ContainsFunc(f.Args, l.mentions) || l.mentions(f.Serves) {
			return true
		}
	}
	return false
}

// mentions reports whether a text names something that is left out.
func (l *leave) mentions(text string) bool {
	const idLen = 33
	if len(l.gone) == 0 {
		return false
	}
	for i := 0; i+idLen <= len(text); i++ {
		if l.gone[text[i:i+idLen]] {
			return true
		}
	}
	return false
}

func (l *leave) isGone(id string) bool { return l.gone[id] }

// leftReason stands for a reason that was left out because of its words.
const leftReason = "the reason was left out"

// pass gives the op as it is written again, nil when the line is left out.
func (l *leave) pass(line *ledger.Line, tainted bool) ledger.Op {
	op := l.again(line, tainted)
	if op == nil {
		l.drop(line)
		return nil
	}
	for _, id := range made(op) {
		delete(l.gone, id)
	}
	return op
}

// drop notes that a line is left out, and with it what it made.
func (l *leave) drop(line *ledger.Line) {
	if l.gone == nil {
		return // a ledger without omissions: a line had no effect
	}
	for _, id := range made(line.Op) {
		l.gone[id] = true
	}
	l.count(line)
	switch op := line.Op.(type) {
	case *ledger.Claim:
		l.about[op.Question] = true
	case *ledger.Supersede:
		if line.By == ledger.Person && !l.gone[op.ID] {
			l.freed[op.ID], l.frees[line.Seq] = true, op.ID
		}
	case *ledger.Merge:
		if line.By == ledger.Person && !l.gone[op.ID] {
			l.freed[op.ID], l.frees[line.Seq] = true, op.ID
		}
	}
}

func (l *leave) count(line *ledger.Line) {
	t, yours := &l.tally, ""
	switch op := line.Op.(type) {
	case *ledger.Source:
		t.Sources++
	case *ledger.Claim:
		t.Claims++
		yours = op.Text
	case *ledger.Quote:
		t.Quotes++
	case *ledger.Question:
		t.Questions++
		yours = op.Text
	case *ledger.Answer:
		t.Answers++
	case *ledger.Report:
		t.Reports++
	case *ledger.Note:
		t.Notes++
		yours = op.Text
	case *ledger.Assume:
		t.Others++
		yours = op.Text
	case *ledger.Tried:
		t.Others++
		yours = op.Approach
	case *ledger.Check:
		if line.By == ledger.Person {
			t.Checks++
		}
	}
	if line.By == ledger.Person && yours != "" {
		t.Yours = append(t.Yours, yours)
	}
}

// undone: a line that is left out was taken back. What it had replaced came back to
// life, as a person wanted; an undo of that undo replaces it again.
func (l *leave) undone(line, by int64) {
	id := l.frees[line]
	if id == "" {
		return
	}
	if l.freed[id] {
		delete(l.freed, id)
	} else {
		l.freed[id] = true
	}
	l.frees[by] = id
}

// again is the op with the ids taken out of its lists that are left out.
func (l *leave) again(line *ledger.Line, tainted bool) ledger.Op {
	if len(l.gone) == 0 && l.words == nil {
		return line.Op
	}
	models := tainted && line.By != ledger.Person
	switch op := line.Op.(type) {
	case *ledger.Task:
		l.stays(line, append(append([]string{op.Goal, op.Title}, op.Constraints...), op.Acceptance...)...)
		return op
	case *ledger.Amend:
		l.stays(line, append([]string{op.Text}, op.List...)...)
		return op
	case *ledger.Set:
		return op
	case *ledger.Source:
		if l.sources[ledger.SourceID(*op)] {
			return nil
		}
		if l.gone[op.Parent] {
			c := *op
			c.Parent = ""
			return &c
		}
		return op
	case *ledger.Question:
		if l.gone[op.Parent] {
			return nil
		}
		if line.By == ledger.Person {
			l.stays(line, op.Text)
			return op
		}
		return unless(models && line.By != ledger.Engine || l.words.in(op.Text), op)
	case *ledger.Claim:
		return unless(models && line.By != ledger.Engine || l.gone[op.Question] || slices.ContainsFunc(op.Basis, l.mentions) || l.words.in(op.Text), op)
	case *ledger.Quote:
		return unless(models || l.gone[op.Claim] || l.gone[op.Source], op)
	case *ledger.Assume:
		return unless(models || l.gone[op.Question] || l.words.in(op.Text), op)
	case *ledger.Tried:
		return unless(models || l.gone[op.Question] || l.words.in(op.Approach) || l.words.in(op.Outcome) || l.words.in(op.Why), op)
	case *ledger.Note:
		return unless(models || l.gone[op.On] || l.words.in(op.Text) || l.words.in(op.For), op)
	case *ledger.Answer:
		return unless(models || l.gone[op.Question] || l.sentences(op.Sentences), op)
	case *ledger.Report:
		return unless(models || slices.ContainsFunc(op.Answers, l.isGone) || l.sentences(op.Opening), op)
	}
	return l.steering(line, models)
}

func (l *leave) sentences(list []ledger.Sentence) bool {
	return slices.ContainsFunc(list, func(s ledger.Sentence) bool {
		return slices.ContainsFunc(s.Claims, l.isGone) || l.words.in(s.Text)
	})
}

// stays notes words in what only the person can change.
func (l *leave) stays(line *ledger.Line, texts ...string) {
	for _, text := range texts {
		if line.By == ledger.Person && l.words.in(text) {
			l.tally.Stays = append(l.tally.Stays, text)
		}
	}
}

// steering is again for the ops that make no object of knowledge.
func (l *leave) steering(line *ledger.Line, models bool) ledger.Op {
	switch op := line.Op.(type) {
	case *ledger.Close:
		c := *op
		c.Claims, c.Reason = l.rest(op.Claims), l.reason(op.Reason, models)
		return unless(models || l.gone[op.ID] || len(c.Claims) == 0 && len(op.Claims) > 0 && op.Reason == "", &c)
	case *ledger.Drop:
		c := *op
		c.Reason = l.reason(op.Reason, models)
		return unless(l.gone[op.ID], &c)
	case *ledger.Park:
		c := *op
		c.Reason = l.reason(op.Reason, models)
		return unless(l.gone[op.ID], &c)
	case *ledger.Reopen:
		c := *op
		c.Reason = l.reason(op.Reason, models)
		return unless(l.gone[op.ID], &c)
	case *ledger.Retract:
		c := *op
		c.Reason = l.reason(op.Reason, models)
		return unless(l.gone[op.ID], &c)
	case *ledger.Scope:
		c := *op
		c.Reason = l.reason(op.Reason, models)
		return unless(l.gone[op.ID], &c)
	case *ledger.Check:
		c := *op
		c.Reason = l.reason(op.Reason, models)
		return unless(l.mentions(op.ID), &c)
	case *ledger.Override:
		c := *op
		c.Why = l.reason(op.Why, models)
		return unless(l.mentions(op.ID), &c)
	case *ledger.Supersede:
		return unless(l.gone[op.ID] || l.gone[op.Into], op)
	case *ledger.Merge:
		return unless(l.gone[op.ID] || l.gone[op.Into], op)
	case *ledger.Plan:
		return l.plan(op)
	case *ledger.Finish:
		c := *op
		c.Reason = l.reason(op.Reason, models)
		return unless(models || slices.ContainsFunc(op.Args, l.mentions) || l.mentions(op.Serves), &c)
	case *ledger.Found:
		c := *op
		c.Ranges = slices.DeleteFunc(slices.Clone(op.Ranges), l.mentions)
		return unless(l.gone[op.Question], &c)
	case *ledger.Read:
		c := *op
		c.Questions = l.rest(op.Questions)
		return unless(models || l.gone[op.Source] || len(c.Questions) == 0, &c)
	case *ledger.Missing:
		return unless(l.gone[op.ID], op)
	case *ledger.Renew:
		return unless(l.gone[op.ID], op)
	case *ledger.Accept:
		return unless(l.gone[op.ID], op)
	}
	return line.Op
}

func (l *leave) plan(op *ledger.Plan) ledger.Op {
	c := ledger.Plan{Order: l.rest(op.Order), Remove: l.rest(op.Remove)}
	for _, it := range op.Add {
		if l.mentions(it.Serves) || slices.ContainsFunc(it.Args, l.mentions) {
			l.gone[ledger.ItemID(it)] = true
		} else {
			c.Add = append(c.Add, it)
		}
	}
	return unless(len(c.Add)+len(c.Order)+len(c.Remove) == 0, &c)
}

// rest is a list without what is left out.
func (l *leave) rest(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), l.isGone)
}

// reason is a reason, or, where its words are not kept, that there was one.
func (l *leave) reason(text string, models bool) string {
	if text != "" && (models && strings.ContainsRune(text, ' ') || l.words.in(text)) {
		return leftReason
	}
	return text
}

func unless(left bool, op ledger.Op) ledger.Op {
	if left {
		return nil
	}
	return op
}

// made gives the ids of what a line makes.
func made(op ledger.Op) []string {
	switch op := op.(type) {
	case *ledger.Source:
		return []string{ledger.SourceID(*op)}
	case *ledger.Question:
		return []string{ledger.QuestionID(*op)}
	case *ledger.Claim:
		id := ledger.ClaimID(*op)
		ids := []string{id}
		for _, q := range op.Quotes {
			ids = append(ids, ledger.QuoteID(ledger.Quote{Claim: id, From: q.From, Source: q.Source, Stance: "supports", To: q.To}))
		}
		return ids
	case *ledger.Quote:
		return []string{ledger.QuoteID(*op)}
	case *ledger.Assume:
		return []string{ledger.AssumeID(*op)}
	case *ledger.Tried:
		return []string{ledger.TriedID(*op)}
	case *ledger.Answer:
		return []string{ledger.AnswerID(*op)}
	case *ledger.Report:
		return []string{ledger.ReportID(*op)}
	case *ledger.Note:
		return []string{ledger.NoteID(*op)}
	case *ledger.Finish:
		return []string{ledger.StepKey(op.Kind, op.Args, op.Inputs)}
	}
	return nil
}
