package task

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/source"
)

// intakeFails: so many files in a row that no reader could be had for mean that
// reading does not work at all.
const intakeFails = 3

// failed is a file that was not read, and why. That says nothing about the file
// before another one was read.
type failed struct {
	file source.File
	err  error
}

// read gives what is in a file. What is never opened has its reason from the list.
func (in *intake) read(ctx context.Context, ex Extractor, f source.File) (source.Document, error) {
	if f.Skip != "" {
		return source.Document{Name: f.Name, Reason: f.Skip}, nil
	}
	doc, err := ex.Extract(ctx, f.Path)
	if err == nil {
		in.works, in.row = true, 0
		return doc, nil
	}
	err = fmt.Errorf("read %q: %w", f.Name, err)
	if ctx.Err() != nil {
		return doc, err
	}
	in.failed = append(in.failed, failed{f, err})
	if in.row++; in.row >= intakeFails {
		return doc, err
	}
	return source.Document{Reason: unread}, nil
}

// unread marks the outcome of a file that waits among the failed ones.
const unread = "unread"

// settle records the files that could not be read though others could: they are
// unreadable, and tried again by the next intake. Where no file could be read, the
// reading itself is at fault, and its error is given.
func (in *intake) settle(ctx context.Context, taken *Taken) error {
	if len(in.failed) > 0 && !in.works {
		return in.failed[0].err
	}
	for _, x := range in.failed {
		x.file.Size = -1 // no file has this size: it differs at the next look
		doc := source.Document{Name: x.file.Name, Reason: source.Failed}
		if err := in.add(ctx, x.file, doc, taken); err != nil {
			return err
		}
		taken.Refused = append(taken.Refused, x.err)
	}
	in.failed = nil
	return nil
}

// flush saves the lines that were collected as one group. A line that the ledger
// does not take costs its own file, not the others.
func (in *intake) flush(ctx context.Context) error {
	lines := in.lines
	in.lines = nil
	defer clear(in.from)
	err := in.task.Commit(ctx, lines, nil)
	if err == nil || !ofLine(err) {
		return in.recorded(err)
	}
	for _, e := range lines {
		err := in.task.Commit(ctx, []Entry{e}, nil)
		if err != nil && ofLine(err) {
			err = in.refused(ctx, e, err)
		}
		if err != nil {
			return in.recorded(err)
		}
	}
	return nil
}

func (in *intake) recorded(err error) error {
	if err != nil {
		return fmt.Errorf("record the sources: %w", err)
	}
	return nil
}

// refused records the file of a line that the ledger did not take as unreadable.
func (in *intake) refused(ctx context.Context, e Entry, why error) error {
	op, ok := e.Op.(*ledger.Source)
	if !ok {
		in.taken.Refused = append(in.taken.Refused, why)
		return nil
	}
	in.taken.Refused = append(in.taken.Refused, fmt.Errorf("record %q: %w", op.Name, why))
	if op.Reason == "" {
		in.taken.Unreadable++
	}
	less := &ledger.Source{Name: name(op.Name), Reason: source.Failed}
	id := ledger.SourceID(*less)
	if f, ok := in.from[ledger.SourceID(*op)]; ok {
		in.records.put(f.Path, fileRecord{Size: f.Size, Time: f.ModTime.UnixMilli(), Source: id})
	}
	if !in.isNew(id) {
		return nil
	}
	return in.task.Commit(ctx, []Entry{{By: ledger.Engine, Op: less}}, nil)
}

// ofLine: the error says that a line is not fit for the ledger, not that nothing can
// be saved now.
func ofLine(err error) bool {
	kind := engine.KindOf(err)
	return kind == engine.KindRefused || kind == engine.KindUsage
}

// The longest name or title of a source: in characters, and in bytes because the
// ledger counts those.
const (
	plainRunes = 300
	plainBytes = 1000
)

// plain keeps a title to one line of bounded length, as the ledger wants it. Blanks
// of every kind become one space; another control character is shown by its number.
func plain(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return bounded(visible(s))
}

// name is plain for the name of a file, in which an end of line is no blank, and
// which is never empty.
func name(s string) string {
	s = strings.ReplaceAll(s, "/", "\uFFFD") // no system has it in a name
	if s = plain(visible(strings.ToValidUTF8(s, "\uFFFD"))); s == "" {
		return "\uFFFD"
	}
	return s
}

// visible shows each control character by its number, as in \x1b.
func visible(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			fmt.Fprintf(&b, `\x%02x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// bounded cuts s at a character.
func bounded(s string) string {
	runes := 0
	for i, r := range s {
		end := i + utf8.RuneLen(r)
		if runes++; end > plainBytes || runes == plainRunes && end < len(s) {
			return s[:i] + "…"
		}
	}
	return s
}
