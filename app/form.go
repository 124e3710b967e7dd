package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/app/view"
	"cairn/engine/planner"
	"cairn/engine/source"
	"cairn/engine/state"
)

// maxText is how long a person's text may be, in bytes (DESIGN 3.1).
const maxText = 8192

// formWait bounds the look at a folder while somebody types.
const formWait = 5 * time.Second

// CheckForm looks at the form as one types: what is missing, what is in the
// folder, and what would be known by when at each depth.
func (s *Service) CheckForm(ctx context.Context, form dto.NewTask) (dto.FormCheck, error) {
	form = tidy(form)
	var out dto.FormCheck
	problemAt := func(field, text string) {
		out.Problems = append(out.Problems, dto.FieldProblem{Field: field, Text: text})
	}
	switch {
	case form.Goal == "":
		problemAt("goal", "Write what you want to find out.")
	case len(form.Goal) > maxText:
		problemAt("goal", fmt.Sprintf("The goal is too long: at most %d bytes.", maxText))
	}
	s.checkQuestions(form.Questions, problemAt)
	for _, c := range form.Constraints {
		if len(c) > maxText {
			problemAt("constraints", fmt.Sprintf("A condition is too long: at most %d bytes.", maxText))
		}
	}
	switch form.Depth {
	case "quick", "thorough", "exhaustive":
	default:
		problemAt("depth", "How long must be quick, thorough or exhaustive.")
	}
	if form.Budget < 0 {
		problemAt("budget", "A time can't be negative.")
	}
	docs, err := s.folder(ctx, form.Folder, &out, problemAt)
	if err != nil {
		return out, err
	}
	name := form.Model
	if name == "" {
		s.mu.Lock()
		name = s.prefs.Model
		s.mu.Unlock()
		s.models.mu.Lock()
		for _, d := range s.models.list {
			if d.Default && name == "" {
				name = d.Name
			}
		}
		s.models.mu.Unlock()
	}
	if form.Model != "" && form.Model != "-" {
		if err := s.knows(ctx, form.Model); err != nil {
			problemAt("model", problem.Of(err).What)
		}
	}
	out.Model = s.speedWords(name)
	out.Promises = s.promises(form, name, docs)
	out.CanStart = len(out.Problems) == 0
	return dto.Whole(out), nil
}

func (s *Service) checkQuestions(list []string, problemAt func(field, text string)) {
	if len(list) == 0 {
		problemAt("questions", "Ask at least one question.")
	}
	seen := map[string]bool{}
	for i, q := range list {
		if len(q) > maxText {
			problemAt("questions", fmt.Sprintf("Question %d is too long: at most %d bytes.", i+1, maxText))
		}
		if seen[q] {
			problemAt("questions", fmt.Sprintf("Question %d is asked twice.", i+1))
		}
		seen[q] = true
	}
}

// document is what is guessed of a file before it is read.
type document struct{ bytes int64 }

// folder says what is in a folder, by names and sizes; nothing is opened.
func (s *Service) folder(ctx context.Context, dir string, out *dto.FormCheck, problemAt func(field, text string)) ([]document, error) {
	if dir == "" {
		problemAt("folder", "Choose the folder with your documents.")
		return nil, nil
	}
	wait, stop := context.WithTimeout(ctx, formWait)
	defer stop()
	if s.own(dir) {
		problemAt("folder", "This folder holds Cairn's own records. Choose the folder with your documents.")
		return nil, nil
	}
	files, err := source.Scan(wait, dir)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		out.Folder = "The folder is large; it is counted when the task begins."
		return nil, nil
	default:
		p := problem.Of(err)
		problemAt("folder", p.What)
		return nil, nil
	}
	out.Files = int64(len(files))
	if len(files) == 0 {
		problemAt("folder", "This folder is empty. Put your documents into it, or choose another.")
		return nil, nil
	}
	var docs []document
	not := map[string]int64{}
	for _, f := range files {
		guess, why := likely(f)
		if why != "" {
			not[why]++
			continue
		}
		docs = append(docs, document{guess})
	}
	out.Likely = int64(len(docs))
	out.Folder = folderWords(out.Files, out.Likely, not)
	switch {
	case len(docs) > 0:
	case not["empty"] == out.Files && out.Files == 1:
		problemAt("folder", "The only file in this folder is empty. Put text into it, or choose another folder.")
	case not["empty"] == out.Files:
		problemAt("folder", fmt.Sprintf("All %d files in this folder are empty. Put text into them, or choose another folder.", out.Files))
	case out.Files == 1 && files[0].Skip != "":
		problemAt("folder", "There is only “"+files[0].Name+"” in this folder. "+view.SourceReason(files[0].Skip))
	case not["a link that is not followed"]+not["no regular file"]+not["not to be opened"] == out.Files:
		problemAt("folder", "Nothing in this folder can be opened: "+out.Folder+". Put the files themselves into it.")
	case out.Files == 1:
		problemAt("folder", "The only file in this folder is not of a kind that can be read: Markdown, text, HTML, PDF.")
	default:
		problemAt("folder", "None of the "+view.Count(out.Files, "file", "files")+" in this folder is of a kind that can be read: Markdown, text, HTML, PDF.")
	}
	return docs, nil
}

