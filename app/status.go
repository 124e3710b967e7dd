package app

import (
	"context"
	"fmt"
	"time"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/app/view"
	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/planner"
	"cairn/engine/run"
	"cairn/engine/state"
	"cairn/engine/task"
)

// current is the status of the newest state.
func (h *handle) current() (out dto.Status) {
	fault := h.task.Fault()
	_ = h.task.Read(func(st *state.State) error { out = h.status(st, fault); return nil })
	return out
}

// status says honestly what the task is doing. st is the newest state, of which
// the caller holds the read lock; so nothing here may ask the task itself.
func (h *handle) status(st *state.State, fault error) dto.Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.s.now()
	out := dto.Status{
		Running: h.running, Model: st.Settings.Model, Trial: st.Settings.Trial, LeftS: -1,
		ReadRate: float64(st.Settings.ReadRate), WriteRate: float64(st.Settings.WriteRate),
		Gate: task.Gate(st), Reasons: []string{}, CanRun: !h.running,
	}
	if out.Model == "-" {
		out.Model = ""
	}
	for _, r := range audit.Reasons(st, audit.Now{}) {
		out.Reasons = append(out.Reasons, r.Text)
	}
	if n := len(st.Checkpoints); n > 0 {
		out.Checkpoint, out.SavedAt = int64(n), st.Checkpoints[n-1].At
	}
	h.count(st)
	out.Done, out.Total = h.shown, h.all
	if out.Model != "" && st.Settings.ReadRate > 0 {
		out.LeftS = h.left
	}
	if fault != nil {
		p := problem.Of(fault)
		out.State, out.Sentence, out.Detail = "damaged", p.What, join(p.Safe, p.Do)
		out.Gate, out.Reasons, out.CanRun = "red", []string{p.What}, false
		return out
	}
	if h.running {
		out.Promise = view.Promise(now, h.first, out.LeftS)
		h.busy(st, &out, now)
		return out
	}
	h.rest(st, &out, now)
	return out
}

// count renews the progress when the state has moved on.
func (h *handle) count(st *state.State) {
	if h.seq == st.Seq && st.Seq > 0 {
		return
	}
	lib := h.task.Library()
	h.seq = st.Seq
	h.shown, h.all, h.left = view.Progress(st, lib)
	h.first = view.Firsts(st, lib)
}

// busy words a run that goes on.
func (h *handle) busy(st *state.State, out *dto.Status, now time.Time) {
	in := view.Input{State: st, Library: h.task.Library(), Now: now}
	out.Step = in.StepLine(h.step.Kind, h.step.Args, h.step.Serves)
	out.Stream = string(h.stream[whole(h.stream, 0):])
	if h.intake != nil && h.intake.active {
		out.State, out.Step = "starting", ""
		out.Sentence = "Reading the folder"
		if h.intake.total > 0 {
			out.Sentence = fmt.Sprintf("Reading the folder: file %d of %d", h.intake.done+1, h.intake.total)
			out.Step = h.intake.name
		}
		return
	}
	if h.queued {
		out.State, out.Sentence = "queued", "Waiting for the model, which works on another task"
		return
	}
	out.State = string(h.phase)
	switch h.phase {
	case run.Loading:
		out.Sentence = "Loading the model"
	case run.Reading, run.Thinking, run.Writing:
		out.Sentence = h.doing()
	case run.Checking:
		out.Sentence = "Checking what the model proposed"
	case run.Saving:
		out.Sentence = "Saving"
	case run.Searching:
		out.State, out.Sentence = "reading", "Searching all documents"
	case run.Waiting:
		out.Sentence = "Waiting for Ollama"
		if h.waiting != nil {
			p := problem.Of(h.waiting)
			if engine.KindOf(h.waiting) == engine.KindDiskFull {
				out.State = "disk_full"
			}
			out.Sentence = p.What
			out.Detail = "Everything up to " + saved(now, out.SavedAt) + " is saved. It is tried again by itself. " + p.Do
		}
	case run.Asleep:
		out.Sentence = "The computer slept; making sure that the model still answers"
	default:
		out.State, out.Sentence = "starting", "Starting"
	}
}

func (h *handle) doing() string {
	switch h.step.Kind {
	case planner.Read:
		if h.all > 0 {
			return fmt.Sprintf("Reading %d of %s", min(h.shown+1, h.all), view.Count(h.all, "passage", "passages"))
		}
		return "Reading"
	case planner.Answer:
		if h.phase == run.Writing {
			return "Writing an answer"
		}
		return "Preparing an answer"
	}
	return "Working"
}

