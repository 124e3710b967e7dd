package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/run"
	"cairn/engine/source"
	"cairn/engine/task"
)

const (
	tellEvery   = 200 * time.Millisecond // least time between two events of one kind
	streamPiece = 4 << 10                // bytes of text in one event
	streamKept  = 4000                   // bytes of the running call that a status holds
)

// handle is one task that is open: its run, its folder, its live status.
type handle struct {
	s    *Service
	task *task.Task
	id   string

	intakeMu sync.Mutex // one intake at a time

	mu      sync.Mutex
	runner  *run.Runner
	stop    context.CancelCauseFunc
	done    chan struct{} // closed when the run has ended; nil when none ran
	running bool
	queued  bool
	phase   run.Phase
	step    planner.Step
	waiting error     // what is waited out
	stream  []byte    // text of the running call
	unsent  []byte    // of it, what no event has carried
	news    bool      // the status changed since it was told
	told    time.Time // when watchers last heard
	failed  error     // why the last run could not write its record
	intake  *intakeState
	looked  task.Looked // what differs in the folder, as far as it was only looked at
	kept    bool        // a failure of reading the folder is kept for the next start
	files   int         // in the folder when it was last read; 0 when it was not
	changed bool        // the folder may hold something new
	watched bool
	progress
}

// intakeState is a reading of the folder that goes on or went wrong.
type intakeState struct {
	done, total int
	name        string
	active      bool
	err         error
}

// progress is kept per state, because counting it reads every passage.
type progress struct {
	seq         int64
	shown, all  int64
	left, first float64
}

