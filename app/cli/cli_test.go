package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"cairn/app/dto"
	"cairn/app/home"
	"cairn/app/servicetest"
	"cairn/engine"
	"cairn/engine/run"
)

const (
	taskA  = "aa11111111111111111111111111111111111111111111111111111111111111"
	taskA2 = "aa22222222222222222222222222222222222222222222222222222222222222"
	claim1 = "c1111111111111111111111111111111f"
	claim2 = "c2222222222222222222222222222222f"
)

func aView() dto.View {
	return dto.View{
		ID: taskA, Title: "A title", Goal: "Find out", Sum: "+1 claim, 0 lost",
		Status: dto.Status{State: "done", Sentence: "Done", SavedAt: 1},
		Questions: []dto.Question{{
			ID: "q1", Number: 1, Text: "How many?", Status: "closed",
			Claims: []dto.Claim{{
				ID: claim1, Text: "There are 12.", Trust: "backed", Word: "quote attached", Standing: "active", ByLine: "you",
				Quotes: []dto.Quote{{Text: "We count 12.", Place: dto.Place{Name: "a.md", From: 3, To: 3, Page: 2}}},
			}},
		}},
		Retracted: []dto.Claim{{ID: claim2, Text: "Gone", Standing: "retracted"}},
		ToCheck:   []dto.CheckItem{{Kind: "unchecked", Text: "1 claim nobody has checked", Count: 1}},
		Next:      dto.Next{Kind: "done", Text: "Nothing is left to do"},
	}
}

// answers of a service that has two tasks.
func answers(method string, args []any) (any, error) {
	switch method {
	case "Tasks":
		return []dto.TaskSummary{{ID: taskA, Title: "A title", State: "done"}, {ID: taskA2, Title: "Another", State: "paused"}}, nil
	case "View":
		return aView(), nil
	case "Create":
		if args[0].(dto.NewTask).Goal == "" {
			return "", &engine.Error{Kind: engine.KindUsage, What: "Write what you want to find out."}
		}
		return taskA, nil
	case "Candidates":
		return []dto.Question{{ID: "q1", Number: 1, Text: "How many?", Candidates: []dto.Candidate{
			{ID: "cabc", Text: "We count 12.", Place: dto.Place{Source: "s1", Name: "a.md", From: 3, To: 3}},
			{ID: "cabd", Text: "Or 13.", Place: dto.Place{Source: "s1", Name: "a.md", From: 9, To: 10}},
		}}}, nil
	case "AcceptCandidate", "Edit":
		return claim2, nil
	case "Export":
		return dto.Verification{Good: true, Sentence: "This file holds."}, nil
	case "PreviewImport":
		return dto.Preview{Token: "tok", Title: "Theirs", From: "unsigned"}, nil
	case "AcceptImport":
		return taskA2, nil
	case "Sources":
		return []dto.Source{{ID: "s1aa", Name: "a.md"}, {ID: "s1ab", Name: "twice.md"}, {ID: "s1ac", Name: "twice.md"}}, nil
	case "PlanErase":
		return dto.Removal{Task: taskA, Question: "Delete “A title” for good?", Removed: []string{"1 history"}, Yours: []string{"my own note"},
			Stays: []string{"a shared text"}, Beyond: []string{"The exported file /x.cairn.md"}}, nil
	case "Erase":
		return dto.Removal{Task: taskA, Done: true, Sentence: "Deleted “A title” for good.", Now: "newid", Removed: []string{"1 history"}, Beyond: []string{"What the disk keeps"}}, nil
	case "Doctor":
		return []dto.Check{{Name: "Ollama", Value: "away", Mend: "Start it."}}, nil
	case "Timeline":
		return []dto.Entry{{Seq: 7, At: 1000, Kind: "step", Text: "Read something", Checkpoint: 2}}, nil
	case "Setup":
		return dto.Setup{Stage: "no_model", Sentence: "No Ollama answers."}, nil
	}
	return nil, nil
}

type result struct {
	code     int
	out, err string
	fake     *servicetest.Fake
	closed   bool
}

func (r result) called(method string) []any {
	for _, c := range r.fake.Calls() {
		if c.Method == method {
			return c.Args
		}
	}
	return nil
}

