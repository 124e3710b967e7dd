package report

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Vitest reads what `vitest run --reporter=json` wrote.
func Vitest(body []byte) (Counts, []string, []Skip, error) {
	var run struct {
		Success     *bool `json:"success"`
		TestResults []struct {
			Name             string `json:"name"`
			Status           string `json:"status"`
			Message          string `json:"message"`
			AssertionResults []struct {
				FullName        string   `json:"fullName"`
				Status          string   `json:"status"`
				FailureMessages []string `json:"failureMessages"`
			} `json:"assertionResults"`
		} `json:"testResults"`
	}
	if err := json.Unmarshal(body, &run); err != nil {
		return Counts{}, nil, nil, fmt.Errorf("read what vitest wrote: %w", err)
	}
	if run.Success == nil {
		return Counts{}, nil, nil, fmt.Errorf("read what vitest wrote: it does not say whether it succeeded")
	}
	var c Counts
	var failures []string
	var skips []Skip
	for _, file := range run.TestResults {
		bad := false
		for _, a := range file.AssertionResults {
			switch a.Status {
			case "passed":
				c.Passed++
			case "failed":
				bad = true
				c.Failed++
				failures = append(failures, file.Name+": "+a.FullName+"\n"+strings.Join(a.FailureMessages, "\n"))
			default: // skipped, pending, todo
				c.Skipped++
				skips = append(skips, Skip{Package: file.Name, Test: a.FullName, Why: a.Status})
			}
		}
		if file.Status == "failed" && !bad { // the file itself could not be run
			c.Failed++
			failures = append(failures, file.Name+"\n"+file.Message)
		}
	}
	if !*run.Success && c.Failed == 0 {
		c.Failed++
		failures = append(failures, "vitest failed without naming a test")
	}
	return c, failures, skips, nil
}
