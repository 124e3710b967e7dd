// Package socket lets one process use the service of another: the owner of the
// home folder serves any dto.Service on a Unix-domain socket, and Client is a
// dto.Service that calls it. The protocol is HTTP with JSON: POST /v1/<Method>
// with the arguments as a JSON list gives {"result": …}, or a status of 400 and
// more with a dto.Problem; Watch answers with one event a line until the caller
// goes away. Both sides are the same version of the same program, or say so.
package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/engine"
)

const (
	prefix    = "/v1/"
	maxBody   = 1 << 20          // bytes of the arguments of a call
	heartbeat = 10 * time.Second // an empty line, so that both sides notice a dead peer
)

var serviceType = reflect.TypeFor[dto.Service]()

// Hello is what the owner says of itself.
type Hello struct {
	Version string `json:"version"`
	Window  bool   `json:"window"` // the owner shows a window
}

// Server serves a service until Close.
type Server struct {
	service dto.Service
	hello   Hello
	show    func(files []string)
	http    *http.Server
	listen  net.Listener

	mu      sync.Mutex
	watches int
	idle    chan struct{} // closed when watches falls to 0; nil when it is 0
	end     chan struct{}
}

// Listen makes the socket at path (0600, in a folder of mode 0700) and serves s
// in the background. Only the holder of the home folder's lock may call it: what
// lies at path is a leftover of a process that died, and is replaced. show, which
// may be nil, is called when a second start asks the window to show itself.
func Listen(path string, s dto.Service, hello Hello, show func(files []string)) (*Server, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the socket's folder: %w", err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the old socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("open the socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("close the socket to others: %w", err), l.Close())
	}
	v := &Server{service: s, hello: hello, show: show, listen: l, end: make(chan struct{})}
	v.http = &http.Server{Handler: v, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = v.http.Serve(l) }() // it ends with Close; every request reports its own errors
	return v, nil
}

// Idle waits until nobody watches any more, or ctx ends: an owner that is a
// command of its own must not leave while others follow a run in it.
func (v *Server) Idle(ctx context.Context) error {
	v.mu.Lock()
	idle := v.idle
	v.mu.Unlock()
	if idle == nil {
		return ctx.Err()
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the watches, lets calls that run finish for at most two seconds,
// and removes the socket.
func (v *Server) Close() error {
	v.mu.Lock()
	select {
	case <-v.end:
	default:
		close(v.end)
	}
	v.mu.Unlock()
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
	defer stop()
	err := v.http.Shutdown(ctx)
	if err != nil {
		err = v.http.Close()
	}
	// A server that was closed before it began to serve does not know its listener.
	if lerr := v.listen.Close(); lerr != nil && !errors.Is(lerr, net.ErrClosed) {
		err = errors.Join(err, lerr)
	}
	if err != nil {
		return fmt.Errorf("close the socket: %w", err)
	}
	return nil
}

// ServeHTTP answers one call.
func (v *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			fail(w, problem.Caught(p))
		}
	}()
	name, ok := strings.CutPrefix(r.URL.Path, prefix)
	if !ok || r.Method != http.MethodPost {
		fail(w, unknown(r.URL.Path))
		return
	}
	var args []json.RawMessage
	if err := json.NewDecoder(io.LimitReader(r.Body, maxBody)).Decode(&args); err != nil {
		fail(w, &engine.Error{Kind: engine.KindUsage, What: "The call could not be read.", Safe: "Nothing was done.", Err: err})
		return
	}
	switch name {
	case "hello":
		reply(w, v.hello)
	case "show":
		v.showWindow(w, args)
	case "Watch":
		v.watch(w, r, args)
	default:
		v.call(w, r, name, args)
	}
}

func (v *Server) showWindow(w http.ResponseWriter, args []json.RawMessage) {
	var files []string
	if len(args) > 0 {
		if err := json.Unmarshal(args[0], &files); err != nil {
			fail(w, &engine.Error{Kind: engine.KindUsage, What: "The list of files could not be read.", Err: err})
			return
		}
	}
	if v.show != nil {
		v.show(files)
	}
	reply(w, v.hello)
}