func cairn(t *testing.T, fake *servicetest.Fake, in string, args ...string) result {
	t.Helper()
	if fake == nil {
		fake = &servicetest.Fake{Answer: answers}
	}
	t.Setenv("CAIRN_HOME", t.TempDir())
	r := result{fake: fake}
	var out, errs bytes.Buffer
	r.code = Run(t.Context(), Env{
		Args: args, In: strings.NewReader(in), Out: &out, Err: &errs, Version: "cairn 9", Now: func() time.Time { return time.Unix(0, 0).UTC() },
		Connect: func(context.Context, home.Home, Need) (Session, error) {
			return Session{Service: fake, Close: func(context.Context) error { r.closed = true; return nil }}, nil
		},
		Verify: func(path string) (dto.Verification, error) {
			switch path {
			case "good.cairn.md":
				return dto.Verification{Good: true, Sentence: "This file holds."}, nil
			case "bad.cairn.md":
				return dto.Verification{Sentence: "Line 4 of the record no longer fits.", Line: 4}, nil
			}
			return dto.Verification{}, &engine.Error{Kind: engine.KindSource, What: "There is no file."}
		},
		Sample: func(home.Home) (dto.NewTask, error) { return dto.NewTask{Title: "Sample", Goal: "g"}, nil },
	})
	r.out, r.err = out.String(), errs.String()
	return r
}

func TestExitCodes(t *testing.T) {
	cases := []struct {
		name string
		args string
		code int
		says string // in either output
	}{
		{"help without a window", "", Good, "Usage:"},
		{"version", "--version", Good, "cairn 9"},
		{"unknown command", "frobnicate", Usage, "frobnicate"},
		{"unknown flag", "tasks --nope", Usage, "nope"},
		{"too few arguments", "show", Usage, "needs TASK"},
		{"tasks", "tasks", Good, "A title"},
		{"show", "show aa1", Good, "SOLVED"},
		{"show at", "show aa1 --at 7", Good, "SOLVED"},
		{"ambiguous prefix", "show aa", Usage, "more than one"},
		{"no such task", "show bb", Usage, "no task"},
		{"whole id", "show " + taskA, Good, "There are 12."},
		{"new without a goal", "new --question x", Usage, "find out"},
		{"new", "new --goal g --question q --sources .", Good, taskA},
		{"negative budget", "new --goal g --budget -1h", Usage, "negative"},
		{"budget that is none", "new --goal g --budget soon", Usage, "budget"},
		{"run", "run aa1", Good, "TO CHECK"},
		{"candidates", "candidates aa1", Good, "not read by a model"},
		{"accept a claim", "accept aa1 c1", Good, "Saved"},
		{"accept a retracted claim", "accept aa1 c2", Good, "Saved"},
		{"accept a candidate", "accept aa1 cabd", Good, "Saved"},
		{"accept what fits two candidates", "accept aa1 cab", Usage, "fits more than one"},
		{"accept a place in the list", "accept aa1 1.2", Usage, "There stands now cabd: “Or 13.”"},
		{"accept a place that is not there", "accept aa1 4.2", Usage, "cairn candidates"},
		{"accept an unknown claim", "accept aa1 cff", Usage, "no claim or candidate"},
		{"retract", "retract aa1 c1 --reason no", Good, "taken back"},
		{"edit", "edit aa1 c1 --text better", Good, "Saved"},
		{"edit without text", "edit aa1 c1", Usage, "--text"},
		{"export", "export aa1 -o x.cairn.md", Good, "holds"},
		{"export without a file", "export aa1", Usage, "-o"},
		{"import", "import x.cairn.md", Good, taskA2},
		{"verify a good file", "verify good.cairn.md", Good, "holds"},
		{"verify a bad file", "verify bad.cairn.md", Unsound, "Line 4"},
		{"verify a missing file", "verify none", Failed, "no file"},
		{"log", "log aa1", Good, "checkpoint 2"},
		{"doctor with something to mend", "doctor", Failed, "Start it."},
		{"delete without yes", "delete aa1", Usage, "Nothing was deleted"},
		{"delete with yes", "delete aa1 --yes", Good, "Deleted"},
		{"demo", "demo --no-model", Good, "Wrote"},
		{"demo without a model", "demo", Good, "search alone"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := cairn(t, nil, "", strings.Fields(c.args)...)
			if r.code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", r.code, c.code, r.out, r.err)
			}
			if !strings.Contains(r.out+r.err, c.says) {
				t.Errorf("nothing says %q:\n%s%s", c.says, r.out, r.err)
			}
			if len(r.fake.Calls()) > 0 && !r.closed {
				t.Error("the session was left open")
			}
		})
	}
}

