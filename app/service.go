// Package app is what a person or a program operates: Service does everything
// that the window, the command line and the socket ask for, over the engine. It
// owns the running tasks, the watched folders, the model runtime and the events.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"cairn/app/dto"
	"cairn/app/home"
	"cairn/app/power"
	"cairn/app/problem"
	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/model"
	"cairn/engine/run"
	"cairn/engine/source"
	"cairn/engine/state"
	"cairn/engine/task"
)

// Config makes a Service. Store is open and owned by the caller, who closes it
// after Close.
type Config struct {
	Store  engine.Store
	Clock  engine.Clock
	Random engine.Random
	Home   home.Home
	// Version is the program's name and version: "cairn 0.1.0".
	Version string
	// Extract reads files; nil uses child processes of this program.
	Extract task.Extractor
	// Log gets one line for what nobody else is told. May be nil.
	Log io.Writer
	// Short is set by commands that do one thing and end: no folder is watched,
	// no runtime is looked for before it is needed, and nothing goes on by itself.
	Short bool
	// Patience is how long a run waits for an absent Ollama; 0 = for ever.
	Patience time.Duration
	// Numbers of the store for doctor: name → value. May be nil.
	Health func(context.Context) []dto.Check
	// Vault looks after the records as a whole; nil where Store has none.
	Vault Keeper
}

// Service implements dto.Service. Safe for concurrent use.
type Service struct {
	cfg     Config
	desk    *task.Desk
	bus     *bus
	models  *models
	extract task.Extractor
	worker  *source.Worker // nil when cfg.Extract was given

	ctx  context.Context // ends with Close
	end  context.CancelCauseFunc
	work sync.WaitGroup // everything that runs beside calls

	model chan struct{} // one token: one run at a time uses the model

	mu       sync.Mutex
	open     map[string]*handle
	previews map[string]preview
	prefs    dto.Preferences
	notices  []string // for the person, since this process began
	closing  bool
}

var _ dto.Service = (*Service)(nil)

// New makes a service. Unless Short, it begins at once to look for a runtime, to
// build the example at the first start, and to go on with what was running.
func New(ctx context.Context, cfg Config) (*Service, error) {
	s := &Service{
		cfg: cfg, desk: task.NewDesk(cfg.Store, cfg.Clock, cfg.Random, cfg.Version), bus: newBus(),
		extract: cfg.Extract, model: make(chan struct{}, 1), open: map[string]*handle{}, previews: map[string]preview{},
	}
	s.model <- struct{}{}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	if s.extract == nil {
		w, err := source.NewWorker(cfg.Home.Workers())
		if err != nil {
			return nil, fmt.Errorf("prepare to read documents: %w", err)
		}
		s.extract, s.worker = w, w
	}
	if err := s.loadPreferences(ctx); err != nil {
		return nil, err
	}
	s.models = newModels(s)
	if err := s.dropHalfErased(ctx); err != nil {
		s.report(fmt.Errorf("take back an unfinished deletion: %w", err))
	}
	if cfg.Short {
		return s, nil
	}
	if err := s.dropHalfImports(ctx); err != nil {
		s.report(fmt.Errorf("remove an unfinished import: %w", err))
	}
	if err := s.buildExample(ctx); err != nil {
		// Cairn without its example is whole; the person is not kept waiting for it.
		s.report(fmt.Errorf("build the example: %w", err))
	}
	s.spawn(s.models.keep)
	s.spawn(func(ctx context.Context) {
		power.Watch(ctx, cfg.Clock, power.Every, power.Hooks{Jumped: s.jumped})
	})
	s.spawn(s.goOn)
	return s, nil
}

// spawn runs fn beside everything else until Close; a panic in it is reported
// and ends only it.
func (s *Service) spawn(fn func(context.Context)) {
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		defer func() {
			if v := recover(); v != nil {
				s.report(problem.Caught(v))
			}
		}()
		fn(s.ctx)
	}()
}

