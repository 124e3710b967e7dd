package cli

import (
	"reflect"
	"strings"
	"testing"

	"cairn/app/dto"
	"cairn/app/servicetest"
)

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":          "plain\ttext\n",
		"naïve 日本語 café":         "naïve 日本語 café",
		"gpj.\u202egnp.exe":      "gpj.[U+202E]gnp.exe",
		"a\u200bb":               "a[U+200B]b",
		"می\u200cخواهم":          "می\u200cخواهم",
		"👩\u200d👧":               "👩\u200d👧",
		"co\u00adoperate":        "cooperate",
		"end\u00ad":              "end[U+00AD]",
		"\ufeffhead":             "[U+FEFF]head",
		"bell\a and \x1b[31mred": "bell[U+0007] and [U+001B][31mred",
		"\u0085next":             "[U+0085]next",
		"tag\U000e0041":          "tag[U+E0041]",
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSourceSum(t *testing.T) {
	rows := []dto.Source{
		{Status: "readable", Claims: 2, Cells: []dto.Cell{{Shown: 0}, {Shown: 0.5}}},
		{Status: "readable", Cells: []dto.Cell{{Shown: 1}}},
		{Status: "unreadable"}, {Status: "aside"}, {Status: "missing"},
	}
	want := "5 documents found; 2 without a text here; 1 set aside; 2 shown to a model, at least in part; 1 quoted."
	if got := sourceSum(rows); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := sourceSum(rows[:1]); got != "1 document found; 1 shown to a model, at least in part; 1 quoted." {
		t.Error(got)
	}
}

// spoiled puts what steers a terminal and what turns words around into every text
// of an answer.
func spoiled(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			spoiled(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			spoiled(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoiled(v.Index(i))
		}
	case reflect.String:
		if s := v.String(); v.CanSet() && strings.ContainsAny(s, " .") {
			v.SetString(s + "\u202e\x1b[31m\r")
		}
	}
}

// No command writes to a terminal what steers it or is not seen, wherever it stands.
func TestNothingUnseenIsPrinted(t *testing.T) {
	for _, args := range []string{
		"tasks", "show aa1", "show aa1 --full", "candidates aa1", "accept aa1 cabd", "accept aa1 1.2", "accept aa1 c1", "run aa1",
		"export aa1 -o good.cairn.md", "import good.cairn.md", "log aa1 --full", "delete aa1 --yes", "delete aa1", "doctor", "demo -o x", "vault check",
	} {
		t.Run(args, func(t *testing.T) {
			spoil := func(method string, args []any) (any, error) {
				v, err := answers(method, args)
				if v == nil {
					return v, err
				}
				p := reflect.New(reflect.TypeOf(v))
				p.Elem().Set(reflect.ValueOf(v))
				spoiled(p)
				return p.Elem().Interface(), err
			}
			r := cairn(t, &servicetest.Fake{Answer: spoil}, "", strings.Fields(args)...)
			if both := r.out + r.err; both == "" || strings.ContainsFunc(both, unseen) {
				t.Errorf("%q", both)
			}
		})
	}
}
