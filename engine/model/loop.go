package model

import (
	"hash/maphash"
	"strings"
)

// loopGuard notices a model that repeats itself. It looks at the end of the
// text every now and then: the server's own guard only sees single tokens, and
// the penalties against repetition do not reach every sampler.
type loopGuard struct {
	tail  []byte
	since int
}

const (
	loopTail  = 4096
	loopEvery = 128
)

// add takes the next piece and says whether the text has become a loop.
func (g *loopGuard) add(piece string) bool {
	g.tail = append(g.tail, piece...)
	if len(g.tail) > 2*loopTail {
		g.tail = append(g.tail[:0], g.tail[len(g.tail)-loopTail:]...)
	}
	if g.since += len(piece); g.since < loopEvery {
		return false
	}
	g.since = 0
	return looping(g.tail)
}

func looping(text []byte) bool {
	if len(text) > loopTail {
		text = text[len(text)-loopTail:]
	}
	return periodic(text, 640, 160) || periodic(text, 3000, 1000) || sameLines(text) || stale(text)
}

// periodic says whether the last n bytes are one unit of at most most bytes
// over and over.
func periodic(text []byte, n, most int) bool {
	if len(text) < n {
		return false
	}
	text = text[len(text)-n:]
	// The longest proper border of the text gives its smallest period.
	border := make([]int, n)
	for i, k := 1, 0; i < n; i++ {
		for k > 0 && text[i] != text[k] {
			k = border[k-1]
		}
		if text[i] == text[k] {
			k++
		}
		border[i] = k
	}
	return n-border[n-1] <= most
}

// sameLines says whether the last six finished lines with words in them are
// one and the same.
func sameLines(text []byte) bool {
	lines := strings.Split(string(text), "\n")
	lines = lines[:len(lines)-1] // the last one is still being written
	first, same := "", 0
	for i := len(lines) - 1; i >= 0 && same < 6; i-- {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "":
			continue
		case len(line) < 20:
			return false
		case first == "":
			first = line
		case line != first:
			return false
		}
		same++
	}
	return same == 6
}

// stale says whether the last 300 words hold hardly a new run of four words.
func stale(text []byte) bool {
	words := strings.Fields(string(text))
	if len(words) < 300 {
		return false
	}
	words = words[len(words)-300:]
	seed := maphash.MakeSeed()
	seen := map[uint64]bool{}
	for i := 0; i+4 <= len(words); i++ {
		seen[maphash.String(seed, strings.Join(words[i:i+4], " "))] = true
	}
	return len(seen) < 60
}
