package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/engine"
	"cairn/engine/model"
)

const (
	lookSoon  = 2 * time.Second  // while a set-up goes on beside the window
	lookLater = 30 * time.Second // when everything is there, or nothing is to be expected
	// setupFresh: a set-up that wrote nothing for so long is not going on any more.
	setupFresh = 10 * time.Minute
	starter    = "smollm2:135m" // what the starter model is called in Ollama
)

// models finds or starts the runtime and knows its models. A person's running
// Ollama comes first; the built-in one is started only when it has been built.
// Nothing is fetched here.
type models struct {
	s *Service

	mu      sync.Mutex
	cl      *model.Client
	own     *model.Runtime // the built-in one, when it was started
	version string
	list    []dto.Model
	setup   dto.Setup
	known   map[string]model.Capability // by digest and version
	poke    chan struct{}
	finding sync.Mutex // one search for a runtime at a time
}

func newModels(s *Service) *models {
	m := &models{s: s, known: map[string]model.Capability{}, poke: make(chan struct{}, 1)}
	m.setup = m.base("checking", "Looking for Ollama")
	return m
}

func (m *models) base(stage, sentence string) dto.Setup {
	return dto.Setup{Stage: stage, Sentence: sentence, LeftS: -1, Home: m.s.cfg.Home.Dir, Version: m.s.cfg.Version, Models: []dto.Model{}}
}

// client gives a client of a runtime that answers, starting the built-in one
// where that is needed. The error is KindModelAway.
func (m *models) client(ctx context.Context) (*model.Client, error) {
	m.mu.Lock()
	c := m.cl
	m.mu.Unlock()
	if c != nil {
		return c, nil
	}
	m.finding.Lock()
	defer m.finding.Unlock()
	m.mu.Lock()
	c = m.cl
	m.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c, version, own, err := m.find(ctx)
	if err != nil {
		return nil, err
	}
	list, err := m.models(ctx, c)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.cl, m.version, m.list = c, version, list
	if own != nil {
		m.own = own
	}
	for _, k := range m.known {
		c.Adopt(k)
	}
	m.mu.Unlock()
	return c, nil
}

// find looks for a running Ollama, then starts the built-in one. A person's
// Ollama that has no model yields to a built-in runtime that has or can get one.
func (m *models) find(ctx context.Context) (*model.Client, string, *model.Runtime, error) {
	m.s.mu.Lock()
	address := m.s.prefs.Ollama
	m.s.mu.Unlock()
	built := exists(m.s.cfg.Home.Runtime())
	c, version, err := model.FindRunning(ctx, m.s.cfg.Clock, address)
	if err == nil {
		if !built || address != "" {
			return c, version, nil, nil
		}
		if list, lerr := m.models(ctx, c); lerr != nil || len(usable(list)) > 0 {
			return c, version, nil, nil
		}
	}
	if !built || address != "" {
		if err == nil {
			return c, version, nil, nil
		}
		return nil, "", nil, err
	}
	m.mu.Lock()
	own := m.own
	m.mu.Unlock()
	if own != nil {
		select {
		case <-own.Done():
			if cerr := own.Close(); cerr != nil {
				m.s.report(fmt.Errorf("end the old runtime: %w", cerr))
			}
		default:
			return own.Client, own.Version, own, nil
		}
	}
	m.tell(m.base("starting_runtime", "Starting the built-in runtime"))
	own, serr := model.StartRuntime(ctx, model.RuntimeConfig{
		Binary: m.s.cfg.Home.Runtime(), Dir: m.s.cfg.Home.RuntimeDir(), Models: m.s.cfg.Home.Models(), Clock: m.s.cfg.Clock,
	})
	if serr != nil {
		if c != nil {
			return c, version, nil, nil
		}
		return nil, "", nil, serr
	}
	m.mu.Lock()
	m.own = own // kept even when what follows fails, so that it is ended at the end
	m.mu.Unlock()
	if err := m.starter(ctx, own); err != nil {
		m.s.report(fmt.Errorf("add the starter model: %w", err))
	}
	return own.Client, own.Version, own, nil
}

