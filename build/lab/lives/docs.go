package lives

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"cairn/engine/ledger"
	"cairn/engine/source"
)

// Words that documents are made of, and questions ask for.
var (
	things = []string{"barley", "copper", "the river", "glass", "the northern field", "salt", "the old mill", "linen"}
	kinds  = []string{"weight", "height", "colour", "age", "price", "yield"}
	places = []string{"in spring", "at night", "near the wall", "under the bridge", "in the third year", "before the harvest"}
)

func pick[T any](dice *rand.Rand, list []T) T { return list[dice.IntN(len(list))] }

// sentence is one statement of a document.
func sentence(dice *rand.Rand) string {
	n := 10 + dice.IntN(990)
	switch dice.IntN(4) {
	case 0:
		return fmt.Sprintf("The %s of %s was %d grains %s.", pick(dice, kinds), pick(dice, things), n, pick(dice, places))
	case 1:
		return fmt.Sprintf("Nobody measured the %s of %s in %d villages.", pick(dice, kinds), pick(dice, things), n)
	case 2:
		return fmt.Sprintf("It may be that the %s of %s fell by %d percent %s.", pick(dice, kinds), pick(dice, things), 1+n%90, pick(dice, places))
	}
	return fmt.Sprintf("We counted %d samples of %s – “%s” in the notes – and found %s.", n, pick(dice, things), pick(dice, kinds), pick(dice, places))
}

func question(dice *rand.Rand) string {
	return fmt.Sprintf("What was the %s of %s %s?", pick(dice, kinds), pick(dice, things), pick(dice, places))
}

// file is one file of a folder.
type file struct {
	body    []byte // nil: no text can be read from it
	changed time.Time
	raw     string // what its hash is made of
}

// folder is a person's folder of documents.
type folder struct {
	files map[string]*file
	n     int
}

// write puts a new text under a name.
func (f *folder) write(dice *rand.Rand, name string, now time.Time) {
	f.n++
	var b strings.Builder
	for n := 4 + dice.IntN(9); n > 0; n-- {
		b.WriteString(sentence(dice))
		b.WriteString([]string{" ", " ", "\n\n"}[dice.IntN(3)])
	}
	body := []byte(strings.TrimSpace(b.String()))
	f.files[name] = &file{body: body, raw: string(body), changed: now.Add(time.Duration(f.n) * time.Second)}
	if dice.IntN(9) == 0 {
		f.files[name].body, f.files[name].raw = nil, fmt.Sprintf("scan %d", f.n)
	}
}

func (f *folder) names() []string {
	var out []string
	for n := range f.files {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// desk of folders: by path, with every text that was ever in one.
type folders struct {
	at   map[string]*folder
	ever map[string][]byte // body hash → body
}

// Scan implements task.Scanner.
func (f *folders) Scan(_ context.Context, dir string) ([]source.File, error) {
	var out []source.File
	for _, name := range f.at[dir].names() {
		one := f.at[dir].files[name]
		out = append(out, source.File{Path: dir + "/" + name, Rel: name, Name: name, Size: int64(len(one.raw)), ModTime: one.changed})
	}
	return out, nil
}

// Extract implements task.Extractor.
func (f *folders) Extract(_ context.Context, path string) (source.Document, error) {
	i := strings.LastIndexByte(path, '/')
	one := f.at[path[:i]].files[path[i+1:]]
	d := source.Document{Name: path[i+1:], Media: "text", File: ledger.HashOf([]byte(one.raw)), Bytes: int64(len(one.raw))}
	if one.body == nil {
		d.Reason = source.NoText
		return d, nil
	}
	d.Extractor, d.Title, d.Body, d.Table = "lives/1", "Notes of "+d.Name, one.body, cut(one.body)
	f.ever[ledger.HashOf(one.body).String()] = one.body
	return d, nil
}

// cut is the sentence table of a text.
func cut(body []byte) source.Table {
	var t source.Table
	at := 0
	for at < len(body) {
		for at < len(body) && (body[at] == ' ' || body[at] == '\n') {
			at++
		}
		end := at
		for end < len(body) && body[end] != '.' {
			end++
		}
		end = min(end+1, len(body))
		start := at == 0 || body[at-1] == '\n'
		if at < end {
			t.Sentences = append(t.Sentences, source.Sentence{From: at, To: end, Heading: -1, Start: start})
		}
		at = end
	}
	return t
}
