package ledger

// Entry is what the caller knows about a line: the time, its author, the salt of
// a log line (32 random hex digits), and for re-issued lines their origin.
type Entry struct {
	At       int64
	By       By
	Who      string
	Salt     string
	Origin   *Origin
	Reported bool
	X        Object
}

// Builder frames the lines of one group: seq, g, n and prev. It is pure; the
// caller brings clock and randomness. Lines that it gave are part of the group
// whether or not the caller keeps them.
type Builder struct {
	seq, group int64
	chain      Hash
	lines      [][]byte
	bytes      int
	closed     bool
}

// NewBuilder begins the group after the line with that seq, group and chain value.
func NewBuilder(seq, group int64, chain Hash) *Builder {
	return &Builder{seq: seq, group: group + 1, chain: chain}
}

// Add writes the next line of the group; last closes the group with n.
func (b *Builder) Add(e Entry, op Op, last bool) (*Line, error) {
	if b.closed {
		return nil, errForm("the group is closed")
	}
	if len(b.lines) == MaxGroupLines || !last && len(b.lines) == MaxGroupLines-1 {
		return nil, errForm("a group has at most %d lines", MaxGroupLines)
	}
	head := Head{V: FormatVersion, Seq: b.seq + 1, Group: b.group, At: e.At, By: e.By, Who: e.Who, Prev: b.chain,
		Salt: e.Salt, Origin: e.Origin, Reported: e.Reported, X: e.X}
	if last {
		head.N = int64(len(b.lines)) + 1
	}
	raw, err := Encode(head, op)
	if err != nil {
		return nil, err
	}
	if b.bytes+len(raw)+1 > MaxGroupBytes {
		return nil, errForm("a group has at most %d bytes", MaxGroupBytes)
	}
	line := &Line{Head: head, Op: op, Raw: raw, Hash: HashOf(raw)}
	b.bytes += len(raw) + 1
	b.lines = append(b.lines, raw)
	b.seq++
	b.chain = b.chain.Extend(line.Hash)
	b.closed = last
	return line, nil
}

// Lines are the group's lines so far, for Store.Append.
func (b *Builder) Lines() [][]byte { return b.lines }

// Head is seq, group and chain value of the last line.
func (b *Builder) Head() (seq, group int64, chain Hash) { return b.seq, b.group, b.chain }

// Closed reports whether the last line was written.
func (b *Builder) Closed() bool { return b.closed }

// Room is how many lines and bytes the group can still take.
func (b *Builder) Room() (lines, bytes int) {
	return MaxGroupLines - len(b.lines), MaxGroupBytes - b.bytes
}
