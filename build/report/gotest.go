// Package report turns what test programs say into counts and failures.
package report

import (
	"encoding/json"
	"sort"
	"strings"
)

// Counts are the numbers of the closing line.
type Counts struct{ Passed, Failed, Skipped int }

// Add adds o to c.
func (c *Counts) Add(o Counts) {
	c.Passed += o.Passed
	c.Failed += o.Failed
	c.Skipped += o.Skipped
}

// Skip is a test that did not run, and why.
type Skip struct{ Package, Test, Why string }

// Go reads the output of `go test -json` line by line. A test with subtests is
// not counted itself, unless it failed and none of its subtests did. A package
// that can't be built, or that ended without naming a test, counts as one failure.
type Go struct {
	tests  map[string]*test
	builds map[string][]string // output of go build, by import path
	pkgs   map[string]string   // result of each package
	Done   int                 // packages that have ended
	Now    string              // the package that spoke last
	stray  []string            // lines that are not JSON
}

type test struct {
	pkg, name, result string
	out               []string
	children          bool
	badChild          bool
}

type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
}

// NewGo gives an empty reading.
func NewGo() *Go {
	return &Go{tests: map[string]*test{}, builds: map[string][]string{}, pkgs: map[string]string{}}
}

// Line reads one line. It returns the name of a test when that test has just failed.
func (g *Go) Line(text string) (failed string) {
	var e event
	if err := json.Unmarshal([]byte(text), &e); err != nil || e.Action == "" {
		if strings.TrimSpace(text) != "" {
			g.stray = append(g.stray, text)
		}
		return ""
	}
	switch e.Action {
	case "build-output":
		g.builds[e.ImportPath] = append(g.builds[e.ImportPath], e.Output)
		return ""
	case "build-fail":
		return ""
	}
	g.Now = e.Package
	t := g.test(e.Package, e.Test)
	switch e.Action {
	case "output":
		t.out = append(t.out, e.Output)
	case "pass", "fail", "skip":
		t.result = e.Action
		if e.Test == "" {
			g.pkgs[e.Package] = e.Action
			g.Done++
			if e.FailedBuild != "" {
				t.out = append(append([]string{}, g.builds[e.FailedBuild]...), t.out...)
			}
		} else if e.Action == "fail" {
			g.blame(t)
			return e.Package + " " + e.Test
		}
	}
	return ""
}

func (g *Go) test(pkg, name string) *test {
	key := pkg + "\x00" + name
	t, ok := g.tests[key]
	if !ok {
		t = &test{pkg: pkg, name: name}
		g.tests[key] = t
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			g.test(pkg, name[:i]).children = true
		}
	}
	return t
}

// blame marks the tests above a failed one: their failure is not another one.
func (g *Go) blame(t *test) {
	for name := t.name; ; {
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			break
		}
		name = name[:i]
		g.test(t.pkg, name).badChild = true
	}
	g.test(t.pkg, "").badChild = true
}

// Result gives the counts, what failed with its full output, and what was
// skipped with its reason. A test that had begun when its package ended is a failure.
func (g *Go) Result() (Counts, []string, []Skip) {
	var c Counts
	var failures []string
	var skips []Skip
	for _, key := range g.order() {
		t := g.tests[key]
		result := t.result
		if t.name == "" {
			if result == "fail" && !t.badChild {
				c.Failed++
				failures = append(failures, t.pkg+"\n"+strings.Join(t.out, ""))
			}
			continue
		}
		if result == "" { // the package ended in the middle of it
			result = "fail"
			g.blame(t)
		}
		switch {
		case result == "fail" && t.badChild:
		case result == "fail":
			c.Failed++
			failures = append(failures, t.pkg+" "+t.name+"\n"+strings.Join(t.out, ""))
		case t.children && result == "pass":
		case result == "skip":
			c.Skipped++
			skips = append(skips, Skip{t.pkg, t.name, why(t.out)})
		default:
			c.Passed++
		}
	}
	if len(g.pkgs) == 0 { // nothing ran at all
		c.Failed++
		failures = append(failures, "no test ran\n"+strings.Join(g.stray, "\n"))
	}
	return c, failures, skips
}

// order lists tests by name with the deepest first, so that blame for a test
// that never ended reaches its parents before they are counted.
func (g *Go) order() []string {
	keys := make([]string, 0, len(g.tests))
	for k := range g.tests {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		di, dj := strings.Count(keys[i], "/"), strings.Count(keys[j], "/")
		ni, nj := strings.HasSuffix(keys[i], "\x00"), strings.HasSuffix(keys[j], "\x00")
		if ni != nj {
			return nj // packages themselves last
		}
		if di != dj {
			return di > dj
		}
		return keys[i] < keys[j]
	})
	return keys
}

// why is the reason that a skipped test gave.
func why(out []string) string {
	for i := len(out) - 1; i >= 0; i-- {
		text := strings.TrimSpace(out[i])
		if text == "" || strings.HasPrefix(text, "---") || strings.HasPrefix(text, "===") {
			continue
		}
		if _, after, ok := strings.Cut(text, ".go:"); ok {
			if _, reason, ok := strings.Cut(after, ": "); ok {
				return reason
			}
		}
		return text
	}
	return ""
}
