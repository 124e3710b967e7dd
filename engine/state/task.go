package state

import (
	"slices"

	"cairn/engine/ledger"
)

func (s *State) task(l *ledger.Line, op *ledger.Task) *Finding {
	if s.Task.ID != "" {
		return refuse(CodeForm, "the ledger has its task already")
	}
	if l.Seq != 1 && s.Root == nil {
		return refuse(CodeForm, "a task is the first line, or follows a root")
	}
	s.putTask(Task{ID: ledger.TaskID(*op), Title: op.Title, Goal: op.Goal, Constraints: op.Constraints,
		Acceptance: op.Acceptance, At: l.At})
	return nil
}

func (s *State) amend(l *ledger.Line, op *ledger.Amend) *Finding {
	t := s.Task
	switch op.Field {
	case "goal":
		t.Goal = op.Text
	case "title":
		t.Title = op.Text
	case "constraints":
		t.Constraints = op.List
	case "acceptance":
		t.Acceptance = op.List
	default:
		return refuse(CodeForm, "the task has no field %q", op.Field)
	}
	s.putTask(t)
	if op.Field != "goal" {
		return nil
	}
	s.putPlan(s.PlanIDs, true)
	for _, id := range s.ReportIDs {
		if r := s.Reports[id]; r.Live() && !r.IsStale {
			s.markReport(r)
		}
	}
	return nil
}

func (s *State) set(op *ledger.Set) *Finding {
	v := s.Settings
	number := func(to *int64, n int64) {
		if n != 0 {
			*to = n
		}
	}
	number(&v.Budget, op.Budget)
	if v.Budget < 0 {
		v.Budget = 0
	}
	number(&v.Context, op.Context)
	number(&v.Predict, op.Predict)
	number(&v.ReadRate, op.ReadRate)
	number(&v.TokenBytes, op.TokenBytes)
	number(&v.WriteRate, op.WriteRate)
	if op.Depth != "" {
		v.Depth = op.Depth
	}
	if op.Digest != "" {
		v.Digest = op.Digest
	}
	if op.Model != "" {
		v.Model, v.Trial = op.Model, op.Trial
		if op.Digest == "" {
			v.Digest = ""
		}
	}
	s.putSettings(v)
	return nil
}

func (s *State) source(l *ledger.Line, op *ledger.Source) *Finding {
	id := ledger.SourceID(*op)
	if old := s.Sources[id]; old != nil {
		if old.Table != op.Table || old.Sentences != op.Sentences || old.Bytes != op.Bytes || old.Reason != op.Reason {
			return refuse(CodeObject, "source %s is recorded with another text, table or reason", id)
		}
		if old.Missing != "" {
			r := *old
			r.Missing = ""
			r.touch(l)
			s.putSource(&r)
			s.retrustOn(id)
		}
		return nil
	}
	if op.Parent != "" {
		parent := s.Sources[op.Parent]
		if parent == nil {
			return refuse(CodeUnknown, "source %s is not recorded", op.Parent)
		}
		p := *parent
		p.Newer = id
		s.putSource(&p)
	}
	s.putSource(&Source{Meta: metaOf(l), ID: id, Body: op.Body, File: op.File, Table: op.Table, Name: op.Name, Title: op.Title,
		Media: op.Media, Extractor: op.Extractor, Reason: op.Reason, Parent: op.Parent, Bytes: op.Bytes, Sentences: op.Sentences})
	return nil
}

func (s *State) missing(l *ledger.Line, op *ledger.Missing) *Finding {
	old := s.Sources[op.ID]
	if old == nil {
		return refuse(CodeUnknown, "source %s is not recorded", op.ID)
	}
	if old.Missing == erased {
		return refuse(CodeStanding, "the text of source %s was erased", op.ID)
	}
	r := *old
	r.Missing = op.Reason
	r.touch(l)
	s.putSource(&r)
	return nil
}

func (s *State) scope(l *ledger.Line, op *ledger.Scope) *Finding {
	old := s.Sources[op.ID]
	if old == nil {
		return refuse(CodeUnknown, "source %s is not recorded", op.ID)
	}
	aside := ""
	if op.State == "aside" {
		if aside = op.Reason; aside == "" {
			aside = "-"
		}
	}
	if aside == old.Aside {
		return nil
	}
	wasAside := old.Aside != ""
	r := *old
	r.Aside = aside
	r.touch(l)
	s.putSource(&r)
	if !wasAside {
		s.makeStale(op.ID)
	}
	s.retrustOn(op.ID)
	return nil
}

// erased is the reason in Source.Missing after an erase of its text.
const erased = "erased"

func (s *State) erase(l *ledger.Line, op *ledger.Erase) *Finding {
	for _, id := range s.SourceIDs {
		old := s.Sources[id]
		if old.Missing == erased || old.Body == "" || !slices.Contains(op.Blobs, old.Body) {
			continue
		}
		r := *old
		r.Missing = erased
		r.touch(l)
		s.putSource(&r)
		s.makeStale(id)
		s.retrustOn(id)
	}
	return nil
}