// rest words a task that does not run.
func (h *handle) rest(st *state.State, out *dto.Status, now time.Time) {
	at := saved(now, out.SavedAt)
	defer func() { out.Detail = join(out.Detail, looked(h.looked)) }()
	switch {
	case h.intake != nil && h.intake.active:
		out.State, out.Sentence = "starting", "Reading the folder"
		if h.intake.total > 0 {
			out.Sentence = fmt.Sprintf("Reading the folder: file %d of %d", h.intake.done+1, h.intake.total)
			out.Step = h.intake.name
		}
	case h.failed != nil:
		h.trouble(out, at)
	case h.intake != nil && h.intake.err != nil && !(engine.KindOf(h.intake.err) == engine.KindCancelled && h.s.wasRunning(context.Background(), h.id)) && (st.Ended == nil || st.Ended.Outcome != "done"):
		p := problem.Of(h.intake.err)
		out.State, out.Sentence, out.Detail = "needs_you", p.What, join(p.Safe, p.Do)
	case h.s.wasRunning(context.Background(), h.id):
		out.State, out.Sentence = "interrupted", "Interrupted; saved "+at
		out.Detail = "Nothing is lost. Going on repeats at most one call of the model."
		h.promiseFrom(out, now)
	case st.Ended != nil:
		h.over(st, out, at)
	case settled(st):
		out.State, out.Sentence, out.CanRun, out.LeftS = "done", "Done", false, 0
	case st.Log.Steps == 0 && len(st.Log.CallsAt) == 0 && len(st.Finished) == 0:
		out.State, out.Sentence = "ready", "Ready to start"
		h.promiseFrom(out, now)
		if len(st.Claims) == 0 && out.Model == "" {
			out.Detail = "The sentences that search found are here already; a model is not needed to read and accept them."
		}
		out.Detail = join(copies(h.files, st), out.Detail)
	default:
		out.State, out.Sentence = "paused", "Saved "+at
		h.promiseFrom(out, now)
	}
}

// copies says that files of the folder fell together because their bytes are the
// same; "" when none did.
func copies(files int, st *state.State) string {
	documents := 0
	for _, s := range st.Sources {
		if s.Missing == "" && s.File != "" && s.Newer == "" {
			documents++
		}
	}
	n := int64(files - documents)
	if n <= 0 || documents == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %s: %s.", view.Count(int64(files), "file", "files"),
		view.Count(int64(documents), "document", "documents"), view.Count(n, "is a copy", "are copies"))
}

func (h *handle) promiseFrom(out *dto.Status, now time.Time) {
	if out.LeftS > 0 {
		out.Promise = "If it goes on now: " + lower(view.Promise(now, h.first, out.LeftS))
	}
}

// trouble words the error that kept a run from writing its record.
func (h *handle) trouble(out *dto.Status, at string) {
	p := problem.Of(h.failed)
	switch engine.KindOf(h.failed) {
	case engine.KindDiskFull:
		out.State = "disk_full"
	case engine.KindReadOnly:
		out.State, out.CanRun = "read_only", false
	case engine.KindDamaged:
		out.State, out.Gate = "damaged", "red"
	default:
		out.State = "stuck"
	}
	out.Sentence, out.Detail = p.What, join("Everything up to "+at+" is saved.", p.Do)
}

func (h *handle) over(st *state.State, out *dto.Status, at string) {
	var why string
	for _, r := range st.Ended.Reasons {
		why = join(why, view.Reason(r))
	}
	switch st.Ended.Outcome {
	case "done":
		out.State, out.Sentence, out.CanRun = "done", "Done", false
		out.LeftS = 0
		if h.intake != nil && h.intake.err != nil {
			out.Detail = problem.Of(h.intake.err).What
		}
	case "stopped":
		out.State, out.Sentence, out.Detail = "stopped", "Stopped. Saved "+at, why
	default:
		out.State, out.Sentence, out.Detail = "stuck", "It can't go on by itself", why
		for _, r := range st.Ended.Reasons {
			switch r {
			case planner.ReasonNoModel:
				out.State, out.Sentence = "needs_you", "Search has found what it can; the rest needs you or a model"
			case planner.ReasonNoSource, planner.ReasonNoQuestion:
				out.State, out.Sentence = "needs_you", "Something is missing"
			}
		}
	}
}

func saved(now time.Time, ms int64) string {
	if ms == 0 {
		return "now"
	}
	return view.Clock(now, ms)
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + " " + b
}

func lower(s string) string {
	if s != "" && s[0] >= 'A' && s[0] <= 'Z' {
		return string(s[0]+'a'-'A') + s[1:]
	}
	return s
}

// group is the left column's place of a state.
func group(status dto.Status) string {
	switch status.State {
	case "done":
		return "finished"
	case "needs_you", "stopped", "stuck", "damaged", "disk_full", "read_only", "ready", "paused", "new":
		return "needs_you"
	}
	return "working"
}
