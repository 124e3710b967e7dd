package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"cairn/engine/ledger"
)

// child is the parent's side of one worker process.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	errs   *tail
	served int
	gone   chan struct{} // closed when the process has ended
}

// ending says how one request went.
type ending struct {
	dead   bool   // there is no reply and no child any more
	ours   bool   // it was ended for its limits
	reason string // of a dead child
	spent  bool   // replied, but should not be used again
	err    error  // ctx ended
}

// The settings of a child travel in its environment; nothing else of the
// parent's does but what a process needs to run.
const (
	envCache  = "CAIRN_WORKER_CACHE"
	envMemory = "CAIRN_WORKER_MEMORY"
)

var keepEnv = []string{"PATH", "HOME", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "SystemRoot", "USERPROFILE", "GOCOVERDIR", "GORACE"}

func startChild(command []string, cache string, limits Limits) (*child, error) {
	if len(command) == 0 {
		return nil, errors.New("start the reading process: no command")
	}
	c := &child{cmd: exec.Command(command[0], command[1:]...), errs: &tail{}, gone: make(chan struct{})}
	for _, k := range keepEnv {
		if v, ok := os.LookupEnv(k); ok {
			c.cmd.Env = append(c.cmd.Env, k+"="+v)
		}
	}
	c.cmd.Env = append(c.cmd.Env, envCache+"="+cache, envMemory+"="+strconv.FormatInt(limits.Memory, 10))
	c.cmd.SysProcAttr = childAttributes()
	c.cmd.Stderr = c.errs
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start the reading process: %w", err)
	}
	// An own pipe: Wait closes the one of StdoutPipe while it is being read.
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the reading process: %w", err)
	}
	c.cmd.Stdout, c.out = w, r
	err = c.cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("start the reading process: %w", err)
	}
	go func() {
		_ = c.cmd.Wait() // how it ended is told by the pipe and by ProcessState
		close(c.gone)
	}()
	return c, nil
}

// serve sends one request and waits for the reply, the limits or ctx.
func (c *child) serve(ctx context.Context, path string, limits Limits) (Document, ending) {
	c.served++
	type answer struct {
		doc   Document
		spent bool
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		if a.err = writeJSON(c.in, request{Path: []byte(path)}); a.err == nil {
			a.doc, a.spent, a.err = c.reply(path)
		}
		done <- a
	}()
	deadline := time.NewTimer(limits.Timeout)
	defer deadline.Stop()
	look := time.NewTicker(40 * time.Millisecond)
	defer look.Stop()
	stop := func(e ending) (Document, ending) {
		e.dead = true
		c.kill()
		<-done
		return Document{}, e
	}
	for {
		select {
		case a := <-done:
			if a.err != nil {
				return Document{}, ending{dead: true, reason: c.cause(a.err)}
			}
			return a.doc, ending{spent: a.spent}
		case <-ctx.Done():
			return stop(ending{err: ctx.Err()})
		case <-deadline.C:
			return stop(ending{ours: true, reason: Timeout})
		case <-look.C:
			if resident(c.cmd.Process.Pid) > limits.Memory {
				return stop(ending{ours: true, reason: Memory})
			}
		}
	}
}

// reply reads three frames and believes none of them: a document may have taken
// the child over.
func (c *child) reply(path string) (Document, bool, error) {
	head, err := readFrame(c.out, maxHeader)
	if err != nil {
		return Document{}, false, err
	}
	body, err := readFrame(c.out, MaxText)
	if err != nil {
		return Document{}, false, err
	}
	table, err := readFrame(c.out, maxTable)
	if err != nil {
		return Document{}, false, err
	}
	var h replyHeader
	if err := json.Unmarshal(head, &h); err != nil {
		return Document{}, false, fmt.Errorf("read reply: %w", err)
	}
	d := Document{Name: filepath.Base(path), Title: clip(strings.ToValidUTF8(h.Title, ""), 300), Media: h.Media, Extractor: h.Extractor,
		Reason: h.Reason, Bytes: h.Bytes, Pages: h.Pages, BadPages: h.BadPages}
	if h.File != "" {
		if d.File, err = ledger.ParseHash(h.File); err != nil {
			return Document{}, false, fmt.Errorf("read reply: %w", err)
		}
	}
	if d.Reason != "" {
		return d, h.Spent, nil
	}
	d.Body = body
	if d.Table, err = DecodeTable(table); err != nil {
		return Document{}, false, fmt.Errorf("read reply: %w", err)
	}
	if err := d.Table.Check(body); err != nil || !utf8.Valid(body) {
		return Document{}, false, fmt.Errorf("read reply: table and text do not fit: %w", err)
	}
	return d, h.Spent, nil
}

// cause says why a child gave no reply. One that sent nonsense still lives.
func (c *child) cause(err error) string {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		select {
		case <-c.gone: // the pipe broke because it died
		default:
			c.kill()
			return Damaged
		}
	}
	t := time.NewTimer(2 * time.Second)
	defer t.Stop()
	select {
	case <-c.gone:
	case <-t.C: // it closed its output and went on
		c.kill()
		return Damaged
	}
	s := c.errs.String()
	if strings.Contains(s, "out of memory") || strings.Contains(s, "cannot allocate memory") || strings.Contains(s, overMemory) || killedBySystem(c.cmd.ProcessState) {
		return Memory
	}
	return Damaged
}

// kill ends the process and waits until it is gone.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // an error means that it is gone already
	<-c.gone
	c.in.Close()
	c.out.Close()
}

// close lets an idle child end by itself, for a moment.
func (c *child) close() {
	c.in.Close()
	t := time.NewTimer(2 * time.Second)
	defer t.Stop()
	select {
	case <-c.gone:
	case <-t.C:
		c.kill()
	}
	c.out.Close()
}

// tail keeps the end of what a child wrote to stderr.
type tail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.b.Len() < 64<<10 { // a crash names its cause first
		t.b.Write(p[:min(len(p), 64<<10)])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}