// handle opens a task, once.
func (s *Service) handle(ctx context.Context, id string) (*handle, error) {
	s.mu.Lock()
	h := s.open[id]
	s.mu.Unlock()
	if h != nil {
		return h, nil
	}
	t, err := s.desk.Open(ctx, id)
	if err != nil {
		if engine.KindOf(err) == engine.KindNotFound {
			return nil, &engine.Error{Kind: engine.KindNotFound, What: "There is no task with this id.", Safe: "Nothing was changed.", Do: "Look at the list of tasks.", Err: err}
		}
		return nil, err
	}
	h = &handle{s: s, task: t, id: id}
	h.recall(ctx)
	if s.cfg.Short {
		h.glance(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.open[id]; h != nil {
		return h, nil
	}
	s.open[id] = h
	return h, nil
}

// cancel ends a run with a cause; without a run it does nothing.
func (h *handle) cancel(cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop != nil {
		h.stop(cause)
	}
}

// ended is closed when no run is going on.
func (h *handle) ended() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done != nil {
		return h.done
	}
	c := make(chan struct{})
	close(c)
	return c
}

func (h *handle) woke(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runner != nil {
		h.runner.Woke(d)
	}
}

// Run starts a task and returns at once. A task that runs already goes on running.
func (s *Service) Run(ctx context.Context, id string) error {
	h, err := s.handle(ctx, id)
	if err != nil {
		return err
	}
	if err := h.task.Fault(); err != nil {
		return err
	}
	s.mu.Lock()
	closing := s.closing
	s.mu.Unlock()
	if closing {
		return &engine.Error{Kind: engine.KindBusy, What: "Cairn is being closed.", Safe: "Everything is saved.", Do: "Open it again to go on."}
	}
	h.mu.Lock()
	if h.running {
		h.mu.Unlock()
		return nil
	}
	runCtx, stop := context.WithCancelCause(s.ctx)
	h.running, h.stop, h.done = true, stop, make(chan struct{})
	h.phase, h.step, h.waiting, h.failed = run.Starting, planner.Step{}, nil, nil
	done := h.done
	h.mu.Unlock()
	if err := s.setRunning(ctx, id, true); err != nil {
		h.finish(done, stop, err)
		return fmt.Errorf("remember that the task runs: %w", err)
	}
	s.spawn(func(context.Context) {
		var err error
		defer func() { h.finish(done, stop, err) }()
		err = h.run(runCtx)
	})
	h.tell()
	s.bus.send(dto.Event{Kind: "tasks"})
	return nil
}

// run is one run from folder to end, on its own goroutine.
func (h *handle) run(ctx context.Context) error {
	s := h.s
	// What is in the task already can be worked on; the folder's state is shown.
	h.folderFailed(ctx, h.takeIn(ctx))
	if err := h.chooseModel(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	set := settings(h.task)
	usesModel := set.Model != "" && set.Model != "-"
	if usesModel {
		select {
		case <-s.model:
			defer func() { s.model <- struct{}{} }()
		default:
			if err := h.queue(ctx); err != nil {
				return s.setAfter(h, context.Cause(ctx))
			}
			defer func() { s.model <- struct{}{} }()
		}
	}
	pulse, still := context.WithCancel(ctx)
	defer still()
	s.spawn(func(context.Context) { h.pulse(pulse) })
	r := &run.Runner{
		Task: h.task, Clock: s.cfg.Clock, Sink: h, Patience: s.cfg.Patience,
		Between: func(ctx context.Context) error { h.between(ctx); return nil },
	}
	if usesModel {
		r.Model = chatter{s.models}
		r.Ready = h.ready
	}
	h.mu.Lock()
	h.runner = r
	h.mu.Unlock()
	_, err := r.Run(ctx)
	h.mu.Lock()
	h.runner = nil
	h.mu.Unlock()
	if err != nil && ctx.Err() == nil {
		return err
	}
	return s.setAfter(h, context.Cause(ctx))
}

// queue waits for the model, which works for one task at a time.
func (h *handle) queue(ctx context.Context) error {
	h.mu.Lock()
	h.queued = true
	h.mu.Unlock()
	h.tell()
	defer func() {
		h.mu.Lock()
		h.queued = false
		h.mu.Unlock()
	}()
	select {
	case <-h.s.model:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// setAfter forgets that the task was running, unless the program ends: then it
// goes on at the next start.
func (s *Service) setAfter(h *handle, cause error) error {
	if errors.Is(cause, run.ErrQuit) {
		return nil
	}
	if err := s.setRunning(context.WithoutCancel(s.ctx), h.id, false); err != nil {
		return fmt.Errorf("remember that the task stands: %w", err)
	}
	return nil
}

// finish closes a run, whatever happened in it.
func (h *handle) finish(done chan struct{}, stop context.CancelCauseFunc, err error) {
	stop(nil)
	if problem.Cancelled(err) {
		err = nil // who ended it knows; the task stands where it is saved
	}
	h.mu.Lock()
	h.running, h.queued, h.stop, h.runner = false, false, nil, nil
	h.failed, h.stream, h.unsent, h.waiting = err, nil, nil, nil
	h.mu.Unlock()
	if err != nil {
		h.s.report(fmt.Errorf("run %s: %w", h.id, err))
	}
	if err != nil && engine.KindOf(err) == engine.KindDiskFull {
		h.waitForRoom()
	}
	close(done)
	h.tell()
	h.s.bus.send(dto.Event{Task: h.id, Kind: "saved"})
	h.s.bus.send(dto.Event{Kind: "tasks"})
}

// Stop ends a run at once; what is finished is saved. A task that does not run
// is left as it is.
func (s *Service) Stop(ctx context.Context, id string) error {
	h, err := s.handle(ctx, id)
	if err != nil {
		return err
	}
	h.cancel(run.ErrStop)
	select {
	case <-h.ended():
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.wasRunning(ctx, id) { // interrupted and never taken up: now it is stopped
		if err := s.setRunning(ctx, id, false); err != nil {
			return err
		}
	}
	h.tell()
	return nil
}

// chooseModel gives a task that names no model the default one, where there is one.
func (h *handle) chooseModel(ctx context.Context) error {
	if settings(h.task).Model != "" {
		return nil
	}
	name := h.s.models.fallback(ctx)
	if name == "" {
		return nil
	}
	return h.task.Commit(ctx, []task.Entry{engineSays(&ledger.Set{Model: name})}, nil)
}

// ---- the folder ----------------------------------------------------------------

// takeIn brings the task up to date with its folder.
func (h *handle) takeIn(ctx context.Context) error {
	dir, err := h.task.Folder(ctx)
	if err != nil || dir == "" {
		return err
	}
	h.intakeMu.Lock()
	defer h.intakeMu.Unlock()
	h.mu.Lock()
	h.changed = false
	h.intake = &intakeState{active: true}
	in := h.intake
	h.mu.Unlock()
	h.tell()
	var last time.Time
	taken, err := h.task.Intake(ctx, source.Scan, h.s.extract, func(done, total int, name string) {
		h.mu.Lock()
		in.done, in.total, in.name = done, total, name
		h.mu.Unlock()
		if now := h.s.cfg.Clock.Now(); now.Sub(last) >= tellEvery {
			last = now
			h.tell()
		}
	})
	h.mu.Lock()
	in.active, in.err = false, err
	if err == nil {
		h.intake, h.files, h.looked = nil, taken.Files, task.Looked{}
	}
	h.mu.Unlock()
	if ctx.Err() == nil {
		h.keepFault(ctx, dir, err)
	}
	for _, why := range taken.Refused {
		h.s.report(why)
	}
	h.sayTexts(taken)
	if taken.New > 0 || taken.Gone > 0 || taken.Restored > 0 || taken.Lost > 0 {
		h.s.bus.send(dto.Event{Task: h.id, Kind: "sources"})
	}
	h.tell()
	return err
}

// watch follows the folder of a task, once, until the service ends.
func (h *handle) watch() {
	if h.s.cfg.Short {
		return
	}
	h.mu.Lock()
	if h.watched {
		h.mu.Unlock()
		return
	}
	h.watched = true
	h.mu.Unlock()
	h.s.spawn(func(ctx context.Context) {
		dir, err := h.task.Folder(ctx)
		if err != nil || dir == "" {
			return
		}
		h.catchUp(ctx)
		w := &source.Watcher{Dir: dir, Clock: h.s.cfg.Clock}
		err = w.Run(ctx, func() { h.stirred(ctx) })
		if err != nil && ctx.Err() == nil {
			h.s.report(fmt.Errorf("watch the folder of %s: %w", h.id, err))
		}
	})
}

// between lets what is new in the folder join, between two steps.
func (h *handle) between(ctx context.Context) {
	h.mu.Lock()
	changed := h.changed
	h.mu.Unlock()
	if !changed {
		return
	}
	h.folderFailed(ctx, h.takeIn(ctx))
}

// ---- what the run tells ----------------------------------------------------------

// Phase implements run.Sink.
func (h *handle) Phase(p run.Phase, step planner.Step, err error) {
	h.mu.Lock()
	same := h.phase == p && h.step.Key() == step.Key()
	h.phase, h.waiting = p, err
	if step.Kind != "" {
		h.step = step
	}
	h.mu.Unlock()
	if !same {
		h.tell()
	}
}

// Text implements run.Sink.
func (h *handle) Text(piece string, reset bool) {
	h.mu.Lock()
	if reset {
		h.stream, h.unsent, h.news = nil, nil, true
	}
	h.stream = append(h.stream, piece...)
	if over := len(h.stream) - streamKept; over > 0 {
		h.stream = append(h.stream[:0], h.stream[whole(h.stream, over):]...)
	}
	h.unsent = append(h.unsent, piece...)
	h.mu.Unlock()
}

// whole moves n on to the beginning of a character.
func whole(b []byte, n int) int {
	for n < len(b) && !utf8.RuneStart(b[n]) {
		n++
	}
	return n
}

// Saved implements run.Sink.
func (h *handle) Saved() {
	h.s.bus.send(dto.Event{Task: h.id, Kind: "saved"})
	h.tell()
}

// tell lets watchers know that something changed: at once when the last time was
// long enough ago, else with the next pulse of the run.
func (h *handle) tell() {
	h.mu.Lock()
	h.news = true
	now := h.s.cfg.Clock.Now()
	wait := h.running && now.Sub(h.told) < tellEvery && !now.Before(h.told)
	h.mu.Unlock()
	if !wait {
		h.send()
	}
}

// pulse sends what came since the last time, while a run goes on.
func (h *handle) pulse(ctx context.Context) {
	for h.s.cfg.Clock.Sleep(ctx, tellEvery) == nil {
		h.mu.Lock()
		news := h.news || len(h.unsent) > 0
		h.mu.Unlock()
		if news {
			h.send()
		}
	}
}

// send gives out the text that came since and, when there is news, the status,
// whose Stream is the whole text that is kept.
func (h *handle) send() {
	h.mu.Lock()
	text, news := h.unsent, h.news
	h.unsent, h.news, h.told = nil, false, h.s.cfg.Clock.Now()
	h.mu.Unlock()
	if !news {
		for len(text) > 0 {
			n := whole(text, min(streamPiece, len(text)))
			h.s.bus.send(dto.Event{Task: h.id, Kind: "stream", Text: strings.ToValidUTF8(string(text[:n]), "\uFFFD")})
			text = text[n:]
		}
		return
	}
	st := h.current()
	h.s.bus.send(dto.Event{Task: h.id, Kind: "status", Status: &st})
}