// Drain ends all runs as "the program ends" and waits until they have saved, or
// ctx ends. Nothing new is started afterwards.
func (s *Service) Drain(ctx context.Context) {
	s.mu.Lock()
	s.closing = true
	var running []*handle
	for _, h := range s.open {
		running = append(running, h)
	}
	s.mu.Unlock()
	for _, h := range running {
		h.cancel(run.ErrQuit)
	}
	for _, h := range running {
		select {
		case <-h.ended():
		case <-ctx.Done():
			return
		}
	}
}

// Close drains for at most three seconds and ends everything that the service
// started, the built-in runtime included.
func (s *Service) Close() error {
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Second)
	defer stop()
	s.Drain(ctx)
	s.end(run.ErrQuit)
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	err := s.models.close()
	if s.worker != nil {
		err = errors.Join(err, s.worker.Close())
	}
	return err
}

// report logs what nobody else is told. What was only cancelled is no news: who
// cancelled it knows.
func (s *Service) report(err error) {
	if s.cfg.Log != nil && !problem.Cancelled(err) {
		fmt.Fprintln(s.cfg.Log, "cairn:", err)
	}
}

// now is the wall time in the reader's zone, for sentences.
func (s *Service) now() time.Time { return s.cfg.Clock.Now().Local() }

// jumped tells every run that the machine slept; false alarms cost one call.
func (s *Service) jumped(j power.Jump) {
	if j.Kind != power.Slept {
		return
	}
	s.models.reset()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.open {
		h.woke(j.Gap)
	}
}

// goOn takes up what was running when the last process ended.
func (s *Service) goOn(ctx context.Context) {
	branches, err := s.desk.Branches(ctx)
	if err != nil {
		s.report(fmt.Errorf("look for interrupted tasks: %w", err))
		return
	}
	s.mu.Lock()
	auto := s.prefs.AutoGoOn
	s.mu.Unlock()
	for _, b := range branches {
		if b.Damage != "" || !auto || !s.wasRunning(ctx, b.ID) {
			continue
		}
		if err := s.Run(ctx, b.ID); err != nil && ctx.Err() == nil {
			s.report(fmt.Errorf("go on with %s: %w", b.ID, err))
		}
	}
}

// wasRunning is this machine's record that a run had begun and not ended.
func (s *Service) wasRunning(ctx context.Context, branch string) bool {
	b, err := s.cfg.Store.Local(ctx, branch, "running")
	return err == nil && string(b) == "1"
}

func (s *Service) setRunning(ctx context.Context, branch string, on bool) error {
	value := "0"
	if on {
		value = "1"
	}
	return s.cfg.Store.PutLocal(ctx, branch, "running", []byte(value))
}

// me is the key that stands for this machine's person, "" before the first act.
func (s *Service) me(ctx context.Context) string {
	b, err := s.cfg.Store.Local(ctx, "desk", "person")
	if err != nil {
		return ""
	}
	return string(b)
}

// Watch calls fn for each event until ctx ends.
func (s *Service) Watch(ctx context.Context, task string, fn func(dto.Event)) error {
	if task != "" {
		if _, err := s.handle(ctx, task); err != nil {
			return err
		}
	}
	return s.bus.watch(ctx, task, fn)
}

// chatter asks whatever runtime is there at the time of the call.
type chatter struct{ models *models }

func (c chatter) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Reply, error) {
	client, err := c.models.client(ctx)
	if err != nil {
		return model.Reply{Outcome: model.Lost, Reason: model.ReasonConnection}, err
	}
	return client.Chat(ctx, r, onText)
}

func settings(t *task.Task) (set state.Settings) {
	_ = t.Read(func(st *state.State) error { set = st.Settings; return nil })
	return set
}

func usage(what, do string) error {
	return &engine.Error{Kind: engine.KindUsage, What: what, Safe: "Nothing was changed.", Do: do}
}

func notFound(what, do string) error {
	return &engine.Error{Kind: engine.KindNotFound, What: what, Safe: "Nothing was changed.", Do: do}
}

func engineSays(op ledger.Op) task.Entry { return task.Entry{By: ledger.Engine, Op: op} }
