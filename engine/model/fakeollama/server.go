// Package fakeollama is a server that speaks as much of Ollama's language as
// Cairn uses, and behaves as it is told: well, slowly, wrongly or not at all. It
// is for tests and for trying the program without a model.
//
// In its simple mode (New) a reply is a function of the prompt, never of the
// number of the call, so a run that is killed and resumed ends where an unbroken
// one does. With Script each call can be given any status, bytes, boundaries,
// delays and ending.
package fakeollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Clock is the time that delays are taken from; engine.Clock fits.
type Clock interface {
	Sleep(ctx context.Context, d time.Duration) error
}

// Message is one message of a chat.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ChatRequest is what was asked.
type ChatRequest struct {
	Model     string          `json:"model"`
	Messages  []Message       `json:"messages"`
	Stream    *bool           `json:"stream"`
	Think     json.RawMessage `json:"think"`
	Truncate  *bool           `json:"truncate"`
	Shift     *bool           `json:"shift"`
	KeepAlive json.RawMessage `json:"keep_alive"`
	Format    json.RawMessage `json:"format"`
	Options   map[string]any  `json:"options"`
}

// System gives the text of the system messages.
func (r ChatRequest) System() string { return r.join("system") }

// Prompt gives the text of all other messages.
func (r ChatRequest) Prompt() string { return r.join("") }

func (r ChatRequest) join(role string) string {
	var parts []string
	for _, m := range r.Messages {
		if (m.Role == "system") == (role == "system") {
			parts = append(parts, m.Content)
		}
	}
	return strings.Join(parts, "\n\n")
}

// Int gives a number of the options, 0 when it is absent.
func (r ChatRequest) Int(option string) int {
	f, ok := r.Options[option].(float64)
	if !ok {
		return 0
	}
	return int(f)
}

// Recorded is one request as it came in.
type Recorded struct {
	Method, Path string
	Header       http.Header
	Body         []byte       // of chat, show, create and pull; not of blobs
	Chat         *ChatRequest // of /api/chat
	Raw          map[string]json.RawMessage
}

// Server is the fake. Its fields may be set before it starts; afterwards use Set.
type Server struct {
	// Reply answers a chat when Script is nil or gives nothing for it.
	Reply func(ChatRequest) string
	// Script, when set, is asked first. n counts the chats from 0.
	Script func(r ChatRequest, n int) *Script

	Clock     Clock // nil = real time
	VersionIs string
	Models    []Model
	// Read and Write are the simulated speed in tokens a second, 0 = at once.
	// A prompt's beginning that it shares with the one before is read at once.
	Read, Write float64
	// LoadTime is added to a call for a model that is not loaded, or loaded with
	// other runner options.
	LoadTime time.Duration
	// CutSilently makes an over-long prompt answer 200 with its count capped,
	// whatever truncate says, as some servers do for some models.
	CutSilently bool
	// RunnerDead leaves the port and the version answering while chats are silent.
	RunnerDead bool

	mu       sync.Mutex
	slot     chan struct{}
	requests []Recorded
	chats    int
	last     string // the prompt in the cache
	loaded   map[string]string
	loads    int
	blobs    map[string]int64
	http     *http.Server
	addr     string
	stopped  chan struct{}
}

// Model is one model of the fake. The zero value of a field means a sensible
// default.
type Model struct {
	Name         string
	Digest       string
	Bytes        int64
	Parameters   int64    // default 3e9
	Size         string   // default by Parameters
	Context      int      // trained context, default 32768
	Template     string   // default a chat template
	Capabilities []string // default completion
	RemoteHost   string
	RemoteModel  string
	VRAM         int64 // of Bytes
}

// DefaultModel is the model of a fake that was given none.
const DefaultModel = "fake:3b"

// New makes a fake whose reply is a function of the request.
func New(reply func(ChatRequest) string) *Server {
	return &Server{Reply: reply}
}

func (s *Server) prepare() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slot == nil {
		s.slot = make(chan struct{}, 1)
		s.loaded = map[string]string{}
		s.blobs = map[string]int64{}
		s.stopped = make(chan struct{})
	}
	if s.Clock == nil {
		s.Clock = realTime{}
	}
	if s.VersionIs == "" {
		s.VersionIs = "0.17.4"
	}
	if len(s.Models) == 0 {
		s.Models = []Model{{Name: DefaultModel}}
	}
}

// Start listens on a free loopback port.
func (s *Server) Start() error { return s.StartAt("127.0.0.1:0") }