// starter adds the starter model from its file, when the runtime has none.
func (m *models) starter(ctx context.Context, own *model.Runtime) error {
	list, err := m.models(ctx, own.Client)
	if err != nil || len(usable(list)) > 0 {
		return err
	}
	files, err := filepath.Glob(m.s.cfg.Home.Starter())
	if err != nil || len(files) == 0 {
		return err
	}
	slices.Sort(files)
	var told time.Time
	return own.ImportGGUF(ctx, starter, files[0], func(_ string, done, total int64) {
		if now := m.s.cfg.Clock.Now(); now.Sub(told) >= tellEvery {
			told = now
			set := m.base("getting_model", "Adding the starter model")
			set.Done, set.Total = done, total
			m.tell(set)
		}
	})
}

// models lists what the runtime has, the largest usable one that a laptop can
// bear marked as default unless the person chose another.
func (m *models) models(ctx context.Context, c *model.Client) ([]dto.Model, error) {
	tags, err := c.Tags(ctx)
	if err != nil {
		return nil, err
	}
	m.s.mu.Lock()
	chosen := m.s.prefs.Model
	m.s.mu.Unlock()
	var out []dto.Model
	for _, t := range tags {
		d := dto.Model{Name: t.Name, Digest: t.Digest, Bytes: t.Bytes, Trial: small(t.Size), Note: t.Reject}
		if d.Note == "" && d.Trial {
			d.Note = "For trying only: it is far too small to be right about anything."
		}
		out = append(out, d)
	}
	best := -1
	for i, d := range out {
		if tags[i].Reject != "" {
			continue
		}
		switch {
		case sameModel(d.Name, chosen):
			best = i
		case best >= 0 && sameModel(out[best].Name, chosen):
		case best < 0, better(d, out[best]):
			best = i
		}
	}
	if best >= 0 {
		out[best].Default = true
	}
	return out, nil
}

// bearable is the size up to which a larger model is taken as the better default.
const bearable = 6 << 30

func better(a, b dto.Model) bool {
	if (a.Bytes <= bearable) != (b.Bytes <= bearable) {
		return a.Bytes <= bearable
	}
	if a.Bytes <= bearable {
		return a.Bytes > b.Bytes
	}
	return a.Bytes < b.Bytes
}

// small reads the server's own words for a size: "134.52M" is below a billion.
func small(size string) bool { return strings.HasSuffix(size, "M") || strings.HasSuffix(size, "K") }

// sameModel: a name without a tag means :latest.
func sameModel(a, b string) bool {
	full := func(s string) string {
		if s != "" && !strings.Contains(s, ":") {
			return s + ":latest"
		}
		return s
	}
	return a != "" && full(a) == full(b)
}

func usable(list []dto.Model) []dto.Model {
	var out []dto.Model
	for _, d := range list {
		if d.Default || d.Note == "" || d.Trial {
			out = append(out, d)
		}
	}
	return out
}

// fallback is the model for a task that names none, "" when there is none now.
func (m *models) fallback(ctx context.Context) string {
	if _, err := m.client(ctx); err != nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.list {
		if d.Default {
			return d.Name
		}
	}
	return ""
}

// reset drops connections from before a sleep and lets the runtime be looked for
// anew.
func (m *models) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cl != nil {
		m.cl.Reset()
	}
}

// forget makes the next call look for a runtime anew: the one known is away.
func (m *models) forget() {
	m.mu.Lock()
	m.cl = nil
	m.mu.Unlock()
	m.wake()
}

func (m *models) wake() {
	select {
	case m.poke <- struct{}{}:
	default:
	}
}

// ready probes the model of a task before its first call, once per digest and
// server version.
func (h *handle) ready(ctx context.Context) (model.Capability, error) {
	m := h.s.models
	name := settings(h.task).Model
	c, err := m.client(ctx)
	if err != nil {
		return model.Capability{}, err
	}
	found, err := c.Find(ctx, name)
	if err != nil {
		if engine.KindOf(err) == engine.KindModelAway {
			m.forget()
		}
		return model.Capability{}, err
	}
	m.mu.Lock()
	key := found.Digest + " " + m.version
	k, ok := m.known[key]
	m.mu.Unlock()
	if ok {
		// A probe by a real token: the port can answer while the runner is dead.
		if _, err := c.Probe(ctx, name, 0); err != nil {
			return model.Capability{}, err
		}
		c.Adopt(k)
		return k, nil
	}
	k, err = c.Preflight(ctx, name, model.DefaultNumCtx)
	if err != nil {
		if engine.KindOf(err) == engine.KindModelAway {
			m.forget()
		}
		return model.Capability{}, err
	}
	m.mu.Lock()
	m.known[key] = k
	m.mu.Unlock()
	return k, m.keepCapability(ctx, key, k)
}

