package source

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var long = flag.Bool("long", false, "read every file of corpus/files, and fuzz PDF files")

// quickFiles are the files that are read by default: one for each way to fail.
var quickFiles = map[string]bool{"pdf-drawing-bomb.pdf": true, "pdf-xref-loop.pdf": true, "pdf-damaged-fuzzed.pdf": true, "pdf-many-pages.pdf": true,
	"pdf-encrypted-user-password.pdf": true, "pdf-encrypted-owner-only.pdf": true, "pdf-scan-medical-report.pdf": true, "pdf-two-column-paper.pdf": true,
	"pdf-optional-hyphen.pdf": true, "txt-nul-bytes-only.txt": true, "txt-one-line-1mb.txt": true, "txt-shift-jis-japan.txt": true, "zip-corrupted-oom.zip": true,
	"html-charset-lie-arabic.html": true, "csv-windows1250-polish.csv": true, "xlsx-xml-bomb.xlsx": true, "wrong-ext-docx.pdf": true, "txt-hebrew-cp1255.txt": true}

// unread are kinds that a later version reads.
var unread = map[string]bool{Unsupported: true}

// TestFiles reads real files that were made to hurt, or hurt by being real.
// Nothing hangs or crashes, and nothing counts as read that gave no text.
func TestFiles(t *testing.T) {
	dir := filepath.Join(corpus(t), "files")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the corpus has no folder files")
	}
	var manifest []struct {
		File, Expect string
		MustContain  []string `json:"must_contain"`
		AlsoOK       []string `json:"also_ok"`
		Squeezed     []string // phrases that are compared without any white space
	}
	readJSON(t, filepath.Join(dir, "manifest.json"), &manifest)
	w := testWorker(t)
	read, later, missed := 0, 0, 0
	for _, m := range manifest {
		if !*long && !quickFiles[m.File] {
			continue
		}
		d, err := w.Extract(t.Context(), filepath.Join(dir, m.File))
		if err != nil {
			t.Fatalf("%s: %v", m.File, err)
		}
		if unread[d.Reason] {
			later++
			continue
		}
		read++
		if (d.Reason == "") != (len(d.Table.Sentences) > 0) {
			t.Errorf("%s: reason %q with %d sentences", m.File, d.Reason, len(d.Table.Sentences))
		}
		if d.Reason == Timeout || d.Reason == Memory {
			t.Logf("%s: %s", m.File, d.Reason)
		}
		if !fits(m.Expect, d.Reason) && !anyFits(m.AlsoOK, d.Reason) {
			missed++
			t.Logf("%s: %q instead of %q", m.File, d.Reason, m.Expect)
		}
		if d.Reason != "" {
			continue
		}
		for _, want := range m.MustContain {
			if !strings.Contains(compareForm(string(d.Body), false), compareForm(want, false)) {
				missed++
				t.Logf("%s lacks %q", m.File, want)
			}
		}
		for _, want := range m.Squeezed {
			if !strings.Contains(compareForm(string(d.Body), true), compareForm(want, true)) {
				missed++
				t.Logf("%s lacks %q", m.File, want)
			}
		}
	}
	t.Logf("%d files read, %d of kinds that are not read yet, %d expectations missed", read, later, missed)
	// Letters set apart need the boxes of characters, and a picture's one-word
	// label is text; both are for later.
	allowed := 0
	if *long {
		allowed = 5
	}
	if missed > allowed {
		t.Errorf("%d expectations missed, %d are known", missed, allowed)
	}
}

func anyFits(expect []string, reason string) bool {
	for _, e := range expect {
		if fits(e, reason) {
			return true
		}
	}
	return false
}

func fits(expect, reason string) bool {
	switch expect {
	case "text":
		return reason == ""
	case "no text: scan":
		return reason == NoText
	case "refused: encrypted":
		return reason == Encrypted
	case "refused: damaged":
		return reason == Damaged
	case "empty":
		return reason == Empty || reason == NoText
	}
	return true
}

// compareForm is the form in which the manifest's phrases are compared.
func compareForm(s string, squeezed bool) string {
	s = norm.NFKC.String(s)
	s = strings.Map(func(r rune) rune {
		switch {
		case r == 0xAD || r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E:
			return -1
		case r == '‘' || r == '’':
			return '\''
		case r == '“' || r == '”':
			return '"'
		case unicode.Is(unicode.Pd, r):
			return '-'
		}
		return r
	}, s)
	if squeezed {
		return strings.Join(strings.Fields(s), "")
	}
	return strings.Join(strings.Fields(s), " ")
}

// Bytes of real PDF files changed at random places: an answer each time.
func TestMutatedPDF(t *testing.T) {
	if !*long {
		t.Skip("only with -long")
	}
	dir := filepath.Join(corpus(t), "files")
	w := testWorker(t)
	for _, name := range []string{"pdf-two-column-paper.pdf", "pdf-attachment.pdf", "pdf-xref-loop.pdf", "pdf-ligatures-physics.pdf"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		seed := uint64(1)
		for range 40 {
			b := append([]byte(nil), raw...)
			for range 60 {
				seed = seed*6364136223846793005 + 1442695040888963407
				b[int(seed>>33)%len(b)] ^= byte(1 << (seed >> 61))
			}
			d, err := w.Extract(t.Context(), write(t, name, b))
			if err != nil || (d.Reason == "") != (len(d.Table.Sentences) > 0) {
				t.Errorf("%s: %s, %v", name, d.Reason, err)
			}
		}
	}
}
