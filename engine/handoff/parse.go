package handoff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"cairn/engine"
	"cairn/engine/audit"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Parse reads a file in the order of the format, within its limits. It refuses
// every file whose record does not hold, with an *engine.Error of kind
// KindVerification (cause *Broken) or KindNewer. A changed readable part is no
// error here: the record wins, and Result says so. Nothing is run or fetched.
func Parse(file []byte) (*Parsed, error) {
	f, err := frame(file)
	if err != nil {
		return nil, err
	}
	p, err := parseBlock(f.block, f.firstLine)
	if err != nil {
		return nil, err
	}
	if err := f.matches(p); err != nil {
		return nil, err
	}
	want := assemble(p, f.block)
	if line := firstDifference(f.file, want); line > 0 {
		p.Result.Readable, p.Result.Changed = false, line
		p.Result.Warnings = append(p.Result.Warnings, fmt.Sprintf("The readable part was changed, first at line %d of the file. The record below it is intact, and it alone counts.", line))
	} else {
		p.Result.Readable = true
	}
	return p, nil
}

// Verify is Parse for `cairn verify`: a changed readable part is an error too;
// the Result is filled in that case.
func Verify(file []byte) (Result, error) {
	p, err := Parse(file)
	if err != nil {
		return Result{}, err
	}
	if !p.Result.Readable {
		return p.Result, refuse(&Broken{FileLine: p.Result.Changed, Readable: true, Why: "the readable part is not what the record says"})
	}
	return p.Result, nil
}

// framed is a file whose markers were found.
type framed struct {
	file      []byte // without CRs
	block     []byte
	mark      marker
	beginLine int64 // of the file, from 1
	firstLine int64 // file line of the block's first line
}

