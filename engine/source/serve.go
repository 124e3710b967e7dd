package source

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"time"

	"cairn/engine/ledger"
)

// overMemory is what a child says before it ends itself.
const overMemory = "cairn worker: over its memory limit"

// RunWorker is the child's side: it serves requests from in until in ends. It
// confines the whole process first, so it is not for use inside another program.
func RunWorker(in io.Reader, out io.Writer) error {
	memory, err := strconv.ParseInt(os.Getenv(envMemory), 10, 64)
	if err != nil || memory <= 0 {
		memory = Limits{}.withDefaults().Memory
	}
	if out == io.Writer(os.Stdout) {
		os.Stdout = os.Stderr // a library that prints must not break the frames
	}
	confine(memory)
	debug.SetMemoryLimit(memory * 3 / 4) // collects harder before the limit is met
	debug.SetMaxStack(64 << 20)
	var busy atomic.Bool
	go watchMemory(memory)
	requests := make(chan request)
	ended := make(chan error, 1)
	go func() {
		defer close(requests)
		for {
			b, err := readFrame(in, maxHeader)
			if err != nil {
				if busy.Load() {
					endProcess() // the parent is gone: nobody waits for this file
				}
				if errors.Is(err, io.EOF) {
					err = nil
				}
				ended <- err
				return
			}
			var r request
			if err := json.Unmarshal(b, &r); err != nil {
				ended <- fmt.Errorf("read request: %w", err)
				return
			}
			busy.Store(true)
			requests <- r
		}
	}()
	x := &extractor{cache: os.Getenv(envCache)}
	for r := range requests {
		d, spent := x.file(string(r.Path))
		h := replyHeader{Title: d.Title, Media: d.Media, Extractor: d.Extractor, Reason: d.Reason, Bytes: d.Bytes, Pages: d.Pages,
			BadPages: d.BadPages, Spent: spent}
		if !d.File.IsZero() {
			h.File = d.File.String()
		}
		table := []byte(nil)
		if d.Reason == "" {
			table = d.Table.Encode()
		}
		busy.Store(false)
		if err := errors.Join(writeJSON(out, h), writeFrame(out, d.Body), writeFrame(out, table)); err != nil {
			return fmt.Errorf("answer request: %w", err)
		}
	}
	return <-ended
}

// file reads and extracts the file at path.
func (x *extractor) file(path string) (Document, bool) {
	d := Document{Name: filepath.Base(path), Reason: Denied}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		d.Reason = Vanished
		return d, false
	}
	if err != nil || !info.Mode().IsRegular() {
		return d, false
	}
	if info.Size() > MaxFile {
		var head []byte
		if d.File, d.Bytes, head, err = hashFile(path); err != nil {
			return Document{Name: d.Name, Reason: Denied}, false
		}
		d.Media, _ = kindOfFile(d.Name, head)
		d.Reason = TooLarge
		return d, false
	}
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			d.Reason = Vanished
		}
		return d, false
	}
	raw, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	f.Close()
	if err != nil {
		return d, false
	}
	if len(raw) > MaxFile { // grew since
		d.File, d.Bytes, _, _ = hashFile(path)
		d.Reason = TooLarge
		return d, false
	}
	sum := sha256.Sum256(raw)
	d, spent := x.safely(path, raw)
	d.File, d.Bytes = ledger.Hash(sum), int64(len(raw))
	return d, spent
}

// watchMemory ends the process when Go's own memory passes the limit. Where the
// parent can see the whole process (Linux) it does so too; this one also works
// where it can't.
func watchMemory(limit int64) {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	t := time.NewTicker(50 * time.Millisecond)
	defer t.Stop()
	for range t.C {
		metrics.Read(s)
		if int64(s[0].Value.Uint64()-s[1].Value.Uint64()) > limit {
			fmt.Fprintln(os.Stderr, overMemory)
			endProcess()
		}
	}
}

// endProcess ends this process at once, whatever its other threads do.
func endProcess() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		panic(err) // there is no other way out
	}
	select {} // the signal is on its way
}