func TestErrorsOfTheService(t *testing.T) {
	cases := []struct {
		err  error
		code int
	}{
		{&engine.Error{Kind: engine.KindUsage, What: "This makes no sense."}, Usage},
		{&engine.Error{Kind: engine.KindVerification, What: "It does not hold."}, Unsound},
		{&engine.Error{Kind: engine.KindDiskFull, What: "The disk is full.", Safe: "Nothing is lost.", Do: "Free 500 MB."}, Failed},
		{errors.New("something else"), Failed},
	}
	for _, c := range cases {
		fake := &servicetest.Fake{Answer: func(string, []any) (any, error) { return nil, c.err }}
		r := cairn(t, fake, "", "tasks")
		if r.code != c.code || r.out != "" {
			t.Errorf("%v gives code %d and prints %q", c.err, r.code, r.out)
		}
		var e *engine.Error
		if errors.As(c.err, &e) {
			for _, part := range []string{e.What, e.Safe, e.Do} {
				if !strings.Contains(r.err, part) {
					t.Errorf("%q is not said: %s", part, r.err)
				}
			}
		}
		r = cairn(t, fake, "", "tasks", "--json")
		var got struct{ Error dto.Problem }
		if err := json.Unmarshal([]byte(r.out), &got); err != nil || got.Error.Kind == "" || got.Error.What == "" || r.err != "" {
			t.Errorf("--json gives %q and %q (%v)", r.out, r.err, err)
		}
	}
}

// Every command's --json is one JSON value on standard output and nothing else.
func TestJSON(t *testing.T) {
	cases := map[string]any{
		"tasks":                              []dto.TaskSummary{},
		"show aa1":                           shownView{},
		"show aa1 --at 7":                    shownView{},
		"new --goal g --question q":          map[string]string{},
		"run aa1":                            shownView{},
		"candidates aa1":                     []dto.Question{},
		"accept aa1 c1":                      map[string]string{},
		"retract aa1 c1":                     map[string]string{},
		"edit aa1 c1 --text x":               map[string]string{},
		"export aa1 -o x":                    dto.Verification{},
		"import x":                           map[string]any{},
		"verify good.cairn.md":               dto.Verification{},
		"verify bad.cairn.md":                dto.Verification{},
		"log aa1":                            []dto.Entry{},
		"doctor":                             []dto.Check{},
		"delete aa1 --yes":                   deleted{},
		"delete aa1 --list":                  dto.Removal{},
		"demo --no-model -o " + "x.cairn.md": map[string]any{},
	}
	for args, want := range cases {
		t.Run(args, func(t *testing.T) {
			r := cairn(t, nil, "", append(strings.Fields(args), "--json")...)
			p := reflect.New(reflect.TypeOf(want))
			d := json.NewDecoder(strings.NewReader(r.out))
			d.DisallowUnknownFields()
			if err := d.Decode(p.Interface()); err != nil {
				t.Fatalf("%v\n%s\n%s", err, r.out, r.err)
			}
			if d.More() {
				t.Errorf("more than one value: %s", r.out)
			}
			if strings.Contains(r.out, "null") {
				t.Errorf("an empty list is null: %s", r.out)
			}
		})
	}
}

