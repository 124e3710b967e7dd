package ledger

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// opRow is the row of an op in vault/FORMAT.md: who may write it and its fields
// with their rules; "?" marks a field that may be absent.
func opRow(name string) string {
	k := kinds[name]
	var by []string
	for _, b := range []By{Person, Program, Model, Engine} {
		if MayWrite(name, b) {
			by = append(by, string(b))
		}
	}
	t := reflect.TypeOf(k.make()).Elem()
	return fmt.Sprintf("| `%s` | %s | %s |", name, strings.Join(by, ", "), fieldList(t))
}

func fieldList(t reflect.Type) string {
	var fields []string
	for i := 0; i < t.NumField(); i++ {
		sf := t.Field(i)
		name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if opts == "omitempty" {
			name += "?"
		}
		fields = append(fields, strings.TrimSpace("`"+name+"` "+typeWord(sf)))
	}
	slices.Sort(fields)
	return strings.Join(fields, " · ")
}

func typeWord(sf reflect.StructField) string {
	tag := sf.Tag.Get("is")
	rules := strings.Split(tag, ",")
	var list []string
	for _, r := range rules {
		word, arg, has := strings.Cut(r, "=")
		switch {
		case word == "max":
			list = append(list, "≤ "+arg)
		case word == "one":
			list = append(list, strings.ReplaceAll(arg, "|", "/"))
		case word == "id":
			list = append(list, "id of "+arg)
		case has || word != "":
			list = append(list, word)
		}
	}
	words := strings.Join(list, ", ")
	switch sf.Type.Kind() {
	case reflect.Int64:
		if words == "" {
			words = "integer"
		}
	case reflect.Bool:
		words = "true"
	case reflect.Slice:
		if e := sf.Type.Elem(); e.Kind() == reflect.Struct {
			words = strings.TrimSuffix(e.Name()+" "+words, " ")
		}
		words = "list: " + words
	case reflect.Pointer:
		words = sf.Type.Elem().Name()
	}
	return words
}

// TestFormatNamesEveryOp: the normative text and the code say the same.
func TestFormatNamesEveryOp(t *testing.T) {
	b, err := os.ReadFile("../../vault/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	names := Ops()
	slices.Sort(names)
	for _, name := range names {
		if row := opRow(name); !strings.Contains(text, row) {
			t.Errorf("vault/FORMAT.md has no row\n%s", row)
		}
	}
	for _, part := range []any{Slice{}, Sentence{}, Item{}, Sum{}, Counts{}, NextStep{}, Cover{}, Origin{}} {
		rt := reflect.TypeOf(part)
		if row := fmt.Sprintf("| %s | %s |", rt.Name(), fieldList(rt)); !strings.Contains(text, row) {
			t.Errorf("vault/FORMAT.md has no row\n%s", row)
		}
	}
	for what, n := range map[string]int{
		"bytes of a line without LF": MaxLine, "nesting, the line itself counted": MaxDepth, "lines of a group": MaxGroupLines,
		"bytes of a group, LFs counted": MaxGroupBytes, "accepted ops of a step": MaxStepOps, "bytes of a text": MaxText,
		"bytes of a slice": MaxSlice, "bytes of a short text": MaxShort, "bytes of `who`": MaxWho, "ids in a checkpoint's sum": MaxSumIDs,
		"open items in a checkpoint": MaxOpen,
	} {
		if row := fmt.Sprintf("| %s | %d |", what, n); !strings.Contains(text, row) {
			t.Errorf("vault/FORMAT.md has no row %s", row)
		}
	}
}
