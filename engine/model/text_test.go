package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestStrip(t *testing.T) {
	tests := []struct{ name, in, text, thought string }{
		{"none", "plain < 3 text </p>", "plain < 3 text </p>", ""},
		{"think", "<think>hm</think>\n\nanswer", "answer", "hm"},
		{"thinking", "<thinking>hm</thinking>answer", "answer", "hm"},
		{"thought", "<thought>hm</thought>answer", "answer", "hm"},
		{"reasoning", "<reasoning>hm</reasoning>answer", "answer", "hm"},
		{"capitals", "<THINK>hm</Think>answer", "answer", "hm"},
		{"in the middle", "one <think>hm</think>two", "one two", "hm"},
		{"twice", "<think>a</think>one <think>b</think>two", "one two", "ab"},
		{"orphan end", "I should say yes.\n</think>\nyes", "yes", "I should say yes."},
		{"orphan end with nothing after it", "yes</think>\n", "yes", ""},
		{"unclosed start", "<think>for ever and ever", "", "for ever and ever"},
		{"unclosed start after an answer", "yes <think>but then", "yes", "but then"},
		{"nested", "<think>a<think>b</think>c</think>answer", "answer", "cab"},
		{"half a tag at the end", "a <thin", "a <thin", ""},
		{"JSON after it", `<think>hm</think>{"a":"b"}`, `{"a":"b"}`, "hm"},
		{"tags within a JSON string stay", `{"a":"the <think> tag \" </think> of models"} `, `{"a":"the <think> tag \" </think> of models"} `, ""},
		{"the same in a fence", "```json\n{\"a\":\"the <think> tag\"}\n```", "```json\n{\"a\":\"the <think> tag\"}\n```", ""},
		{"after the JSON they go", `{"a":1}<think>right?</think>`, `{"a":1}`, "right?"},
		{"a bracket in prose is no JSON", `see [1] "<think>hm</think>so"`, `see [1] "so"`, "hm"},
	}
	for _, tt := range tests {
		for size := 1; size <= len(tt.in); size++ {
			var s stripper
			var shown strings.Builder
			for at := 0; at < len(tt.in); at += size {
				shown.WriteString(s.write(tt.in[at:min(at+size, len(tt.in))]))
			}
			shown.WriteString(s.end())
			if s.text() != tt.text || s.thought() != tt.thought {
				t.Errorf("%s in pieces of %d: text %q thought %q, want %q and %q", tt.name, size, s.text(), s.thought(), tt.text, tt.thought)
				break
			}
			if shown.String() != s.visible.String() {
				t.Errorf("%s: shown %q, visible %q", tt.name, shown.String(), s.visible.String())
			}
		}
	}
}

// Nothing but tags is ever lost.
func TestStripKeepsEveryOtherByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"a", "<", "<th", "{", "\"", "\\", "}", " ", "ö", "<think>", "</think>", "</thought>", "`"})).Draw(t, "parts")
		in := strings.Join(parts, "")
		var s stripper
		for len(in) > 0 {
			n := rapid.IntRange(1, len(in)).Draw(t, "n")
			s.write(in[:n])
			in = in[n:]
		}
		s.end()
		whole := strings.Join(parts, "")
		if !strings.Contains(whole, "think>") && !strings.Contains(whole, "thought>") && s.text() != whole {
			t.Fatalf("%q became %q", whole, s.text())
		}
		got := s.visible.Len() + s.hidden.Len()
		for _, tag := range append(append([]string{}, openTags...), closeTags...) {
			got += len(tag) * strings.Count(whole, tag)
		}
		if got < len(whole) {
			t.Fatalf("%q: only %d of %d bytes are left", whole, got, len(whole))
		}
	})
}