func TestArgumentsArrive(t *testing.T) {
	r := cairn(t, nil, "", "new", "--goal", "g", "--question", "a, b", "--question", "c", "--depth", "quick", "--budget", "2h", "--model", "-", "--sources", "docs")
	form, _ := r.called("Create")[0].(dto.NewTask)
	if form.Goal != "g" || !reflect.DeepEqual(form.Questions, []string{"a, b", "c"}) || form.Depth != "quick" || form.Budget != 7200 || form.Model != "-" {
		t.Errorf("the form is %+v", form)
	}
	if !strings.HasPrefix(form.Folder, "/") {
		t.Errorf("the folder %q is not absolute: the owner may work elsewhere", form.Folder)
	}
	r = cairn(t, nil, "", "accept", "aa1", "cabd")
	if got := r.called("AcceptCandidate"); !reflect.DeepEqual(got, []any{taskA, "q1", "s1", int64(9), int64(10)}) {
		t.Errorf("accepted %v", got)
	}
	r = cairn(t, nil, "", "retract", "aa1", "c1", "--reason", "wrong")
	if got := r.called("Retract"); !reflect.DeepEqual(got, []any{taskA, claim1, "wrong"}) {
		t.Errorf("retracted %v", got)
	}
	r = cairn(t, nil, "", "export", "aa1", "-o", "x.cairn.md", "--withhold-log")
	if got := r.called("Export"); !strings.HasSuffix(got[1].(string), "/x.cairn.md") || !strings.HasPrefix(got[1].(string), "/") || got[2] != true {
		t.Errorf("exported %v", got)
	}
}

func TestDeleteAsks(t *testing.T) {
	r := cairn(t, nil, "no\n", "delete", "aa1")
	if r.code != Usage || r.called("Erase") != nil {
		t.Errorf("no: code %d, %v", r.code, r.called("Erase"))
	}
	for _, want := range []string{"Delete “A title” for good?", "1 history", "my own note", "a shared text", "/x.cairn.md", "can't be undone", "Nothing was deleted."} {
		if !strings.Contains(r.err, want) {
			t.Errorf("before the question nothing says %q:\n%s", want, r.err)
		}
	}
	if r := cairn(t, nil, "", "delete", "aa1"); r.code != Usage || r.called("Erase") != nil {
		t.Errorf("nobody there: code %d, %v", r.code, r.called("Erase"))
	}
	if r := cairn(t, nil, "yes\n", "delete", "aa1"); r.code != Good || r.called("Erase") == nil || r.called("Erase")[1] != "" || !strings.Contains(r.out, "newid") {
		t.Errorf("yes: code %d, %s", r.code, r.err)
	}
	if r := cairn(t, nil, "", "delete", "aa1", "--list"); r.code != Good || r.called("Erase") != nil || !strings.Contains(r.out, "a shared text") {
		t.Errorf("list: code %d, %s%s", r.code, r.out, r.err)
	}
	r = cairn(t, nil, "", "delete", "aa1", "--yes")
	if r.code != Good || r.called("PlanErase") != nil || !strings.Contains(r.out, "What the disk keeps") {
		t.Errorf("with --yes: code %d, %s%s", r.code, r.out, r.err)
	}
}

func TestDeleteDocument(t *testing.T) {
	for name, want := range map[string]string{"a.md": "s1aa", "s1ac": "s1ac", "S1AB": "s1ab"} {
		if r := cairn(t, nil, "", "delete", "aa1", "--source", name, "--yes"); r.code != Good || r.called("Erase") == nil || r.called("Erase")[1] != want {
			t.Errorf("%s: code %d, %v, %s", name, r.code, r.called("Erase"), r.err)
		}
	}
	// A wrong name never deletes the task.
	for name, want := range map[string]string{"twice.md": "s1ab, s1ac", "s1a": "fits more than one", "b.md": "no document", "": "no document"} {
		if r := cairn(t, nil, "", "delete", "aa1", "--source", name, "--yes"); r.code != Usage || r.called("Erase") != nil || !strings.Contains(r.err, want) {
			t.Errorf("%q: code %d, %v, %s", name, r.code, r.called("Erase"), r.err)
		}
	}
}

