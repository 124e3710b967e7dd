package state

import (
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cairn/engine/ledger"
)

func formatText(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../vault/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestFormatExample: the worked example of vault/FORMAT.md, byte for byte.
func TestFormatExample(t *testing.T) {
	text := formatText(t)
	_, text, _ = strings.Cut(text, "### An example")
	text, _, _ = strings.Cut(text, "\n## ")
	var raw, last string
	for _, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "    "); ok {
			if last = rest; raw == "" {
				raw = rest
			}
		}
	}
	line, err := ledger.Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	s, findings := Fold([]*ledger.Line{line})
	if len(findings) > 0 || s.Hash().String() != last {
		t.Errorf("state %s, the text says %s: %v", s.Hash(), last, findings)
	}
	keys := s.keys()
	if n := strings.Count(text, "\n| `"); n != len(keys) {
		t.Errorf("%d records in the text, %d in the state", n, len(keys))
	}
	for _, k := range keys {
		id := k.recordID()
		record, err := ledger.Canonical(s.record(k, id))
		if err != nil {
			t.Fatal(err)
		}
		digest := ledger.HashOf(record)
		row := fmt.Sprintf("| `%s` | %d | `%s` | %s | %s |", id, bucketOf(id), record, digest, ledger.HashOf(append([]byte(id), digest[:]...)))
		if !strings.Contains(text, row) {
			t.Errorf("vault/FORMAT.md has no row\n%s", row)
		}
	}
	if !strings.Contains(text, ledger.HashOf(nil).String()) || !strings.Contains(text, hex.EncodeToString([]byte{0, 0, 0, 0, 0, 0, 0, FoldVersion})) {
		t.Error("the empty bucket or the fold version is another")
	}
	if !strings.Contains(formatText(t), fmt.Sprintf("The fold version is %d.", FoldVersion)) || !strings.Contains(formatText(t), fmt.Sprintf("\n| %d | ", FoldVersion)) {
		t.Error("vault/FORMAT.md names another fold version")
	}
}

// TestFormatNamesEveryRecord: the table of records has the names that the hash is
// made of, and no others.
func TestFormatNamesEveryRecord(t *testing.T) {
	want := map[string]any{"task": taskRecord{}, "settings": settingsRecord{}, "plan": orderRecord{}, "source": sourceRecord{}, "question": questionRecord{},
		"claim": claimRecord{}, "… evidence": evidenceRecord{}, "… checks": verdictRecord{}, "assumption": assumptionRecord{}, "tried": triedRecord{},
		"answer": answerRecord{}, "report": reportRecord{}, "plan item": itemRecord{}, "note": noteRecord{}, "step": stepRecord{}, "found": listRecord{},
		"read": listRecord{}, "override": wordRecord{}, "check of an amber reason": wordRecord{}, "fruitless steps": countRecord{}}
	_, table, _ := strings.Cut(formatText(t), "| record | id | fields |")
	table, _, _ = strings.Cut(table, "\n\n")
	inBrackets := regexp.MustCompile(`\([^)]*\)`)
	seen := map[string]bool{}
	for _, row := range strings.Split(table, "\n") {
		cells := strings.Split(row, "|")
		if len(cells) < 5 || strings.Contains(row, "|---") {
			continue
		}
		name := strings.TrimSpace(cells[1])
		fields, _, _ := strings.Cut(inBrackets.ReplaceAllString(cells[3], ""), ";")
		var got []string
		for _, f := range strings.Split(fields, ",") {
			got = append(got, strings.TrimSpace(f))
		}
		slices.Sort(got)
		record, ok := want[name]
		if !ok {
			t.Errorf("vault/FORMAT.md has a record %q that the fold does not have", name)
			continue
		}
		seen[name] = true
		var names []string
		for i := range reflect.TypeOf(record).NumField() {
			tag, _, _ := strings.Cut(reflect.TypeOf(record).Field(i).Tag.Get("json"), ",")
			names = append(names, tag)
		}
		if !slices.Equal(got, names) {
			t.Errorf("record %s: vault/FORMAT.md has %v, the fold %v", name, got, names)
		}
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("vault/FORMAT.md has no record %q", name)
		}
	}
}

// TestFormatNamesEveryFinding: the table of codes is the fold's.
func TestFormatNamesEveryFinding(t *testing.T) {
	_, text, _ := strings.Cut(formatText(t), "Its codes are")
	text, _, _ = strings.Cut(text, "\n## ")
	codes := []string{CodeState, CodeObject, CodeUnknown, CodeStanding, CodeSticky, CodeCycle, CodePlace, CodeUndo, CodeForm}
	for _, code := range codes {
		if !strings.Contains(text, "\n| `"+code+"` |") {
			t.Errorf("vault/FORMAT.md does not list the code %s", code)
		}
	}
	if n := strings.Count(text, "\n| `"); n != len(codes) {
		t.Errorf("%d codes in the text, %d in the fold", n, len(codes))
	}
}