// speed is what was measured of a model, on this machine at any time; ok is
// false when nothing was.
func (m *models) speed(name string) (k model.Capability, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.known {
		if sameModel(c.Model, name) && c.ReadRate > 0 {
			return c, true
		}
	}
	return k, false
}

// keepCapability stores what was found, on this machine only.
func (m *models) keepCapability(ctx context.Context, key string, k model.Capability) error {
	m.mu.Lock()
	body, err := json.Marshal(m.known)
	m.mu.Unlock()
	if err == nil {
		err = m.s.cfg.Store.PutLocal(ctx, "models", "known", body)
	}
	if err != nil {
		return fmt.Errorf("keep what was measured of %s: %w", k.Model, err)
	}
	return nil
}

func (m *models) loadKnown(ctx context.Context) {
	body, err := m.s.cfg.Store.Local(ctx, "models", "known")
	if err != nil {
		return // nothing was measured yet, or it is measured again
	}
	known := map[string]model.Capability{}
	if json.Unmarshal(body, &known) == nil {
		m.mu.Lock()
		m.known = known
		m.mu.Unlock()
	}
}

// keep looks for the runtime until the service ends and tells what it finds.
func (m *models) keep(ctx context.Context) {
	m.loadKnown(ctx)
	for {
		set, wait := m.look(ctx)
		m.tell(set)
		t := make(chan struct{})
		waitCtx, stop := context.WithCancel(ctx)
		go func() {
			defer close(t)
			_ = m.s.cfg.Clock.Sleep(waitCtx, wait) // it ends early when poked or at the end
		}()
		select {
		case <-ctx.Done():
		case <-t:
		case <-m.poke:
		}
		stop()
		<-t
		if ctx.Err() != nil {
			return
		}
	}
}

// look finds out where the set-up stands.
func (m *models) look(ctx context.Context) (dto.Setup, time.Duration) {
	beside, going := m.beside()
	c, err := m.client(ctx)
	if err == nil {
		var list []dto.Model
		if list, err = m.models(ctx, c); err != nil {
			m.mu.Lock()
			m.cl = nil
			m.mu.Unlock()
		} else {
			return m.found(ctx, c, list, beside, going)
		}
	}
	if going {
		return beside, lookSoon
	}
	set := m.base("no_model", "No Ollama answers. Search, reading and everything you do yourself work without it.")
	if beside.Stage == "error" {
		set = beside
	} else if !errors.Is(err, model.ErrAway) {
		p := problem.Of(err)
		set.Error = &p
	}
	return set, lookSoon * 5
}

func (m *models) found(ctx context.Context, c *model.Client, list []dto.Model, beside dto.Setup, going bool) (dto.Setup, time.Duration) {
	m.mu.Lock()
	own, version := m.own, m.version
	m.list = list
	builtin := own != nil && own.Client == c
	m.mu.Unlock()
	name := "Ollama " + version + " at " + c.Address().Host
	if builtin {
		name = "Built-in runtime, Ollama " + version
	}
	if len(usable(list)) > 0 {
		set := m.base("ready", "Ready: "+name)
		set.Runtime, set.Models = name, list
		return set, lookLater
	}
	if builtin { // a file may have come since it was started
		if err := m.starter(ctx, own); err != nil {
			m.s.report(fmt.Errorf("add the starter model: %w", err))
		} else if again, err := m.models(ctx, c); err == nil && len(usable(again)) > 0 {
			return m.found(ctx, c, again, beside, going)
		}
	}
	if !builtin && exists(m.s.cfg.Home.Runtime()) {
		m.mu.Lock()
		m.cl = nil // the built-in one was built meanwhile: use it
		m.mu.Unlock()
	}
	if going {
		beside.Runtime = name
		return beside, lookSoon
	}
	set := m.base("no_model", "The runtime has no model yet. Search, reading and everything you do yourself work without one.")
	set.Runtime, set.Models = name, list
	return set, lookSoon * 5
}