// A run that is stopped by Ctrl-C tells the service to stop and says what is saved.
func TestInterrupt(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	fake := &servicetest.Fake{}
	fake.Answer = func(method string, args []any) (any, error) {
		switch method {
		case "View":
			v := aView()
			v.Status.State, v.Status.Running = "reading", true
			return v, nil
		case "Run":
			stop()
			return nil, nil
		}
		return answers(method, args)
	}
	var out, errs bytes.Buffer
	t.Setenv("CAIRN_HOME", t.TempDir())
	code := Run(ctx, Env{
		Args: []string{"run", "aa1"}, Out: &out, Err: &errs, Now: time.Now,
		Connect: func(context.Context, home.Home, Need) (Session, error) {
			return Session{Service: fake, Close: func(context.Context) error { return nil }}, nil
		},
	})
	stopped := false
	for _, c := range fake.Calls() {
		stopped = stopped || c.Method == "Stop"
	}
	if code != Failed || !stopped || !strings.Contains(errs.String(), "Saved") {
		t.Errorf("code %d, stopped %v: %s", code, stopped, errs.String())
	}
}

// The end of a run that did not reach its goal is a failure with the reason.
func TestStuckFails(t *testing.T) {
	fake := &servicetest.Fake{Answer: func(method string, args []any) (any, error) {
		if method == "View" {
			v := aView()
			v.Status.State, v.Status.Sentence, v.Status.Detail = "stuck", "It can't go on by itself", "Questions are still open."
			return v, nil
		}
		return answers(method, args)
	}}
	r := cairn(t, fake, "", "run", "aa1")
	if r.code != Failed || !strings.Contains(r.err, "Questions are still open.") || !strings.Contains(r.out, "SOLVED") {
		t.Errorf("code %d\n%s\n%s", r.code, r.out, r.err)
	}
}

func TestNothingSteersTheTerminal(t *testing.T) {
	fake := &servicetest.Fake{Answer: func(method string, args []any) (any, error) {
		v := aView()
		v.Title = "evil \x1b[2J\u202e title"
		v.Questions[0].Claims[0].Quotes[0].Text = "quote \x1b]0;x\x07"
		if method == "View" {
			return v, nil
		}
		return answers(method, args)
	}}
	r := cairn(t, fake, "", "show", "aa1")
	if strings.ContainsAny(r.out, "\x1b\x07\u202e") {
		t.Errorf("control characters reach the terminal: %q", r.out)
	}
	if !strings.Contains(r.out, "evil [U+001B][2J[U+202E] title") {
		t.Errorf("what was hidden is not shown: %q", r.out)
	}
}

// Wrong usage has a JSON problem too, wherever --json stands.
func TestUsageAsJSON(t *testing.T) {
	for _, args := range []string{"bogus --json", "--json bogus", "tasks --nope --json", "show --json", "show bb --json", "edit aa1 c1 --json", "delete aa1 --json"} {
		r := cairn(t, nil, "", strings.Fields(args)...)
		var got struct{ Error dto.Problem }
		if err := json.Unmarshal([]byte(r.out), &got); err != nil || r.code != Usage || got.Error.Kind != "usage" || got.Error.What == "" || got.Error.Do == "" {
			t.Errorf("%s ends with %d and prints %q (%v)", args, r.code, r.out, err)
		}
	}
	if r := cairn(t, nil, "", "show", "--", "--json"); strings.Contains(r.out, "{") {
		t.Errorf("an argument was taken for a flag: %s", r.out)
	}
}

// A failure after a result leaves one value on standard output.
func TestResultAndProblemAsJSON(t *testing.T) {
	for _, args := range []string{"doctor --json", "verify bad.cairn.md --json"} {
		r := cairn(t, nil, "", strings.Fields(args)...)
		var problem struct{ Error dto.Problem }
		if r.code == Good || strings.Contains(r.out, `"error":`) {
			t.Errorf("%s ends with %d and prints %s", args, r.code, r.out)
		}
		if err := json.Unmarshal([]byte(r.err), &problem); err != nil || problem.Error.What == "" {
			t.Errorf("%s says %q (%v)", args, r.err, err)
		}
	}
}