// StartAt listens at an address; the same one again after Stop, if need be.
func (s *Server) StartAt(addr string) error {
	s.prepare()
	var l net.Listener
	var err error
	for range 100 { // connections that were reset can hold the port for a moment
		if l, err = net.Listen("tcp", addr); err == nil {
			break
		}
		if strings.HasSuffix(addr, ":0") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("listen at %s: %w", addr, err)
	}
	srv := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	s.mu.Lock()
	s.http, s.addr = srv, l.Addr().String()
	s.stopped = make(chan struct{})
	s.slot = make(chan struct{}, 1)
	s.loaded, s.last = map[string]string{}, ""
	s.mu.Unlock()
	go func() {
		if err := srv.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			fmt.Println("fakeollama:", err)
		}
	}()
	return nil
}

// TB is what Run needs of a test.
type TB interface {
	Helper()
	Fatal(args ...any)
	Cleanup(fn func())
}

// Run starts the fake for a test, ends it with the test, and gives its address.
func (s *Server) Run(t TB) string {
	t.Helper()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s.Address()
}

// Address gives host:port of the last start.
func (s *Server) Address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// Stop cuts every connection, as a killed server does.
func (s *Server) Stop() {
	s.mu.Lock()
	srv := s.http
	s.http = nil
	if srv != nil {
		close(s.stopped)
	}
	s.mu.Unlock()
	if srv != nil {
		_ = srv.Close() // every connection is cut; there is nothing to mend
	}
}

// Restart stops the fake and starts it again on the same port.
func (s *Server) Restart() error {
	s.Stop()
	return s.StartAt(s.Address())
}

// Set changes fields while the fake runs.
func (s *Server) Set(fn func(*Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn(s)
}

// Requests gives everything that came in so far.
func (s *Server) Requests() []Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Recorded(nil), s.requests...)
}

// Chats gives the chats that came in so far.
func (s *Server) Chats() []ChatRequest {
	var out []ChatRequest
	for _, r := range s.Requests() {
		if r.Chat != nil {
			out = append(out, *r.Chat)
		}
	}
	return out
}

// Loads counts how often a model was loaded: once for each change of the model
// or of its runner options.
func (s *Server) Loads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads
}

// Serve runs a fake at an address until ctx ends, for use as a program.
func Serve(ctx context.Context, addr string, s *Server) error {
	if err := s.StartAt(addr); err != nil {
		return err
	}
	<-ctx.Done()
	s.Stop()
	return nil
}

// ServeHTTP makes the fake usable with httptest.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.prepare()
	rec := Recorded{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone()}
	if !strings.HasPrefix(r.URL.Path, "/api/blobs/") {
		b, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
		if err != nil {
			return // the client left
		}
		rec.Body = b
		if len(b) > 0 {
			if err := json.Unmarshal(b, &rec.Raw); err != nil {
				s.record(rec)
				fail(w, http.StatusBadRequest, err.Error())
				return
			}
		}
	}
	if r.URL.Path == "/api/chat" {
		var c ChatRequest
		if err := json.Unmarshal(rec.Body, &c); err != nil {
			s.record(rec)
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		rec.Chat = &c
	}
	n := s.record(rec)
	switch path := r.URL.Path; {
	case path == "/":
		fmt.Fprint(w, "Ollama is running")
	case path == "/api/version":
		answer(w, map[string]any{"version": s.get().VersionIs})
	case path == "/api/tags":
		s.tags(w)
	case path == "/api/show":
		s.show(w, rec)
	case path == "/api/ps":
		s.ps(w)
	case strings.HasPrefix(path, "/api/blobs/"):
		s.blob(w, r, strings.TrimPrefix(path, "/api/blobs/"))
	case path == "/api/create":
		s.create(w, rec)
	case path == "/api/pull":
		s.pull(w, rec)
	case path == "/api/chat":
		s.chat(w, r, *rec.Chat, n)
	default:
		http.NotFound(w, r)
	}
}

// record keeps a request and gives the number of the chat.
func (s *Server) record(r Recorded) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if r.Chat != nil {
		s.chats++
	}
	return s.chats - 1
}

// settings is a copy of what may change while the fake runs.
type settings struct {
	Reply       func(ChatRequest) string
	Script      func(ChatRequest, int) *Script
	Clock       Clock
	VersionIs   string
	Models      []Model
	Read, Write float64
	LoadTime    time.Duration
	CutSilently bool
	RunnerDead  bool
	slot        chan struct{}
	stopped     chan struct{}
}

func (s *Server) get() settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return settings{s.Reply, s.Script, s.Clock, s.VersionIs, append([]Model(nil), s.Models...), s.Read, s.Write,
		s.LoadTime, s.CutSilently, s.RunnerDead, s.slot, s.stopped}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v) // the client left
}

func fail(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text}) // the client left
}

// realTime waits in real time.
type realTime struct{}

func (realTime) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