// call finds the method by its name in dto.Service, so none can be forgotten.
func (v *Server) call(w http.ResponseWriter, r *http.Request, name string, args []json.RawMessage) {
	m, ok := serviceType.MethodByName(name)
	if !ok {
		fail(w, unknown(name))
		return
	}
	if m.Type.NumIn() != len(args)+1 {
		fail(w, &engine.Error{Kind: engine.KindUsage, What: fmt.Sprintf("%s takes %d values and got %d.", name, m.Type.NumIn()-1, len(args)), Safe: "Nothing was done.", Do: "Use the same version of Cairn on both sides."})
		return
	}
	in := []reflect.Value{reflect.ValueOf(r.Context())}
	for i, raw := range args {
		p := reflect.New(m.Type.In(i + 1))
		if err := json.Unmarshal(raw, p.Interface()); err != nil {
			fail(w, &engine.Error{Kind: engine.KindUsage, What: fmt.Sprintf("Value %d of %s could not be read.", i+1, name), Safe: "Nothing was done.", Err: err})
			return
		}
		in = append(in, p.Elem())
	}
	out := reflect.ValueOf(v.service).MethodByName(name).Call(in)
	if err, _ := out[len(out)-1].Interface().(error); err != nil {
		fail(w, err)
		return
	}
	if len(out) == 1 {
		reply(w, nil)
		return
	}
	reply(w, out[0].Interface())
}

func (v *Server) watch(w http.ResponseWriter, r *http.Request, args []json.RawMessage) {
	var task string
	if len(args) != 1 || json.Unmarshal(args[0], &task) != nil {
		fail(w, &engine.Error{Kind: engine.KindUsage, What: "Watch takes the id of a task.", Safe: "Nothing was done."})
		return
	}
	v.enter()
	defer v.leave()
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	// The events arrive from the service's goroutine and the heartbeat from
	// another; one lock keeps lines whole.
	var mu sync.Mutex
	flush := http.NewResponseController(w)
	send := func(line []byte) {
		mu.Lock()
		defer mu.Unlock()
		if _, err := w.Write(append(line, '\n')); err != nil {
			stop()
			return
		}
		if flush.Flush() != nil {
			stop()
		}
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	send(nil)
	beat := make(chan struct{})
	go func() {
		defer close(beat)
		t := time.NewTicker(heartbeat)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-v.end:
				stop()
				return
			case <-t.C:
				send(nil)
			}
		}
	}()
	err := v.service.Watch(ctx, task, func(e dto.Event) {
		if line, err := json.Marshal(dto.Whole(e)); err == nil {
			send(line)
		}
	})
	if err != nil && ctx.Err() == nil {
		if line, merr := json.Marshal(failure{Error: problem.Of(err)}); merr == nil {
			send(line)
		}
	}
	stop()
	<-beat
}

func (v *Server) enter() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.watches++; v.watches == 1 {
		v.idle = make(chan struct{})
	}
}

func (v *Server) leave() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.watches--; v.watches == 0 {
		close(v.idle)
		v.idle = nil
	}
}

// failure is the body of an answer that is an error.
type failure struct {
	Error dto.Problem `json:"error"`
}

// success is the body of an answer that is not.
type success struct {
	Result any `json:"result"`
}

func reply(w http.ResponseWriter, v any) {
	v = dto.WholeAny(v)
	body, err := json.Marshal(success{v})
	if err != nil {
		fail(w, fmt.Errorf("write the answer: %w", err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // the caller went away; there is nobody left to tell
}

func fail(w http.ResponseWriter, err error) {
	body, merr := json.Marshal(failure{problem.Of(err)})
	if merr != nil {
		body = []byte(`{"error":{"kind":"internal","what":"The error could not be written.","safe":"","do":""}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnprocessableEntity)
	_, _ = w.Write(body)
}

func unknown(what string) error {
	return &engine.Error{
		Kind: engine.KindUsage, What: "The running Cairn does not know “" + what + "”.",
		Safe: "Nothing was done.", Do: "Use the same version of Cairn on both sides.",
	}
}