func TestUnreadableFilesAreNamed(t *testing.T) {
	fake := &servicetest.Fake{Answer: func(method string, args []any) (any, error) {
		switch method {
		case "View":
			v := aView()
			v.At = args[1].(int64)
			v.ToCheck = []dto.CheckItem{{Kind: "unreadable", Text: "23 files that could not be read", Count: 23}}
			return v, nil
		case "Sources":
			list := []dto.Source{{Name: "good.md", Status: "readable"}}
			for i := range 23 {
				list = append(list, dto.Source{Name: fmt.Sprintf("scan%02d.pdf", i), Status: "unreadable", Reason: "There is no text in it."})
			}
			return list, nil
		}
		return answers(method, args)
	}}
	for _, command := range []string{"show", "run"} {
		r := cairn(t, fake, "", command, "aa1")
		for _, want := range []string{"23 files that could not be read", "scan00.pdf: There is no text in it.", "scan19.pdf", "and 3 more"} {
			if !strings.Contains(r.out, want) {
				t.Errorf("%s does not say %q:\n%s", command, want, r.out)
			}
		}
		if strings.Contains(r.out, "scan20.pdf") || strings.Contains(r.out, "good.md") {
			t.Errorf("%s names too much:\n%s", command, r.out)
		}
	}
	var got shownView
	r := cairn(t, fake, "", "show", "aa1", "--json")
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || len(got.Sources) != 24 || got.Sources[1].Reason == "" || got.Title != "A title" {
		t.Errorf("show --json has %d sources (%v)", len(got.Sources), err)
	}
	if r := cairn(t, fake, "", "show", "aa1", "--at", "7", "--json"); strings.Contains(r.out, `"sources": [`) {
		t.Error("an earlier state is shown with the sources of now")
	}
}

// The end of the program leaves the run to be taken up again.
func TestQuitDoesNotStop(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	fake := &servicetest.Fake{}
	fake.Answer = func(method string, args []any) (any, error) {
		switch method {
		case "View":
			v := aView()
			v.Status.State, v.Status.Running = "reading", true
			return v, nil
		case "Run":
			end(run.ErrQuit)
			return nil, nil
		}
		return answers(method, args)
	}
	var out, errs bytes.Buffer
	t.Setenv("CAIRN_HOME", t.TempDir())
	code := Run(ctx, Env{
		Args: []string{"run", "aa1"}, Out: &out, Err: &errs, Now: time.Now,
		Connect: func(context.Context, home.Home, Need) (Session, error) {
			return Session{Service: fake, Close: func(context.Context) error { return nil }}, nil
		},
	})
	if r := (result{fake: fake}); code != Failed || r.called("Stop") != nil || !strings.Contains(errs.String(), "saved") {
		t.Errorf("code %d, stopped %v: %s", code, r.called("Stop"), errs.String())
	}
}

func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		state, detail string
		kind          engine.Kind // "" for a good end
	}{
		{"done", "", ""}, {"stopped", "The time you gave it is used up.", ""},
		{"stopped", "You stopped it.", engine.KindCancelled}, {"disk_full", "", engine.KindDiskFull}, {"interrupted", "", engine.KindInternal},
	} {
		err := outcome(dto.View{Status: dto.Status{State: c.state, Sentence: "It is so.", Detail: c.detail}})
		if (err == nil) != (c.kind == "") || err != nil && engine.KindOf(err) != c.kind {
			t.Errorf("%s, %q gives %v", c.state, c.detail, err)
		}
		if err != nil && strings.Contains(err.Error(), "..") {
			t.Errorf("%s says %s", c.state, err)
		}
	}
}

func TestStatusLine(t *testing.T) {
	for _, c := range []struct {
		status dto.Status
		want   string
	}{
		{dto.Status{Sentence: "Reading 2 of 9 passages", Step: "“A”, sentence 3", LeftS: 90}, "Reading 2 of 9 passages: “A”, sentence 3 (2 min left)"},
		{dto.Status{Sentence: "Ollama does not answer at 127.0.0.1:9.", Step: "for question 1", LeftS: 30, Detail: "It is tried again."},
			"Ollama does not answer at 127.0.0.1:9 (for question 1; 30 s left). It is tried again."},
		{dto.Status{Sentence: "Ollama does not answer at 127.0.0.1:9."}, "Ollama does not answer at 127.0.0.1:9."},
		{dto.Status{Sentence: "Saving"}, "Saving"},
	} {
		if got := statusLine(c.status); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A file's name keeps its case at the beginning of a sentence.
func TestVerifyNamesTheFile(t *testing.T) {
	if r := cairn(t, nil, "", "verify", "bad.cairn.md"); !strings.Contains(r.err, "bad.cairn.md does not hold.") {
		t.Errorf("it says %s", r.err)
	}
}
