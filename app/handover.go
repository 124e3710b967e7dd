package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/app/view"
	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/handoff"
	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/task"
)

// preview is a file that was read and waits for the person's word.
type preview struct {
	parsed *handoff.Parsed
	name   string
}

// maxPreviews bounds what waits; the oldest goes first.
const maxPreviews = 4

// render makes the bytes of a task's export.
func (s *Service) render(ctx context.Context, id string, withhold bool) ([]byte, error) {
	h, err := s.handle(ctx, id)
	if err != nil {
		return nil, err
	}
	return h.task.HandOff(ctx, withhold)
}

// RenderExport is the finished page as Export would write it.
func (s *Service) RenderExport(ctx context.Context, id string, withhold bool) (string, error) {
	body, err := s.render(ctx, id, withhold)
	return string(body), err
}

// Export writes a task's hand-off file and verifies what it wrote. An existing
// file is replaced whole or not at all.
func (s *Service) Export(ctx context.Context, id, path string, withhold bool) (dto.Verification, error) {
	if path == "" {
		return dto.Verification{}, usage("No file was named.", "Name the file to write.")
	}
	body, err := s.render(ctx, id, withhold)
	if err != nil {
		return dto.Verification{}, err
	}
	if err := writeWhole(path, body); errors.Is(err, errNotAFile) {
		return dto.Verification{}, usage("There is something else than a file under the name "+filepath.Base(path)+".", "Name a file to write.")
	} else if err != nil {
		return dto.Verification{}, &engine.Error{
			Kind: engine.KindSource, What: "The file " + filepath.Base(path) + " could not be written.", Safe: "The task is unchanged.",
			Do: "Look whether you may write into that folder and whether there is space.", Err: err,
		}
	}
	written, err := os.ReadFile(path)
	if err != nil {
		return dto.Verification{}, fmt.Errorf("read the written file back: %w", err)
	}
	v := Verify(written)
	if !v.Good {
		return v, &engine.Error{Kind: engine.KindVerification, What: "The written file does not hold. " + v.Sentence, Safe: "The task is unchanged.", Do: "Export it again to another place."}
	}
	s.noteExport(ctx, id, path)
	return v, nil
}

// errNotAFile: what stands under the name can't be replaced by a file.
var errNotAFile = errors.New("there is something else than a file under this name")

