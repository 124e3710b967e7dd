package handoff

import (
	"bytes"
	"errors"
	"fmt"
	"sort"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Bounds of a passage: sentences around a quote on each side, bytes of text that
// they may add, bytes up to which neighbouring passages are joined.
const (
	around     = 2
	aroundText = 3000
	joinedText = 8000
)

// Export writes the file. The same input gives the same bytes. What it gives was
// read again by the rules of Parse before it is returned.
func Export(in Input) ([]byte, error) {
	x := &exporter{in: in}
	block, err := x.block()
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(block, []byte("\n")); n > MaxLines || len(block) > MaxFile {
		return nil, &engine.Error{Kind: engine.KindUsage, What: fmt.Sprintf("This task has %d lines, more than a hand-off file can hold (%d).", n, MaxLines), Safe: "Nothing was written."}
	}
	p, err := parseBlock(block, 1)
	if err != nil {
		var b *Broken
		if errors.As(err, &b) {
			return nil, &engine.Error{Kind: engine.KindDamaged, Err: err, What: "This task can't be exported: " + b.Error() + ".",
				Safe: "Nothing was written.", Do: "Run “cairn doctor” to see what is wrong with it."}
		}
		return nil, err
	}
	return assemble(p, block), nil
}

// assemble is the whole file of a block: the readable part, the block, its end.
func assemble(p *Parsed, block []byte) []byte {
	var b bytes.Buffer
	b.Write(Render(p))
	b.WriteString(begin(len(p.Segments), bytes.Count(block, []byte("\n")), block))
	b.WriteString("\n" + fenceOpen + "\n")
	b.Write(block)
	b.WriteString(fenceClose + "\n" + endMarker + "\n")
	return b.Bytes()
}

type exporter struct {
	in      Input
	prefix  *Parsed // the imported segments, nil without
	st      *state.State
	own     [][]byte
	seal    Seal
	covered map[string][]Passage
}

// block is the imported segments and one more with the lines after them.
func (x *exporter) block() ([]byte, error) {
	var out bytes.Buffer
	x.covered = map[string][]Passage{}
	if len(x.in.Segments) > 0 {
		for _, s := range x.in.Segments {
			out.Write(s)
		}
		p, err := parseBlock(out.Bytes(), 1)
		if err != nil {
			return nil, fmt.Errorf("read the imported segments: %w", err)
		}
		x.prefix = p
		for _, ps := range p.Passages {
			x.covered[ps.Source] = append(x.covered[ps.Source], ps)
		}
	}
	if err := x.lines(); err != nil {
		return nil, err
	}
	if len(x.own) == 0 {
		return out.Bytes(), nil
	}
	for _, l := range x.own {
		out.Write(l)
		out.WriteByte('\n')
	}
	passages, err := x.passages()
	if err != nil {
		return nil, err
	}
	for _, p := range passages {
		out.Write(p)
		out.WriteByte('\n')
	}
	x.seal.Passages = int64(len(passages))
	s, err := ledger.Canonical(sealLine{&x.seal})
	if err != nil {
		return nil, fmt.Errorf("write the seal: %w", err)
	}
	out.Write(s)
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// lines reads the branch, folds it, compares its beginning with the imported
// segments, and keeps the lines after them.
func (x *exporter) lines() error {
	x.st = state.New()
	known := int64(0)
	if x.prefix != nil {
		known = int64(len(x.prefix.Lines))
	}
	first := ""
	err := x.in.Lines(func(seq int64, raw []byte) error {
		l, err := ledger.Decode(raw)
		if err != nil {
			return fmt.Errorf("read line %d: %w", seq, err)
		}
		x.st.Apply(l)
		if x.st.Seq != seq {
			return fmt.Errorf("line %d does not continue the one before it", seq)
		}
		if seq == 1 {
			first = genesis(raw)
		}
		if seq <= known {
			if l.Hash != lineHash(x.prefix.Lines[seq-1]) {
				return fmt.Errorf("line %d is not the line of the imported file", seq)
			}
			return nil
		}
		x.keep(l, raw)
		return nil
	})
	if err != nil {
		return &engine.Error{Kind: engine.KindDamaged, Err: err, What: "The record of this task can't be read.", Safe: "Nothing was written.", Do: "Run “cairn doctor” to see what is wrong with it."}
	}
	if x.st.Seq < known {
		return &engine.Error{Kind: engine.KindDamaged, What: "This task is shorter than the file that it was imported from.", Safe: "Nothing was written."}
	}
	s := &x.seal
	s.App, s.V, s.Render, s.Genesis = x.in.App, FormatVersion, Renderer, first
	if s.App == "" {
		s.App = "Cairn"
	}
	s.First, s.Last = known+1, x.st.Seq
	s.Chain, s.State, s.Fold = x.st.Chain.String(), x.st.Hash().String(), state.FoldVersion
	return nil
}

func lineHash(raw []byte) ledger.Hash {
	if l, err := ledger.Decode(raw); err == nil {
		return l.Hash
	}
	return ledger.HashOf(raw)
}

func (x *exporter) keep(l *ledger.Line, raw []byte) {
	s := &x.seal
	s.Lines++
	switch {
	case l.Withheld:
		s.Withheld++
		x.own = append(x.own, bytes.Clone(raw))
		return
	case x.in.Withhold && ledger.IsLog(l.Op.OpName()):
		s.Withheld++
		x.own = append(x.own, ledger.Withhold(l.Hash))
		return
	}
	switch l.Op.(type) {
	case *ledger.Claim:
		s.Claims++
	case *ledger.Question:
		s.Questions++
	case *ledger.Source:
		s.Sources++
	}
	x.own = append(x.own, bytes.Clone(raw))
}

// passages gives the passage lines of live claims' quotes that no earlier segment
// covers, in their order.
func (x *exporter) passages() ([][]byte, error) {
	want := map[string][]state.Interval{}
	for _, id := range x.st.ClaimIDs {
		k := x.st.Claims[id]
		if !k.Live() {
			continue
		}
		for _, e := range k.Evidence {
			if !coveredBy(x.covered[e.Slice.Source], e.Slice.From, e.Slice.To) {
				want[e.Slice.Source] = append(want[e.Slice.Source], state.Interval{From: e.Slice.From, To: e.Slice.To})
			}
		}
	}
	ids := make([]string, 0, len(want))
	for id := range want {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	var out [][]byte
	for _, id := range ids {
		s := x.st.Sources[id]
		if s == nil || s.Body == "" || x.in.Texts == nil {
			continue
		}
		t, err := x.in.Texts(id)
		if engine.KindOf(err) == engine.KindNotFound && err != nil {
			continue // it did not travel to here either
		}
		if err != nil {
			return nil, fmt.Errorf("read the text of a source: %w", err)
		}
		if ledger.HashOf(t.Body).String() != s.Body || t.Table == nil || t.Table.Len() != s.Sentences {
			return nil, &engine.Error{Kind: engine.KindDamaged, What: "The text of “" + s.Name + "” is not the text that was read.", Safe: "Nothing was written.", Do: "Run “cairn doctor” to see what is wrong."}
		}
		for _, iv := range widen(t, want[id]) {
			line, err := encodePassage(t, s, iv)
			if err != nil {
				return nil, err
			}
			if line != nil {
				out = append(out, line)
			}
		}
	}
	return out, nil
}

func coveredBy(ps []Passage, from, to int64) bool {
	for _, p := range ps {
		if p.From <= from && to <= p.To {
			return true
		}
	}
	return false
}

// widen adds sentences around each quote and joins what then overlaps, as long as
// the passage stays short enough to read.
func widen(t Text, quotes []state.Interval) []state.Interval {
	sort.Slice(quotes, func(i, j int) bool {
		return quotes[i].From < quotes[j].From || quotes[i].From == quotes[j].From && quotes[i].To < quotes[j].To
	})
	size := func(iv state.Interval) int { return len(t.Table.Slice(t.Body, iv.From, iv.To)) }
	var out []state.Interval
	for _, q := range quotes {
		w := q
		for n := 0; n < around; n++ {
			for _, try := range []state.Interval{{From: w.From - 1, To: w.To}, {From: w.From, To: w.To + 1}} {
				if try.From >= 1 && try.To <= t.Table.Len() && size(try) <= size(q)+aroundText && size(try) <= ledger.MaxSlice {
					w = try
				}
			}
		}
		if n := len(out); n > 0 && w.From <= out[n-1].To+1 {
			j := state.Interval{From: min(out[n-1].From, w.From), To: max(out[n-1].To, w.To)}
			if size(j) <= joinedText {
				out[n-1] = j
				continue
			}
		}
		if n := len(out); n > 0 && out[n-1] == w {
			continue
		}
		out = append(out, w)
	}
	sort.Slice(out, func(i, j int) bool {
		return out[i].From < out[j].From || out[i].From == out[j].From && out[i].To < out[j].To
	})
	return out
}

// encodePassage writes one passage, nil where it does not fit a line: then the
// quote stands in its claim's line only.
func encodePassage(t Text, s *state.Source, iv state.Interval) ([]byte, error) {
	p := Passage{Body: s.Body, From: iv.From, To: iv.To, Source: s.ID, Text: t.Table.Slice(t.Body, iv.From, iv.To), Heading: t.Table.Heading(iv.From)}
	if len(p.Heading) > ledger.MaxText {
		p.Heading = ""
	}
	first, ok := t.Table.At(iv.From)
	if !ok || p.Text == "" || len(p.Text) > ledger.MaxSlice {
		return nil, nil
	}
	p.Page = int64(first.Page)
	for n := iv.From; n <= iv.To; n++ {
		c, ok := t.Table.At(n)
		if !ok {
			return nil, nil
		}
		p.Marks = append(p.Marks, ledger.Span(int64(c.From-first.From)+1, int64(c.To-first.From)))
	}
	if len(p.Marks) > 4096 {
		return nil, nil
	}
	line, err := ledger.Canonical(passageLine{&p})
	if err != nil {
		return nil, fmt.Errorf("write a passage: %w", err)
	}
	if len(line) > ledger.MaxLine {
		return nil, nil
	}
	return line, nil
}