// own says whether a folder lies in Cairn's home or holds it, the sample's
// documents excepted: what a task writes would be its own source.
func (s *Service) own(dir string) bool {
	within := func(inner, outer string) bool {
		rel, err := filepath.Rel(outer, inner)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	}
	dir, home := real(dir), real(s.cfg.Home.Dir)
	return within(home, dir) || within(dir, home) && !within(dir, real(s.cfg.Home.Sample()))
}

// real follows links as far as the folder exists.
func real(dir string) string {
	if path, err := filepath.EvalSymlinks(dir); err == nil {
		return path
	}
	return filepath.Clean(dir)
}

// likely guesses the bytes of text in a file, or says why it has none.
func likely(f source.File) (bytes int64, why string) {
	switch {
	case f.Skip == source.NotRegular:
		return 0, "no regular file"
	case f.Skip == source.Denied:
		return 0, "not to be opened"
	case f.Skip != "":
		return 0, "a link that is not followed"
	case f.Size == 0:
		return 0, "empty"
	case f.Size > source.MaxFile:
		return 0, "too large"
	}
	switch strings.ToLower(filepath.Ext(f.Name)) {
	case ".md", ".markdown", ".txt", ".text", ".csv", ".tsv", ".json", ".bib", ".tex", ".rst", ".org", "":
		return min(f.Size, source.MaxText), ""
	case ".html", ".htm", ".xhtml":
		return min(f.Size/3, source.MaxText), ""
	case ".pdf":
		// A page of a paper has some 3,500 bytes of text in 30 to 60 kB of file.
		return min(max(f.Size/12, 4000), 120_000), ""
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".bmp", ".svg":
		return 0, "a picture"
	}
	return 0, "of another kind"
}

func folderWords(files, good int64, not map[string]int64) string {
	text := view.Count(files, "file", "files")
	if good == files {
		return text + ", all likely readable"
	}
	var why []string
	for _, w := range []string{"empty", "a picture", "too large", "of another kind", "a link that is not followed", "no regular file", "not to be opened"} {
		if n := not[w]; n > 0 {
			why = append(why, fmt.Sprintf("%d %s", n, w))
		}
	}
	return fmt.Sprintf("%s, %d likely readable, %d not (%s)", text, good, files-good, strings.Join(why, ", "))
}

const (
	passageBytes = 1100 // of a usual passage
	replyTokens  = 40
)

// promises says for each depth what will be known by when, from measured speed
// where there is one.
func (s *Service) promises(form dto.NewTask, name string, docs []document) []dto.Promise {
	if name == "" || name == "-" || len(docs) == 0 {
		return nil
	}
	var set state.Settings
	measured := false
	if k, ok := s.models.speed(name); ok {
		set.ReadRate, set.WriteRate, set.TokenBytes = int64(k.ReadRate), int64(k.WriteRate), int64(k.TokenBytes*100)
		measured = true
	}
	questions := max(1, len(form.Questions))
	one := planner.Seconds(set, planner.Tokens(set, passageBytes)+60, replyTokens)
	answers := float64(questions) * planner.Seconds(set, 800, 200)
	now := s.now()
	var out []dto.Promise
	for _, depth := range []string{"quick", "thorough", "exhaustive"} {
		var passages float64
		most := planner.PerDocument(depth)
		for _, d := range docs {
			n := float64(max(1, d.bytes/passageBytes))
			if most > 0 {
				n = min(n, float64(most))
			}
			passages += n
		}
		all := passages*one*float64(questions) + answers
		budget := form.Budget
		if budget == 0 {
			budget = depthBudget(depth)
		}
		firsts := float64(len(docs)) * one
		text := "First findings in " + view.Duration(one*3) + ". "
		if budget > 0 && all > float64(budget) {
			text += fmt.Sprintf("Ends by %s with what could be read until then.", view.When(now, now.Add(time.Duration(budget)*time.Second)))
			all = float64(budget)
		} else {
			text += view.Promise(now, firsts, all)
		}
		if !measured {
			text += " A guess: this model was not measured here yet."
		}
		out = append(out, dto.Promise{Depth: depth, Text: text, Seconds: int64(all)})
	}
	return out
}
