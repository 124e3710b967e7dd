package main

import (
	"errors"
	"strings"
	"testing"

	"cairn/build/report"
	"cairn/build/setup"
)

func TestUsage(t *testing.T) {
	t.Setenv("CAIRN_CACHE", t.TempDir())
	tests := []struct {
		name string
		args []string
		want int
	}{
		{"nothing", nil, 2},
		{"unknown command", []string{"fly"}, 2},
		{"unknown flag", []string{"test", "--fast"}, 2},
		{"too much", []string{"run", "now"}, 2},
		{"unknown figure", []string{"bench", "--only", "speed"}, 2},
		{"unknown test stage", []string{"test", "--only", "go,luck"}, 2},
		{"help", []string{"help"}, 0},
		{"help of a command", []string{"run", "--help"}, 0},
		{"list of stages", []string{"test", "--only", "list"}, 0},
		{"a figure that is not measured", []string{"bench", "--only", "recall_quick"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := run(t.Context(), tt.args); got != tt.want {
				t.Errorf("exit %d, want %d", got, tt.want)
			}
		})
	}
}

func TestHelpNamesEverything(t *testing.T) {
	text := help()
	for _, c := range commands() {
		if !strings.Contains(text, "\n  "+c.name+" ") {
			t.Errorf("the help lacks %s", c.name)
		}
	}
	for _, flag := range []string{"--terminal", "--json", "--only", "--long"} {
		if !strings.Contains(text, flag) {
			t.Errorf("the help lacks %s", flag)
		}
	}
}

func TestPick(t *testing.T) {
	checks := []check{{name: "go"}, {name: "unit"}, {name: "window"}}
	picked, err := pick(checks, "window,go")
	if err != nil || len(picked) != 2 || picked[0].name != "window" || picked[1].name != "go" {
		t.Errorf("picked %v, %v", picked, err)
	}
	if all, err := pick(checks, ""); err != nil || len(all) != 3 {
		t.Errorf("without a choice: %v, %v", all, err)
	}
	var usage usageError
	if _, err := pick(checks, "go,"); !errors.As(err, &usage) {
		t.Errorf("an empty name gives %v", err)
	}
}

// TestEveryCheckHasItsNeeds wants no stage to run before what it needs is built.
func TestEveryCheckHasItsNeeds(t *testing.T) {
	tool := &tool{place: setup.Place{Repo: "..", Cache: t.TempDir()}}
	checks, needs := tool.checks(false)
	names := map[string]bool{}
	for _, c := range checks {
		if names[c.name] {
			t.Errorf("two stages are called %s", c.name)
		}
		names[c.name] = true
	}
	for name := range needs {
		if !names[name] {
			t.Errorf("needs are listed for %s, which is no stage", name)
		}
	}
	stagesOf := func(name string) string {
		picked, err := pick(checks, name)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, s := range tool.testSetup(t.Context(), picked, needs) {
			all = append(all, s.Name)
		}
		return strings.Join(all, " ")
	}
	for name, want := range map[string]string{
		"gofmt":   "",
		"unit":    "packages modules",
		"vet-w":   "packages modules page",
		"browser": "packages modules page program-d",
		"window":  "packages modules page program-t program",
		"real":    "packages modules program-t runtime model",
	} {
		if got := stagesOf(name); got != want {
			t.Errorf("%s needs %q, want %q", name, got, want)
		}
	}
}

func TestModelEnv(t *testing.T) {
	for why, want := range map[string]bool{
		"needs CAIRN_OLLAMA and CAIRN_MODEL": true,
		"set CAIRN_RUNTIME":                  true,
		"needs CAIRN_CORPUS":                 false,
		"CAIRN_MODELS is not this":           false,
	} {
		if modelEnv.MatchString(why) != want {
			t.Errorf("%q counts as a test for a real model: %v", why, !want)
		}
	}
}

func TestRealTestsFromSkips(t *testing.T) {
	packages, pattern, err := (&tool{}).realTests(t.Context(), []report.Skip{
		{Package: "b", Test: "TestTwo/sub"}, {Package: "a", Test: "TestOne"}, {Package: "b", Test: "TestTwo/other"},
	})
	if err != nil || strings.Join(packages, " ") != "a b" || pattern != "^(TestOne|TestTwo)$" {
		t.Errorf("%v %q %v", packages, pattern, err)
	}
	if packages, _, err := (&tool{}).realTests(t.Context(), []report.Skip{}); err != nil || len(packages) != 0 {
		t.Errorf("nothing skipped gives %v, %v", packages, err)
	}
}
