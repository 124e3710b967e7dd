package task_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/source"
	"cairn/engine/task"
	"cairn/vault/vaulttest"
)

// odd is texts whose extractor can be told what becomes of a file, and whose
// scanner lists entries that are never opened.
type odd struct {
	texts
	errs   map[string]error
	reason map[string]string
	title  map[string]string
	skip   map[string]string
}

func (o odd) scan(ctx context.Context, dir string) ([]source.File, error) {
	files, err := o.texts.scan(ctx, dir)
	for i := range files {
		files[i].Skip = o.skip[files[i].Name]
	}
	return files, err
}

func (o odd) Extract(ctx context.Context, path string) (source.Document, error) {
	name := strings.TrimPrefix(path, "/")
	if o.skip[name] != "" {
		return source.Document{}, errors.New("it was opened")
	}
	if err := o.errs[name]; err != nil {
		return source.Document{}, err
	}
	if r := o.reason[name]; r != "" {
		return source.Document{Name: name, Reason: r}, nil
	}
	d, err := o.texts.Extract(ctx, path)
	d.Title = o.title[name]
	return d, err
}

// sources gives name → reason of a task's sources.
func sources(tk *task.Task) map[string]string {
	out := map[string]string{}
	st := tk.Snapshot()
	for _, id := range st.SourceIDs {
		out[st.Sources[id].Name] = st.Sources[id].Reason
	}
	return out
}

func empty(t *testing.T) *task.Task {
	t.Helper()
	tk := made(t, vaulttest.NewMemory(), texts{})
	return tk
}

// Names and titles that the ledger can't hold are written so that it can.
func TestIntakeOddNames(t *testing.T) {
	wide := strings.Repeat("😀", 300)
	o := odd{texts: texts{"\x1b[31mred.txt": "Red.", "new\nline.txt": "New.", "c1\u0085.txt": "C.", " ": "Blank.", "bad\xff.txt": "Bad.", "good.txt": "Good."},
		title: map[string]string{"good.txt": "A\x00\ntitle" + wide}}
	tk := empty(t)
	taken, err := tk.Intake(ctx, o.scan, o, func(_, _ int, name string) {
		if strings.ContainsAny(name, "\n\x1b") {
			t.Errorf("progress says %q", name)
		}
	})
	if err != nil || taken.New != 6 || taken.Unreadable != 0 || len(taken.Refused) != 0 || taken.Files != 6 {
		t.Fatalf("%+v, %v", taken, err)
	}
	got := sources(tk)
	for _, want := range []string{`\x1b[31mred.txt`, `new\x0aline.txt`, `c1\x85.txt`, "bad\uFFFD.txt", "\uFFFD", "good.txt"} {
		if _, ok := got[want]; !ok {
			t.Errorf("no %q among %q", want, got)
		}
	}
	for _, s := range tk.Snapshot().Sources {
		if s.Name == "good.txt" && (!strings.HasPrefix(s.Title, `A\x00 title😀`) || len(s.Title) > ledger.MaxShort) {
			t.Errorf("title %q", s.Title)
		}
	}
}

// A file whose reading goes wrong costs itself: it is listed, said, and tried again.
func TestIntakeOneFileFails(t *testing.T) {
	o := odd{texts: texts{"a.txt": "A.", "b.txt": "B.", "c.txt": "C."}, errs: map[string]error{"b.txt": errors.New("no child")}}
	tk := empty(t)
	taken, err := tk.Intake(ctx, o.scan, o, nil)
	if err != nil || len(taken.Refused) != 1 || !strings.Contains(taken.Refused[0].Error(), "no child") {
		t.Fatalf("%+v, %v", taken, err)
	}
	if got := sources(tk); len(got) != 3 || got["b.txt"] != source.Failed || got["a.txt"] != "" || got["c.txt"] != "" {
		t.Errorf("%q", got)
	}
	delete(o.errs, "b.txt")
	if taken, err = tk.Intake(ctx, o.scan, o, nil); err != nil || taken.New != 1 {
		t.Fatalf("%+v, %v", taken, err)
	}
	if c := tk.Snapshot().Counts(); c.Sources != 3 || c.Unreadable != 0 {
		t.Errorf("after the second reading: %+v", c)
	}
	// Where no file can be read, that is no file's fault.
	tk = empty(t)
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		o.errs[name] = errors.New("no child")
	}
	if _, err := tk.Intake(ctx, o.scan, o, nil); err == nil || len(sources(tk)) != 0 {
		t.Errorf("%v, %q", err, sources(tk))
	}
}

