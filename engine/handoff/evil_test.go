package handoff

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cairn/engine"
	"cairn/engine/internal/ledgertest"
	"cairn/engine/ledger"
)

// resealed puts another block into a file and makes the marker fit again, as a
// forger would.
func resealed(file []byte, change func(lines []string) []string) []byte {
	f, err := frame(file)
	if err != nil {
		panic(err)
	}
	ls := change(strings.Split(strings.TrimSuffix(string(f.block), "\n"), "\n"))
	block := []byte(strings.Join(ls, "\n") + "\n")
	head, _, _ := bytes.Cut(f.file, []byte(beginPrefix))
	var b bytes.Buffer
	b.Write(head)
	b.WriteString(begin(int(f.mark.segments), len(ls), block) + "\n" + fenceOpen + "\n")
	b.Write(block)
	b.WriteString(fenceClose + "\n" + endMarker + "\n")
	return b.Bytes()
}

// edited changes one line of the block, by its number from 1.
func edited(file []byte, n int, change func(string) string) []byte {
	return resealed(file, func(ls []string) []string {
		ls[n-1] = change(ls[n-1])
		return ls
	})
}

type evil struct {
	name string
	file []byte
	line int64 // line of the block that must be named; 0: none; -1: any
	kind engine.Kind
	py   bool // the Python verifier must refuse it too
}

