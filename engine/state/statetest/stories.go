package statetest

import (
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// The stories of the published ledgers; vectors.go says what each is about.

var papers = []string{"We use the corpus C7.", "It holds 41,000 records.", "Two groups gathered it.", "The license is open.",
	"An older set held 9,000.", "Nobody has compared them."}

func (s *script) simple() {
	s.begin("Which data set do they use?")
	q := s.ask("Which data set is the largest?")
	src := s.text("one.txt", papers...)
	a := s.on(q, "", src, 1, 1)
	b := s.on(q, "The corpus holds 41,000 records.", src, 1, 2)
	s.group(append(acts(ledger.Model, a, b),
		Act{By: ledger.Engine, Op: &ledger.Read{Questions: []string{q}, Ranges: []string{"1-3", "5-5"}, Source: src}},
		Act{By: ledger.Engine, Op: &ledger.Finish{Args: []string{ledger.Ref(src, 1, 5)}, Inputs: Hex("in"), Kind: "read", Outcome: "done", Serves: q}})...)
	s.by(ledger.Person, &ledger.Note{Due: "2026-03-01", For: "Ana", On: ledger.ClaimID(*b), Text: "Is this the newest count?"})
	s.by(ledger.Model, &ledger.Close{Claims: []string{ledger.ClaimID(*b)}, ID: q})
}

func (s *script) words() {
	s.begin("Was heißt „groß“?  <b>&amp;</b> `code` \\ \"quoted\"\ttab\nline")
	for _, text := range []string{"café", "cafe\u0301", "Ångström", "A\u030angstro\u0308m", "\U0001f9ea and \U00010348", "\u0000\u0001\u001f\u007f",
		"\u200bhidden\u202eturned\ufeff", "~}|{ !#", "Ω and Ω"} {
		s.ask(text)
	}
	s.by(ledger.Person, &ledger.Amend{Field: "constraints", List: []string{"only what is “open”", "not after 2024 — please"}},
		&ledger.Amend{Field: "acceptance", List: []string{"one number"}}, &ledger.Amend{Field: "title", Text: "Größe"})
	s.by(ledger.Person, &ledger.Amend{Field: "acceptance"})
}

func (s *script) steps() {
	s.begin("Which data set do they use?")
	s.by(ledger.Person, &ledger.Set{Budget: 3600, Depth: "thorough", Model: "small:1b", Digest: Hex("model"), Trial: true})
	s.by(ledger.Engine, &ledger.Set{Context: 4096, Predict: 256, ReadRate: 40, TokenBytes: 420, WriteRate: 6})
	q, q2 := s.ask("Which data set is the largest?"), s.ask("Who made it?")
	src := s.text("one.txt", papers...)
	s.by(ledger.Engine, &ledger.Source{Name: "scan.pdf", Reason: "encrypted"},
		&ledger.Source{File: Hex("photo"), Media: "pdf", Name: "photo.pdf", Reason: "no_text"})
	read := ledger.Item{Args: []string{ledger.Ref(src, 1, 3)}, Kind: "read", Serves: q}
	answer := ledger.Item{Kind: "answer", Serves: q}
	extra := ledger.Item{Kind: "search", Serves: q2}
	s.by(ledger.Model, &ledger.Plan{Add: []ledger.Item{answer, read, extra}})
	s.by(ledger.Engine, &ledger.Plan{Order: []string{ledger.ItemID(read), ledger.ItemID(answer)}})
	s.by(ledger.Engine, &ledger.Park{ID: ledger.ItemID(extra), Reason: "nothing left to search"})
	s.by(ledger.Engine, &ledger.Found{Question: q, Ranges: []string{ledger.Ref(src, 2, 2), ledger.Ref(src, 1, 1)}},
		&ledger.Found{Part: 1, Question: q, Ranges: []string{ledger.Ref(src, 5, 6)}})
	s.by(ledger.Engine, &ledger.Start{Args: read.Args, Attempt: 1, Inputs: Hex("in", 1), Kind: "read", Serves: q})
	s.by(ledger.Engine, &ledger.Call{DoneReason: "stop", EvalCount: 60, EvalMs: 9000, LoadMs: 700, Model: "small:1b", Digest: Hex("model"),
		Options: Hex("options"), Outcome: "complete", Prompt: Hex("prompt"), PromptCount: 800, PromptMs: 20000, Purpose: "read", Reply: Hex("reply"),
		Template: "read-3", Keep: "step", Awake: 31000})
	a := s.on(q, "The corpus holds 41,000 records.", src, 2, 2)
	a.Flags = []string{"D22"}
	s.group(Act{By: ledger.Model, Op: a},
		Act{By: ledger.Engine, Op: &ledger.Refuse{Code: "D5", Message: "the number 42 is in no quoted sentence", Proposal: "claim", Question: q, Text: "It holds 42 records."}},
		Act{By: ledger.Model, Op: &ledger.Account{Text: Hex("account")}},
		Act{By: ledger.Engine, Op: &ledger.Read{Questions: []string{q, q2}, Ranges: []string{"1-3"}, Source: src}},
		Act{By: ledger.Engine, Op: &ledger.Plan{Remove: []string{ledger.ItemID(read)}}},
		Act{By: ledger.Engine, Op: &ledger.Finish{Args: read.Args, Inputs: Hex("in", 1), Kind: "read", Outcome: "done", Serves: q}})
	s.by(ledger.Engine, &ledger.Pause{Reason: "quit"}, &ledger.Wake{Asleep: 3600000, Reason: "closed"},
		&ledger.Name{Name: "Ana", Of: "key:1f"})
	for i := range 2 {
		s.by(ledger.Engine, &ledger.Finish{Inputs: Hex("search", i), Kind: "search", Outcome: "nothing", Serves: q2})
	}
	s.by(ledger.Engine, &ledger.Park{ID: q2, Reason: "barren"})
	s.by(ledger.Model, &ledger.Tried{Approach: "Look for the makers", Outcome: "no names", Question: q2, Why: "the text names none"})
	s.by(ledger.Model, &ledger.Answer{Partial: true, Question: q, Sentences: []ledger.Sentence{sentence("It is C7.", ledger.ClaimID(*a))}})
	full := &ledger.Answer{Question: q, Sentences: []ledger.Sentence{sentence("It is C7.", ledger.ClaimID(*a)), sentence("That is all.")}}
	s.by(ledger.Model, full)
	s.by(ledger.Model, &ledger.Close{Claims: []string{ledger.ClaimID(*a)}, ID: q})
	s.by(ledger.Engine, &ledger.Report{Answers: []string{ledger.AnswerID(*full)}, Opening: []ledger.Sentence{sentence("Two questions were asked.")}})
	s.by(ledger.Engine, &ledger.End{Outcome: "stuck", Reasons: []string{"person"}})
	s.by(ledger.Person, &ledger.Reopen{ID: q2, Reason: "I know somebody"})
	s.by(ledger.Engine, &ledger.Reopen{ID: ledger.ItemID(extra)})
	s.by(ledger.Engine, &ledger.End{Outcome: "stopped"})
}

func (s *script) person() {
	s.begin("Which data set do they use?")
	q, q2 := s.ask("Which data set is the largest?"), s.ask("Who made it?")
	src := s.text("one.txt", papers...)
	a, b, c := s.on(q, "It is C7.", src, 1, 1), s.on(q, "It holds 41,000.", src, 2, 2), s.on(q, "It is open.", src, 4, 4)
	s.by(ledger.Model, a, b, c)
	edited := s.on(q, "It holds 41,000 records.", src, 2, 2)
	s.by(ledger.Person, &ledger.Retract{ID: ledger.ClaimID(*a), Reason: "that is its name, not its size"})
	s.by(ledger.Person, edited, &ledger.Supersede{ID: ledger.ClaimID(*b), Into: ledger.ClaimID(*edited)})
	s.by(ledger.Person, &ledger.Accept{ID: ledger.ClaimID(*c)}, &ledger.Check{How: "person", ID: ledger.ClaimID(*c), Verdict: "right"})
	s.by(ledger.Person, &ledger.Drop{ID: q2, Reason: "not needed"})
	item := ledger.Item{Kind: "read", Serves: q}
	s.by(ledger.Person, &ledger.Plan{Add: []ledger.Item{item}})
	s.by(ledger.Model, &ledger.Renew{ID: ledger.ClaimID(*a)})
	s.by(ledger.Model, s.on(q, "It is named C7.", src, 1, 1))        // the same basis
	s.by(ledger.Model, s.on(q, "It is C7, with 41,000.", src, 1, 2)) // overlaps: comes in contested
	s.by(ledger.Model, &ledger.Merge{ID: ledger.ClaimID(*c), Into: ledger.ClaimID(*edited)})
	s.by(ledger.Program, &ledger.Retract{ID: ledger.ClaimID(*edited), Reason: "no"})
	s.by(ledger.Model, &ledger.Close{Claims: []string{ledger.ClaimID(*c)}, ID: q2})
	s.by(ledger.Model, &ledger.Plan{Remove: []string{ledger.ItemID(item)}})
	s.by(ledger.Model, s.quote(ledger.ClaimID(*edited), "contradicts", src, 5, 5)) // never sticky
	s.by(ledger.Person, &ledger.Close{ID: q, Claims: []string{ledger.ClaimID(*edited)}})
	s.by(ledger.Model, &ledger.Close{ID: q, Claims: []string{ledger.ClaimID(*c)}})
	s.by(ledger.Person, &ledger.Renew{ID: ledger.ClaimID(*a)})
}

func (s *script) stale() {
	s.begin("Which data set do they use?")
	q := s.ask("Which data set is the largest?")
	src, other := s.text("one.txt", papers...), s.text("two.txt", "C8 is larger.", "It holds 90,000 records.")
	a, b := s.on(q, "C7 holds 41,000.", src, 2, 2), s.on(q, "C8 holds 90,000.", other, 2, 2)
	m := &ledger.Assume{Question: q, Text: "Records of both are of one kind."}
	c := derived(q, "C8 is larger than C7.", ledger.ClaimID(*a), ledger.ClaimID(*b), ledger.AssumeID(*m))
	s.by(ledger.Model, a, b, m, c)
	w := &ledger.Answer{Question: q, Sentences: []ledger.Sentence{sentence("It is C8.", ledger.ClaimID(*c))}}
	s.by(ledger.Model, w, &ledger.Close{Claims: []string{ledger.ClaimID(*c)}, ID: q})
	s.by(ledger.Engine, &ledger.Report{Answers: []string{ledger.AnswerID(*w)}})
	s.by(ledger.Engine, &ledger.Retract{ID: ledger.ClaimID(*a), Reason: "not found again"})
	s.by(ledger.Engine, &ledger.Renew{ID: ledger.ClaimID(*c)}) // its basis is gone
	s.by(ledger.Engine, &ledger.Renew{ID: ledger.ClaimID(*a)})
	s.by(ledger.Engine, &ledger.Renew{ID: ledger.ClaimID(*c)}, &ledger.Renew{ID: q})
	s.by(ledger.Model, w)
	s.by(ledger.Engine, &ledger.Report{Answers: []string{ledger.AnswerID(*w)}})
	s.by(ledger.Person, &ledger.Retract{ID: ledger.AssumeID(*m), Reason: "they are not"})
	s.by(ledger.Person, &ledger.Renew{ID: ledger.AssumeID(*m)}, &ledger.Check{How: "person", ID: ledger.ClaimID(*c), Verdict: "right"})
	s.by(ledger.Person, &ledger.Scope{ID: other, Reason: "an advertisement", State: "aside"})
	s.by(ledger.Person, &ledger.Scope{ID: other, State: "back"})
	s.by(ledger.Engine, &ledger.Check{How: "model", ID: ledger.ClaimID(*b), Verdict: "right"})
	s.by(ledger.Person, &ledger.Amend{Field: "goal", Text: "Which data sets are there?"})
	newer, body, table := document("one.txt", []string{"We use the corpus C9."})
	newer.Parent, newer.File = src, Hex("newer file")
	s.texts = append(s.texts, body, table)
	s.by(ledger.Engine, newer, &ledger.Missing{ID: src, Reason: "changed"})
	again, _, _ := document("one.txt", papers)
	s.by(ledger.Engine, again)
	s.by(ledger.Engine, &ledger.Missing{ID: other, Reason: "gone"})
	s.by(ledger.Person, &ledger.Erase{Blobs: []string{again.Body}, Reason: "private"})
	s.by(ledger.Engine, &ledger.Retract{ID: ledger.ClaimID(*c), Reason: "not found again"}, &ledger.Reopen{ID: q, Reason: "none of its claims stands"})
}

func (s *script) trust() {
	s.begin("Which data set do they use?")
	q := s.ask("Which data set is the largest?")
	src := s.text("one.txt", papers...)
	a, b := s.on(q, "", src, 2, 2), s.on(q, "It is open.", src, 4, 4)
	m := &ledger.Assume{Text: "Open means free."}
	c := derived(q, "It is free.", ledger.ClaimID(*b), ledger.AssumeID(*m))
	n := &ledger.Claim{Question: q, Text: "Six times seven is 42."}
	s.by(ledger.Model, a, b, m, c, n)
	s.by(ledger.Engine, &ledger.Check{How: "model", ID: ledger.ClaimID(*a), Verdict: "right"})
	s.by(ledger.Engine, &ledger.Check{How: "calculation", ID: ledger.ClaimID(*n), Verdict: "passed"})
	s.by(ledger.Program, &ledger.Check{How: "program", ID: ledger.ClaimID(*b), Reason: "link answers", Verdict: "passed"})
	s.by(ledger.Engine, &ledger.Check{How: "model", ID: ledger.ClaimID(*b), Reason: "says open, not free", Verdict: "says_more"})
	s.by(ledger.Person, &ledger.Check{How: "person", ID: ledger.ClaimID(*b), Verdict: "right"})
	s.by(ledger.Person, &ledger.Check{How: "person", ID: ledger.AssumeID(*m), Verdict: "right"}, &ledger.Check{How: "person", ID: ledger.ClaimID(*c), Verdict: "right"})
	s.by(ledger.Person, &ledger.Accept{ID: ledger.ClaimID(*a)}, &ledger.Check{How: "person", ID: ledger.ClaimID(*a), Verdict: "right"})
	s.by(ledger.Model, s.quote(ledger.ClaimID(*a), "context", src, 3, 3))
	kid := ledger.QuoteID(*s.quote(ledger.ClaimID(*a), "supports", src, 2, 2))
	s.by(ledger.Engine, &ledger.Check{How: "calculation", ID: kid, Verdict: "failed"})
	s.by(ledger.Person, &ledger.Check{How: "person", ID: ledger.ClaimID(*a), Verdict: "unsure"})
	s.by(ledger.Engine, &ledger.Check{How: "program", ID: "model:small", Verdict: "passed"})
	s.by(ledger.Person, &ledger.Override{ID: "prompt:read-4", Why: "only the wording changed"})
	s.by(ledger.Person, &ledger.Check{How: "person", ID: ledger.ClaimID(*b), Verdict: "wrong"})
}

func (s *script) undone() {
	s.begin("Which data set do they use?")
	q := s.ask("Which data set is the largest?")
	src := s.text("one.txt", papers...)
	a := s.on(q, "It is C7.", src, 1, 1)
	s.by(ledger.Model, a)
	s.by(ledger.Model, derived(q, "So C7 it is.", ledger.ClaimID(*a)))
	s.by(ledger.Person, &ledger.Retract{ID: ledger.ClaimID(*a), Reason: "no"})
	retracted := s.last()
	s.by(ledger.Engine, &ledger.Undo{Line: retracted}) // only a person undoes a person's
	s.by(ledger.Person, &ledger.Undo{Line: retracted})
	s.by(ledger.Person, &ledger.Undo{Line: s.last()})
	s.by(ledger.Person, &ledger.Undo{Line: s.last()})
	edited, mine := s.on(q, "It is the corpus C7.", src, 1, 1), s.on(q, "Two groups made it.", src, 3, 3)
	s.by(ledger.Person, edited, &ledger.Supersede{ID: ledger.ClaimID(*a), Into: ledger.ClaimID(*edited)})
	end := s.last()
	s.by(ledger.Person, &ledger.Undo{Line: end}, &ledger.Undo{Line: end - 1}) // a group in reverse
	s.by(ledger.Model, mine)
	made := s.last()
	s.by(ledger.Engine, &ledger.Check{How: "model", ID: ledger.ClaimID(*mine), Verdict: "right"})
	s.by(ledger.Person, &ledger.Undo{Line: made}) // the check came after it
	s.by(ledger.Person, &ledger.Undo{Line: 1})    // a task stays
	s.by(ledger.Person, &ledger.Question{Text: "More?"})
	s.by(ledger.Person, &ledger.Undo{Line: s.last()})
	s.by(ledger.Engine, &ledger.Set{Depth: "quick"})
	s.by(ledger.Engine, &ledger.Undo{Line: s.last()})
	s.by(ledger.Model, &ledger.Retract{ID: ledger.ClaimID(*mine), Reason: "no use"})
	s.by(ledger.Person, &ledger.Undo{Line: s.last()}) // the person keeps it
	s.by(ledger.Model, &ledger.Retract{ID: ledger.ClaimID(*mine), Reason: "still no use"})
}

func (s *script) merged() {
	s.begin("Which data set do they use?")
	q := s.ask("Which data set is the largest?")
	src := s.text("one.txt", papers...)
	a, b, c := s.on(q, "It is C7.", src, 1, 1), s.on(q, "They use C7.", src, 1, 2), s.on(q, "It is open.", src, 4, 4)
	d := derived(q, "So C7 is used.", ledger.ClaimID(*a))
	s.by(ledger.Model, a, b, c, d, s.quote(ledger.ClaimID(*a), "context", src, 3, 3))
	s.by(ledger.Model, &ledger.Close{Claims: []string{ledger.ClaimID(*a)}, ID: q})
	s.by(ledger.Model, &ledger.Merge{ID: ledger.ClaimID(*a), Into: ledger.ClaimID(*d)}) // a circle
	s.by(ledger.Model, &ledger.Merge{ID: ledger.ClaimID(*a), Into: ledger.ClaimID(*b)})
	s.by(ledger.Model, &ledger.Supersede{ID: ledger.ClaimID(*c), Into: ledger.ClaimID(*b)})
	s.by(ledger.Model, &ledger.Supersede{ID: ledger.ClaimID(*b), Into: ledger.ClaimID(*c)}) // back again
	s.by(ledger.Model, &ledger.Supersede{ID: ledger.ClaimID(*c), Into: ledger.ClaimID(*d)})
	s.by(ledger.Person, &ledger.Supersede{ID: ledger.ClaimID(*d), Into: ledger.ClaimID(*b)})
	n1, n2 := &ledger.Note{Text: "Ask Ana."}, &ledger.Note{Text: "Ask Ana and Bo."}
	s.by(ledger.Person, n1, n2, &ledger.Supersede{ID: ledger.NoteID(*n1), Into: ledger.NoteID(*n2)})
}

func (s *script) forked() {
	s.name = "simple" // the parent
	s.simple()
	if s.err != nil {
		return
	}
	// Go back to the second checkpoint and begin a branch there.
	parent := s.Ledger
	s.Ledger = New()
	keep := 0
	for i, n := range parent.Groups {
		for _, raw := range parent.Lines[keep : keep+n] {
			line, err := ledger.Decode(raw)
			if err != nil {
				s.err = err
				return
			}
			s.State.Apply(line)
			s.Lines = append(s.Lines, raw)
			s.At = line.At
		}
		keep += n
		s.Groups = append(s.Groups, n)
		if i == 1 {
			break
		}
	}
	s.by(ledger.Person, &ledger.Fork{Name: "What if not?", Nonce: Hex("fork")[:32], Parent: s.State.Chain.String()})
	s.by(ledger.Person, &ledger.Question{Text: "Which is the smallest?"})
}

func (s *script) joined() {
	s.simple()
	chain := Hex("the other branch")
	q := s.State.QuestionIDs[0]
	from := func(seq int64, a Act) Act {
		a.Origin = &ledger.Origin{Chain: chain, Seq: seq}
		return a
	}
	src, _, _ := document("one.txt", papers)
	id := ledger.SourceID(*src)
	c := s.on(q, "Two groups gathered it.", id, 3, 3)
	m := &ledger.Assume{Text: "Groups are teams."}
	s.by(ledger.Person, &ledger.Join{Branch: Hex("branch"), Chain: chain})
	s.group(
		from(3, Act{By: ledger.Engine, Op: src}), // the same here: no effect
		from(5, Act{By: ledger.Model, Op: &ledger.Question{Text: "Who gathered it?"}}),
		from(6, Act{By: ledger.Model, Op: c, Reported: true}),
		from(7, Act{By: ledger.Model, Op: s.quote(ledger.ClaimID(*c), "context", id, 6, 6)}),
		from(8, Act{By: ledger.Person, Op: m}),
		from(9, Act{By: ledger.Model, Op: &ledger.Tried{Approach: "Ask", Outcome: "no reply"}}),
		from(10, Act{By: ledger.Engine, Op: &ledger.Read{Questions: []string{q}, Ranges: []string{"4-6"}, Source: id}}),
		from(11, Act{By: ledger.Person, Op: &ledger.Note{Text: "From the other branch."}}),
		from(12, Act{By: ledger.Person, Op: &ledger.Check{How: "person", ID: ledger.ClaimID(*c), Verdict: "right"}, Reported: true}),
		from(13, Act{By: ledger.Person, Op: &ledger.Retract{ID: s.State.ClaimIDs[0], Reason: "a name only"}}))
	s.by(ledger.Person, &ledger.Check{How: "person", ID: ledger.ClaimID(*c), Verdict: "right"})
}

func (s *script) rooted() {
	chain := Hex("the old ledger")
	seq := int64(0)
	from := func(by ledger.By, op ledger.Op, reported bool) Act {
		seq += 3
		return Act{By: by, Op: op, Origin: &ledger.Origin{Chain: chain, Seq: seq}, Reported: reported}
	}
	s.by(ledger.Person, &ledger.Root{Nonce: Hex("root")[:32], Parent: chain})
	s.group(from(ledger.Person, &ledger.Task{Goal: "Which data set do they use?", Nonce: Hex("old")[:32]}, false))
	src, body, table := document("one.txt", papers)
	s.texts = append(s.texts, body, table)
	s.quoted = map[string][]string{ledger.SourceID(*src): papers}
	q := &ledger.Question{Text: "Which data set is the largest?"}
	a := s.on(ledger.QuestionID(*q), "It is C7.", ledger.SourceID(*src), 1, 1)
	b := s.on(ledger.QuestionID(*q), "It is open.", ledger.SourceID(*src), 4, 4)
	s.group(from(ledger.Engine, src, false), from(ledger.Person, q, false), from(ledger.Model, a, false), from(ledger.Model, b, true),
		from(ledger.Person, &ledger.Check{How: "person", ID: ledger.ClaimID(*a), Verdict: "right"}, false),
		from(ledger.Person, &ledger.Check{How: "person", ID: ledger.ClaimID(*b), Verdict: "right"}, true))
	s.by(ledger.Person, &ledger.Task{Goal: "Another", Nonce: Hex("another")[:32]}) // one task only
	s.by(ledger.Person, &ledger.Root{Nonce: Hex("late")[:32], Parent: chain})      // a root is the first line
}

func (s *script) imported() {
	s.simple()
	known := s.State.Seq
	q := s.State.QuestionIDs[0]
	src := s.State.SourceIDs[0]
	b := s.on(q, "Two groups gathered it.", src, 3, 3)
	m := &ledger.Assume{Text: "Groups are teams."}
	s.by(ledger.Model, b)
	retract := func() { s.by(ledger.Model, &ledger.Retract{ID: ledger.ClaimID(*b), Reason: "of no use"}) }
	s.by(ledger.Person, m, &ledger.Check{How: "person", ID: ledger.ClaimID(*b), Verdict: "right"})
	s.by(ledger.Person, &ledger.Check{How: "person", ID: s.State.ClaimIDs[0], Verdict: "right"})
	s.by(ledger.Model, s.quote(s.State.ClaimIDs[1], "supports", src, 5, 5))
	c := s.on(q, "Nobody compared.", src, 6, 6)
	s.by(ledger.Model, c)
	s.by(ledger.Model, &ledger.Retract{ID: ledger.ClaimID(*c), Reason: "of no use"})
	gone := s.last()
	s.by(ledger.Person, &ledger.Import{File: Hex("file"), Known: known})
	s.by(ledger.Engine, &ledger.Missing{ID: src, Reason: "not_here"})
	s.by(ledger.Person, &ledger.Undo{Line: gone}) // what comes back is still reported
	retract()                                     // the sender's person holds it
	s.by(ledger.Engine, &ledger.Check{How: "calculation", ID: s.State.Claims[ledger.ClaimID(*b)].Evidence[0].ID, Verdict: "passed"})
	s.by(ledger.Person, &ledger.Check{How: "person", ID: ledger.AssumeID(*m), Verdict: "right"})
	s.by(ledger.Person, &ledger.Import{File: Hex("file back"), Known: s.State.Seq})
}

func (s *script) refusals() {
	none := func(kind string) string { return kind + Hex("none")[:32] }
	s.begin("Which data set do they use?")
	q := s.ask("Which data set is the largest?")
	src := s.text("one.txt", papers...)
	a := s.on(q, "It is C7.", src, 1, 1)
	s.by(ledger.Model, a)
	s.by(ledger.Model, &ledger.Retract{ID: none("c"), Reason: "no"})
	s.by(ledger.Model, derived(q, "So.", none("c")))
	s.by(ledger.Model, &ledger.Claim{Basis: []string{ledger.Ref(src, 6, 7)}, Question: q, Quotes: []ledger.Slice{{From: 6, Source: src, Text: "Beyond.", To: 7}}})
	other := *a
	other.Quotes = []ledger.Slice{{From: 1, Source: src, Text: "Other words.", To: 1}}
	s.by(ledger.Model, &other)
	s.by(ledger.Model, &ledger.Renew{ID: ledger.ClaimID(*a)})
	s.by(ledger.Model, &ledger.Close{Claims: []string{ledger.ClaimID(*a)}, ID: none("q")})
	s.by(ledger.Engine, &ledger.Found{Question: q, Ranges: []string{ledger.Ref(src, 1, 1), ledger.Ref(src, 9, 9)}})
	s.by(ledger.Model, &ledger.Plan{Add: []ledger.Item{{Kind: "read", Serves: q}}, Remove: []string{none("p")}}) // all or nothing
	s.by(ledger.Person, &ledger.Undo{Line: 3})
	s.by(ledger.Person, &ledger.Undo{Line: 9999})
	s.by(ledger.Person, &ledger.Scope{ID: none("s"), State: "aside"})
	s.by(ledger.Person, &ledger.Accept{ID: none("c")})
	s.by(ledger.Person, &ledger.Note{On: none("w"), Text: "On what?"})
	s.by(ledger.Engine, &ledger.Report{Answers: []string{none("w")}})
	// A checkpoint of another state.
	b := s.State.Begin()
	if s.err == nil {
		s.err = s.line(b, Act{By: ledger.Engine, Op: &ledger.Checkpoint{App: "statetest", Fold: state.FoldVersion, Gate: "green", State: Hex("another")}}, true)
		s.Groups = append(s.Groups, 1)
	}
}
