package source

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// textOf reads body as a file of this name, in this process.
func textOf(t testing.TB, name string, body string) Document {
	t.Helper()
	d, _ := (&extractor{}).safely(name, []byte(body))
	if d.Reason != "" {
		t.Fatalf("%s: %s", name, d.Reason)
	}
	if err := d.Table.Check(d.Body); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return d
}

func sentencesOf(d *Document) []string {
	var out []string
	for i := range d.Table.Sentences {
		out = append(out, d.Table.Slice(d.Body, int64(i+1), int64(i+1)))
	}
	return out
}

// Each case is one paragraph; | marks where the sentences end.
func TestSentences(t *testing.T) {
	for _, c := range []string{
		"One. |Two! |Three? |Four.",
		"Dr. Smith met Prof. Jones in St. Louis. |They spoke for 2.5 hours.",
		"See Fig. 3 and Eq. (4), cf. Sec. 2. |The rest follows.",
		"This was shown by Lee et al. in 2010. |So said Lee et al. |The method failed.",
		"As shown by Lee et al. (2010), it works.",
		"J. R. R. Tolkien wrote it. |He was born in 1892.",
		"The U.S. Government agreed. |It came from the U.S. |The end.",
		"We use e.g. apples, i.e. fruit, vs. pears etc. and so on.",
		"The p-value was p. 0.05 on pp. 3–4. |Next.",
		"He said: \"I am here.\" |She left.",
		"\"Why?\" he asked. |\"Because!\" she said.",
		"It failed (see above). |[It worked later.] |Good.",
		"Accuracy was 0.80. |BIBREF3 proposed more. |Then 19,276 users came.",
		"The claim is biased.12,13 |We disagree.",
		"The claim is biased.[12] |We disagree.[3][4] |So it is.",
		"**Bold claim.** |Then *another one.* |End.",
		"Version 2.0.1 of node.js is out. |Get it at www.example.org today.",
		"Yes... |Maybe. |It was … odd.",
		"Am 3. Oktober 1990 war es so weit. |Dann kam z.B. der Winter.",
		"M. Dupont est arrivé. |Il a dit : « Bonjour. » |Puis il est parti.",
		"これは文です。|次の文です。|終わり",
		"这是第一句。|这是第二句！|真的吗？|是的。",
		"Это предложение. |Это другое, т.е. второе.",
		"¿Dónde está? |¡Aquí! |El Dr. García lo sabe.",
		"Section 3. The end", // an ordinal or an end: a run covers both
		"She works at Acme Inc. in Ohio. |She left Acme Inc. |She was glad.",
		"On Jan. 5 it rained. |No. 7 won. |He said no. |Then he left.",
		"The Ph.D. student left at 5 p.m. on Monday. |He slept.",
		"iPhone sales rose. |They fell later.",
		"A. The first option",
		"Mean (SD) was 3.4 (1.2). |N = 30. |All were fine.",
		"e.g. this begins with one.",
		"What is AI? |AI is a field.",
		"“We won.” |“No, you lost.”",
		"x1. |Y2.",
	} {
		var want []string
		for s := range strings.SplitSeq(c, "|") {
			want = append(want, strings.TrimSpace(s))
		}
		if c == "Section 3. The end" {
			want = []string{"Section 3.", "The end"}
		}
		d := textOf(t, "a.txt", strings.ReplaceAll(c, "|", ""))
		if got := sentencesOf(&d); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestLineEndsJoin(t *testing.T) {
	d := textOf(t, "a.txt", "This sentence was wrapped by an editor\r\nat some column. So was this\r\none here. And it ends.\r\n\r\nA new paragraph begins.")
	want := []string{"This sentence was wrapped by an editor\nat some column.", "So was this\none here.", "And it ends.", "A new paragraph begins."}
	if got := sentencesOf(&d); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if s := d.Table.Sentences; !s[0].Start || s[1].Start || !s[3].Start {
		t.Errorf("paragraphs begin at %+v", s)
	}
}

func TestPaperText(t *testing.T) {
	d := textOf(t, "p.txt", "# A title, in words\n\n**Paper ID:** 1503.00841\n\n## Abstract\n\nWe did it. It was good.\n\n## Methods ::: Data\n\n- first item\n- second item. With more.\n")
	if d.Title != "A title, in words" || !slices.Equal(d.Table.Headings, []string{"A title, in words", "Abstract", "Methods ::: Data"}) {
		t.Errorf("title %q headings %q", d.Title, d.Table.Headings)
	}
	want := []string{"# A title, in words", "**Paper ID:** 1503.00841", "## Abstract", "We did it.", "It was good.", "## Methods ::: Data", "- first item", "- second item.", "With more."}
	if got := sentencesOf(&d); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if h := d.Table.Heading(5); h != "Abstract" {
		t.Errorf("sentence 5 stands under %q", h)
	}
}

// A sentence without end is divided where it hurts least.
func TestLongSentences(t *testing.T) {
	for name, body := range map[string]string{
		"clauses":  strings.Repeat("some words of a clause that goes on, ", 200),
		"one word": strings.Repeat("x", 5000),
		"accents":  strings.Repeat("e\u0301", 2000),
		"wide":     strings.Repeat("長い文は、", 500),
		"emoji":    strings.Repeat("😀", 1500),
	} {
		d := textOf(t, "a.txt", body)
		for i, s := range sentencesOf(&d) {
			if len(s) > MaxSentence || utf8.RuneCountInString(s) > 1200 {
				t.Errorf("%s: sentence %d has %d bytes", name, i+1, len(s))
			}
			if r, _ := utf8.DecodeRuneInString(s); unicode.Is(unicode.M, r) {
				t.Errorf("%s: sentence %d begins with an accent of the one before", name, i+1)
			}
			if name == "clauses" && !strings.HasSuffix(s, ",") {
				t.Errorf("%s: sentence %d ends %q", name, i+1, s[len(s)-20:])
			}
		}
	}
}

// whole reports the letters and digits of body that no sentence holds.
func lost(d *Document) string {
	var b strings.Builder
	at := 0
	for _, s := range d.Table.Sentences {
		b.Write(d.Body[at:s.From])
		at = s.To
	}
	b.Write(d.Body[at:])
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, b.String())
}

var pieces = []string{"word", "Word", "a", "I", "Dr.", "et al.", "e.g.", ".", "!", "?", "...", ". ", "\"", "“", "”", "(", ")", "[12]", "12,13", "3.5", " ", "  ",
	"\n", "\n\n", "\r\n", "\t", "- ", "# ", "## ", "1. ", "> ", "|", "`", "```\n", "*", "**", "_", "---\n", "<b>", "é", "e\u0301", "長い。", "\u2028", "\u00a0", "\u200b",
	"😀", ",", ";", ":", "\x00", "\x02", "\f", "[a](b)", "[x]: http://y.z\n", "    ", "| a | b |\n|---|---|\n", "===\n", "Oktober", "5. "}

// Whatever the text and kind: sentences are exact slices in order, cut between
// characters, not too long, and no word is outside of all of them. The same text
// gives the same table, and the table survives its blob.
func TestCutProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 120).Draw(t, "n") {
			b.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
			if rapid.IntRange(0, 2).Draw(t, "space") > 0 {
				b.WriteByte(' ')
			}
		}
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
			b.WriteString(strings.Repeat(rapid.SampledFrom(pieces).Draw(t, "repeated"), 700))
		}
		name := rapid.SampledFrom([]string{"a.txt", "a.md", "a.csv", "a.html"}).Draw(t, "name")
		body := b.String()
		if name == "a.html" {
			body = "<html><body><p>" + strings.ReplaceAll(body, "\n\n", "</p><p>")
		}
		checkCut(t, name, []byte(body))
	})
}