// frame is items 1–4: size, UTF-8, one pair of markers, lines.
func frame(file []byte) (*framed, error) {
	switch {
	case len(file) > MaxFile:
		return nil, broken(0, 0, "it is larger than %d MB", MaxFile>>20)
	case len(file) == 0:
		return nil, broken(0, 0, "it is empty")
	}
	file = stripCR(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")))
	if i := bytes.IndexByte(file, 0); i >= 0 {
		return nil, broken(lineAt(file, i), 0, "it holds a zero byte, so it is no text file")
	}
	if !utf8.Valid(file) {
		return nil, broken(lineAt(file, invalidAt(file)), 0, "it is not valid UTF-8 text")
	}
	f := &framed{file: file}
	var begins, ends int
	var endLine int64
	var start, end int
	n := int64(0)
	for at := 0; at < len(file); {
		next := bytes.IndexByte(file[at:], '\n')
		line := file[at:]
		if next >= 0 {
			line = file[at : at+next]
		} else {
			next = len(line) - 1
		}
		n++
		switch {
		case bytes.HasPrefix(line, []byte(beginPrefix)):
			if begins++; begins > 1 {
				return nil, broken(n, 0, "a second record begins here")
			}
			m, ok := parseBegin(line)
			if !ok {
				return nil, broken(n, 0, "the line that opens the record is not in its form")
			}
			if m.version > FormatVersion {
				return nil, newer(fmt.Errorf("hand-off format %d", m.version), fmt.Sprintf("This file has format %d, and this Cairn reads up to %d.", m.version, FormatVersion))
			}
			f.mark, f.beginLine, start = m, n, at+next+1
		case string(line) == endMarker:
			if ends++; ends > 1 || begins == 0 {
				return nil, broken(n, 0, "the record ends here without having begun")
			}
			endLine, end = n, at
		}
		at += next + 1
	}
	switch {
	case begins == 0:
		return nil, broken(0, 0, "there is no record in it; it is not a Cairn file, or its end was cut off")
	case ends == 0:
		return nil, broken(f.beginLine, 0, "the record that begins here has no end: the file was cut off")
	}
	return f, f.fence(start, end, endLine)
}

// fence takes the code fence off what stands between the markers.
func (f *framed) fence(start, end int, endLine int64) error {
	inner := f.file[start:end]
	open, shut := []byte(fenceOpen+"\n"), []byte(fenceClose+"\n")
	if !bytes.HasPrefix(inner, open) {
		return broken(f.beginLine+1, 0, "the record does not begin with its code fence")
	}
	if len(inner) < len(open)+len(shut) || !bytes.HasSuffix(inner, append([]byte("\n"), shut...)) {
		return broken(endLine-1, 0, "the record does not end with its code fence")
	}
	f.block = inner[len(open) : len(inner)-len(shut)]
	f.firstLine = f.beginLine + 2
	return nil
}

// matches compares the opening marker with the block, after each line was looked
// at: so a changed line is named, not the marker.
func (f *framed) matches(p *Parsed) error {
	lines := int64(bytes.Count(f.block, []byte("\n")))
	switch {
	case f.mark.bytes != int64(len(f.block)), f.mark.lines != lines, f.mark.segments != int64(len(p.Segments)):
		return broken(f.beginLine, 0, "it says %d segments, %d lines, %d bytes, and there are %d, %d, %d", f.mark.segments, f.mark.lines, f.mark.bytes, len(p.Segments), lines, len(f.block))
	case f.mark.sha256 != p.Result.Block:
		return broken(f.beginLine, 0, "its SHA-256 is not that of the record")
	}
	return nil
}

func lineAt(b []byte, at int) int64 { return int64(bytes.Count(b[:at], []byte("\n"))) + 1 }

func invalidAt(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

// firstDifference is the first line in which two files differ, 0 for none.
func firstDifference(a, b []byte) int64 {
	if bytes.Equal(a, b) {
		return 0
	}
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	return lineAt(a, i)
}

// reader is items 5–10: the lines of a block in their order.
type reader struct {
	p         *Parsed
	firstLine int64
	n         int64 // line of the block
	chain     *ledger.Verifier
	segment   segment
	places    map[string][]int // source → passages
	lineOf    []int64          // block line of each ledger line
}

// segment is the one that is being read.
type segment struct {
	start    int // byte of the block
	begun    bool
	passages bool // passage lines have begun: no ledger line may follow
	last     *Passage
	seal     Seal // counted
}

// parseBlock reads and checks a block. firstLine is the file's line of its first.
func parseBlock(block []byte, firstLine int64) (*Parsed, error) {
	r := &reader{p: &Parsed{State: state.New()}, firstLine: firstLine, chain: ledger.NewVerifier(ledger.Hash{}), places: map[string][]int{}}
	for at := 0; at < len(block); {
		next := bytes.IndexByte(block[at:], '\n')
		if next < 0 {
			return nil, r.bad("the line has no end")
		}
		if r.n++; r.n > MaxLines {
			return nil, r.bad("a file holds at most %d lines; larger work travels as an archive", MaxLines)
		}
		if next > ledger.MaxLine {
			return nil, r.bad("the line is longer than %d bytes", ledger.MaxLine)
		}
		line := block[at : at+next : at+next]
		if !r.segment.begun {
			r.begin(at)
		}
		if err := r.line(block, line, at+next+1); err != nil {
			return nil, err
		}
		at += next + 1
	}
	if r.segment.begun {
		return nil, r.bad("the seal is missing: the end of the record was cut off")
	}
	if len(r.p.Seals) == 0 {
		return nil, r.bad("the record is empty")
	}
	if _, err := r.chain.Close(); err != nil {
		return nil, r.bad("%s", why(err))
	}
	if err := r.audit(); err != nil {
		return nil, err
	}
	r.result(block)
	return r.p, nil
}

func (r *reader) bad(format string, args ...any) error {
	if r.n == 0 {
		return broken(r.firstLine, 0, format, args...)
	}
	return r.badAt(r.n, format, args...)
}

func (r *reader) badAt(line int64, format string, args ...any) error {
	return broken(r.firstLine+line-1, line, format, args...)
}

// why is the reason inside a line error.
func why(err error) string {
	var at *ledger.LineError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

func (r *reader) begin(at int) {
	r.segment = segment{start: at, begun: true, seal: Seal{First: r.p.State.Seq + 1}}
}

func (r *reader) line(block, line []byte, end int) error {
	switch {
	case bytes.HasPrefix(line, []byte(passageMark)):
		return r.passage(line)
	case bytes.HasPrefix(line, []byte(sealMark)):
		return r.seal(block, line, end)
	}
	return r.ledgerLine(line)
}

func (r *reader) ledgerLine(line []byte) error {
	if r.segment.passages {
		return r.bad("a line of the ledger stands after the passages")
	}
	if err := r.chain.Add(line); err != nil {
		var n *ledger.NewerError
		if errors.As(err, &n) {
			return newer(err, fmt.Sprintf("Line %d of the record was written by a newer Cairn (format %d; this one reads up to %d).", r.n, n.Version, ledger.FormatVersion))
		}
		return r.bad("%s", why(err))
	}
	l, err := ledger.Decode(line)
	if err != nil {
		return r.bad("%s", why(err))
	}
	for _, f := range r.p.State.Apply(l) {
		switch f.Code {
		case state.CodeState, state.CodeChain, state.CodeObject, state.CodeCycle:
			return r.bad("%s", f.Message)
		}
		r.p.Result.Findings = append(r.p.Result.Findings, f)
	}
	r.p.Lines = append(r.p.Lines, line)
	r.lineOf = append(r.lineOf, r.n)
	s := &r.segment.seal
	s.Lines++
	if l.Withheld {
		s.Withheld++
		return nil
	}
	switch l.Op.(type) {
	case *ledger.Claim:
		s.Claims++
	case *ledger.Question:
		s.Questions++
	case *ledger.Source:
		s.Sources++
	}
	return nil
}

func (r *reader) passage(line []byte) error {
	var pl passageLine
	if err := ledger.Unmarshal(line, &pl); err != nil {
		return r.bad("the passage: %s", why(err))
	}
	p := pl.Passage
	s := r.p.State.Sources[p.Source]
	switch {
	case s == nil:
		return r.bad("the passage is from a source that is not on record")
	case s.Body != p.Body:
		return r.bad("the passage is from another text of its source")
	case p.To < p.From || p.To > s.Sentences || int64(len(p.Marks)) != p.To-p.From+1:
		return r.bad("the passage does not have the sentences that it names")
	case r.segment.last != nil && !before(r.segment.last, p):
		return r.bad("the passages are not in their order")
	}
	end := 0
	for i, m := range p.Marks {
		from, to, ok := ledger.ParseSpan(m)
		if !ok || int(from) <= end || int(to) > len(p.Text) || i == 0 && from != 1 || !utf8.RuneStart(p.Text[from-1]) {
			return r.bad("the passage's sentences do not lie in its text")
		}
		end = int(to)
	}
	if end != len(p.Text) {
		return r.bad("the passage's sentences do not lie in its text")
	}
	r.segment.passages, r.segment.last = true, p
	r.segment.seal.Passages++
	r.places[p.Source] = append(r.places[p.Source], len(r.p.Passages))
	r.p.Passages = append(r.p.Passages, *p)
	return nil
}

// before is the order of passages: source, from, to.
func before(a, b *Passage) bool {
	if a.Source != b.Source {
		return a.Source < b.Source
	}
	return a.From < b.From || a.From == b.From && a.To < b.To
}

// Sentences gives the bytes of sentences from..to, "" when p does not hold them.
func (p *Passage) Sentences(from, to int64) string {
	if from < p.From || to > p.To || from > to {
		return ""
	}
	a, _, _ := ledger.ParseSpan(p.Marks[from-p.From])
	_, b, _ := ledger.ParseSpan(p.Marks[to-p.From])
	return p.Text[a-1 : b]
}

func (r *reader) seal(block, line []byte, end int) error {
	var sl sealLine
	if err := ledger.Unmarshal(line, &sl); err != nil {
		return r.bad("the seal: %s", why(err))
	}
	got, want := *sl.Seal, r.segment.seal
	if got.V > FormatVersion || got.Render > Renderer {
		return newer(fmt.Errorf("seal version %d, renderer %d", got.V, got.Render), "This file was written by a newer Cairn.")
	}
	if want.Lines == 0 {
		return r.bad("the seal closes no line")
	}
	want.V, want.Render, want.App = FormatVersion, got.Render, got.App
	want.Last = r.p.State.Seq
	want.Chain = r.p.State.Chain.String()
	want.Genesis = genesis(r.p.Lines[0])
	want.Fold, want.State = got.Fold, got.State
	if got.Fold == state.FoldVersion { // under other rules the hash is another
		want.State = r.p.State.Hash().String()
	}
	if got != want {
		return r.bad("the seal does not fit the lines above it: %s", sealDifference(got, want))
	}
	if len(r.p.Seals) == MaxSegments {
		return r.bad("a file has at most %d segments", MaxSegments)
	}
	r.p.Seals = append(r.p.Seals, got)
	r.p.Segments = append(r.p.Segments, block[r.segment.start:end:end])
	r.segment = segment{}
	return nil
}

func genesis(first []byte) string { return (ledger.Hash{}).Extend(ledger.HashOf(first)).String() }

func sealDifference(got, want Seal) string {
	var out []string
	n := func(name string, a, b int64) {
		if a != b {
			out = append(out, fmt.Sprintf("it says %d %s, and there are %d", a, name, b))
		}
	}
	n("lines", got.Lines, want.Lines)
	n("lines withheld", got.Withheld, want.Withheld)
	n("claims", got.Claims, want.Claims)
	n("questions", got.Questions, want.Questions)
	n("sources", got.Sources, want.Sources)
	n("passages", got.Passages, want.Passages)
	switch {
	case len(out) > 0:
	case got.Chain != want.Chain:
		out = append(out, "the last line was changed")
	case got.State != want.State:
		out = append(out, "it names another state")
	default:
		out = append(out, "its place or its beginning is another")
	}
	return strings.Join(out, "; ")
}

// audit is item 10: the invariants that need no texts, and the quotes against the
// passages that travelled.
func (r *reader) audit() error {
	lines := func(fn func(int64, []byte) error) error {
		for i, l := range r.p.Lines {
			if err := fn(int64(i+1), l); err != nil {
				return err
			}
		}
		return nil
	}
	rep, err := audit.Audit(context.Background(), r.p.State, nil, audit.Options{Lines: lines})
	if err != nil {
		return &engine.Error{Kind: engine.KindInternal, What: "The file could not be checked.", Safe: "Nothing was imported or changed.", Err: err}
	}
	for _, p := range rep.Problems {
		if p.Class != audit.Invariant {
			continue
		}
		if p.Seq >= 1 && p.Seq <= int64(len(r.lineOf)) {
			return r.badAt(r.lineOf[p.Seq-1], "%s", strings.TrimSuffix(p.Message, "."))
		}
		return broken(0, 0, "%s", strings.TrimSuffix(p.Message, "."))
	}
	return r.quotes()
}

// quotes compares each quote that lies in a passage with it.
func (r *reader) quotes() error {
	for _, id := range r.p.State.ClaimIDs {
		for _, e := range r.p.State.Claims[id].Evidence {
			for _, i := range r.places[e.Slice.Source] {
				p := &r.p.Passages[i]
				if e.Slice.From < p.From || e.Slice.To > p.To {
					continue
				}
				if p.Sentences(e.Slice.From, e.Slice.To) != e.Slice.Text && e.Seq >= 1 && e.Seq <= int64(len(r.lineOf)) {
					return r.badAt(r.lineOf[e.Seq-1], "its quote is not what stands in the passage that travelled with it")
				}
			}
		}
	}
	return nil
}

func (r *reader) result(block []byte) {
	st, res := r.p.State, &r.p.Result
	res.Lines, res.Segments, res.Passages = int64(len(r.p.Lines)), int64(len(r.p.Segments)), int64(len(r.p.Passages))
	for _, s := range r.p.Seals {
		res.Withheld += s.Withheld
	}
	last := r.p.Seals[len(r.p.Seals)-1]
	res.Chain, res.Genesis, res.State = last.Chain, last.Genesis, last.State
	res.Block = ledger.HashOf(block).String()
	res.Checkpoints = int64(len(st.Checkpoints))
	res.Title, res.Goal = st.Task.Title, st.Task.Goal
	for _, id := range st.ClaimIDs {
		if k := st.Claims[id]; k.Live() {
			res.Claims++
			res.Quotes += int64(len(k.Evidence))
		}
	}
	res.Questions, res.Sources = int64(len(st.QuestionIDs)), int64(len(st.SourceIDs))
	if n := len(res.Findings); n > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%d lines of the record have no effect; the first is line %d: %s.", n, res.Findings[0].Seq, res.Findings[0].Message))
	}
}
