package report

import (
	"strings"
)

// TAP reads the Test Anything Protocol: lines "ok 1 - name" and "not ok 2 - name", with
// "# SKIP why" behind a test that did not run. What follows a failure up to the
// next test is its explanation. Subtests, which are indented, are not counted.
func TAP(lines []string) (Counts, []string, []Skip) {
	var c Counts
	var failures []string
	var skips []Skip
	failing := false
	for _, line := range lines {
		rest, bad := strings.CutPrefix(line, "not ok ")
		good := false
		if !bad {
			rest, good = strings.CutPrefix(line, "ok ")
		}
		if !bad && !good {
			if failing {
				failures[len(failures)-1] += "\n" + line
			}
			continue
		}
		failing = false
		name := strings.TrimLeft(rest, "0123456789 -")
		name, mark, _ := strings.Cut(name, " # ")
		switch word, why, _ := strings.Cut(mark, " "); {
		case strings.EqualFold(word, "skip") || strings.EqualFold(word, "todo"):
			c.Skipped++
			skips = append(skips, Skip{Package: "browser", Test: name, Why: why})
		case bad:
			c.Failed++
			failing = true
			failures = append(failures, name)
		default:
			c.Passed++
		}
	}
	if c == (Counts{}) {
		c.Failed++
		failures = append(failures, "no test ran\n"+strings.Join(lines, "\n"))
	}
	return c, failures, skips
}
