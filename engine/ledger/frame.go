package ledger

import "errors"

// Frame is a line read no further than its head: form and chain, without the
// op's fields. It is what a store and a chain reader need.
type Frame struct {
	Seq, Group, N int64
	Op            string
	Prev          Hash
	Hash          Hash
	Withheld      bool // only Hash is set
	size          int  // bytes with LF
}

// DecodeFrame reads a line's head. The line is canonical, its op is known and
// its head fields have their types; the op's own fields are not looked at.
func DecodeFrame(line []byte) (Frame, error) {
	if h, ok := withheld(line); ok {
		return Frame{Hash: h, Withheld: true, size: len(line) + 1}, nil
	}
	f, err := decodeFrame(line)
	if err != nil {
		return Frame{}, classify(line, err)
	}
	return f, nil
}

func decodeFrame(line []byte) (Frame, error) {
	o, err := ParseCanonical(line)
	if err != nil {
		return Frame{}, err
	}
	v, _ := o["v"].(int64)
	if v > FormatVersion {
		return Frame{}, &NewerError{Version: v}
	}
	f := Frame{Hash: HashOf(line), size: len(line) + 1}
	var ok [6]bool
	f.Seq, ok[0] = o["seq"].(int64)
	f.Group, ok[1] = o["g"].(int64)
	f.Op, ok[2] = o["op"].(string)
	_, ok[3] = o["at"].(int64)
	prev, isText := o["prev"].(string)
	ok[4] = isText
	by, isText := o["by"].(string)
	ok[5] = isText
	for i, name := range []string{"seq", "g", "op", "at", "prev", "by"} {
		if !ok[i] {
			return Frame{}, errForm("%s is missing or has another type", name)
		}
	}
	if f.Prev, err = ParseHash(prev); err != nil {
		return Frame{}, err
	}
	if n, there := o["n"]; there {
		if f.N, isText = n.(int64); !isText || f.N < 1 || f.N > MaxGroupLines {
			return Frame{}, errForm("n: a group has 1 to %d lines", MaxGroupLines)
		}
	}
	if _, known := kinds[f.Op]; !known {
		return Frame{}, errForm("unknown op %q", f.Op)
	}
	h := Head{V: v, Seq: f.Seq, Group: f.Group, N: f.N, By: By(by)}
	if IsLog(f.Op) {
		h.Salt, _ = o["salt"].(string)
	}
	if v != FormatVersion {
		return Frame{}, errForm("v: no version")
	}
	return f, checkHead(&h, f.Op)
}

// VerifyChain checks form, seq, chain and groups of lines, of which log lines may
// be withheld, and gives the chain value after the last. from is the chain value
// before the first (zero at the beginning of a ledger). It does not look at the
// ops' fields; that is Decode's part, and what they do is state.Fold's. The
// error is a *LineError.
func VerifyChain(lines [][]byte, from Hash) (last Hash, err error) {
	v := NewVerifier(from)
	for _, line := range lines {
		if err := v.Add(line); err != nil {
			return Hash{}, err
		}
	}
	return v.Close()
}

// Verifier is VerifyChain line by line.
type Verifier struct {
	chain    Hash
	seq      int64 // of the line before, 0 before the first
	count    int   // lines added
	withheld int64 // lines withheld in all
	run      []Frame
	first    int   // place of run[0], from 1
	last     Frame // the visible line before, when nothing withheld is between
	adjacent bool
}

// NewVerifier begins after the chain value from.
func NewVerifier(from Hash) *Verifier { return &Verifier{chain: from, first: 1} }

// Chain is the chain value after the lines added so far, Seq the seq of the last
// (as far as a visible line said), Withheld the number of withheld lines.
func (v *Verifier) Chain() Hash     { return v.chain }
func (v *Verifier) Seq() int64      { return v.seq }
func (v *Verifier) Withheld() int64 { return v.withheld }

// Add takes the next line.
func (v *Verifier) Add(line []byte) error {
	v.count++
	f, err := DecodeFrame(line)
	if err == nil {
		err = v.add(f)
	}
	if err != nil {
		var at *LineError
		if errors.As(err, &at) {
			return err
		}
		return &LineError{Line: v.count, Err: err}
	}
	return nil
}

