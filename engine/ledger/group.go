package ledger

// Group is a run of lines that became durable together.
type Group struct {
	First int64 // seq of its first line
	Lines [][]byte
	Bytes int // LFs counted
}

// Grouper splits a ledger's lines into groups by g and n, as they come. Withheld
// lines have neither: those before the n lines of a group are given as a group
// of their own.
type Grouper struct {
	seq     int64 // of the first pending line
	pending [][]byte
}

// NewGrouper begins at the line with seq first (1 at the beginning of a ledger).
func NewGrouper(first int64) *Grouper { return &Grouper{seq: first} }

// Add takes the next line and gives the groups that it closes: none, one, or a
// group of withheld lines and the one after it. It checks form and size, not the
// chain (Verifier does).
func (g *Grouper) Add(line []byte) ([]Group, error) {
	f, err := DecodeFrame(line)
	if err != nil {
		return nil, err
	}
	if want := g.seq + int64(len(g.pending)); !f.Withheld && f.Seq != want {
		return nil, errCode(CodeSeq, "seq %d instead of %d", f.Seq, want)
	}
	g.pending = append(g.pending, line)
	if f.N == 0 {
		return nil, nil
	}
	hidden := len(g.pending) - int(f.N)
	if hidden < 0 {
		return nil, errCode(CodeGroup, "n says %d lines, but the group has only %d", f.N, len(g.pending))
	}
	var groups []Group
	for len(g.pending) > int(f.N) {
		groups = append(groups, g.cut(min(len(g.pending)-int(f.N), MaxGroupLines)))
	}
	last := g.cut(len(g.pending))
	if last.Bytes > MaxGroupBytes {
		return nil, errCode(CodeGroup, "a group of %d bytes is above %d", last.Bytes, MaxGroupBytes)
	}
	return append(groups, last), nil
}

func (g *Grouper) cut(n int) Group {
	group := Group{First: g.seq, Lines: append([][]byte(nil), g.pending[:n]...)}
	for _, line := range group.Lines {
		group.Bytes += len(line) + 1
	}
	g.pending = g.pending[n:]
	g.seq += int64(n)
	return group
}

// Rest is what no line closed: a torn group, or withheld lines at the end.
func (g *Grouper) Rest() Group {
	rest := *g
	return rest.cut(len(rest.pending))
}