func TestLoopGuard(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var shuffled string
	for range 200 {
		shuffled += []string{"it is so and not otherwise. ", "the harbour was closed then. ", "nobody knows why it was. "}[random.IntN(3)]
	}
	loops := map[string]string{
		"one word":                  strings.Repeat("the ", 300),
		"a white flood":             strings.Repeat("\n", 2000),
		"a sentence":                strings.Repeat("The study found that it is so. ", 40),
		"a long unit":               strings.Repeat("In the first place it must be said that the harbour was closed for nine days and that nobody wrote anything down in all that time, which later readers found hard to believe, and so they asked again whether the book was whole; ", 20),
		"same lines":                strings.Repeat("- the same entry of a long list, again and again\n\n", 8),
		"JSON items":                `{"findings":[` + strings.Repeat(`{"sentence":12,"claim":"It grows."},`, 40),
		"words that turn":           strings.Repeat("one two three four five six seven eight nine ten eleven twelve ", 40),
		"a long unit of long words": strings.Repeat(strings.Repeat("Q", 300)+" "+strings.Repeat("R", 350)+" ", 8),
		"sentences in no order":     shuffled,
		"after real text":           probeText + strings.Repeat(" and so on", 100),
	}
	for name, text := range loops {
		if !feed(text) {
			t.Errorf("%s: not noticed", name)
		}
	}
	var table strings.Builder
	for i := range 200 {
		fmt.Fprintf(&table, "| %d | %d | %x |\n", i, i*i, i*7919)
	}
	fine := map[string]string{
		"prose": probeText,
		"table": table.String(),
		"short": strings.Repeat("ha ", 30),
		"JSON":  `{"findings":[{"sentence":12,"claim":"Larvae grow faster at 24 degrees than at 18."},{"sentence":14,"claim":"Adults do not feed."}]}`,
	}
	for name, text := range fine {
		if feed(text) {
			t.Errorf("%s: taken for a loop", name)
		}
	}
}

func feed(text string) bool {
	var g loopGuard
	for at := 0; at < len(text); at += 5 {
		if g.add(text[at:min(at+5, len(text))]) {
			return true
		}
	}
	return false
}

