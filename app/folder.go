package app

import (
	"context"
	"encoding/json"
	"fmt"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/app/view"
	"cairn/engine"
	"cairn/engine/source"
	"cairn/engine/task"
)

// folderFault is the local record of a task whose folder could not be read to its
// end, so that it is still said after a restart.
const folderFault = "folder_fault"

// fault is a failed reading of a folder. What the folder itself has can be looked
// at again at any time; what happened in between can't.
type fault struct {
	Problem dto.Problem `json:"problem"`
	At      int64       `json:"at"`
	Folder  bool        `json:"folder"` // the folder itself could not be used
}

// recall takes up a failure that an earlier process kept. h is not shared yet.
func (h *handle) recall(ctx context.Context) {
	b, err := h.s.cfg.Store.Local(ctx, h.id, folderFault)
	if err != nil || len(b) == 0 {
		return // a record that can't be read is missed once; the next reading writes it anew
	}
	h.kept = true
	var f fault
	if json.Unmarshal(b, &f) != nil {
		return
	}
	if f.Folder {
		if dir, err := h.task.Folder(ctx); err == nil {
			if err := source.There(dir); err != nil {
				h.intake = &intakeState{err: err}
			}
		}
		return
	}
	p := f.Problem
	p.What = "The folder was not read to its end (" + view.Clock(h.s.now(), f.At) + "). " + p.What
	h.intake = &intakeState{err: problem.Error(p)}
}

// keepFault keeps the outcome of reading dir for the next start.
func (h *handle) keepFault(ctx context.Context, dir string, failed error) {
	h.mu.Lock()
	kept := h.kept
	h.kept = failed != nil
	h.mu.Unlock()
	var b []byte
	switch {
	case failed == nil && !kept:
		return
	case failed != nil:
		var err error
		b, err = json.Marshal(fault{Problem: problem.Of(failed), At: h.s.cfg.Clock.Now().UnixMilli(), Folder: source.There(dir) != nil})
		if err != nil {
			h.s.report(fmt.Errorf("encode why the folder was not read: %w", err))
			return
		}
	}
	if err := h.s.cfg.Store.PutLocal(ctx, h.id, folderFault, b); err != nil && ctx.Err() == nil {
		h.s.report(fmt.Errorf("keep whether the folder was read: %w", err))
	}
}

// begun keeps that the first reading of a new task's folder has not come to its end,
// until it has: a process that is ended meanwhile leaves it said.
func (h *handle) begun(ctx context.Context) error {
	b, err := json.Marshal(fault{At: h.s.cfg.Clock.Now().UnixMilli(), Problem: dto.Problem{
		Kind: string(engine.KindCancelled), What: "Reading it stopped early.", Safe: "What was read until then is saved.",
		Do: "The next run reads the rest.",
	}})
	if err == nil {
		err = h.s.cfg.Store.PutLocal(ctx, h.id, folderFault, b)
	}
	if err != nil {
		return fmt.Errorf("keep that the folder is being read: %w", err)
	}
	h.mu.Lock()
	h.kept = true
	h.mu.Unlock()
	return nil
}

// glance looks at the folder without reading its files, and says whether anything
// in it differs from what was taken in, and whether it is there at all.
func (h *handle) glance(ctx context.Context) (differs, there bool) {
	seen, err := h.task.Look(ctx, source.Scan, source.HashFile)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.intake != nil && h.intake.active {
		return false, true // it is being read
	}
	if err != nil {
		if ctx.Err() == nil {
			h.intake = &intakeState{err: err}
		}
		return false, false
	}
	h.looked = seen
	return !seen.None(), true
}

// catchUp takes in what happened in the folder while no process watched it.
func (h *handle) catchUp(ctx context.Context) {
	h.mu.Lock()
	again := h.intake != nil && h.intake.err != nil
	h.mu.Unlock()
	switch differs, there := h.glance(ctx); {
	case there && (differs || again):
		h.stirred(ctx)
	default:
		h.tell()
	}
}

// folderFailed logs why a folder was not read, unless the folder itself is the
// reason: that is shown with the task.
func (h *handle) folderFailed(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil && engine.KindOf(err) != engine.KindSource {
		h.s.report(fmt.Errorf("read the folder of %s: %w", h.id, err))
	}
}

// stirred takes in what happened in the folder, now or between two steps of a run.
func (h *handle) stirred(ctx context.Context) {
	h.mu.Lock()
	h.changed = true
	running := h.running
	h.mu.Unlock()
	if running {
		return // it joins between two steps
	}
	h.folderFailed(ctx, h.takeIn(ctx))
}

// looked words what differs in a folder and was not taken in yet.
func looked(l task.Looked) string {
	if l.None() {
		return ""
	}
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{len(l.Changed), "file was changed", "files were changed"},
		{len(l.Gone), "file is gone", "files are gone"},
		{l.New, "file is new", "files are new"},
	} {
		if p.n > 0 {
			parts = append(parts, view.Count(int64(p.n), p.one, p.many))
		}
	}
	return "In the folder " + and(parts) + " since it was read; the next run takes that in."
}

// and joins parts as a sentence does.
func and(parts []string) string {
	out := ""
	for i, p := range parts {
		switch {
		case i == 0:
		case i == len(parts)-1:
			out += " and "
		default:
			out += ", "
		}
		out += p
	}
	return out
}

// foldersCheck says which tasks' folders can't be used, or differ from what was
// taken in. A task that is done needs its folder no more.
func (s *Service) foldersCheck(ctx context.Context, tasks []dto.TaskSummary) []dto.Check {
	var out []dto.Check
	for _, t := range tasks {
		h, err := s.handle(ctx, t.ID)
		if err != nil {
			continue // the tasks' own line says it
		}
		dir, err := h.task.Folder(ctx)
		if err == nil && dir == "" {
			continue
		}
		var seen task.Looked
		if err == nil {
			seen, err = h.task.Look(ctx, source.Scan, source.HashFile)
		}
		c := dto.Check{Name: "Folder", Good: true, Value: "“" + t.Title + "”: " + looked(seen)}
		switch {
		case err != nil:
			p := problem.Of(err)
			c.Value, c.Mend, c.Good = "“"+t.Title+"”: "+p.What, p.Do, t.State == "done"
			if engine.KindOf(err) == engine.KindSource && c.Good {
				c.Mend = "It is done; what it read is stored."
			}
		case seen.None():
			continue
		}
		out = append(out, c)
	}
	return out
}