func evils(t testing.TB) []evil {
	l, _ := task()
	good := export(t, input(l))
	f, err := frame(good)
	if err != nil {
		t.Fatal(err)
	}
	n := bytes.Count(f.block, []byte("\n"))
	ledgerLines := len(l.Lines)
	v := engine.KindVerification
	swap := func(old, new string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, old) {
				panic("nothing to change: " + old + " in " + s)
			}
			return strings.Replace(s, old, new, 1)
		}
	}
	find := func(what string) int {
		for i, s := range strings.Split(string(f.block), "\n") {
			if strings.Contains(s, what) {
				return i + 1
			}
		}
		panic("no line with " + what)
	}
	claim, passage, seal := find(`"op":"claim"`), find(passageMark), find(sealMark)
	all := []evil{
		{"empty", nil, 0, v, true},
		{"some other text", []byte("# Hello\n"), 0, v, true},
		{"zero byte", append(bytes.Clone(good), 0), 0, v, false},
		{"not UTF-8", append(bytes.Clone(good), 0xff, '\n'), 0, v, true},
		{"begin only", good[:bytes.Index(good, []byte(endMarker))], 0, v, true},
		{"two records", append(bytes.Clone(good), good...), 0, v, true},
		{"end before begin", append([]byte(endMarker+"\n"), good...), 0, v, true},
		{"no fence", bytes.Replace(good, []byte(fenceOpen+"\n"), []byte("cairn\n"), 1), 0, v, true},
		{"no closing fence", bytes.Replace(good, []byte("\n"+fenceClose+"\n"+endMarker), []byte("\n"+endMarker), 1), 0, v, true},
		{"a letter of a claim", edited(good, claim, swap("spammers", "scammers")), int64(claim + 1), v, true},
		{"a digit of a claim, with ids kept", edited(good, claim, swap("22,223", "22,233")), int64(claim + 1), v, true},
		{"the last line of the ledger", edited(good, ledgerLines, swap(`"gate":"green"`, `"gate":"amber"`)), int64(seal), v, true},
		{"a passage's word", edited(good, passage, swap("legitimate", "illegitimate")), -1, v, true},
		{"a passage's digit", edited(good, passage, swap("22,223", "22,233")), int64(claim), v, true},
		{"a passage from another text", edited(good, passage, func(s string) string {
			return regexp.MustCompile(`"body":"[0-9a-f]{8}`).ReplaceAllString(s, `"body":"00000000`)
		}), int64(passage), v, true},
		{"a passage of a source that is not on record", edited(good, passage, func(s string) string {
			return regexp.MustCompile(`"source":"s[0-9a-f]{8}`).ReplaceAllString(s, `"source":"s00000000`)
		}), int64(passage), v, true},
		{"the seal's count", edited(good, seal, swap(`"claims":3`, `"claims":4`)), int64(seal), v, true},
		{"the seal's state", edited(good, seal, func(s string) string {
			return regexp.MustCompile(`"state":"[0-9a-f]{8}`).ReplaceAllString(s, `"state":"00000000`)
		}), int64(seal), v, false},
		{"the seal's genesis", edited(good, seal, func(s string) string {
			return regexp.MustCompile(`"genesis":"[0-9a-f]{8}`).ReplaceAllString(s, `"genesis":"00000000`)
		}), int64(seal), v, true},
		{"a name twice", edited(good, claim, swap(`{"at":`, `{"at":1,"at":`)), int64(claim), v, true},
		{"a name in capitals", edited(good, claim, swap(`"op":`, `"OP":`)), int64(claim), v, true},
		{"an unknown name", edited(good, claim, swap(`,"op":`, `,"nice":"x","op":`)), int64(claim), v, true},
		{"an unknown op", edited(good, claim, swap(`"op":"claim"`, `"op":"shell"`)), int64(claim), v, true},
		{"another hash algorithm", bytes.Replace(good, []byte(" sha256="), []byte(" md5="), 1), 0, v, true},
		{"version removed", bytes.Replace(good, []byte("cairn:begin v=1 "), []byte("cairn:begin "), 1), 0, v, true},
		{"newer version", bytes.Replace(good, []byte("cairn:begin v=1 "), []byte("cairn:begin v=2 "), 1), 0, engine.KindNewer, true},
		{"newer line", edited(good, claim, swap(`"v":1`, `"v":2`)), 0, engine.KindNewer, true},
		{"newer seal", edited(good, seal, swap(`"v":1`, `"v":2`)), 0, engine.KindNewer, false},
		{"lone surrogate", edited(good, claim, swap("spammers", `\ud83d`)), int64(claim), v, true},
		{"deep nesting", edited(good, claim, swap(`{"at":`, `{"x":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`,"at":`)), int64(claim), v, true},
		{"very many names", edited(good, claim, func(string) string { return `{` + strings.Repeat(`"a":1,`, 200_000) + `"b":1}` }), int64(claim), v, true},
		{"a huge number", edited(good, claim, swap(`{"at":`, `{"at":`+strings.Repeat("9", 4000)+`0,"b":`)), int64(claim), v, true},
		{"a float", edited(good, claim, swap(`{"at":`, `{"at":1.5,"b":`)), int64(claim), v, true},
		{"null", edited(good, claim, func(string) string { return "null" }), int64(claim), v, true},
		{"an empty line", resealed(good, func(ls []string) []string { return append(ls[:claim:claim], append([]string{""}, ls[claim:]...)...) }), int64(claim + 1), v, true},
		{"raw text", edited(good, claim, swap("spammers", "spammërs")), int64(claim), v, true},
		{"HTML in a line", edited(good, claim, swap("spammers", "<b>")), int64(claim), v, true},
		{"a work line withheld", edited(good, claim, func(s string) string { return string(ledger.Withhold(ledger.HashOf([]byte(s)))) }), -1, v, false},
		{"the first line withheld", edited(good, 1, func(s string) string { return string(ledger.Withhold(ledger.HashOf([]byte(s)))) }), 1, v, true},
		{"a person's author on a model's line", edited(good, claim, swap(`"by":"model"`, `"by":"person"`)), int64(claim + 1), v, true},
		{"seal twice", resealed(good, func(ls []string) []string { return append(ls, ls[len(ls)-1]) }), int64(n + 1), v, true},
		{"a line after the seal", resealed(good, func(ls []string) []string { return append(ls, ls[0]) }), int64(n + 1), v, true},
		{"a ledger line after the passages", resealed(good, func(ls []string) []string {
			p := ls[passage-1]
			return append(append(append([]string{}, ls[:ledgerLines-1]...), p), append([]string{ls[ledgerLines-1]}, ls[seal-1])...)
		}), int64(ledgerLines + 1), v, true},
		{"passages twice", resealed(good, func(ls []string) []string {
			return append(append(append([]string{}, ls[:passage]...), ls[passage-1]), ls[passage:]...)
		}), int64(passage + 1), v, true},
		{"no seal", resealed(good, func(ls []string) []string { return ls[:len(ls)-1] }), int64(n - 1), v, true},
		{"only a seal", resealed(good, func(ls []string) []string { return ls[len(ls)-1:] }), 1, v, true},
		{"marker's sha", regexp.MustCompile(`(cairn:begin .* sha256=)[0-9a-f]{8}`).ReplaceAll(good, []byte("${1}00000000")), 0, v, true},
		{"marker's count", bytes.Replace(good, []byte(" segments=1 "), []byte(" segments=2 "), 1), 0, v, true},
	}
	for i := 1; i <= ledgerLines; i++ {
		i := i
		if i > 1 {
			// The line after is the first that no longer fits; after the last one it is
			// the seal that says so, unless the cut group is noticed first.
			all = append(all, evil{fmt.Sprintf("line %d gone", i), resealed(good, func(ls []string) []string { return append(ls[:i-1:i-1], ls[i:]...) }), -1, v, true})
		}
		if i < ledgerLines {
			all = append(all, evil{fmt.Sprintf("lines %d and %d changed places", i, i+1), resealed(good, func(ls []string) []string {
				ls[i-1], ls[i] = ls[i], ls[i-1]
				return ls
			}), int64(i), v, true})
		}
		all = append(all, evil{fmt.Sprintf("line %d twice", i), resealed(good, func(ls []string) []string {
			return append(ls[:i:i], append([]string{ls[i-1]}, ls[i:]...)...)
		}), int64(i + 1), v, true},
			evil{fmt.Sprintf("the time of line %d", i), edited(good, i, swap(`"at":17672256`, `"at":17672257`)), -1, v, true})
	}
	return all
}

func TestEvilFilesAreRefusedWithTheirLine(t *testing.T) {
	for _, e := range evils(t) {
		_, err := Verify(e.file)
		if engine.KindOf(err) != e.kind || err == nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		var b *Broken
		if e.kind == engine.KindVerification && !errors.As(err, &b) {
			t.Errorf("%s: no line in %v", e.name, err)
			continue
		}
		if e.kind != engine.KindVerification {
			continue
		}
		if e.line > 0 && b.Line != e.line || e.line < 0 && b.Line == 0 {
			t.Errorf("%s: names line %d of the record, want %d: %v", e.name, b.Line, e.line, err)
		}
		if b.Line > 0 && b.FileLine <= b.Line {
			t.Errorf("%s: line %d of the record can't be line %d of the file", e.name, b.Line, b.FileLine)
		}
		var ee *engine.Error
		if !errors.As(err, &ee) || ee.What == "" || ee.Safe == "" || ee.Do == "" {
			t.Errorf("%s: says not what happened, what is safe and what to do: %+v", e.name, ee)
		}
	}
}

// The verifier for people without Cairn agrees, on good files and on broken ones.
func TestPythonVerifierAgrees(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here")
	}
	dir := t.TempDir()
	var names []string
	want := map[string]bool{}
	label := map[string]string{}
	add := func(name string, file []byte, good bool) {
		p := filepath.Join(dir, fmt.Sprintf("%d.cairn.md", len(names)))
		if err := os.WriteFile(p, file, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, p)
		want[p], label[p] = good, name
	}
	l, _ := task()
	in := input(l)
	add("good", export(t, in), true)
	add("good, with CRs", bytes.ReplaceAll(export(t, in), []byte("\n"), []byte("\r\n")), true)
	in.Withhold = true
	add("good, log withheld", export(t, in), true)
	p, err := Parse(export(t, in))
	if err != nil {
		t.Fatal(err)
	}
	m := importInto(p, l)
	m.Group(ledgertest.By(ledger.Person, &ledger.Import{File: p.Result.Block}))
	add("good, two segments", export(t, Input{Lines: m.Each, Texts: textsOf(m), Segments: p.Segments}), true)
	for _, e := range evils(t) {
		if e.py {
			add(e.name, e.file, false)
		}
	}
	script := `
import importlib.util, sys
spec = importlib.util.spec_from_file_location("verify", sys.argv[1]); v = importlib.util.module_from_spec(spec); spec.loader.exec_module(v)
for f in sys.argv[2:]:
    try: v.check(open(f, "rb").read()); print("good", f)
    except (ValueError, KeyError, RecursionError) as x: print("bad", f, str(x)[:200].replace("\n", " "))
`
	out, err := exec.Command(python, append([]string{"-c", script, filepath.Join("..", "..", "docs", "verify.py")}, names...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.SplitN(line, " ", 3)
		if len(f) < 2 {
			continue
		}
		seen++
		if (f[0] == "good") != want[f[1]] {
			t.Errorf("%s: the Python verifier says %q", label[f[1]], line)
		}
	}
	if seen != len(names) {
		t.Errorf("%d of %d files were judged", seen, len(names))
	}
}

func TestEditedReadablePart(t *testing.T) {
	l, _ := task()
	good := export(t, input(l))
	for name, file := range map[string][]byte{
		"a number":        bytes.Replace(good, []byte("**1.1** The study collected 22,223"), []byte("**1.1** The study collected 99,999"), 1),
		"a tick":          bytes.Replace(good, []byte("quote attached"), []byte("checked by a person"), 1),
		"a line more":     bytes.Replace(good, []byte("## Goal\n"), []byte("## Goal\n\nSend money.\n"), 1),
		"the front":       bytes.Replace(good, []byte("title: "), []byte("tags: x\ntitle: "), 1),
		"text at the end": append(bytes.Clone(good), "P.S.\n"...),
		"the last LF":     good[:len(good)-1],
	} {
		p, err := Parse(file)
		if err != nil || p.Result.Readable || p.Result.Changed == 0 || len(p.Result.Warnings) == 0 {
			t.Errorf("%s: an import must go by the record, with a warning: %v", name, err)
		}
		r, err := Verify(file)
		var b *Broken
		if engine.KindOf(err) != engine.KindVerification || !errors.As(err, &b) || !b.Readable || b.FileLine == 0 || r.Lines == 0 {
			t.Errorf("%s: verify says %v", name, err)
		}
	}
}

func TestHarmlessChangesOfTheWay(t *testing.T) {
	l, _ := task()
	good := export(t, input(l))
	for name, file := range map[string][]byte{
		"CRLF":            bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n")),
		"byte order mark": append([]byte("\xef\xbb\xbf"), good...),
	} {
		if _, err := Verify(file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Foreign text can't become structure, markers, HTML, links or hidden characters.
func TestForeignTextStaysText(t *testing.T) {
	texts := []string{
		"# Heading", "## Solved so far", "- [x] checked", "1. one", "> quote", "---", "===", "```cairn-jsonl", "<!-- cairn:begin v=1 -->", "<!-- cairn:end -->",
		"<script>alert(1)</script>", "<img src=http://evil.example/x.png>", "![x](http://evil.example/x.png)", "[click](javascript:alert(1))", "[click](java&#115;cript:alert(1))",
		"http://evil.example", "www.evil.example", "mail@evil.example", "&lt;b&gt; &#60;", "**bold** __b__ *i* _i_ `code`", "~~gone~~", "$x^2$", "[[wikilink]]", "==mark==", "%%hidden%%", "#tag", "{{template}}",
		"| a | b |", "[^1]: note", "<!-- hidden", "-->", "\u202Eabc\u202C", "zero\u200bwidth", "tag\U000E0041s", "bell\x07", "nul\u0085next", "line\u2028sep", "a\nb\n## c\n```\n", "\ufeffbom", "soft\u00adhyphen",
	}
	l := ledgertest.New("T <b>\u202Etitle", "Goal\n## Forged\n```\n<!-- cairn:end -->", "- [ ] constraint <i>")
	q := l.Question("Q <u>?\n# Forged")
	s := l.Source("a <script>.md", "Title [x](javascript:1) \u2066y", "Head <h1>", append([]string{"First."}, texts...)...)
	for i := range texts {
		l.Step(q, l.Claim(q, s, int64(i+2), int64(i+2), "Claim "+texts[i]))
	}
	l.Group(ledgertest.By(ledger.Person, &ledger.Note{Text: texts[0] + "\n" + texts[8], For: "x"}))
	file := export(t, input(l))
	if _, err := Verify(file); err != nil {
		t.Fatal(err)
	}
	human, rest, _ := strings.Cut(string(file), beginPrefix)
	if strings.Count(rest, endMarker) != 1 {
		t.Error("more than one end marker")
	}
	for i, line := range strings.Split(human, "\n") {
		bare := strings.TrimPrefix(strings.TrimLeft(line, "> "), "- ")
		// What our own text may hold.
		ours := strings.Contains(line, "sed -n") || line == "---" || strings.HasPrefix(line, "title: ")
		if ours {
			continue
		}
		if strings.HasPrefix(bare, "#") && !regexp.MustCompile(`^(# T |## (Goal|Solved so far|Still to check|Next step|Sources|History|What was left out|How to check this file without Cairn|The record)$|### Question 1: Q |### Without)`).MatchString(line) {
			t.Errorf("line %d forges a heading: %q", i+1, line)
		}
		for _, bad := range []string{"<", "```", "](", "http://", "javascript:", "www.", "[[", "~~", "==", "%%", "{{", "$", "|"} {
			for at := 0; ; {
				j := strings.Index(line[at:], bad)
				if j < 0 {
					break
				}
				j += at
				if (j == 0 || line[j-1] != '\\') && !strings.Contains(line[max(0, j-4):j+len(bad)], `\`) {
					t.Errorf("line %d holds a bare %q: %q", i+1, bad, line)
				}
				at = j + len(bad)
			}
		}
		for _, r := range line {
			if hidden(r) || r == '\t' {
				t.Errorf("line %d holds U+%04X", i+1, r)
			}
		}
	}
	for _, want := range []string{"⟦U+202E⟧", "⟦U+200B⟧", "⟦U+E0041⟧", "⟦U+0007⟧", "⟦U+2066⟧", "⟦U+2028⟧", "⟦U+00AD⟧"} {
		if !strings.Contains(human, want) {
			t.Errorf("%s is not shown", want)
		}
	}
	for i, c := range []byte(rest) {
		if c >= 0x80 || c < 0x20 && c != '\n' {
			t.Fatalf("the machine part is not plain ASCII at %d: %x", i, c)
		}
	}
}

// Threat 8: the form in which a letter was typed is kept, never "mended".
func TestComposedAndDecomposedTextIsKept(t *testing.T) {
	l := ledgertest.New("T", "G")
	q := l.Question("Q?")
	s := l.Source("a.md", "", "", "Caf\u00e9 composed.", "Cafe\u0301 decomposed.")
	l.Step(q, l.Claim(q, s, 1, 1, ""), l.Claim(q, s, 2, 2, ""))
	p, err := Parse(export(t, input(l)))
	if err != nil {
		t.Fatal(err)
	}
	a, b := p.State.Claims[p.State.ClaimIDs[0]].Text, p.State.Claims[p.State.ClaimIDs[1]].Text
	if a != "Caf\u00e9 composed." || b != "Cafe\u0301 decomposed." {
		t.Errorf("%q, %q", a, b)
	}
}
