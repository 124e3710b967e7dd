package vault_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"testing"
	"time"

	"cairn/vault"
	"cairn/vault/vaulttest"
)

// step writes what a step writes: three calls with their replies, then the
// accepted claims with a checkpoint. It gives the bytes of texts and claims,
// and how long the last group took.
func step(b *testing.B, s *vault.Store, id string, w *vaulttest.Writer, rnd *rand.ChaCha8) (int, []byte, time.Duration) {
	unique := 0
	for range 3 {
		reply := make([]byte, 8<<10)
		_, _ = rnd.Read(reply)
		unique += len(reply)
		h, err := s.PutBlob(bg, reply)
		if err != nil {
			b.Fatal(err)
		}
		vaulttest.Add(b, s, id, w, h.String())
	}
	var texts []string
	for i := range 6 {
		seed := make([]byte, 8)
		_, _ = rnd.Read(seed)
		claim := fmt.Sprintf("claim %d: %s", i, words(rand.New(rand.NewChaCha8([32]byte(append(seed, make([]byte, 24)...)))), 40))
		unique += len(claim)
		texts = append(texts, claim+vaulttest.Filler(300, "name"))
	}
	group := w.Group(append(texts, "finish", vaulttest.Filler(1200, "checkpoint"))...)
	begun := time.Now()
	if err := s.Append(bg, id, group); err != nil {
		b.Fatal(err)
	}
	return unique, []byte(joined(group)), time.Since(begun)
}

var vocabulary = func() []string {
	rnd := rand.New(rand.NewPCG(3, 4))
	var out []string
	for range 4000 {
		word := make([]byte, 3+rnd.IntN(7))
		for i := range word {
			word[i] = byte('a' + rnd.IntN(26))
		}
		out = append(out, string(word))
	}
	return out
}()

func words(rnd *rand.Rand, n int) string {
	var out []byte
	for range n {
		out = append(append(out, vocabulary[rnd.IntN(len(vocabulary))]...), ' ')
	}
	return string(out)
}

// BenchmarkStep reports the cost of a step's last group over a bare write and
// fsync of the same bytes, taken in turns.
func BenchmarkStep(b *testing.B) {
	h := newHome(b)
	w := &vaulttest.Writer{}
	id, _ := vaulttest.Start(b, h, w, "task")
	bare, err := os.Create(filepath.Join(string(h.dir), "bare"))
	if err != nil {
		b.Fatal(err)
	}
	rnd := rand.NewChaCha8([32]byte{1})
	var commits, fsyncs []time.Duration
	for b.Loop() {
		_, body, took := step(b, h.Store, id, w, rnd)
		commits = append(commits, took)
		begun := time.Now()
		if _, err := bare.Write(body); err != nil {
			b.Fatal(err)
		}
		if err := bare.Sync(); err != nil {
			b.Fatal(err)
		}
		fsyncs = append(fsyncs, time.Since(begun))
	}
	sort.Slice(commits, func(i, j int) bool { return commits[i] < commits[j] })
	sort.Slice(fsyncs, func(i, j int) bool { return fsyncs[i] < fsyncs[j] })
	p50, bare50 := commits[len(commits)/2], fsyncs[len(fsyncs)/2]
	b.ReportMetric(float64(p50)/float64(bare50), "x-fsync")
	b.ReportMetric(float64(p50.Microseconds()), "µs-commit")
	b.ReportMetric(float64(bare50.Microseconds()), "µs-bare")
}

// BenchmarkGrowth reports blocks on disk over the bytes that had to be kept,
// over the second half of the steps.
func BenchmarkGrowth(b *testing.B) {
	h := newHome(b)
	w := &vaulttest.Writer{}
	id, _ := vaulttest.Start(b, h, w, "task")
	rnd := rand.NewChaCha8([32]byte{2})
	size := func() int64 {
		st, err := h.Stats(bg)
		if err != nil {
			b.Fatal(err)
		}
		return st.Journals + st.Vault + st.Aside + st.Drafts
	}
	const from, to = 1000, 3000
	for b.Loop() {
		unique, begun := 0, int64(0)
		for i := range to {
			if i == from {
				begun, unique = size(), 0
			}
			n, _, _ := step(b, h.Store, id, w, rnd)
			unique += n
		}
		b.ReportMetric(float64(size()-begun)/float64(unique), "x-unique")
		st, _ := h.Stats(bg)
		b.ReportMetric(float64(st.Journals)/1e6, "MB-journals")
		b.ReportMetric(float64(st.Vault)/1e6, "MB-vault")
	}
}

// BenchmarkOpen reports opening and reading 100,000 lines, and building the
// store again from their journal.
func BenchmarkOpen(b *testing.B) {
	h := newHome(b)
	w := &vaulttest.Writer{}
	id, _ := vaulttest.Start(b, h, w, "task")
	for i := range 12_500 {
		vaulttest.Add(b, h, id, w, fmt.Sprint("claim ", i), "b", "c", "d", "e", "f", vaulttest.Filler(600, "g"), vaulttest.Filler(900, "checkpoint"))
	}
	read := func() {
		n := 0
		if err := h.Lines(bg, id, 1, func(int64, []byte) error { n++; return nil }); err != nil || n < 100_000 {
			b.Fatalf("%d lines: %v", n, err)
		}
	}
	for b.Loop() {
		h.end()
		begun := time.Now()
		h.open()
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "ms-open")
		begun = time.Now()
		read()
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "ms-read")
		h.crash()
		begun = time.Now()
		h.open()
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "ms-open-crash")
		h.end()
		if err := os.RemoveAll(h.dir.Vault()); err != nil {
			b.Fatal(err)
		}
		begun = time.Now()
		h.open()
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "ms-rebuild")
		begun = time.Now()
		read()
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "ms-read-rebuilt")
	}
}