// A line that the ledger does not take costs its own file.
func TestIntakeOneLineIsRefused(t *testing.T) {
	o := odd{texts: texts{"a.txt": "A.", "b.txt": "B.", "c.txt": "C."}}
	tk := empty(t)
	bad := extractor(func(ctx context.Context, path string) (source.Document, error) {
		d, err := o.Extract(ctx, path)
		if path == "/b.txt" {
			d.Media = "no word of the ledger"
		}
		return d, err
	})
	taken, err := tk.Intake(ctx, o.scan, bad, nil)
	if err != nil || len(taken.Refused) != 1 || taken.Unreadable != 1 || engine.KindOf(taken.Refused[0]) != engine.KindUsage {
		t.Fatalf("%+v, %v", taken, err)
	}
	if got := sources(tk); len(got) != 3 || got["b.txt"] != source.Failed || got["a.txt"] != "" || got["c.txt"] != "" {
		t.Errorf("%q", got)
	}
	seq := tk.Snapshot().Seq
	if taken, err = tk.Intake(ctx, o.scan, bad, nil); err != nil || taken.New != 0 || tk.Snapshot().Seq != seq {
		t.Errorf("again: %+v, %v", taken, err)
	}
}

type extractor func(ctx context.Context, path string) (source.Document, error)

func (e extractor) Extract(ctx context.Context, path string) (source.Document, error) {
	return e(ctx, path)
}

// A file that is gone before it is read leaves no source; one that was read before
// keeps its text and is gone.
func TestIntakeVanished(t *testing.T) {
	o := odd{texts: texts{"a.txt": "A.", "b.txt": "B."}, reason: map[string]string{"b.txt": source.Vanished}}
	tk := empty(t)
	taken, err := tk.Intake(ctx, o.scan, o, nil)
	if err != nil || taken.New != 1 || taken.Unreadable != 0 || taken.Files != 1 {
		t.Fatalf("%+v, %v", taken, err)
	}
	if got := sources(tk); len(got) != 1 {
		t.Errorf("%q", got)
	}
	o.reason["a.txt"], o.texts["a.txt"] = source.Vanished, "A, changed."
	if taken, err = tk.Intake(ctx, o.scan, o, nil); err != nil || taken.Gone != 1 {
		t.Fatalf("%+v, %v", taken, err)
	}
	st := tk.Snapshot()
	if s := st.Sources[st.SourceIDs[0]]; s.Missing != "gone" || s.Body == "" || st.Counts().Unreadable != 0 {
		t.Errorf("%+v, %+v", s, st.Counts())
	}
}

// What is never opened is listed with its reason, once, and the look finds nothing new.
func TestIntakeSkipped(t *testing.T) {
	o := odd{texts: texts{"a.txt": "A.", "pipe": "", "link.txt": ""}, skip: map[string]string{"pipe": source.NotRegular, "link.txt": source.LinkOut}}
	tk := empty(t)
	for range 2 {
		if taken, err := tk.Intake(ctx, o.scan, o, nil); err != nil || taken.Files != 1 || len(taken.Refused) != 0 {
			t.Fatalf("%+v, %v", taken, err)
		}
	}
	if got := sources(tk); len(got) != 3 || got["pipe"] != source.NotRegular || got["link.txt"] != source.LinkOut {
		t.Errorf("%q", got)
	}
	seen, err := tk.Look(ctx, o.scan, func(path string) (string, error) { return "", errors.New("it was opened: " + path) })
	if err != nil || !seen.None() {
		t.Errorf("%+v, %v", seen, err)
	}
}
