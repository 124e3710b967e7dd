package ledger

// FormatVersion is the `v` of every line this program writes, and the newest it reads.
const FormatVersion = 1

// Head is what every line carries beside its op and the op's fields.
type Head struct {
	V        int64   // format version; 0 in Encode means FormatVersion
	Seq      int64   // 1, 2, 3 …
	Group    int64   // "g", from 1
	N        int64   // number of lines of the group, in its last line only; else 0
	At       int64   // Unix milliseconds
	By       By      // author class
	Who      string  // "key:…", "digest:…" or "program:…"; "" when absent
	Prev     Hash    // chain value before this line
	Salt     string  // 32 hex digits, on every log line and no other
	Origin   *Origin // work lines re-issued by join or root
	Reported bool    // re-issued, and the original counts as reported by its sender
	X        Object  // the free object, which the fold never reads; nil when absent
}

// Line is one line, decoded. A withheld line has only Hash, Raw and Withheld.
type Line struct {
	Head
	Op       Op // a pointer to the op's struct
	Hash     Hash
	Raw      []byte // the line's bytes without LF; never changed
	Withheld bool
}

// Chain is the chain value after this line, given the one before it.
func (l *Line) Chain(prev Hash) Hash { return prev.Extend(l.Hash) }
