package state_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
	"cairn/engine/state/statetest"
)

var update = flag.Bool("update", false, "write docs/vectors anew")

const vectorsDir = "../../docs/vectors"

// ledgerVector is a file in docs/vectors/ledgers.
type ledgerVector struct {
	About  string        `json:"about"`
	Fold   int64         `json:"fold"`
	Chain  string        `json:"chain"` // after the last line
	Groups []groupVector `json:"groups"`
}

type groupVector struct {
	Lines    []string        `json:"lines"`
	State    string          `json:"state"` // after the group
	Findings []findingVector `json:"findings,omitempty"`
}

type findingVector struct {
	Seq  int64  `json:"seq"`
	Code string `json:"code"`
}

// brokenVectors is docs/vectors/broken.json.
type brokenVectors struct {
	About   string         `json:"about"`
	Lines   []brokenLine   `json:"lines"`
	Ledgers []brokenLedger `json:"ledgers"`
}

type brokenLine struct {
	Why    string `json:"why"`
	Code   string `json:"code"`
	Schema bool   `json:"schema"` // the JSON Schema refuses it too
	Line   string `json:"line"`
}

type brokenLedger struct {
	Why   string   `json:"why"`
	Code  string   `json:"code"`
	At    int      `json:"at"` // place of the line that is refused, from 1
	Lines []string `json:"lines"`
}

