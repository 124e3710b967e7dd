package cli

import (
	"testing"

	"cairn/app/dto"
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
