package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

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
	sources := map[string]*state.Source{}
	_ = h.task.Read(func(st *state.State) error {
		for id, src := range st.Sources {
			copied := *src
			sources[id] = &copied
		}
		return nil
	})
	segments, err := s.segments(ctx, id)
	if err != nil {
		return nil, err
	}
	lib := h.task.Library()
	return handoff.Export(handoff.Input{
		Lines: func(fn func(int64, []byte) error) error { return h.task.Lines(ctx, 1, fn) },
		Texts: func(source string) (handoff.Text, error) {
			src := sources[source]
			if src == nil {
				return handoff.Text{}, notFound("There is no such source in this task.", "")
			}
			text, err := lib.Text(ctx, src)
			if err != nil {
				return handoff.Text{}, err
			}
			return handoff.Text{Body: text.Body, Table: &text.Table}, nil
		},
		Withhold: withhold, Segments: segments, App: s.cfg.Version,
	})
}

// segments are the parts of the file that a task was imported from, which every
// later export begins with. Its block is kept whole under the hash that the
// `import` line names; where it is cut stands in a local record.
func (s *Service) segments(ctx context.Context, id string) ([][]byte, error) {
	body, err := s.cfg.Store.Local(ctx, id, "segments")
	if err != nil {
		if engine.KindOf(err) == engine.KindNotFound {
			return nil, nil
		}
		return nil, fmt.Errorf("read what this task was imported from: %w", err)
	}
	var kept keptBlock
	if err := json.Unmarshal(body, &kept); err != nil {
		return nil, fmt.Errorf("read what this task was imported from: %w", err)
	}
	hash, err := ledger.ParseHash(kept.Block)
	if err != nil {
		return nil, fmt.Errorf("read what this task was imported from: %w", err)
	}
	block, err := s.cfg.Store.Blob(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("read what this task was imported from: %w", err)
	}
	var out [][]byte
	for _, size := range kept.Sizes {
		if size < 0 || size > len(block) {
			return nil, fmt.Errorf("read what this task was imported from: a part of %d bytes in %d", size, len(block))
		}
		out, block = append(out, block[:size]), block[size:]
	}
	return out, nil
}

