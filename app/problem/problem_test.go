package problem

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"cairn/engine"
)

func TestSentence(t *testing.T) {
	for in, want := range map[string]string{
		"":                              "",
		"read the table":                "Read the table.",
		"Is it so?":                     "Is it so?",
		"stopped.":                      "Stopped.",
		"reorder.cairn.md is not whole": "reorder.cairn.md is not whole.",
		"docs/a is a folder":            "docs/a is a folder.",
		"--budget can't be negative":    "--budget can't be negative.",
		"read table: it ended":          "Read table: it ended.",
	} {
		if got := Sentence(in); got != want {
			t.Errorf("Sentence(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestCancelled(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false}, {context.Canceled, true}, {fmt.Errorf("read: %w", context.Canceled), true},
		{fmt.Errorf("read: %w", &engine.Error{Kind: engine.KindCancelled, What: "Stopped."}), true},
		{context.DeadlineExceeded, false}, {errors.New("other"), false}, {&engine.Error{Kind: engine.KindDiskFull}, false},
	} {
		if got := Cancelled(c.err); got != c.want {
			t.Errorf("Cancelled(%v) is %v", c.err, got)
		}
	}
}