// writeWhole puts a file in place in one go. Behind a link, the file it points to
// is replaced; a folder, device or pipe never is: renaming over one destroys it.
func writeWhole(path string, body []byte) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return errNotAFile
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".cairn-export-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(body)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// ReadFile reads a hand-off file within its limit, once.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, &engine.Error{Kind: engine.KindSource, What: "There is no file " + filepath.Base(path) + " that can be read.", Safe: "Nothing was changed.", Do: "Look at the name and the folder.", Err: err}
	case !info.Mode().IsRegular():
		return nil, &engine.Error{Kind: engine.KindSource, What: filepath.Base(path) + " is not a file.", Safe: "Nothing was changed.", Do: "Name the .cairn.md file itself."}
	case info.Size() > handoff.MaxFile:
		return nil, &engine.Error{Kind: engine.KindSource, What: "The file is larger than 100 MB, which no hand-off is.", Safe: "Nothing was changed.", Do: "Look whether it is the right file."}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &engine.Error{Kind: engine.KindSource, What: "The file " + filepath.Base(path) + " can't be opened.", Safe: "Nothing was changed.", Do: "Look whether you may read it.", Err: err}
	}
	defer func() { _ = f.Close() }() // it was only read
	body, err := io.ReadAll(io.LimitReader(f, handoff.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return body, nil
}

// Verify checks a hand-off file by itself; it needs no vault.
func Verify(file []byte) dto.Verification {
	r, err := handoff.Verify(file)
	v := dto.Verification{
		Good: err == nil, Lines: r.Lines, Withheld: r.Withheld, Claims: r.Claims, Quotes: r.Quotes, Chain: r.Chain, StateHash: r.State,
	}
	if err == nil {
		v.Sentence = fmt.Sprintf("This file holds: %s in an unbroken chain, %s with %s; the readable part says what the record says.",
			view.Count(r.Lines, "line", "lines"), view.Count(r.Claims, "claim", "claims"), view.Count(r.Quotes, "quote", "quotes"))
		if r.Withheld > 0 {
			v.Sentence += " " + view.Count(r.Withheld, "log line was", "log lines were") + " left out by the sender."
		}
		return v
	}
	p := problem.Of(err)
	v.Sentence = join(p.What, p.Do)
	var b *handoff.Broken
	if errors.As(err, &b) {
		v.Line = b.Line
		if v.Line == 0 {
			v.Line = b.FileLine
		}
	}
	return v
}

// PreviewImport reads a file and says what is in it. Nothing of it is run or kept.
func (s *Service) PreviewImport(ctx context.Context, path string) (dto.Preview, error) {
	body, err := ReadFile(path)
	if err != nil {
		return dto.Preview{}, err
	}
	p, err := handoff.Parse(body)
	if err != nil {
		return dto.Preview{}, err
	}
	out := dto.Preview{
		Token: ledger.HashOf(body).String(), Name: filepath.Base(path), Title: view.Title(p.State), Goal: p.State.Task.Goal,
		From: "unsigned", Lines: p.Result.Lines, Withheld: p.Result.Withheld, Claims: p.Result.Claims, Questions: p.Result.Questions,
		Warnings: p.Result.Warnings,
	}
	if !p.Result.Readable {
		out.Warnings = append(out.Warnings, fmt.Sprintf("The readable part was changed, first at line %d; the record below it is intact and is what counts.", p.Result.Changed))
	}
	for _, c := range p.State.Claims {
		if !c.Live() {
			continue
		}
		for _, v := range c.Checks {
			if v.By == ledger.Person {
				out.Checked++
				break
			}
		}
	}
	for _, id := range p.State.SourceIDs {
		src := p.State.Sources[id]
		out.Sources++
		here, err := s.desk.Here(ctx, src)
		if err != nil {
			return out, err
		}
		if here {
			out.Here++
		} else if src.Body != "" {
			out.Missing = append(out.Missing, src.Name)
		}
	}
	s.mu.Lock()
	for len(s.previews) >= maxPreviews {
		for token := range s.previews {
			delete(s.previews, token)
			break
		}
	}
	s.previews[out.Token] = preview{parsed: p, name: out.Name}
	s.mu.Unlock()
	return dto.Whole(out), nil
}

// AcceptImport takes over what PreviewImport showed: as a new task, or, where this
// machine has the beginning of it, as an alternative of that task. It runs nothing.
func (s *Service) AcceptImport(ctx context.Context, token, folder string) (string, error) {
	s.mu.Lock()
	p, ok := s.previews[token]
	s.mu.Unlock()
	if !ok {
		return "", notFound("This preview is no longer here.", "Open the file again.")
	}
	t, err := s.desk.Import(ctx, p.parsed)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	delete(s.previews, token)
	s.mu.Unlock()
	s.bus.send(dto.Event{Kind: "tasks"})
	if folder != "" {
		if err := t.SetFolder(ctx, folder); err != nil {
			return "", fmt.Errorf("remember the folder: %w", err)
		}
		h, err := s.handle(ctx, t.Branch)
		if err != nil {
			return "", err
		}
		if err := h.takeIn(ctx); err != nil {
			return t.Branch, err
		}
	}
	return t.Branch, t.LiftMissing(ctx)
}

// importReason names what an import leaves to be accepted.
func importReason(t *task.Task) (id string) {
	_ = t.Read(func(st *state.State) error { id = audit.ImportReason(st); return nil })
	return id
}
