package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"cairn/app/dto"
	"cairn/app/home"
	"cairn/app/servicetest"
)

// A `new` that is ended while the folder is read prints the id of the task that it
// leaves, and what goes on with it.
func TestNewInterrupted(t *testing.T) {
	t.Setenv("CAIRN_HOME", t.TempDir())
	ctx, end := context.WithCancel(t.Context())
	fake := &servicetest.Fake{Answer: func(method string, args []any) (any, error) {
		if method != "View" {
			return answers(method, args)
		}
		end()
		return dto.View{ID: taskA, Status: dto.Status{State: "starting", Sentence: "Reading\nthe folder"}}, nil
	}}
	var out, errs bytes.Buffer
	code := Run(ctx, Env{
		Args: strings.Fields("new --goal g --question q --sources ."), Out: &out, Err: &errs, Now: time.Now,
		Connect: func(context.Context, home.Home, Need) (Session, error) {
			return Session{Service: fake, Close: func(context.Context) error { return nil }}, nil
		},
	})
	if code != Failed || out.String() != taskA+"\n" {
		t.Errorf("exit %d, %q", code, out.String())
	}
	for _, want := range []string{"Reading[U+000A]the folder\n", "stopped early", "`cairn run " + short(taskA) + "`"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("no %q in %q", want, errs.String())
		}
	}
}

// A document whose file was deleted after it was read still has its text.
func TestSourceSumOfAGoneFile(t *testing.T) {
	rows := []dto.Source{{Status: "missing", Reason: "The file is no longer in the folder. Its stored text is used."}, {Status: "unreadable"}}
	if got, want := sourceSum(rows), "2 documents found; 1 without a text here; 1 no longer in the folder; 0 shown to a model, at least in part; 0 quoted."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