// Real documents, read as if a model had written them, are no loops: at most a
// few pages of pure tables may look like one.
func TestLoopGuardOnRealText(t *testing.T) {
	dir := os.Getenv("CAIRN_CORPUS")
	if dir == "" {
		t.Skip("CAIRN_CORPUS is not set")
	}
	pieces, taken := 0, 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "files" {
			return filepath.SkipDir // made to be odd, some of them by repetition
		}
		if err != nil || d.IsDir() || (filepath.Ext(path) != ".md" && filepath.Ext(path) != ".txt") {
			return err
		}
		b, err := os.ReadFile(path)
		for at := 0; at < len(b) && pieces < 3000; at += loopTail {
			pieces++
			if looping(b[at:min(at+loopTail, len(b))]) {
				taken++
				t.Logf("%s at %d", filepath.Base(path), at)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if pieces == 0 {
		t.Skip("there are no text files in CAIRN_CORPUS")
	}
	t.Logf("%d of %d pieces taken for loops", taken, pieces)
	if taken*200 > pieces {
		t.Errorf("%d of %d pieces of real text are taken for loops", taken, pieces)
	}
}

var parseCases = []struct {
	name, in, out string
	is            error
}{
	{"plain", `{"a":1}`, `{"a":1}`, nil},
	{"white space kept", "{ \"a\" : [1, 2] }", "{ \"a\" : [1, 2] }", nil},
	{"fenced", "```json\n{\"a\":\"b\"}\n```", `{"a":"b"}`, nil},
	{"prose around", "Sure! Here it is: {\"a\":true} I hope this helps.", `{"a":true}`, nil},
	{"text after it with another object", `{"a":1} or {"a":2}`, `{"a":1}`, nil},
	{"braces in strings", `{"a":"}{\"","b":{}}`, `{"a":"}{\"","b":{}}`, nil},
	{"braces in prose", `In set {x} we find {"a":1}`, `{"a":1}`, nil},
	{"single quotes", `{'a': 'b', 'c': ['d']}`, `{"a":"b","c":["d"]}`, nil},
	{"double within single quotes", `{'a': 'say "b"'}`, `{"a":"say \"b\""}`, nil},
	{"escaped single quote", `{'a': 'it\'s'}`, `{"a":"it's"}`, nil},
	{"trailing commas", `{"a":[1,2,],}`, `{"a":[1,2]}`, nil},
	{"raw line end in a string", "{\"a\":\"b\nc\"}", `{"a":"b\u000ac"}`, nil},
	{"Python", `{'a': True, 'b': None, 'c': False}`, `{"a":true,"b":null,"c":false}`, nil},
	{"empty list", `{"findings":[]}`, `{"findings":[]}`, nil},
	{"text of every kind", `{"a":"Łódź 漢字 🌍 \u00e9"}`, `{"a":"Łódź 漢字 🌍 \u00e9"}`, nil},

	{"nothing", ``, ``, ErrNoObject},
	{"null", `null`, ``, ErrNoObject},
	{"prose", `I could not find anything.`, ``, ErrNoObject},
	{"a list", `[1,2]`, ``, ErrNoObject},
	{"half", `{"findings":[{"a":1},{"a":`, ``, ErrHalf},
	{"half of a name", `{"fin`, ``, ErrHalf},
	{"half of a number", `{"a":12`, ``, ErrHalf},
	{"half, whole ones inside", `{"findings":[{"a":1}`, ``, ErrHalf},
	{"NaN", `{"a":NaN}`, ``, ErrBadJSON},
	{"Infinity", `{"a":-Infinity}`, ``, ErrBadJSON},
	{"apostrophe in single quotes", `{'a': 'it's'}`, ``, ErrBadJSON},
	{"name twice", `{"a":1,"a":2}`, ``, ErrBadJSON},
	{"no quotes", `{a:1}`, ``, ErrBadJSON},
	{"no comma", `{"a":1 "b":2}`, ``, ErrBadJSON},
	{"two commas", `{"a":[1,,2]}`, ``, ErrBadJSON},
	{"bad escape", `{"a":"\q"}`, ``, ErrBadJSON},
	{"number with a zero", `{"a":012}`, ``, ErrBadJSON},
	{"an object in a broken one", `{"a": {"b":1} oops}`, ``, ErrBadJSON},
	{"deep", strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), ``, ErrBadJSON},
	{"not UTF-8", "{\"a\":\"\xff\"}", ``, ErrBadJSON},
}

func TestParseJSON(t *testing.T) {
	for _, tt := range parseCases {
		got, err := ParseJSON(tt.in)
		if tt.is != nil {
			if !errors.Is(err, tt.is) || got != nil {
				t.Errorf("%s: %q, %v; want %v", tt.name, got, err, tt.is)
			}
			continue
		}
		if err != nil || string(got) != tt.out {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.out)
		}
	}
}

func FuzzParseJSON(f *testing.F) {
	for _, tt := range parseCases {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := ParseJSON(in)
		if err != nil {
			if got != nil {
				t.Fatal("bytes and an error")
			}
			return
		}
		if !json.Valid(got) || got[0] != '{' {
			t.Fatalf("%q gives %q", in, got)
		}
		again, err := ParseJSON(string(got))
		if err != nil || string(again) != string(got) {
			t.Fatalf("%q gives %q, then %q, %v", in, got, again, err)
		}
	})
}

func FuzzStrip(f *testing.F) {
	f.Add("<think>a</think>b", 3)
	f.Add(`{"a":"<think>"}`, 1)
	f.Fuzz(func(t *testing.T, in string, n int) {
		n = max(1, n%17)
		var whole, split stripper
		whole.write(in)
		whole.end()
		for at := 0; at < len(in); at += n {
			split.write(in[at:min(at+n, len(in))])
		}
		split.end()
		if whole.text() != split.text() || whole.thought() != split.thought() {
			t.Fatalf("%q depends on its pieces", in)
		}
	})
}