func writeVector(t *testing.T, name string, v any) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(vectorsDir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readVector(t *testing.T, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// asVector folds raw lines, split into groups of these sizes.
func asVector(t *testing.T, about string, raw [][]byte, groups []int) ledgerVector {
	t.Helper()
	out := ledgerVector{About: about, Fold: state.FoldVersion}
	s := state.New()
	for _, n := range groups {
		var g groupVector
		for _, line := range raw[:n] {
			l, err := ledger.Decode(line)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range s.Apply(l) {
				g.Findings = append(g.Findings, findingVector{f.Seq, f.Code})
			}
			g.Lines = append(g.Lines, string(line))
		}
		raw = raw[n:]
		g.State = s.Hash().String()
		out.Groups = append(out.Groups, g)
	}
	out.Chain = s.Chain.String()
	return out
}

// TestVectorsAreWritten: docs/vectors holds what the stories of statetest give;
// -update writes it anew.
func TestVectorsAreWritten(t *testing.T) {
	vectors, err := statetest.Vectors()
	if err != nil {
		t.Fatal(err)
	}
	ops, codes := map[string]bool{}, map[string]bool{}
	want := map[string]ledgerVector{}
	for _, v := range vectors {
		want[v.Name] = asVector(t, v.About, v.Lines, v.Groups)
		for code := range v.Codes() {
			codes[code] = true
		}
		hidden := slices.Clone(v.Lines)
		for i, raw := range v.Lines {
			l, err := ledger.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			op := l.Op.OpName()
			if ops[op] = true; ledger.IsLog(op) {
				hidden[i] = ledger.Withhold(l.Hash)
			}
		}
		if v.Name == "steps" {
			want["withheld"] = asVector(t, "The ledger steps with every log line withheld: the same chain and the same states.", hidden, v.Groups)
		}
	}
	for _, op := range ledger.Ops() {
		if !ops[op] {
			t.Errorf("no published ledger holds the op %s", op)
		}
	}
	for _, code := range statetest.AllCodes {
		if !codes[code] {
			t.Errorf("no published ledger gives the code %s", code)
		}
	}
	files, err := filepath.Glob(filepath.Join(vectorsDir, "ledgers", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		for _, f := range files {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
		for name, v := range want {
			writeVector(t, filepath.Join("ledgers", name+".json"), v)
		}
		return
	}
	if len(files) != len(want) {
		t.Errorf("%d files in docs/vectors/ledgers, want %d", len(files), len(want))
	}
	for name, v := range want {
		var got ledgerVector
		readVector(t, filepath.Join(vectorsDir, "ledgers", name+".json"), &got)
		if fmt.Sprint(got) != fmt.Sprint(v) {
			t.Errorf("docs/vectors/ledgers/%s.json is another; -update writes it", name)
		}
	}
}

// TestVectors reads the published ledgers as another implementation would.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(vectorsDir, "ledgers", "*.json"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d ledgers: %v", len(files), err)
	}
	for _, path := range files {
		var v ledgerVector
		readVector(t, path, &v)
		s, verifier, grouper := state.New(), ledger.NewVerifier(ledger.Hash{}), ledger.NewGrouper(1)
		withheld := false
		for i, g := range v.Groups {
			var found []findingVector
			for _, line := range g.Lines {
				l, err := ledger.Decode([]byte(line))
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				if err := verifier.Add([]byte(line)); err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				groups, err := grouper.Add([]byte(line))
				if err != nil || len(groups) > 1 && !withheld {
					t.Fatalf("%s: %v", path, err)
				}
				withheld = withheld || l.Withheld
				for _, f := range s.Apply(l) {
					found = append(found, findingVector{f.Seq, f.Code})
				}
			}
			if got := s.Hash().String(); got != g.State || got != s.HashWhole().String() {
				t.Errorf("%s: group %d: state %s, want %s", path, i+1, got, g.State)
			}
			if !slices.Equal(found, g.Findings) {
				t.Errorf("%s: group %d: findings %v, want %v", path, i+1, found, g.Findings)
			}
		}
		chain, err := verifier.Close()
		if err != nil || chain.String() != v.Chain || s.Chain != chain || v.Fold != state.FoldVersion {
			t.Errorf("%s: chain %s, %v; want %s", path, chain, err, v.Chain)
		}
	}
}

// TestBrokenVectors: each gives its code.
func TestBrokenVectors(t *testing.T) {
	want := brokenOnes(t)
	if *update {
		writeVector(t, "broken.json", want)
	}
	var v brokenVectors
	readVector(t, filepath.Join(vectorsDir, "broken.json"), &v)
	if fmt.Sprint(v) != fmt.Sprint(want) {
		t.Error("docs/vectors/broken.json is another; -update writes it")
	}
	codes := map[string]bool{}
	for _, b := range v.Lines {
		l, err := ledger.Decode([]byte(b.Line))
		if err == nil {
			t.Errorf("%s: read as %+v", b.Why, l)
		} else if got := ledger.CodeOf(err); got != b.Code {
			t.Errorf("%s: code %q, want %q: %v", b.Why, got, b.Code, err)
		}
		codes[b.Code] = true
	}
	for _, b := range v.Ledgers {
		_, err := ledger.VerifyChain(rawLines(b.Lines), ledger.Hash{})
		var at *ledger.LineError
		if got := ledger.CodeOf(err); got != b.Code || !errors.As(err, &at) || at.Line != b.At {
			t.Errorf("%s: %v (code %q), want code %q at line %d", b.Why, err, got, b.Code, b.At)
		}
		codes[b.Code] = true
	}
	for _, code := range []string{ledger.CodeForm, ledger.CodeNewer, ledger.CodeOp, ledger.CodeAuthor, ledger.CodeField, ledger.CodeChain,
		ledger.CodeSeq, ledger.CodeGroup, ledger.CodeWithheld} { // size would need a line of 64 KiB
		if !codes[code] {
			t.Errorf("nothing broken gives the code %s", code)
		}
	}
}

func rawLines(lines []string) [][]byte {
	out := make([][]byte, len(lines))
	for i, l := range lines {
		out[i] = []byte(l)
	}
	return out
}

// brokenOnes breaks good lines of every op, and a good ledger.
func brokenOnes(t *testing.T) brokenVectors {
	t.Helper()
	out := brokenVectors{About: "Lines and ledgers that a reader must refuse, with the code of vault/FORMAT.md (Refusals). schema: docs/schema/line.schema.json " +
		"refuses the line too; what it can't see is the canonical form, bytes of UTF-8, order, and what two fields say about each other. at: the line refused, from 1."}
	vectors, err := statetest.Vectors()
	if err != nil {
		t.Fatal(err)
	}
	good := map[string]ledger.Object{}
	for _, v := range vectors {
		for _, raw := range v.Lines {
			o, err := ledger.ParseCanonical(raw)
			if err != nil {
				t.Fatal(err)
			}
			if op := o["op"].(string); len(o) > len(good[op]) {
				good[op] = o
			}
		}
	}
	for _, s := range ledger.Registry() {
		out.Lines = append(out.Lines, spoil(t, s, good[s.Name])...)
	}
	out.Lines = append(out.Lines, spoiltForms(t, good)...)
	for _, v := range vectors {
		if v.Name == "steps" {
			out.Ledgers = brokenLedgers(t, v)
		}
	}
	return out
}

// spoil gives the ways in which a line of an op does not fit its fields.
func spoil(t *testing.T, s ledger.OpSpec, good ledger.Object) []brokenLine {
	t.Helper()
	var out []brokenLine
	add := func(code string, schema bool, change func(o ledger.Object), why string, args ...any) {
		o := ledger.Object{}
		for name, v := range good {
			o[name] = v
		}
		change(o)
		raw, err := ledger.Canonical(o)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, brokenLine{s.Name + ": " + fmt.Sprintf(why, args...), code, schema, string(raw)})
	}
	add(ledger.CodeField, true, func(o ledger.Object) { o["colour"] = "red" }, "an unknown name")
	add(ledger.CodeNewer, true, func(o ledger.Object) { o["v"] = int64(2) }, "a version to come")
	for _, by := range []ledger.By{ledger.Person, ledger.Program, ledger.Model, ledger.Engine, "robot"} {
		if !slices.Contains(s.By, by) {
			add(ledger.CodeAuthor, true, func(o ledger.Object) { o["by"] = string(by) }, "written by %s", by)
		}
	}
	if s.Class == "log" {
		add(ledger.CodeField, true, func(o ledger.Object) { delete(o, "salt") }, "a log line without salt")
	} else {
		add(ledger.CodeField, true, func(o ledger.Object) { o["salt"] = statetest.Hex("s")[:32] }, "a salt on a line that is no log line")
	}
	if s.Class == "work" {
		add(ledger.CodeField, true, func(o ledger.Object) { delete(o, "origin"); o["reported"] = true }, "reported without origin")
	}
	for _, f := range s.Fields {
		if !f.Optional {
			add(ledger.CodeField, true, func(o ledger.Object) { delete(o, f.Name) }, "without %s", f.Name)
		}
		add(ledger.CodeField, true, func(o ledger.Object) {
			if _, isText := o[f.Name].(string); isText || f.Type == "text" {
				o[f.Name] = int64(7)
			} else {
				o[f.Name] = "seven"
			}
		}, "another type of %s", f.Name)
		for _, r := range f.Rules {
			word, arg, _ := strings.Cut(r, "=")
			switch word {
			case "text", "slice", "line":
				if f.Type == "text" {
					n := map[string]int{"text": ledger.MaxText, "slice": ledger.MaxSlice, "line": ledger.MaxShort}[word]
					if n <= ledger.MaxShort { // the others would make the file large
						add(ledger.CodeField, true, func(o ledger.Object) { o[f.Name] = strings.Repeat("x", n+1) }, "%s too long", f.Name)
						add(ledger.CodeField, true, func(o ledger.Object) { o[f.Name] = "a\nb" }, "a control character in %s", f.Name)
					}
				}
			case "hash", "nonce", "id", "any", "step", "one", "word", "amber", "subject":
				if f.Type == "text" {
					add(ledger.CodeField, true, func(o ledger.Object) { o[f.Name] = "No Such" }, "%s against its rule", f.Name)
				}
			case "pos":
				add(ledger.CodeField, true, func(o ledger.Object) { o[f.Name] = int64(0) }, "%s of 0", f.Name)
			case "max":
				if arg == "64" && f.Type == "texts" && slices.Contains(f.Rules, "text") {
					add(ledger.CodeField, true, func(o ledger.Object) { o[f.Name] = slices.Repeat([]any{"x"}, 65) }, "%s with an item too many", f.Name)
				}
			case "sorted":
				add(ledger.CodeField, true, func(o ledger.Object) {
					o[f.Name] = []any{"m" + statetest.Hex("m")[:32], "m" + statetest.Hex("m")[:32]}
					delete(o, "quotes")
				}, "%s with an item twice", f.Name)
				add(ledger.CodeField, false, func(o ledger.Object) {
					o[f.Name] = []any{"m" + statetest.Hex("m")[:32], "c" + statetest.Hex("m")[:32]}
					delete(o, "quotes")
				}, "%s not sorted", f.Name)
			}
		}
		if f.Type == "integer" && f.Optional && !slices.Contains(f.Rules, "signed") {
			add(ledger.CodeField, true, func(o ledger.Object) { o[f.Name] = int64(-1) }, "%s below 0", f.Name)
		}
		if f.Type == "true" {
			add(ledger.CodeField, true, func(o ledger.Object) { o[f.Name] = false }, "%s written though it is false", f.Name)
		}
	}
	crossed(s.Name, add)
	return out
}

// crossed breaks the rules between the fields of an op.
func crossed(op string, add func(code string, schema bool, change func(o ledger.Object), why string, args ...any)) {
	c, m := "c"+statetest.Hex("c")[:32], "m"+statetest.Hex("m")[:32]
	switch op {
	case "amend":
		add(ledger.CodeField, true, func(o ledger.Object) { o["field"] = "goal"; delete(o, "text"); delete(o, "list") }, "a goal that is empty")
		add(ledger.CodeField, true, func(o ledger.Object) { o["field"] = "title"; delete(o, "text"); o["list"] = []any{"x"} }, "a list for the title")
	case "set":
		add(ledger.CodeField, true, func(o ledger.Object) {
			for name := range o {
				if !slices.Contains([]string{"at", "by", "g", "n", "op", "prev", "seq", "v", "who"}, name) {
					delete(o, name)
				}
			}
		}, "nothing set")
		add(ledger.CodeField, true, func(o ledger.Object) { delete(o, "model"); o["trial"] = true }, "trial without a model")
		add(ledger.CodeField, true, func(o ledger.Object) { o["budget"] = int64(-2) }, "a budget of −2")
	case "source":
		add(ledger.CodeField, true, func(o ledger.Object) { o["reason"] = "empty" }, "readable and with a reason")
		add(ledger.CodeField, true, func(o ledger.Object) { delete(o, "body") }, "without body and reason")
		add(ledger.CodeField, true, func(o ledger.Object) { o["name"] = "folder/a.txt" }, "a folder in the name")
	case "close":
		add(ledger.CodeField, true, func(o ledger.Object) { o["by"] = "model"; delete(o, "claims"); o["reason"] = "nothing" }, "by a model, with no claim")
		add(ledger.CodeField, true, func(o ledger.Object) { o["by"] = "engine"; delete(o, "claims"); delete(o, "reason") }, "without claims and reason")
	case "claim":
		add(ledger.CodeField, true, func(o ledger.Object) { delete(o, "text"); delete(o, "quotes"); o["basis"] = []any{m} }, "neither text nor quote")
		add(ledger.CodeField, false, func(o ledger.Object) { o["basis"] = []any{m} }, "a quote that its basis does not name")
		add(ledger.CodeField, false, func(o ledger.Object) { delete(o, "quotes") }, "a reference without its slice")
	case "quote":
		add(ledger.CodeField, false, func(o ledger.Object) { o["from"], o["to"] = int64(4), int64(3) }, "from after to")
	case "supersede":
		add(ledger.CodeField, true, func(o ledger.Object) { o["id"], o["into"] = c, m }, "two kinds")
		add(ledger.CodeField, false, func(o ledger.Object) { o["id"], o["into"] = c, c }, "the same twice")
	case "merge":
		add(ledger.CodeField, false, func(o ledger.Object) { o["id"], o["into"] = c, c }, "the same twice")
	case "report":
		add(ledger.CodeField, true, func(o ledger.Object) { delete(o, "answers"); delete(o, "opening") }, "empty")
	case "plan":
		add(ledger.CodeField, true, func(o ledger.Object) { delete(o, "add"); delete(o, "order"); delete(o, "remove") }, "empty")
	case "found":
		add(ledger.CodeField, false, func(o ledger.Object) { o["ranges"] = []any{"s" + statetest.Hex("s")[:32] + "/3-2"} }, "a range backwards")
	case "check":
		add(ledger.CodeAuthor, true, func(o ledger.Object) { o["by"], o["how"] = "engine", "person" }, "a person's check by the engine")
		add(ledger.CodeAuthor, true, func(o ledger.Object) { o["by"], o["how"] = "program", "model" }, "a model's check by a program")
	case "checkpoint":
		add(ledger.CodeField, true, func(o ledger.Object) { o["next"] = ledger.Object{"kind": "read", "colour": "red"} }, "an unknown name inside")
		add(ledger.CodeField, true, func(o ledger.Object) { o["sum"] = ledger.Object{"claims": int64(1)} }, "a sum without lost")
	case "note":
		add(ledger.CodeField, true, func(o ledger.Object) { delete(o, "seq") }, "no seq")
		add(ledger.CodeField, true, func(o ledger.Object) { o["seq"] = int64(0) }, "seq of 0")
		add(ledger.CodeField, true, func(o ledger.Object) { o["n"] = int64(257) }, "n of 257")
		add(ledger.CodeField, true, func(o ledger.Object) { o["who"] = "key:" + strings.Repeat("0", 160) }, "who too long")
	}
}

// spoiltForms are broken below the level of fields, on one line.
func spoiltForms(t *testing.T, good map[string]ledger.Object) []brokenLine {
	t.Helper()
	raw, err := ledger.Canonical(good["note"])
	if err != nil {
		t.Fatal(err)
	}
	line := string(raw)
	swap := func(why, code string, schema bool, old, new string) brokenLine {
		if !strings.Contains(line, old) {
			t.Fatalf("no %s in %s", old, line)
		}
		return brokenLine{why, code, schema, strings.Replace(line, old, new, 1)}
	}
	return []brokenLine{
		{"nothing", ledger.CodeForm, true, ""},
		{"a list", ledger.CodeForm, true, "[]"},
		{"a space at the end", ledger.CodeForm, false, line + " "},
		swap("a space inside", ledger.CodeForm, false, `"op":"note"`, `"op": "note"`),
		swap("a name twice", ledger.CodeForm, false, `"g":`, `"g":1,"g":`),
		swap("names not sorted", ledger.CodeForm, false, `"op":"note",`, `"op":"note","n":1,`),
		swap("a letter escaped without need", ledger.CodeForm, false, `"op":"note"`, `"op":"\u006eote"`),
		swap("a number with a fraction", ledger.CodeForm, false, `"v":1`, `"v":1.0`),
		swap("an empty text", ledger.CodeForm, true, `"op":"note"`, `"op":""`),
		swap("null", ledger.CodeForm, true, `"op":"note"`, `"op":null`),
		swap("a digit in a name", ledger.CodeForm, true, `"g":`, `"f2":1,"g":`),
		swap("an unknown op", ledger.CodeOp, true, `"op":"note"`, `"op":"notes"`),
		swap("no op", ledger.CodeOp, true, `"op":"note",`, ``),
		swap("version 0", ledger.CodeField, true, `"v":1`, `"v":0`),
		swap("a login as who", ledger.CodeField, true, `"who":"key:1f"`, `"who":"alice"`),
		swap("prev in capitals", ledger.CodeField, true, `"prev":"`, `"prev":"A`),
		{"a withheld line in capitals", ledger.CodeOp, true, `{"h":"` + strings.ToUpper(statetest.Hex("h")) + `"}`},
		{"a withheld line with more", ledger.CodeOp, true, `{"h":"` + statetest.Hex("h") + `","n":1}`},
	}
}

func brokenLedgers(t *testing.T, v statetest.Vector) []brokenLedger {
	t.Helper()
	all := make([]string, len(v.Lines))
	for i, l := range v.Lines {
		all[i] = string(l)
	}
	first, second := v.Groups[0], v.Groups[0]+v.Groups[1]
	lines := func(n int) []string { return slices.Clone(all[:n]) }
	var out []brokenLedger
	add := func(why, code string, at int, lines []string) { out = append(out, brokenLedger{why, code, at, lines}) }

	changed := lines(second)
	changed[0] = strings.Replace(changed[0], "Which", "Whose", 1)
	add("a letter changed", ledger.CodeChain, 2, changed)
	add("a line removed", ledger.CodeChain, 2, slices.Delete(lines(second), 1, 2))
	swapped := lines(second)
	swapped[2], swapped[3] = swapped[3], swapped[2]
	add("two lines in another order", ledger.CodeChain, 3, swapped)
	add("a line twice", ledger.CodeChain, 3, slices.Insert(lines(second), 1, all[1]))
	add("the first line is missing", ledger.CodeChain, 1, all[1:second])
	add("the end of a group is missing", ledger.CodeGroup, first+1, lines(first+1))
	hidden := lines(second)
	hidden[0] = string(ledger.Withhold(ledger.HashOf(v.Lines[0])))
	add("the first line withheld", ledger.CodeWithheld, 1, hidden)
	hidden = lines(second)
	hidden[first] = string(ledger.Withhold(ledger.HashOf(v.Lines[first])))
	add("a line of work withheld", ledger.CodeWithheld, first+1, hidden)
	hidden = lines(second)
	hidden[second-1] = string(ledger.Withhold(ledger.HashOf(v.Lines[second-1])))
	add("a checkpoint withheld", ledger.CodeGroup, first+1, hidden)

	again := func(change func(heads []ledger.Head)) []string {
		var heads []ledger.Head
		var ops []ledger.Op
		for _, raw := range v.Lines[:second] {
			l, err := ledger.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			heads, ops = append(heads, l.Head), append(ops, l.Op)
		}
		change(heads)
		var out []string
		var chain ledger.Hash
		for i, op := range ops {
			heads[i].Prev = chain
			raw, err := ledger.Encode(heads[i], op)
			if err != nil {
				t.Fatal(err)
			}
			chain = chain.Extend(ledger.HashOf(raw))
			out = append(out, string(raw))
		}
		return out
	}
	add("a number left out", ledger.CodeSeq, 2, again(func(h []ledger.Head) {
		for i := 1; i < len(h); i++ {
			h[i].Seq++
		}
	}))
	add("a ledger that begins at 2", ledger.CodeSeq, 1, again(func(h []ledger.Head) {
		for i := range h {
			h[i].Seq++
		}
	}))
	add("n says a line too many", ledger.CodeGroup, first, again(func(h []ledger.Head) { h[first-1].N++ }))
	add("n says a line too few", ledger.CodeGroup, 1, again(func(h []ledger.Head) { h[first-1].N-- }))
	add("a group's number left out", ledger.CodeGroup, first+1, again(func(h []ledger.Head) {
		for i := first; i < len(h); i++ {
			h[i].Group++
		}
	}))
	add("a group with two numbers", ledger.CodeGroup, first+2, again(func(h []ledger.Head) { h[first+1].Group++ }))
	add("work without a checkpoint", ledger.CodeGroup, 1, again(func(h []ledger.Head) { h[0].N = 1 }))
	return out
}
