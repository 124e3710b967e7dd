package frame

import "cairn/engine/ledger"

// Names calls fn for every string in a line that has the form of a hash: 64
// lower-case hex digits between quotes. A blob is named by a line when its hash
// is among them. Hashes of other things (prev, state, inputs) come too: a blob
// is kept for as long as anything could mean it.
func Names(line []byte, fn func(ledger.Hash)) {
	for i := 0; i+65 < len(line); {
		if line[i] != '"' {
			i++
			continue
		}
		j := i + 1
		for j < len(line) && j < i+65 && isHex(line[j]) {
			j++
		}
		if j == i+65 && line[j] == '"' {
			if h, err := ledger.ParseHash(string(line[i+1 : j])); err == nil {
				fn(h)
			}
			i = j + 1
			continue
		}
		i = max(j, i+1)
	}
}

func isHex(c byte) bool { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') }
