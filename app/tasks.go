package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cairn/app/dto"
	"cairn/app/sample"
	"cairn/app/view"
	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/search"
	"cairn/engine/source"
	"cairn/engine/state"
	"cairn/engine/task"
)

// candidates of one question: in all, and of one document.
const (
	candidatesAll = 24
	candidatesDoc = 4
)

// texts gives the view stored texts.
type texts struct {
	ctx     context.Context
	library *task.Library
}

func (t texts) Text(s *state.Source) ([]byte, *source.Table, bool) {
	text, err := t.library.Text(t.ctx, s)
	if err != nil {
		return nil, nil, false
	}
	return text.Body, &text.Table, true
}

// input is what a view of st is made of.
func (h *handle) input(ctx context.Context, st *state.State) view.Input {
	lib := h.task.Library()
	h.mu.Lock()
	seen := map[string]string{}
	for _, id := range h.looked.Changed {
		seen[id] = "changed"
	}
	for _, id := range h.looked.Gone {
		seen[id] = "gone"
	}
	h.mu.Unlock()
	return view.Input{
		State: st, Texts: texts{ctx, lib}, Library: lib, Me: h.s.me(ctx), ID: h.id, Now: h.s.now(),
		Names: map[string]string{sample.Who: sample.ByLine}, Example: h.s.isExample(ctx, h.id), Looked: seen,
		Sentences: func(text string) []search.Hit {
			index, err := lib.Index(ctx, planner.Readable(st))
			if err != nil {
				return nil // a text is not here; the list of sources says which
			}
			return index.Sentences(text, candidatesDoc, candidatesAll)
		},
	}
}

