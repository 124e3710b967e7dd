package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cairn/app/dto"
	"cairn/app/view"
	"cairn/engine"
	"cairn/engine/state"
	"cairn/engine/task"
)

// Delete removes a task for good and says what was removed and what it can't reach.
func (s *Service) Delete(ctx context.Context, id string) (string, error) {
	r, err := s.Erase(ctx, id, "")
	return r.Sentence, err
}

// PlanErase says what Erase would take away, what would stay and what it could not
// reach; source "" is the whole task with its alternatives, or an alternative with
// those that were begun from it.
func (s *Service) PlanErase(ctx context.Context, id, source string) (dto.Removal, error) {
	if source != "" {
		e, err := s.desk.Erasure(ctx, id, source)
		if err != nil {
			return dto.Removal{}, err
		}
		r, err := s.sourceRemoval(ctx, id, source, e)
		return dto.Whole(r), err
	}
	r, err := s.taskRemoval(ctx, id)
	if err != nil {
		return r, err
	}
	e, err := s.cfg.Store.Weigh(ctx, id)
	if err != nil {
		return r, err
	}
	r.Removed, r.Stays = taken(e), append(r.Stays, shared(e)...)
	return dto.Whole(r), nil
}

// Erase deletes a task, an alternative, or a document of a task for good. What runs
// in it is ended first. It tells how far it is by events of the kind "vault".
func (s *Service) Erase(ctx context.Context, id, source string) (dto.Removal, error) {
	told := int64(-1)
	ctx = engine.WithProgress(ctx, func(done, total int64) {
		if tenth := done * 10 / max(total, 1); tenth != told {
			told = tenth
			s.tell("deleting, percent", tenth*10, 100)
		}
	})
	if source != "" {
		r, err := s.eraseSource(ctx, id, source)
		return dto.Whole(r), err
	}
	r, err := s.taskRemoval(ctx, id)
	if err != nil {
		return r, err
	}
	family, err := s.below(ctx, id)
	if err != nil {
		return r, err
	}
	still, err := s.quiet(ctx, family)
	defer still()
	if err != nil {
		return r, err
	}
	folders := s.folders(ctx, family)
	e, err := s.cfg.Store.Delete(ctx, id)
	if err != nil {
		return r, err
	}
	s.gone(family)
	r.Removed, r.Stays = taken(e), append(r.Stays, shared(e)...)
	r.Done, r.Sentence = true, fmt.Sprintf("Deleted “%s” for good: %s and %s, %s. Your own documents were not touched.", r.Title,
		view.Count(int64(e.Lines), "line", "lines"), view.Count(int64(e.Blobs), "stored text", "stored texts"), size(e.Bytes))
	if n := int64(len(family)) - 1; n > 0 {
		r.Sentence = fmt.Sprintf("Deleted “%s” with %s for good: %s and %s, %s. Your own documents were not touched.", r.Title,
			view.Count(n, "alternative", "alternatives"), view.Count(int64(e.Lines), "line", "lines"), view.Count(int64(e.Blobs), "stored text", "stored texts"), size(e.Bytes))
	}
	r.Sentence += " Exported files, and backups outside Cairn's folder, still hold what was in it."
	return dto.Whole(r), s.sweep(ctx, folders)
}

// eraseSource deletes a document of a task for good.
func (s *Service) eraseSource(ctx context.Context, id, source string) (dto.Removal, error) {
	family, err := s.whole(ctx, id)
	if err != nil {
		return dto.Removal{}, err
	}
	still, err := s.quiet(ctx, family)
	defer still()
	if err != nil {
		return dto.Removal{}, err
	}
	e, err := s.desk.Erasure(ctx, id, source)
	if err != nil {
		return dto.Removal{}, err
	}
	r, err := s.sourceRemoval(ctx, id, source, e)
	if err != nil {
		return r, err
	}
	done, err := e.Run(ctx, func(moved map[string]string) error { return s.move(ctx, moved) })
	if err != nil {
		return r, err
	}
	s.gone(family)
	r.Done, r.Now = true, done.Moved[id]
	r.Removed = append(r.Removed, taken(done.Erased)[1:]...)
	r.Sentence = fmt.Sprintf("Deleted “%s” for good. The task was written again without it and stands in the list under a new id; what came before is gone.", r.Name)
	return r, s.sweep(ctx, nil)
}

