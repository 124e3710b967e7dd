package ledger

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// opRow is the row of an op in vault/FORMAT.md: who may write it and its fields
// with their rules; "?" marks a field that may be absent.
func opRow(s OpSpec) string {
	by := make([]string, len(s.By))
	for i, b := range s.By {
		by[i] = string(b)
	}
	return fmt.Sprintf("| `%s` | %s | %s |", s.Name, strings.Join(by, ", "), fieldList(s.Fields))
}

func fieldList(fields []FieldSpec) string {
	out := make([]string, len(fields))
	for i, f := range fields {
		name := f.Name
		if f.Optional {
			name += "?"
		}
		out[i] = strings.TrimSpace("`" + name + "` " + typeWord(f))
	}
	slices.Sort(out)
	return strings.Join(out, " · ")
}

func typeWord(f FieldSpec) string {
	var list []string
	for _, r := range f.Rules {
		word, arg, _ := strings.Cut(r, "=")
		switch word {
		case "max":
			list = append(list, "≤ "+arg)
		case "one":
			list = append(list, strings.ReplaceAll(arg, "|", "/"))
		case "id":
			list = append(list, "id of "+arg)
		default:
			list = append(list, word)
		}
	}
	words := strings.Join(list, ", ")
	switch f.Type {
	case "integer":
		if words == "" {
			words = "integer"
		}
	case "true":
		words = "true"
	case "texts":
		words = "list: " + words
	case "objects":
		words = "list: " + strings.TrimSuffix(f.Of+" "+words, " ")
	case "object":
		words = f.Of
	}
	return words
}

func readFormat(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../vault/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// chapter is the part of the text under a heading, up to the next of its rank.
func chapter(t *testing.T, text, heading string) string {
	t.Helper()
	rank, _, _ := strings.Cut(heading, " ")
	_, rest, ok := strings.Cut(text, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("vault/FORMAT.md has no %q", heading)
	}
	if end := regexp.MustCompile(`(?m)^#{1,` + fmt.Sprint(len(rank)) + `} `).FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return rest
}

// rows gives the rows of the tables of a text whose first cell matches.
func rows(text string, first *regexp.Regexp) map[string]string {
	out := map[string]string{}
	for _, line := range strings.Split(text, "\n") {
		if m := first.FindStringSubmatch(line); m != nil {
			out[m[1]] = line
		}
	}
	return out
}

// sameRows compares both ways: what the text has and the registry lacks is as wrong.
func sameRows(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name, row := range want {
		if got[name] != row {
			t.Errorf("%s %s: vault/FORMAT.md has\n%s\nand the registry says\n%s", what, name, got[name], row)
		}
	}
	for name, row := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s %s: the registry has no such row\n%s", what, name, row)
		}
	}
}

// TestFormatIsTheRegistry: the normative text and the code say the same, both ways.
func TestFormatIsTheRegistry(t *testing.T) {
	text := readFormat(t)
	ops, objects := chapter(t, text, "## Ops"), map[string]string{"Origin": fmt.Sprintf("| Origin | %s |", fieldList(OriginSpec()))}
	opName := regexp.MustCompile("^\\| `([a-z_]+)` \\|")
	byClass := map[string]map[string]string{"work": {}, "log": {}, "frame": {}}
	var inner func(fields []FieldSpec)
	inner = func(fields []FieldSpec) {
		for _, f := range fields {
			if f.Of != "" {
				objects[f.Of] = fmt.Sprintf("| %s | %s |", f.Of, fieldList(f.Fields))
				inner(f.Fields)
			}
		}
	}
	var propose []string
	for _, s := range Registry() {
		byClass[s.Class][s.Name] = opRow(s)
		inner(s.Fields)
		if s.Propose {
			propose = append(propose, s.Name)
		}
	}
	got := map[string]map[string]string{"work": {}, "log": rows(chapter(t, text, "### Log"), opName), "frame": rows(chapter(t, text, "### Frame"), opName)}
	for _, part := range []string{"### Work: the task", "### Work: knowledge", "### Work: steering"} {
		maps.Copy(got["work"], rows(chapter(t, text, part), opName))
	}
	for class, want := range byClass {
		sameRows(t, class+" op", got[class], want)
	}
	sameRows(t, "object", rows(ops, regexp.MustCompile(`^\| ([A-Z][A-Za-z]+) \|`)), objects)
	_, said, _ := strings.Cut(ops, "may *propose* ")
	said, _, _ = strings.Cut(said, ".")
	words := strings.FieldsFunc(strings.ReplaceAll(said, " and ", ", "), func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
	slices.Sort(words)
	if !slices.Equal(words, propose) {
		t.Errorf("vault/FORMAT.md lets a model propose %v, the registry %v", words, propose)
	}
}

func TestFormatNamesEveryRule(t *testing.T) {
	text := chapter(t, readFormat(t), "## Ops")
	text, _, _ = strings.Cut(text, "###")
	seen := map[string]bool{}
	var walk func(fields []FieldSpec)
	walk = func(fields []FieldSpec) {
		for _, f := range fields {
			for _, r := range f.Rules {
				word, _, _ := strings.Cut(r, "=")
				seen[word] = true
			}
			walk(f.Fields)
		}
	}
	for _, s := range Registry() {
		walk(s.Fields)
	}
	delete(seen, "max") // written as ≤ n
	delete(seen, "one") // written out
	for word := range seen {
		if !strings.Contains(text, "*"+word+"*") && !(word == "id" && strings.Contains(text, "*id of …*")) {
			t.Errorf("vault/FORMAT.md does not say what %q is", word)
		}
	}
	if kinds := strings.Join(stepKinds, ", "); !strings.Contains(text, strings.Replace(kinds, "answer, report", "answer, report", 1)) {
		t.Errorf("vault/FORMAT.md does not list the step kinds %s", kinds)
	}
}

// TestFormatLimits: one table of limits, the same as the code's.
func TestFormatLimits(t *testing.T) {
	want := map[string]string{}
	for what, n := range map[string]int64{
		"bytes of a line without LF": MaxLine, "nesting, the line itself counted": MaxDepth, "lines of a group": MaxGroupLines,
		"bytes of a group, LFs counted": MaxGroupBytes, "accepted ops of a step": MaxStepOps, "bytes of a text": MaxText,
		"bytes of a slice": MaxSlice, "bytes of a short text": MaxShort, "bytes of `who`": MaxWho, "ids in a checkpoint's sum": MaxSumIDs,
		"open items in a checkpoint": MaxOpen, "characters of a word": maxWord, "greatest integer": MaxInt,
	} {
		want[what] = fmt.Sprintf("| %s | %d |", what, n)
	}
	sameRows(t, "limit", rows(chapter(t, readFormat(t), "## Limits"), regexp.MustCompile(`^\| ([a-z].*?) \| \d+ \|`)), want)
}

// TestFormatNamesEveryCode: each code of a refused line stands in the table.
func TestFormatNamesEveryCode(t *testing.T) {
	text := chapter(t, readFormat(t), "## Refusals")
	for _, code := range []string{CodeForm, CodeSize, CodeNewer, CodeOp, CodeAuthor, CodeField, CodeChain, CodeSeq, CodeGroup, CodeWithheld} {
		if !strings.Contains(text, "\n| `"+code+"` |") {
			t.Errorf("vault/FORMAT.md does not list the code %s", code)
		}
	}
}