func (v *Verifier) add(f Frame) error {
	if f.Withheld {
		v.withheld++
		if v.count == 1 && v.chain.IsZero() {
			return errCode(CodeWithheld, "the first line of a ledger can't be withheld")
		}
		if v.seq > 0 {
			v.seq++
		}
		v.adjacent = false
	} else {
		if f.Prev != v.chain {
			return errCode(CodeChain, "the line does not continue the one before it: a line was changed, removed or moved")
		}
		switch {
		case v.seq > 0 && f.Seq != v.seq+1, v.seq == 0 && f.Seq <= int64(v.count-1):
			return errCode(CodeSeq, "seq %d is not the next number", f.Seq)
		case v.count == 1 && v.chain.IsZero() && f.Seq != 1:
			return errCode(CodeSeq, "seq %d does not begin a ledger", f.Seq)
		}
		v.seq = f.Seq
		if v.adjacent {
			switch {
			case v.last.N == 0 && f.Group != v.last.Group:
				return errCode(CodeGroup, "group %d begins before group %d was closed", f.Group, v.last.Group)
			case v.last.N > 0 && f.Group != v.last.Group+1:
				return errCode(CodeGroup, "group %d does not follow group %d", f.Group, v.last.Group)
			}
		}
		v.last, v.adjacent = f, true
	}
	v.chain = v.chain.Extend(f.Hash)
	v.run = append(v.run, f)
	if f.N > 0 {
		return v.closeGroup(f)
	}
	return nil
}

// closeGroup looks at the lines since the last closed group: the last n are the
// group that f closes, those before it can only be groups whose closing line was
// withheld.
func (v *Verifier) closeGroup(f Frame) error {
	n := int(f.N)
	if n > len(v.run) {
		return errCode(CodeGroup, "n says %d lines, but the group has only %d", n, len(v.run))
	}
	hidden := len(v.run) - n
	if err := v.logOnly(v.run[:hidden], "a group without its closing line"); err != nil {
		return err
	}
	group := v.run[hidden:]
	isStep, bytes, whole := f.Op != "checkpoint", 0, true
	for _, l := range group {
		isStep = isStep || l.Op == "finish"
		bytes, whole = bytes+l.size, whole && !l.Withheld
		if !l.Withheld && l.Group != f.Group {
			return errCode(CodeGroup, "n says %d lines, but a line of group %d is among them", n, l.Group)
		}
	}
	for i, l := range group {
		if l.Withheld && !isStep {
			return &LineError{Line: v.first + hidden + i, Err: errCode(CodeWithheld, "a line that changes the work is withheld; only log lines may be")}
		}
		if f.Op != "checkpoint" && IsWork(l.Op) {
			return &LineError{Line: v.first + hidden + i, Err: errCode(CodeGroup, "a group that changes the work must end in a checkpoint")}
		}
	}
	if whole && bytes > MaxGroupBytes {
		return errCode(CodeGroup, "a group of %d bytes is above %d", bytes, MaxGroupBytes)
	}
	v.first += len(v.run)
	v.run = v.run[:0]
	return nil
}

// logOnly refuses lines that can't stand in a group whose closing line is withheld.
func (v *Verifier) logOnly(run []Frame, what string) error {
	if len(run) > 0 && !run[len(run)-1].Withheld {
		return &LineError{Line: v.first + len(run) - 1, Err: errCode(CodeGroup, "the group's closing line is missing")}
	}
	for i, l := range run {
		if !l.Withheld && !IsLog(l.Op) {
			return &LineError{Line: v.first + i, Err: errCode(CodeGroup, "%s: %s", l.Op, what)}
		}
	}
	return nil
}

// Close says that no line follows and gives the last chain value.
func (v *Verifier) Close() (Hash, error) {
	if len(v.run) > 0 && v.withheld == 0 {
		return Hash{}, &LineError{Line: v.count, Err: errCode(CodeGroup, "the last group is cut: its closing line is missing")}
	}
	if err := v.logOnly(v.run, "a group without its closing line"); err != nil {
		return Hash{}, err
	}
	return v.chain, nil
}
