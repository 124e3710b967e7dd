package report

import (
	"strings"
	"testing"
)

func read(t *testing.T, text string) (Counts, []string, []Skip) {
	t.Helper()
	g := NewGo()
	for line := range strings.Lines(text) {
		g.Line(strings.TrimSuffix(line, "\n"))
	}
	return g.Result()
}

func TestGo(t *testing.T) {
	tests := []struct {
		name, in string
		want     Counts
		failure  string // part of the only failure
	}{
		{"one good", `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`, Counts{Passed: 1}, ""},
		{"subtests count, their parent does not", `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/x"}
{"Action":"pass","Package":"p","Test":"TestA/x"}
{"Action":"run","Package":"p","Test":"TestA/y"}
{"Action":"pass","Package":"p","Test":"TestA/y"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`, Counts{Passed: 2}, ""},
		{"a failing subtest is one failure", `{"Action":"output","Package":"p","Test":"TestA/x","Output":"    x_test.go:3: boom\n"}
{"Action":"fail","Package":"p","Test":"TestA/x"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`, Counts{Failed: 1}, "boom"},
		{"a parent that fails by itself", `{"Action":"pass","Package":"p","Test":"TestA/x"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    x_test.go:9: after all\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`, Counts{Passed: 1, Failed: 1}, "after all"},
		{"skipped", `{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:7: needs CAIRN_OLLAMA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`, Counts{Skipped: 1}, ""},
		{"a package that does not build", `{"ImportPath":"p [p.test]","Action":"build-output","Output":"p/a.go:1:1: undefined: x\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"fail","Package":"p","Elapsed":0,"FailedBuild":"p [p.test]"}`, Counts{Failed: 1}, "undefined: x"},
		{"a crash in the middle", `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: oh\n"}
{"Action":"fail","Package":"p"}`, Counts{Failed: 1}, "panic: oh"},
		{"a crash below a parent", `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/x"}
{"Action":"output","Package":"p","Test":"TestA/x","Output":"panic: oh\n"}
{"Action":"fail","Package":"p"}`, Counts{Failed: 1}, "panic: oh"},
		{"a bad end without a test", `{"Action":"output","Package":"p","Output":"exit status 3\n"}
{"Action":"fail","Package":"p"}`, Counts{Failed: 1}, "exit status 3"},
		{"nothing at all", "go: cannot find main module", Counts{Failed: 1}, "cannot find main module"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, failures, _ := read(t, tt.in)
			if got != tt.want {
				t.Errorf("counts %+v, want %+v", got, tt.want)
			}
			if len(failures) != got.Failed {
				t.Errorf("%d failures are told, %d counted", len(failures), got.Failed)
			}
			if tt.failure != "" && (len(failures) != 1 || !strings.Contains(failures[0], tt.failure)) {
				t.Errorf("failures %q, want one with %q", failures, tt.failure)
			}
		})
	}
}

func TestGoSkipReason(t *testing.T) {
	_, _, skips := read(t, `{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:7: needs CAIRN_OLLAMA: see docs\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA"}`)
	if len(skips) != 1 || skips[0] != (Skip{"p", "TestA", "needs CAIRN_OLLAMA: see docs"}) {
		t.Errorf("skips %+v", skips)
	}
}

func TestVitest(t *testing.T) {
	tests := []struct {
		name, in string
		want     Counts
		bad      bool
	}{
		{"mixed", `{"success":false,"testResults":[{"name":"a.test.ts","status":"failed","assertionResults":[
			{"fullName":"one","status":"passed"},{"fullName":"two","status":"failed","failureMessages":["boom"]},{"fullName":"three","status":"pending"}]}]}`,
			Counts{Passed: 1, Failed: 1, Skipped: 1}, false},
		{"a file that does not load", `{"success":false,"testResults":[{"name":"a.test.ts","status":"failed","message":"no such module","assertionResults":[]}]}`,
			Counts{Failed: 1}, false},
		{"no success without a reason", `{"success":false,"testResults":[]}`, Counts{Failed: 1}, false},
		{"good", `{"success":true,"testResults":[{"name":"a","status":"passed","assertionResults":[{"fullName":"one","status":"passed"}]}]}`, Counts{Passed: 1}, false},
		{"something else", `{"tests":3}`, Counts{}, true},
		{"no JSON", `oops`, Counts{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, failures, _, err := Vitest([]byte(tt.in))
			if (err != nil) != tt.bad {
				t.Fatalf("error %v, want one: %v", err, tt.bad)
			}
			if got != tt.want || len(failures) != got.Failed {
				t.Errorf("counts %+v with %d failures, want %+v", got, len(failures), tt.want)
			}
		})
	}
}

func TestTAP(t *testing.T) {
	c, failures, skips := TAP(strings.Split(`TAP version 14
ok 1 - the page opens
not ok 2 - a quote opens
  expected: highlighted
ok 3 - import # SKIP no file
1..3`, "\n"))
	if c != (Counts{1, 1, 1}) {
		t.Errorf("counts %+v", c)
	}
	if len(failures) != 1 || !strings.Contains(failures[0], "a quote opens") || !strings.Contains(failures[0], "highlighted") {
		t.Errorf("failures %q", failures)
	}
	if len(skips) != 1 || skips[0].Why != "no file" || skips[0].Test != "import" {
		t.Errorf("skips %+v", skips)
	}
	if c, _, _ := TAP([]string{"Error: cannot launch"}); c.Failed != 1 {
		t.Errorf("a run without tests gives %+v, want one failure", c)
	}
}