// beside reads what a set-up that runs beside the window says. going is false
// when it is over, or was ended without a word.
func (m *models) beside() (set dto.Setup, going bool) {
	path := m.s.cfg.Home.SetupFile()
	info, err := os.Stat(path)
	if err != nil {
		return dto.Setup{}, false
	}
	body, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(body, &set) != nil {
		return dto.Setup{}, false
	}
	set.Home, set.Version = m.s.cfg.Home.Dir, m.s.cfg.Version
	switch set.Stage {
	case "checking", "building_runtime", "starting_runtime", "getting_model":
		return dto.Whole(set), m.s.cfg.Clock.Now().Sub(info.ModTime()) < setupFresh
	}
	return dto.Whole(set), false
}

// tell keeps the newest and sends it when it says something else.
func (m *models) tell(set dto.Setup) {
	m.mu.Lock()
	same := reflect.DeepEqual(m.setup, set)
	m.setup = set
	m.mu.Unlock()
	if !same {
		m.s.bus.send(dto.Event{Kind: "setup", Setup: &set})
	}
}

func (m *models) close() error {
	m.mu.Lock()
	own := m.own
	m.own, m.cl = nil, nil
	m.mu.Unlock()
	if own == nil {
		return nil
	}
	if err := own.Close(); err != nil {
		return fmt.Errorf("end the built-in runtime: %w", err)
	}
	return nil
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !errors.Is(err, fs.ErrNotExist) && !info.IsDir()
}

// Setup says how the runtime and its models stand. A Short service looks now.
func (s *Service) Setup(ctx context.Context) (dto.Setup, error) {
	if s.cfg.Short {
		s.models.loadKnown(ctx)
		set, _ := s.models.look(ctx)
		return set, nil
	}
	s.models.mu.Lock()
	defer s.models.mu.Unlock()
	return s.models.setup, nil
}

// SetModel chooses the model of a task: a name, "" for the default, "-" for none.
func (s *Service) SetModel(ctx context.Context, task, name string) error {
	h, err := s.handle(ctx, task)
	if err != nil {
		return err
	}
	if name == "" {
		if name = s.models.fallback(ctx); name == "" {
			return usage("There is no model to choose.", "Start Ollama or wait until the runtime is ready.")
		}
	}
	if name != "-" {
		if err := s.knows(ctx, name); err != nil {
			return err
		}
	}
	if settings(h.task).Model == name {
		return nil
	}
	if err := h.task.Set(ctx, setModel(name)); err != nil {
		return err
	}
	h.after()
	return nil
}

// knows refuses a model that the runtime does not have. When no runtime answers
// the name is taken as it is: it may answer later.
func (s *Service) knows(ctx context.Context, name string) error {
	c, err := s.models.client(ctx)
	if err != nil {
		return nil //nolint:nilerr // an absent runtime says nothing about the name
	}
	_, err = c.Find(ctx, name)
	if k := engine.KindOf(err); err != nil && (k == engine.KindModelMissing || k == engine.KindRefused) {
		return err
	}
	return nil
}

// speedWords is the sentence about a model in the form.
func (s *Service) speedWords(name string) string {
	switch {
	case name == "-":
		return "No model: search shows the best sentences of each document, and you accept them."
	case name == "":
		return "No model is here yet. The task can begin without one: search works in seconds."
	}
	k, ok := s.models.speed(name)
	text := name
	if ok {
		text += fmt.Sprintf(" reads about %.0f tokens a second here and writes about %.0f.", k.ReadRate, k.WriteRate)
	} else {
		text += " was not measured on this computer yet; the times are guesses."
	}
	s.models.mu.Lock()
	defer s.models.mu.Unlock()
	for _, d := range s.models.list {
		if sameModel(d.Name, name) && d.Trial {
			text += " It is for trying only: far too small to be right about anything."
		}
	}
	return text
}