type fataler interface {
	Fatalf(format string, args ...any)
}

func checkCut(t fataler, name string, raw []byte) {
	d, _ := (&extractor{}).extract(name, raw)
	if d.Reason != "" {
		return
	}
	if !utf8.Valid(d.Body) || strings.Contains(string(d.Body), "\r") {
		t.Fatalf("the text is not in normal form: %q", d.Body)
	}
	if err := d.Table.Check(d.Body); err != nil {
		t.Fatalf("%v in %q", err, d.Body)
	}
	for i, s := range d.Table.Sentences {
		if s.To-s.From > MaxSentence {
			t.Fatalf("sentence %d has %d bytes", i+1, s.To-s.From)
		}
	}
	if l := lost(&d); l != "" && (d.Media == "text" || d.Media == "csv" || d.Media == "html") {
		t.Fatalf("no sentence holds %q of %q", l, d.Body)
	}
	again, _ := (&extractor{}).extract(name, raw)
	if string(again.Table.Encode()) != string(d.Table.Encode()) {
		t.Fatalf("another table for the same text")
	}
	back, err := DecodeTable(d.Table.Encode())
	if err != nil || fmt.Sprint(back) != fmt.Sprint(d.Table) {
		t.Fatalf("the table does not survive: %v", err)
	}
}

func FuzzCut(f *testing.F) {
	for _, s := range []string{"One. Two.\n\n# H\n\n- item\n", "a\"b\n\"c\",d\n", "<html><body><table><tr><td>x<td>y", "\xff\xfea\x00b\x00c\x00d\x00", "%PDF-1.4",
		"```\ncode\n", "| a |\n|---|\n| b |\n", "---\ntitle: x\n---\ntext", "....)))) A", "長い。次"} {
		f.Add([]byte(s), uint8(len(s)))
	}
	names := []string{"a.txt", "a.md", "a.csv", "a.html", "b.tsv"}
	f.Fuzz(func(t *testing.T, raw []byte, kind uint8) {
		if strings.Contains(string(raw[:min(len(raw), 1024)]), "%PDF-") {
			return // PDFium is fuzzed elsewhere, and confined
		}
		checkCut(t, names[int(kind)%len(names)], raw)
	})
}

// No text makes the cutter slow.
func TestCutIsLinear(t *testing.T) {
	for _, s := range []string{".", ")", ". )", "a. ", "\"", "? ", "*", "[", "( ", "1. ", "e.g. ", "\n- ", "| ", "> ", "`", "<", "&", "_a*"} {
		body := strings.Repeat(s, (256<<10)/len(s))
		for _, name := range []string{"a.txt", "a.md"} {
			d, _ := (&extractor{}).extract(name, []byte("Words. "+body))
			if d.Reason == "" && len(d.Table.Sentences) == 0 {
				t.Errorf("%q in %s: nothing", s, name)
			}
		}
	}
}