// move takes over for new records what this machine keeps for the old ones.
func (s *Service) move(ctx context.Context, moved map[string]string) error {
	for old, now := range moved {
		if list, err := s.cfg.Store.Local(ctx, old, exportsName); err == nil {
			if err := s.cfg.Store.PutLocal(ctx, now, exportsName, list); err != nil {
				return err
			}
		}
		if s.isExample(ctx, old) {
			// A crash before the old ones are gone leaves the example without its mark; that
			// costs nothing but the words "Example".
			if err := s.cfg.Store.PutLocal(ctx, "app", "example", []byte(now)); err != nil {
				return err
			}
		}
	}
	return nil
}

// quiet ends what runs in branches, and keeps their folders from being read in.
func (s *Service) quiet(ctx context.Context, ids []string) (still func(), err error) {
	var held []*handle
	still = func() {
		for _, h := range held {
			h.intakeMu.Unlock()
		}
	}
	for _, id := range ids {
		h, err := s.handle(ctx, id)
		if err != nil {
			continue // one that can't be opened runs nothing
		}
		if err := h.halt(ctx); err != nil {
			return still, err
		}
		h.intakeMu.Lock()
		held = append(held, h)
	}
	return still, nil
}

// halt ends what a task is doing and waits for it.
func (h *handle) halt(ctx context.Context) error {
	h.cancel(errDeleted)
	select {
	case <-h.ended():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gone closes what was open of branches that are no more.
func (s *Service) gone(ids []string) {
	for _, id := range ids {
		s.desk.Gone(id)
		s.mu.Lock()
		delete(s.open, id)
		s.mu.Unlock()
	}
	s.bus.send(dto.Event{Kind: "tasks"})
}

// below lists a branch and those that were begun from it.
func (s *Service) below(ctx context.Context, id string) ([]string, error) {
	branches, err := s.cfg.Store.Branches(ctx)
	if err != nil {
		return nil, err
	}
	out := []string{id}
	for i := 0; i < len(out); i++ {
		for _, b := range branches {
			if b.Parent == out[i] {
				out = append(out, b.ID)
			}
		}
	}
	return out, nil
}

// whole lists the branches of the task that a branch belongs to.
func (s *Service) whole(ctx context.Context, id string) ([]string, error) {
	b, err := s.cfg.Store.Branch(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.below(ctx, b.Root)
}

// ---- what is said ------------------------------------------------------------------

func (s *Service) taskRemoval(ctx context.Context, id string) (dto.Removal, error) {
	r := dto.Removal{Task: id, Title: "A task that can't be opened"}
	b, err := s.cfg.Store.Branch(ctx, id)
	if err != nil {
		if engine.KindOf(err) == engine.KindNotFound {
			err = notFound("There is no task with this id.", "Look at the list of tasks.")
		}
		return r, err
	}
	if h, err := s.handle(ctx, id); err == nil {
		_ = h.task.Read(func(st *state.State) error { r.Title = view.Title(st); return nil })
	}
	family, err := s.below(ctx, id)
	if err != nil {
		return r, err
	}
	r.Question = fmt.Sprintf("Delete “%s” for good, with its whole history?", r.Title)
	if n := int64(len(family)) - 1; n > 0 {
		r.Question = fmt.Sprintf("Delete “%s” for good, with its whole history and %s?", r.Title, view.Count(n, "alternative", "alternatives"))
	}
	if b.Parent != "" {
		r.Question = fmt.Sprintf("Delete this alternative of “%s” for good?", r.Title)
		if n := int64(len(family)) - 1; n > 0 {
			r.Question = fmt.Sprintf("Delete this alternative of “%s” for good, and %s that began in it?", r.Title, view.Count(n, "other", "others"))
		}
		r.Stays = append(r.Stays, "The beginning that it shares with the task it was begun from.")
	}
	r.Beyond = s.beyond(ctx, family, "")
	return r, nil
}

func (s *Service) sourceRemoval(ctx context.Context, id, source string, e *task.Erasure) (dto.Removal, error) {
	r := dto.Removal{Task: id, Source: source, Name: e.Names(), Yours: e.Left.Yours}
	h, err := s.handle(ctx, id)
	if err != nil {
		return r, err
	}
	_ = h.task.Read(func(st *state.State) error { r.Title = view.Title(st); return nil })
	r.Question = fmt.Sprintf("Delete “%s” for good from “%s”, with everything that quotes it or rests on it?", r.Name, r.Title)
	left := e.Left
	add := func(n int, one, many string) {
		if n > 0 {
			r.Removed = append(r.Removed, view.Count(int64(n), one, many))
		}
	}
	add(len(e.Sources), "document with its text, name and title", "versions of the document with texts, names and titles")
	add(left.Claims, "claim that quotes it or rests on it", "claims that quote it or rest on it")
	add(left.Quotes, "quote for another claim", "quotes for other claims")
	add(left.Answers, "answer that used them", "answers that used them")
	add(left.Reports, "report that used them", "reports that used them")
	add(left.Questions, "question made of it", "questions made of it")
	add(left.Notes, "note about it", "notes about it")
	add(left.Others, "assumption or attempt made of it", "assumptions or attempts made of it")
	add(left.Checks, "check of yours of what is removed", "checks of yours of what is removed")
	r.Removed = append(r.Removed, "The history before now, with every prompt, reply and account of the model: the task is written again without the document and gets a new id.")
	if n := int64(len(e.Family())) - 1; n > 0 {
		r.Removed = append(r.Removed, "The same in "+view.Count(n, "alternative", "alternatives")+" of the task.")
	}
	for _, text := range left.Stays {
		r.Stays = append(r.Stays, "Words of it that you wrote yourself: “"+view.Cut(text, 120)+"”")
	}
	same, err := s.sameText(ctx, e)
	if err != nil {
		return r, err
	}
	r.Stays = append(r.Stays, same...)
	r.Beyond = s.beyond(ctx, e.Family(), r.Name)
	return r, nil
}

// sameText names the tasks and documents that have the very same text, which stays
// there.
func (s *Service) sameText(ctx context.Context, e *task.Erasure) ([]string, error) {
	gone, bodies := map[string]bool{}, map[string]bool{}
	for _, src := range e.Sources {
		gone[src.ID] = true
		if src.Body != "" {
			bodies[src.Body] = true
		}
	}
	branches, err := s.desk.Branches(ctx)
	if err != nil {
		return nil, err
	}
	family := e.Family()
	var out []string
	for _, b := range branches {
		h, err := s.handle(ctx, b.ID)
		if err != nil {
			continue // what can't be opened is named in the list of tasks
		}
		_ = h.task.Read(func(st *state.State) error {
			for _, id := range st.SourceIDs {
				src := st.Sources[id]
				if !bodies[src.Body] || src.Body == "" || gone[id] && slices.Contains(family, b.ID) {
					continue
				}
				line := fmt.Sprintf("The same text in “%s” of the task “%s”.", src.Name, view.Title(st))
				if slices.Contains(family, b.ID) {
					line = fmt.Sprintf("The same text in another document of this task, “%s”.", src.Name)
				}
				if !slices.Contains(out, line) {
					out = append(out, line)
				}
			}
			return nil
		})
	}
	return out, nil
}

// taken lists what a deletion takes out of Cairn's folder; the first item is the
// branches themselves.
func taken(e engine.Erased) []string {
	out := []string{fmt.Sprintf("%s with %s, in the store and in the journals", view.Count(int64(e.Branches), "history", "histories"), view.Count(int64(e.Lines), "line", "lines"))}
	add := func(n int, one, many string) {
		if n > 0 {
			out = append(out, view.Count(int64(n), one, many))
		}
	}
	add(e.Blobs, "stored text that nothing else names: documents, prompts, replies, accounts", "stored texts that nothing else names: documents, prompts, replies, accounts")
	add(e.Drafts, "draft of a running call", "drafts of running calls")
	add(e.Locals, "setting of this machine for it", "settings of this machine for it")
	add(e.Aside, "file or folder that a repair or restore had set aside and that may hold it", "files and folders that a repair or restore had set aside and that may hold it")
	add(e.Backups, "backup in Cairn's folder that can't be read, and so can't be cleaned", "backups in Cairn's folder that can't be read, and so can't be cleaned")
	return append(out, "What the backups in Cairn's folder, the search index and the runtime's log hold of it")
}

func shared(e engine.Erased) []string {
	if e.Shared == 0 {
		return nil
	}
	return []string{view.Count(int64(e.Shared), "stored text that another task or alternative names too", "stored texts that other tasks or alternatives name too") + "."}
}

// beyond lists what a deletion can't reach.
func (s *Service) beyond(ctx context.Context, ids []string, document string) []string {
	var out []string
	seen := map[string]bool{}
	for _, id := range ids {
		for _, path := range s.exports(ctx, id) {
			if !seen[path] {
				seen[path] = true
				out = append(out, "The exported file "+path)
			}
		}
	}
	if len(out) == 0 {
		out = append(out, "Files that were exported to other places, and reports copied from the window")
	} else {
		out = append(out, "Copies of these files, and what others imported from them")
	}
	for _, dir := range s.folders(ctx, ids) {
		switch {
		case s.samples(dir):
		case document == "":
			out = append(out, "Your own documents in "+dir)
		default:
			out = append(out, "Your own file in "+dir+": it is not touched, and not read in again")
		}
	}
	return append(out,
		"Backups in other folders, and copies that backup programs, synced folders and snapshots of the file system made",
		"What the disk keeps of deleted blocks until it writes over them; an SSD may keep them longer")
}

// folders gives the folders with documents of branches, each once.
func (s *Service) folders(ctx context.Context, ids []string) []string {
	var out []string
	for _, id := range ids {
		dir, err := s.cfg.Store.Local(ctx, id, "folder")
		if err == nil && len(dir) > 0 && !slices.Contains(out, string(dir)) {
			out = append(out, string(dir))
		}
	}
	return out
}

// ---- exports -----------------------------------------------------------------------

const (
	exportsName = "exports"
	maxExports  = 100
)

// exports are the files that a task was exported to, as far as Cairn noted them.
func (s *Service) exports(ctx context.Context, id string) (paths []string) {
	b, err := s.cfg.Store.Local(ctx, id, exportsName)
	if err != nil || json.Unmarshal(b, &paths) != nil {
		return nil
	}
	return paths
}

// noteExport remembers where a file was written, so that deleting can name it.
func (s *Service) noteExport(ctx context.Context, id, path string) {
	list := slices.DeleteFunc(s.exports(ctx, id), func(p string) bool { return p == path })
	list = append(list, path)
	b, err := json.Marshal(list[max(0, len(list)-maxExports):])
	if err == nil {
		err = s.cfg.Store.PutLocal(ctx, id, exportsName, b)
	}
	if err != nil {
		s.report(fmt.Errorf("remember where a file was exported to: %w", err)) // the file itself is whole
	}
}

// ---- outside the store ---------------------------------------------------------------

// sweep takes away what stands beside the store: the runtime's log, and the sample's
// documents when no task has them any more.
func (s *Service) sweep(ctx context.Context, folders []string) error {
	var err error
	log := filepath.Join(s.cfg.Home.RuntimeDir(), "runtime.log")
	if rerr := os.Remove(log + ".1"); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	if terr := os.Truncate(log, 0); terr != nil && !errors.Is(terr, fs.ErrNotExist) { // the runtime appends to it
		err = errors.Join(err, terr)
	}
	if slices.ContainsFunc(folders, s.samples) {
		branches, berr := s.cfg.Store.Branches(ctx)
		ids := make([]string, 0, len(branches))
		for _, b := range branches {
			ids = append(ids, b.ID)
		}
		if berr == nil && !slices.ContainsFunc(s.folders(ctx, ids), s.samples) {
			berr = os.RemoveAll(s.cfg.Home.Sample())
		}
		err = errors.Join(err, berr)
	}
	if err != nil {
		return fmt.Errorf("remove what stands beside the store: %w", err)
	}
	return nil
}

// samples reports whether a folder is that of the shipped example, which is Cairn's.
func (s *Service) samples(dir string) bool {
	return dir == s.cfg.Home.Sample() || strings.HasPrefix(dir, s.cfg.Home.Sample()+string(filepath.Separator))
}

// dropHalfErased removes records that were to take the place of others when the
// program ended; the others are still here, whole.
func (s *Service) dropHalfErased(ctx context.Context) error {
	half, err := s.desk.HalfReplaced(ctx)
	if err != nil {
		return err
	}
	for _, id := range half {
		if _, err := s.cfg.Store.Delete(ctx, id); err != nil {
			return err
		}
		s.notice("Deleting a document for good was interrupted before anything was removed. The task is as it was; delete the document again.")
	}
	return nil
}