func TestSchema(t *testing.T) {
	form := Object(
		Field{"findings", List(Object(
			Field{"question", Enum("q1", "q2")}, Field{"first", Number(3, 9)}, Field{"claim", Text(10)},
		), 2)},
		Field{"done", YesNo()},
	)
	want := `{"type":"object","properties":{"findings":{"type":"array","maxItems":2,"items":{"type":"object","properties":{` +
		`"question":{"type":"string","enum":["q1","q2"]},"first":{"type":"integer","minimum":3,"maximum":9},"claim":{"type":"string","maxLength":10}},` +
		`"required":["question","first","claim"],"additionalProperties":false}},"done":{"type":"boolean"}},"required":["findings","done"],"additionalProperties":false}`
	if got := string(form.Schema()); got != want {
		t.Errorf("schema\n%s, want\n%s", got, want)
	}
	good := []string{
		`{"findings":[],"done":false}`,
		`{"done":true,"findings":[{"question":"q1","first":3,"claim":"ten chars."},{"claim":"漢字漢字漢字漢字漢字","question":"q2","first":9}]}`,
	}
	for _, s := range good {
		if err := form.Check([]byte(s)); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	bad := map[string]string{
		`{"findings":[]}`:                                                              "done",
		`{"findings":[],"done":true,"more":1}`:                                         "more",
		`{"findings":null,"done":true}`:                                                "findings",
		`{"findings":[],"done":"true"}`:                                                "done",
		`{"findings":[1],"done":true}`:                                                 "findings[0]",
		`{"findings":[{"question":"q3","first":3,"claim":""}],"done":true}`:            "q1, q2",
		`{"findings":[{"question":"q1","first":10,"claim":""}],"done":true}`:           "from 3 to 9",
		`{"findings":[{"question":"q1","first":3.5,"claim":""}],"done":true}`:          "first",
		`{"findings":[{"question":"q1","first":"3","claim":""}],"done":true}`:          "first",
		`{"findings":[{"question":"q1","first":3,"claim":"eleven char"}],"done":true}`: "10 characters",
		`{"findings":[{"question":"q1","first":3,"claim":null}],"done":true}`:          "claim",
		`[]`: "object",
	}
	for s, word := range bad {
		err := form.Check([]byte(s))
		if !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v, want a word about %q", s, err, word)
		}
	}
}

func TestParseAddress(t *testing.T) {
	tests := []struct {
		in, url  string
		loopback bool
	}{
		{"", "http://127.0.0.1:11434", true},
		{"127.0.0.1", "http://127.0.0.1:11434", true},
		{"127.0.0.1:1234", "http://127.0.0.1:1234", true},
		{":1234", "http://127.0.0.1:1234", true},
		{"0.0.0.0", "http://127.0.0.1:11434", true},
		{"0.0.0.0:8080", "http://127.0.0.1:8080", true},
		{"[::]:8080", "http://[::1]:8080", true},
		{"::1", "http://[::1]:11434", true},
		{"[::1]", "http://[::1]:11434", true},
		{"[::1]:99", "http://[::1]:99", true},
		{"localhost", "http://localhost:11434", true},
		{"http://localhost", "http://localhost:80", true},
		{"https://box.lan", "https://box.lan:443", false},
		{"http://box.lan:11434/ollama/", "http://box.lan:11434/ollama", false},
		{"192.168.1.5", "http://192.168.1.5:11434", false},
		{" \"127.0.0.1:11434\" ", "http://127.0.0.1:11434", true},
		{"127.0.0.1:99999", "http://127.0.0.1:11434", true},
		{"box:x", "http://box:11434", false},
	}
	for _, tt := range tests {
		a, err := ParseAddress(tt.in)
		if err != nil || a.URL != tt.url || a.Loopback != tt.loopback {
			t.Errorf("%q: %+v, %v; want %s", tt.in, a, err, tt.url)
		}
		if _, warned := a.Warning(); warned == tt.loopback {
			t.Errorf("%q: warned %v", tt.in, warned)
		}
	}
	for _, in := range []string{"ftp://x", "a b", "http://user@host", "host:1:2", "x?y"} {
		if a, err := ParseAddress(in); err == nil {
			t.Errorf("%q gives %+v", in, a)
		}
	}
}

func TestVersionWarning(t *testing.T) {
	for version, old := range map[string]bool{
		"0.17.4": false, "0.17.1": false, "0.17.0": true, "0.9.0": true, "0.17.1-rc2": false, "1.0.0": false, "0.30.0": false,
		"0.0.0": false, "": false, "unknown": false, "v0.16.2": true, "0.5": true,
	} {
		if _, warned := VersionWarning(version); warned != old {
			t.Errorf("%q: warned %v", version, warned)
		}
	}
}
