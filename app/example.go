package app

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"cairn/app/sample"
	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/state"
	"cairn/engine/task"
)

// isExample reports whether a task is the example that the makers wrote.
func (s *Service) isExample(ctx context.Context, id string) bool {
	b, err := s.cfg.Store.Local(ctx, "app", "example")
	return err == nil && string(b) == id
}

// buildExample makes the finished example at the first start: an ordinary ledger
// whose lines are by its makers and which ends in an `import` line, so that
// everything in it counts as reported by a sender. One that the person deleted
// does not come back; one whose building was interrupted is made anew.
func (s *Service) buildExample(ctx context.Context) error {
	_, err := s.cfg.Store.Local(ctx, "app", "example")
	if err == nil || engine.KindOf(err) != engine.KindNotFound {
		return err
	}
	if half, err := s.cfg.Store.Local(ctx, "app", "example_begun"); err == nil && len(half) > 0 {
		if _, err := s.cfg.Store.Delete(ctx, string(half)); err != nil && engine.KindOf(err) != engine.KindNotFound {
			return fmt.Errorf("remove a half example: %w", err)
		}
	}
	folder, err := sample.Unpack(s.cfg.Home.Sample())
	if err != nil {
		return err
	}
	t, err := s.writeExample(ctx, folder)
	if err != nil {
		return err
	}
	return s.cfg.Store.PutLocal(ctx, "app", "example", []byte(t.Branch))
}

func (s *Service) writeExample(ctx context.Context, folder string) (*task.Task, error) {
	form, err := sample.Form()
	if err != nil {
		return nil, err
	}
	done, err := sample.Finished()
	if err != nil {
		return nil, err
	}
	var nonce [16]byte
	if _, err := s.cfg.Random.Read(nonce[:]); err != nil {
		return nil, fmt.Errorf("draw random bytes: %w", err)
	}
	first := []task.Entry{
		makers(&ledger.Task{Goal: form.Goal, Title: form.Title, Constraints: form.Constraints, Nonce: hex.EncodeToString(nonce[:])}),
	}
	for _, q := range form.Questions {
		first = append(first, makers(&ledger.Question{Text: q}))
	}
	first = append(first, makers(&ledger.Set{Depth: "thorough", Model: "-"}))
	t, err := s.desk.Begin(ctx, first)
	if err != nil {
		return nil, err
	}
	if err := s.cfg.Store.PutLocal(ctx, "app", "example_begun", []byte(t.Branch)); err != nil {
		return nil, err
	}
	if err := t.SetFolder(ctx, folder); err != nil {
		return nil, err
	}
	if _, err := t.Intake(ctx, source.Scan, s.extract, nil); err != nil {
		return nil, err
	}
	for i, q := range done.Questions {
		if err := s.writeQuestion(ctx, t, form.Questions[i], q); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(done)
	if err != nil {
		return nil, err
	}
	return t, s.closeExample(ctx, t, done, ledger.HashOf(body))
}

func makers(op ledger.Op) task.Entry {
	return task.Entry{By: ledger.Person, Who: sample.Who, Op: op}
}

// writeQuestion writes the claims, the answer and the close of one question.
func (s *Service) writeQuestion(ctx context.Context, t *task.Task, text string, q sample.Question) error {
	question := ledger.QuestionID(ledger.Question{Text: text})
	var entries []task.Entry
	ids := make([]string, len(q.Claims))
	for i, c := range q.Claims {
		place, quote, err := s.locate(ctx, t, c)
		if err != nil {
			return err
		}
		claim := ledger.Claim{
			Question: question, Text: c.Text, Basis: []string{ledger.Ref(place.Source, place.From, place.To)},
			Quotes: []ledger.Slice{{Source: place.Source, From: place.From, To: place.To, Text: quote}},
		}
		ids[i] = ledger.ClaimID(claim)
		entries = append(entries, makers(&claim))
	}
	answer := ledger.Answer{Question: question}
	for _, sentence := range q.Answer {
		line := ledger.Sentence{Text: sentence.Text}
		for _, n := range sentence.Claims {
			line.Claims = append(line.Claims, ids[n])
		}
		answer.Sentences = append(answer.Sentences, line)
	}
	entries = append(entries, makers(&answer), makers(&ledger.Close{ID: question, Claims: ids}))
	if q.Note != "" {
		entries = append(entries, makers(&ledger.Note{On: question, Text: q.Note, For: "whoever relies on it"}))
	}
	return t.Commit(ctx, entries, nil)
}

// locate finds the sentences that hold a quote of the example.
func (s *Service) locate(ctx context.Context, t *task.Task, c sample.Claim) (ledger.Place, string, error) {
	var src state.Source
	found := false
	_ = t.Read(func(st *state.State) error {
		for _, id := range st.SourceIDs {
			if st.Sources[id].Name == c.File {
				src, found = *st.Sources[id], true
			}
		}
		return nil
	})
	if !found {
		return ledger.Place{}, "", fmt.Errorf("the example quotes %s, which was not read", c.File)
	}
	text, err := t.Library().Text(ctx, &src)
	if err != nil {
		return ledger.Place{}, "", err
	}
	at := strings.Index(string(text.Body), c.Sentence)
	if at < 0 {
		return ledger.Place{}, "", fmt.Errorf("the example quotes %q, which is not in %s", c.Sentence, c.File)
	}
	from, to, ok := text.Table.Find(at, at+len(c.Sentence))
	if !ok {
		return ledger.Place{}, "", errors.New("the example quotes what is no sentence")
	}
	return ledger.Place{Source: src.ID, From: from, To: to}, text.Slice(from, to), nil
}

// closeExample writes the report, says who the makers are, and ends with the
// import line that makes all of it the sender's.
func (s *Service) closeExample(ctx context.Context, t *task.Task, done sample.Example, file ledger.Hash) error {
	report := ledger.Report{}
	_ = t.Read(func(st *state.State) error {
		for _, id := range st.QuestionIDs {
			if a := st.Questions[id].Answer; a != "" {
				report.Answers = append(report.Answers, a)
			}
		}
		return nil
	})
	for _, o := range done.Opening {
		report.Opening = append(report.Opening, ledger.Sentence{Text: o.Text})
	}
	if err := t.Commit(ctx, []task.Entry{makers(&report)}, nil); err != nil {
		return err
	}
	err := t.Commit(ctx, []task.Entry{
		engineSays(&ledger.Name{Name: sample.ByLine, Of: sample.Who}),
		engineSays(&ledger.Import{File: file.String()}),
	}, nil)
	if err != nil {
		return err
	}
	// It is not a stranger's file: nothing about it has to be accepted first.
	if err := t.Commit(ctx, []task.Entry{makers(&ledger.Check{ID: importReason(t), How: "person", Verdict: "right"})}, nil); err != nil {
		return err
	}
	return t.Commit(ctx, []task.Entry{engineSays(&ledger.End{Outcome: "done"})}, nil)
}
