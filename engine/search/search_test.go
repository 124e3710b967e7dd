package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/engine/clock"
	"cairn/engine/source"
	"pgregory.net/rapid"
)

// doc makes a document: "# x" lines are headings, a blank line ends a paragraph,
// every other line is one sentence.
func doc(name, text string) Doc {
	var t source.Table
	heading, at, start := -1, 0, true
	for _, l := range strings.Split(text, "\n") {
		switch {
		case l == "":
			start = true
		case strings.HasPrefix(l, "# "):
			t.Headings = append(t.Headings, l[2:])
			heading++
			t.Sentences = append(t.Sentences, source.Sentence{From: at, To: at + len(l), Heading: heading, Start: true, Head: true})
			start = true
		default:
			t.Sentences = append(t.Sentences, source.Sentence{From: at, To: at + len(l), Heading: heading, Start: start})
			start = false
		}
		at += len(l) + 1
	}
	return Doc{Source: name, Body: []byte(text), Table: &t}
}

func TestRanking(t *testing.T) {
	x := New([]Doc{
		doc("b", "# Weather\nThe rain in the north fell all day long.\nNobody went outside then."),
		doc("a", "# Bees\nHoneybees dance to tell where flowers are.\n\n# Hornets\nHornets hunt the dancing honeybees near their nests."),
		doc("c", "Nothing of interest stands in here at all."),
	})
	for _, c := range []struct{ query, want string }{
		{"dancing honeybee", "a 2 2, a 4 4"},
		{"Do hornets hunt?", "a 4 4"},
		{"RAINING", "b 2 2, b 3 3"}, // the second sentence by its passage only
		{"the of and", ""},
		{"", ""},
		{"absent words", ""},
	} {
		var got []string
		for _, h := range x.Sentences(c.query, 0, 0) {
			got = append(got, fmt.Sprintf("%s %d %d", h.Source, h.From, h.To))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%q: %s, want %s", c.query, s, c.want)
		}
	}
	if hits := x.Passages("hornets", 0, 0); len(hits) != 1 || hits[0].From != 3 || hits[0].To != 4 {
		t.Errorf("passages %+v: a passage holds its heading", hits)
	}
}

func TestBounds(t *testing.T) {
	text := strings.TrimSuffix(strings.Repeat("The honeybees dance for the flowers.\n", 5), "\n")
	x := New([]Doc{doc("b", text), doc("a", text)})
	hits := x.Sentences("honeybees", 2, 3)
	var got []string
	for _, h := range hits {
		got = append(got, fmt.Sprintf("%s%d", h.Source, h.From))
	}
	if s := strings.Join(got, " "); s != "a1 a2 b1" {
		t.Errorf("equal scores come as %s, want by source, then place, two a source, three in all", s)
	}
}

func TestLanguages(t *testing.T) {
	x := New([]Doc{
		doc("fr", "Les abeilles dansent pour montrer où sont les fleurs dans la prairie.\nElles ne parlent pas avec les oiseaux."),
		doc("ru", "Пчёлы танцуют, чтобы показать, где находятся цветы на лугу.\nОни не говорят с птицами, и это не так важно."),
		doc("ja", "標準マーケットモデルは広く使われている。\n利点と欠点がある。"),
	})
	for query, want := range map[string]string{"fleur": "fr", "цветок и цветы": "ru", "マーケット": "ja", "欠点": "ja"} {
		if h := x.Sentences(query, 1, 1); len(h) != 1 || h[0].Source != want {
			t.Errorf("%s finds %+v, want %s", query, h, want)
		}
	}
}

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"19,276 users, 0.82 F1-score":  "19276 users 0.82 f1 score",
		"Cafe\u0301 NAÏVE":             "café naïve",
		"don't":                        "don t",
		"日本語 text":                     "日本 本語 text",
		"中":                            "中",
		"a, b. 3.":                     "a b 3",
		strings.Repeat("x", 65) + " y": "y",
	} {
		var got []string
		eachWord([]byte(text), func(w string) { got = append(got, w) })
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
	}
}

