package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"cairn/engine"
)

// Progress is told how far adding a model is. total is 0 when it is not known.
type Progress func(stage string, done, total int64)

// chatML is the form of prompt that most small instruct models were trained on.
// It is sent for an import whose own form the server did not recognise.
const chatML = "{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"

// ImportGGUF gives a model file to the server under a name, without a network.
// What the server has already is not sent again, and the blob and the model are
// made in one go, because a server that starts in between deletes the blob.
// Errors are *engine.Error; a file that can't be read is KindSource.
func (c *Client) ImportGGUF(ctx context.Context, name, path string, progress Progress) error {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	if err := c.importGGUF(ctx, name, path, progress); err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			return &engine.Error{Kind: engine.KindSource, What: fmt.Sprintf("The model file %s can't be read.", filepath.Base(path)),
				Safe: "Nothing was changed.", Do: "Check that the file is there and may be read.", Err: err}
		}
		return explain(fmt.Errorf("add model: %w", err), name, c.addr.Host)
	}
	card, err := c.Show(ctx, name)
	if err != nil {
		return err
	}
	if card.templateOK() {
		return nil
	}
	progress("template", 0, 0)
	err = c.create(ctx, map[string]any{
		"model": name, "from": name, "template": chatML, "parameters": map[string]any{"stop": []string{"<|im_start|>", "<|im_end|>"}},
	}, progress)
	if err != nil {
		return explain(fmt.Errorf("give the model its template: %w", err), name, c.addr.Host)
	}
	return nil
}

func (c *Client) importGGUF(ctx context.Context, name, path string, progress Progress) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	magic := make([]byte, 4)
	if _, err := io.ReadFull(f, magic); err != nil || string(magic) != "GGUF" {
		return fmt.Errorf("%w: %s is not a GGUF file", ErrRefused, filepath.Base(path))
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read model file: %w", err)
	}
	sum := sha256.New()
	in := &counted{r: f, total: st.Size(), tell: func(done, total int64) { progress("checking", done, total) }, ctx: ctx}
	if _, err := io.Copy(sum, in); err != nil {
		return fmt.Errorf("read model file: %w", err)
	}
	digest := "sha256:" + hex.EncodeToString(sum.Sum(nil))
	if err := c.putBlob(ctx, digest, f, st.Size(), progress); err != nil {
		return err
	}
	return c.create(ctx, map[string]any{"model": name, "files": map[string]string{filepath.Base(path): digest}}, progress)
}

func (c *Client) putBlob(ctx context.Context, digest string, f *os.File, size int64, progress Progress) error {
	ctx, w := startWatch(ctx, c.clock, Limits{FirstByte: 5 * time.Minute, Gap: 5 * time.Minute}, c.ticks)
	defer w.stop()
	resp, err := c.send(ctx, http.MethodHead, "/api/blobs/"+digest, nil, 0)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read model file: %w", err)
	}
	in := &counted{r: f, total: size, ctx: ctx, tell: func(done, total int64) {
		w.touch()
		progress("copying", done, total)
	}}
	resp, err = c.send(ctx, http.MethodPost, "/api/blobs/"+digest, in, size)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated && resp.StatusCode != http.StatusOK {
		return refusal(resp)
	}
	return nil
}

func (c *Client) create(ctx context.Context, in map[string]any, progress Progress) error {
	in["stream"] = true
	return c.follow(ctx, "/api/create", in, "creating", progress)
}

// Pull has the server fetch a model from its makers' library. It uses the
// network, so call it only after a person's click.
func (c *Client) Pull(ctx context.Context, name string, progress Progress) error {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	err := error(nil)
	if cloudName(name) {
		err = ErrRemote
	} else {
		err = c.follow(ctx, "/api/pull", map[string]any{"model": name, "stream": true}, "fetching", progress)
	}
	if err != nil {
		return explain(fmt.Errorf("fetch model: %w", err), name, c.addr.Host)
	}
	return nil
}

// follow makes a call that answers with a stream of status lines, and succeeds
// only when the last one says so.
func (c *Client) follow(ctx context.Context, path string, in map[string]any, stage string, progress Progress) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	// A large file is converted or checked without a word for a long time.
	ctx, w := startWatch(ctx, c.clock, Limits{FirstByte: 10 * time.Minute, Gap: 10 * time.Minute}, c.ticks)
	defer w.stop()
	resp, err := c.send(ctx, http.MethodPost, path, bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return refusal(resp)
	}
	lines := newLines(resp.Body)
	for {
		lines.read = 0 // a long download has many lines; each is bounded
		line, err := lines.next(json.Valid)
		if errors.Is(err, io.EOF) || errors.Is(err, errHalf) {
			return fmt.Errorf("%w: the server stopped telling before it was finished", ErrLost)
		}
		if err != nil {
			return connError(ctx, err)
		}
		w.touch()
		var s struct {
			Status    string  `json:"status"`
			Error     *string `json:"error"`
			Total     int64   `json:"total"`
			Completed int64   `json:"completed"`
		}
		if err := json.Unmarshal(line, &s); err != nil {
			return fmt.Errorf("%w: %w", ErrProtocol, err)
		}
		if s.Error != nil {
			return classify(0, *s.Error)
		}
		progress(stage, s.Completed, s.Total)
		if s.Status == "success" {
			return nil
		}
	}
}

// ImportGGUF adds a model file to the built-in runtime, after a look at the
// space on its disk: the file is copied there.
func (r *Runtime) ImportGGUF(ctx context.Context, name, path string, progress Progress) error {
	if st, err := os.Stat(path); err == nil {
		if err := r.room(st.Size()); err != nil {
			return err
		}
	}
	return r.Client.ImportGGUF(ctx, name, path, progress)
}

// room makes sure that a file of size bytes fits, with some space left over.
func (r *Runtime) room(size int64) error {
	free, err := freeBytes(r.models)
	if err != nil {
		return fmt.Errorf("look at free space: %w", err)
	}
	if need := size + size/10 + 64<<20; free < need {
		return &engine.Error{Kind: engine.KindDiskFull,
			What: fmt.Sprintf("The model needs %s of space, and %s are free.", Bytes(need), Bytes(free)),
			Safe: "Nothing was copied.", Do: fmt.Sprintf("Free %s and try again.", Bytes(need-free)), Err: ErrDisk}
	}
	return nil
}

// Bytes writes a size for people: "98 MB".
func Bytes(n int64) string {
	switch {
	case n >= 10_000_000_000:
		return fmt.Sprintf("%d GB", n/1_000_000_000)
	case n >= 1_000_000_000:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1_000_000:
		return fmt.Sprintf("%d MB", n/1_000_000)
	case n >= 1000:
		return fmt.Sprintf("%d KB", n/1000)
	}
	return fmt.Sprintf("%d bytes", n)
}

// counted reads on, tells how far it is, and stops with ctx.
type counted struct {
	ctx   context.Context
	r     io.Reader
	done  int64
	total int64
	tell  func(done, total int64)
}

func (c *counted) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.done += int64(n)
	if n > 0 {
		c.tell(c.done, c.total)
	}
	return n, err
}