// keptBlock says where the block of an imported file lies and how long its
// segments are, in bytes.
type keptBlock struct {
	Block string `json:"block"`
	Sizes []int  `json:"sizes"`
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
		here, err := s.hasText(ctx, src)
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

func (s *Service) hasText(ctx context.Context, src *state.Source) (bool, error) {
	if src.Body == "" {
		return false, nil
	}
	for _, text := range []string{src.Body, src.Table} {
		hash, err := ledger.ParseHash(text)
		if err != nil {
			return false, nil //nolint:nilerr // a source without a table has no text that could be shown
		}
		if ok, err := s.cfg.Store.HasBlob(ctx, hash); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
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
	if err := notEmpty(p.parsed); err != nil {
		return "", err
	}
	t, err := s.adopt(ctx, p.parsed)
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

// notEmpty refuses a file without lines.
func notEmpty(p *handoff.Parsed) error {
	if len(p.Lines) == 0 {
		return usage("This file holds no lines.", "Ask the sender for it again.")
	}
	return nil
}

// adopt takes the file's lines over: as a new task, or as an alternative of the
// one whose beginning this machine has, from where both part.
func (s *Service) adopt(ctx context.Context, p *handoff.Parsed) (*task.Task, error) {
	groups, err := groupsOf(p.Lines)
	if err != nil {
		return nil, err
	}
	root := ledger.Hash{}.Extend(ledger.HashOf(p.Lines[0])).String() // a task line is never withheld
	half, err := s.desk.HalfTaken(ctx, root)
	if err != nil {
		return nil, err
	}
	_, err = s.cfg.Store.Branch(ctx, root)
	switch {
	case engine.KindOf(err) == engine.KindNotFound && err != nil, err == nil && half:
		return s.desk.Adopt(ctx, "", groups, func(t *task.Task) error { return s.closeImport(ctx, t, p, 0) })
	case err != nil:
		return nil, err
	}
	known, rest, err := s.shared(ctx, root, groups)
	if err != nil {
		return nil, err
	}
	return s.desk.Adopt(ctx, root, rest, func(t *task.Task) error { return s.closeImport(ctx, t, p, known) })
}

// shared counts the leading lines that are the same here, and gives the groups after them.
func (s *Service) shared(ctx context.Context, root string, groups [][][]byte) (int64, [][][]byte, error) {
	var here [][]byte
	err := s.cfg.Store.Lines(ctx, root, 1, func(_ int64, line []byte) error {
		here = append(here, slices.Clone(line))
		return nil
	})
	if err != nil {
		return 0, nil, fmt.Errorf("compare with the task that is here: %w", err)
	}
	known := 0
	for len(groups) > 0 && sameLines(here, known, groups[0]) {
		known += len(groups[0])
		groups = groups[1:]
	}
	if len(groups) == 0 {
		return 0, nil, &engine.Error{Kind: engine.KindRefused, What: "Everything in this file is here already.",
			Safe: "Nothing was changed.", Do: "Open the task in the list."}
	}
	return int64(known), groups, nil
}

func sameLines(here [][]byte, at int, group [][]byte) bool {
	if at+len(group) > len(here) {
		return false
	}
	for i, line := range group {
		a, aerr := ledger.DecodeFrame(line)
		b, berr := ledger.DecodeFrame(here[at+i])
		if aerr != nil || berr != nil || a.Hash != b.Hash {
			return false
		}
	}
	return true
}

// groupsOf puts lines into the groups that their closing lines say. Where a
// closing line is withheld its group goes together with the next.
func groupsOf(lines [][]byte) ([][][]byte, error) {
	var out [][][]byte
	var group [][]byte
	for _, line := range lines {
		f, err := ledger.DecodeFrame(line)
		if err != nil {
			return nil, fmt.Errorf("read imported line: %w", err)
		}
		group = append(group, line)
		if f.N > 0 {
			out = append(out, group)
			group = nil
		}
	}
	if len(group) > 0 {
		out = append(out, group)
	}
	return out, nil
}

// closeImport keeps the file's segments for the next export and writes the line
// that makes what came with it the sender's.
func (s *Service) closeImport(ctx context.Context, t *task.Task, p *handoff.Parsed, known int64) error {
	kept := keptBlock{Block: p.Result.Block}
	for _, segment := range p.Segments {
		kept.Sizes = append(kept.Sizes, len(segment))
	}
	// The `import` line below names these bytes, so the store keeps them.
	hash, err := s.cfg.Store.PutBlob(ctx, bytes.Join(p.Segments, nil))
	if err != nil {
		return fmt.Errorf("keep the file's record: %w", err)
	}
	if hash.String() != p.Result.Block {
		return fmt.Errorf("keep the file's record: its parts are not the block %s", p.Result.Block)
	}
	body, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("keep the file's record: %w", err)
	}
	if err := s.cfg.Store.PutLocal(ctx, t.Branch, "segments", body); err != nil {
		return fmt.Errorf("keep the file's record: %w", err)
	}
	entries := []task.Entry{engineSays(&ledger.Import{File: p.Result.Block, Known: known})}
	for _, id := range p.State.SourceIDs {
		src := p.State.Sources[id]
		here, err := s.hasText(ctx, src)
		if err != nil {
			return err
		}
		if src.Body != "" && !here && src.Missing == "" {
			entries = append(entries, engineSays(&ledger.Missing{ID: id, Reason: "not_here"}))
		}
	}
	for part := range slices.Chunk(entries, 200) {
		if err := t.Commit(ctx, part, nil); err != nil {
			return fmt.Errorf("record the import: %w", err)
		}
	}
	// The person saw the preview and said yes: that is what clears this reason.
	return t.Act(ctx, &ledger.Check{ID: importReason(t), How: "person", Verdict: "right"})
}

// importReason names what an import leaves to be accepted.
func importReason(t *task.Task) (id string) {
	_ = t.Read(func(st *state.State) error { id = audit.ImportReason(st); return nil })
	return id
}