// Every sentence is in exactly one passage, no passage crosses a heading, and
// only a long sentence makes one that is too long.
func TestPassagesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for range rapid.IntRange(0, 60).Draw(t, "lines") {
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
				lines = append(lines, "# heading words")
			case 1, 2:
				lines = append(lines, "")
			default:
				lines = append(lines, strings.TrimSpace(strings.Repeat("word ", rapid.IntRange(1, 220).Draw(t, "words"))))
			}
		}
		d := doc("x", strings.Join(lines, "\n"))
		next := int64(1)
		for _, p := range Passages(d.Table, d.Body) {
			if p.From != next || p.To < p.From {
				t.Fatalf("passage %+v does not begin at %d", p, next)
			}
			next = p.To + 1
			text, longest := 0, 0
			for n := p.From; n <= p.To; n++ {
				s, _ := d.Table.At(n)
				if s.Head && text > 0 {
					t.Fatalf("a heading inside of passage %+v", p)
				}
				if !s.Head {
					text++
				}
				longest = max(longest, wordsIn(d.Body[s.From:s.To]))
				if text > 0 && s.Heading != p.Heading {
					t.Fatalf("passage %+v crosses a heading", p)
				}
			}
			if p.Words > max(mostWords, longest+leastWords/2) {
				t.Fatalf("passage %+v with a sentence of %d words is too long", p, longest)
			}
		}
		if next != int64(len(d.Table.Sentences))+1 {
			t.Fatalf("passages end before %d of %d", next, len(d.Table.Sentences))
		}
	})
}

// The order of documents has no influence, nor has the run.
func TestDeterministic(t *testing.T) {
	docs := madeUp(20, 2000)
	a := New(docs)
	slices.Reverse(docs)
	b := New(docs)
	for _, q := range []string{"w1 w20 w300", "w7", "w1 w2 w3 w4 w5 w6"} {
		if !slices.Equal(a.Sentences(q, 4, 0), b.Sentences(q, 4, 0)) || !slices.Equal(a.Passages(q, 0, 50), b.Passages(q, 0, 50)) {
			t.Errorf("%s: another list after another order of documents", q)
		}
	}
}

// madeUp gives documents of words with the frequencies of natural text.
func madeUp(n, words int) []Doc {
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.1, 4, 40_000)
	var out []Doc
	for i := range n {
		var b strings.Builder
		for j := range words {
			fmt.Fprintf(&b, "w%d", z.Uint64())
			switch {
			case j%120 == 119:
				b.WriteString("\n\n")
			case j%20 == 19:
				b.WriteString("\n")
			default:
				b.WriteByte(' ')
			}
		}
		out = append(out, doc(fmt.Sprintf("s%03d", i), strings.TrimSpace(b.String())))
	}
	return out
}

// 200 sources of 10,000 tokens are indexed in a few seconds and asked in 50 ms.
// The figures are printed; the bounds are wide, because machines are busy.
func TestSpeed(t *testing.T) {
	docs := madeUp(200, 7_500)
	now := clock.Real{}.Now
	began := now()
	x := New(docs)
	built := now().Sub(began)
	var spent []time.Duration
	for i := range 20 {
		q := fmt.Sprintf("w%d w%d w%d w%d w%d", 1+i, 40+i, 300+i, 2000+i, 9000+i)
		began = now()
		x.Sentences(q, 4, 0)
		x.Passages(q, 0, 0)
		spent = append(spent, now().Sub(began))
	}
	slices.Sort(spent)
	t.Logf("%d passages, %d sentences indexed in %v; sentences and passages for one question: median %v, worst %v",
		len(x.passages.units), len(x.sentences.units), built.Round(time.Millisecond), spent[10], spent[19])
	if built > 60*time.Second || spent[10] > time.Second {
		t.Errorf("indexed in %v, asked in %v", built, spent[10])
	}
}

func FuzzTerms(f *testing.F) {
	f.Add([]byte("19,276 users; don't, 日本語 e\u0301"))
	f.Add([]byte{0xff, 0x31, 0x2c, 0x80, 0x31})
	f.Fuzz(func(t *testing.T, b []byte) {
		eachWord(b, func(w string) {
			if w == "" {
				t.Fatal("an empty word")
			}
			for l := range languages {
				stem(w, l)
			}
		})
		wordsIn(b)
	})
}
