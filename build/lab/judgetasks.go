package main

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/clock"
	"cairn/engine/ledger"
	"cairn/engine/task"
	"cairn/vault"
)

// stageJudge asks for a judgement of a home with real tasks.
const stageJudge = "judge"

// lookAtTasks opens every task as the program does, folds and audits it, and reads
// all that hangs on it: texts under every hash that a line names, local records, the
// draft. A text that is not here and never was is none of what is found.
func lookAtTasks(s *vault.Store, j *judgement) {
	desk := task.NewDesk(s, clock.Real{}, rand.Reader, "cairn lab")
	local := func(scope, name string) {
		key := scope + "/" + name
		value, err := s.Local(bg, scope, name)
		switch {
		case err == nil:
			j.Locals[key] = fmt.Sprintf("%x", sha256.Sum256(value))
		default:
			j.Locals[key] = string(engine.KindOf(err))
		}
	}
	local("desk", "person")
	local("app", "preferences")
	for id, f := range j.Branches {
		for _, name := range []string{"folder", "running", "segments"} {
			local(id, name)
		}
		for n := range 256 {
			local(id, fmt.Sprintf("files/%02x", n))
		}
		local("adopting", id)
		f.Texts, f.Of = textsOf(s, id)
		if f.Damage == "" {
			lookAtTask(desk, id, &f)
		}
		if _, err := s.Draft(id); err != nil && engine.KindOf(err) != engine.KindNotFound {
			f.Audit = append(f.Audit, "the draft: "+err.Error())
		}
		j.Branches[id] = f
	}
}

func lookAtTask(desk *task.Desk, id string, f *found) {
	half, err := desk.HalfTaken(bg, id)
	if err != nil {
		f.Fault = fmt.Sprintf("%s: %v", engine.KindOf(err), err)
		return
	}
	if half {
		return // it will be taken over again from its file
	}
	t, err := desk.Open(bg, id)
	if err == nil {
		err = t.Fault()
	}
	if err != nil {
		f.Fault = fmt.Sprintf("%s: %v", engine.KindOf(err), err)
		return
	}
	st := t.Snapshot()
	f.State = st.Hash().String()
	r, err := audit.Audit(bg, st, t.Blobs(), audit.Options{
		Lines: func(fn func(int64, []byte) error) error { return t.Lines(bg, 1, fn) },
	})
	if err != nil {
		f.Fault = fmt.Sprintf("audit: %s: %v", engine.KindOf(err), err)
		return
	}
	for _, p := range append(r.Problems, r.Unchecked...) {
		f.Audit = append(f.Audit, p.Message)
	}
}

var sourceName = regexp.MustCompile(`"name":"([^"]*)"`)

var hashes = regexp.MustCompile(`"([0-9a-f]{64})"`)

// textsOf reads whatever is stored under a hash that stands in a branch's lines, and
// says of those that are of a source what its name is.
func textsOf(s *vault.Store, id string) (out, of map[string]string) {
	out, of = map[string]string{}, map[string]string{}
	// An error of the lines is in the judgement already.
	_ = s.Lines(bg, id, 1, func(_ int64, line []byte) error {
		for _, m := range hashes.FindAllSubmatch(line, -1) {
			hex := string(m[1])
			h, err := ledger.ParseHash(hex)
			if err != nil || out[hex] != "" {
				continue
			}
			if text := string(line); strings.Contains(text, `"op":"source"`) {
				if name := sourceName.FindStringSubmatch(text); name != nil {
					of[hex] = name[1]
				}
			}
			body, err := s.Blob(bg, h)
			switch {
			case err != nil && engine.KindOf(err) == engine.KindNotFound:
				// Perhaps it was never one: where it was, that it is gone shows.
			case err != nil:
				out[hex] = fmt.Sprintf("%s: %v", engine.KindOf(err), err)
			case ledger.HashOf(body) != h:
				out[hex] = "other bytes were given for it"
			default:
				out[hex] = good
			}
		}
		return nil
	})
	return out, of
}