// Tasks lists every task and every alternative of one, newest change first; the
// example last.
func (s *Service) Tasks(ctx context.Context) ([]dto.TaskSummary, error) {
	branches, err := s.desk.Branches(ctx)
	if err != nil {
		return nil, err
	}
	out := []dto.TaskSummary{}
	for _, b := range branches {
		out = append(out, s.summary(ctx, b))
	}
	slices.SortStableFunc(out, func(a, b dto.TaskSummary) int {
		switch {
		case a.Example != b.Example:
			if a.Example {
				return 1
			}
			return -1
		case a.Changed > b.Changed:
			return -1
		case a.Changed < b.Changed:
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out, nil
}

func (s *Service) summary(ctx context.Context, b engine.Branch) dto.TaskSummary {
	row := dto.TaskSummary{ID: b.ID, Example: s.isExample(ctx, b.ID), Damage: b.Damage}
	h, err := s.handle(ctx, b.ID)
	if err != nil {
		if row.Damage == "" {
			row.Damage = err.Error()
		}
		row.Title, row.State, row.Group, row.Line = "A task that can't be opened", "damaged", "needs_you", row.Damage
		return row
	}
	_ = h.task.Read(func(st *state.State) error {
		row.Title, row.Goal, row.Changed = view.Title(st), st.Task.Goal, st.At
		return nil
	})
	status := h.current()
	row.State, row.Group, row.Line = status.State, group(status), line(status)
	if row.Damage != "" {
		row.State, row.Group = "damaged", "needs_you"
	}
	if b.Parent != "" {
		row.Line = "Alternative. " + row.Line
	}
	if row.Example && !status.Running {
		row.Group, row.Line = "finished", "Example"
	}
	return row
}

// line is what the list says under a title.
func line(st dto.Status) string {
	switch {
	case st.Promise != "" && st.Running:
		return st.Sentence + ". " + st.Promise
	case st.State == "interrupted":
		return "Interrupted; nothing is lost"
	}
	return st.Sentence
}

// View is a task at its newest checkpoint, or at an earlier line.
func (s *Service) View(ctx context.Context, id string, at int64) (dto.View, error) {
	h, err := s.handle(ctx, id)
	if err != nil {
		return dto.View{}, err
	}
	h.watch()
	seq := s.bus.last(id)
	if at > 0 {
		st, err := h.task.At(ctx, at)
		if err != nil {
			return dto.View{}, err
		}
		in := h.input(ctx, st)
		in.History = true
		v := view.Task(in)
		v.Seq, v.At = seq, at
		v.Status = h.current()
		v.Status.Stream, v.Status.Step = "", ""
		return dto.Whole(v), nil
	}
	undo, err := h.task.Undoable(ctx)
	if err != nil {
		return dto.View{}, err
	}
	status := h.current()
	var v dto.View
	_ = h.task.Read(func(st *state.State) error { v = view.Task(h.input(ctx, st)); return nil })
	v.Seq, v.Status, v.CanUndo, v.UndoWhat = seq, status, undo != "", undo
	return dto.Whole(v), nil
}

// Sources lists what the task reads, and what it can't.
func (s *Service) Sources(ctx context.Context, id string) ([]dto.Source, error) {
	h, err := s.handle(ctx, id)
	if err != nil {
		return nil, err
	}
	var out []dto.Source
	_ = h.task.Read(func(st *state.State) error { out = view.Sources(h.input(ctx, st)); return nil })
	return out, nil
}

// SourceText is a place in a source with what stands around it.
func (s *Service) SourceText(ctx context.Context, id, sourceID string, from, to int64) (dto.SourceText, error) {
	h, err := s.handle(ctx, id)
	if err != nil {
		return dto.SourceText{}, err
	}
	var out dto.SourceText
	err = h.task.Read(func(st *state.State) error {
		src := st.Sources[sourceID]
		if src == nil {
			return notFound("There is no such source in this task.", "")
		}
		out = view.SourceText(h.input(ctx, st), src, from, to)
		return nil
	})
	return out, err
}

// Timeline is the history, newest first.
func (s *Service) Timeline(ctx context.Context, id string, full bool) ([]dto.Entry, error) {
	h, err := s.handle(ctx, id)
	if err != nil {
		return nil, err
	}
	var t *view.Timeline
	snapshot := h.task.Snapshot() // the lines are read without holding up the run
	t = view.NewTimeline(h.input(ctx, snapshot), full)
	err = h.task.Lines(ctx, 1, func(n int64, raw []byte) error {
		l, err := ledger.Decode(slices.Clone(raw))
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		t.Add(l)
		return nil
	})
	return t.Entries(), err
}

// Candidates are the sentences that search found for each open question.
func (s *Service) Candidates(ctx context.Context, id string) ([]dto.Question, error) {
	h, err := s.handle(ctx, id)
	if err != nil {
		return nil, err
	}
	out := []dto.Question{}
	_ = h.task.Read(func(st *state.State) error {
		in := h.input(ctx, st)
		for i, q := range st.QuestionIDs {
			question := st.Questions[q]
			if question.Status == state.Dropped {
				continue
			}
			out = append(out, dto.Question{
				ID: q, Number: i + 1, Text: question.Text, Status: string(question.Status), Candidates: in.Candidates(q, 0),
			})
		}
		return nil
	})
	return dto.Whole(out), nil
}

// depthBudget is the time budget that belongs to a depth when the person names none.
func depthBudget(depth string) int64 {
	if depth == "quick" {
		return 30 * 60
	}
	return 0
}

// Create records a new task, saved before anything is read, and takes its folder
// in beside the call. It gives the task's id.
func (s *Service) Create(ctx context.Context, form dto.NewTask) (string, error) {
	check, err := s.CheckForm(ctx, form)
	if err != nil {
		return "", err
	}
	if len(check.Problems) > 0 {
		return "", usage(check.Problems[0].Text, "Change that and start again.")
	}
	form = tidy(form)
	set := ledger.Set{Depth: form.Depth, Budget: form.Budget, Model: form.Model}
	if set.Budget == 0 {
		set.Budget = depthBudget(form.Depth)
	}
	if set.Model == "" {
		s.mu.Lock()
		set.Model = s.prefs.Model
		s.mu.Unlock()
	}
	if set.Model == "" && !s.cfg.Short {
		s.models.mu.Lock()
		for _, d := range s.models.list {
			if d.Default {
				set.Model = d.Name
			}
		}
		s.models.mu.Unlock()
	}
	// From here on the task is there: it is left whole, and its id is said.
	ctx = context.WithoutCancel(ctx)
	t, err := s.desk.Create(ctx, task.New{Title: form.Title, Goal: form.Goal, Questions: form.Questions, Constraints: form.Constraints, Set: set})
	if err != nil {
		return "", err
	}
	if err := t.SetFolder(ctx, form.Folder); err != nil {
		return "", fmt.Errorf("remember the folder: %w", err)
	}
	h, err := s.handle(ctx, t.Branch)
	if err != nil {
		return "", err
	}
	if err := h.begun(ctx); err != nil {
		return "", err
	}
	s.bus.send(dto.Event{Kind: "tasks"})
	if form.Start {
		return h.id, s.Run(ctx, h.id)
	}
	h.mu.Lock()
	h.intake = &intakeState{active: true} // so that nobody sees it idle before it begins
	h.mu.Unlock()
	s.spawn(func(ctx context.Context) {
		h.folderFailed(ctx, h.takeIn(ctx))
	})
	return h.id, nil
}

// tidy takes blanks off and leaves out what is empty.
func tidy(form dto.NewTask) dto.NewTask {
	lines := func(list []string) []string {
		var out []string
		for _, s := range list {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	form.Title, form.Goal = strings.TrimSpace(form.Title), strings.TrimSpace(form.Goal)
	form.Questions, form.Constraints = lines(form.Questions), lines(form.Constraints)
	form.Folder, form.Model = strings.TrimSpace(form.Folder), strings.TrimSpace(form.Model)
	if form.Depth == "" {
		form.Depth = dto.DefaultDepth
	}
	if form.Folder != "" {
		if abs, err := filepath.Abs(form.Folder); err == nil {
			form.Folder = abs
		}
	}
	return form
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	case n < 1000*1000*1000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
