//go:build window

package window

import (
	"encoding/json"
	"fmt"
	"os"
)

// selfReport is what a self test writes: enough to tell a living window from an
// empty one.
type selfReport struct {
	Ready      bool     `json:"ready"` // the page called WindowReady
	Loads      int      `json:"loads"`
	Service    bool     `json:"service"` // the vault is open
	Title      string   `json:"title"`
	Tasks      int      `json:"tasks"`
	First      string   `json:"first"` // title of the first task, asked of the service
	Violations []string `json:"violations"`
	Errors     []string `json:"errors"`
	Problem    string   `json:"problem"`
}

// selfTest writes what was seen and quits. It runs beside the page's call, so
// that the call itself returns.
func (c *core) selfTest(seen Seen) {
	go func() {
		r := selfReport{Ready: true, Loads: c.loads, Title: seen.Title, Tasks: seen.Tasks, Violations: seen.Violations, Errors: seen.Errors}
		s, err := c.ready()
		if err == nil {
			r.Service = true
			tasks, terr := s.Tasks(c.ctx)
			if err = terr; err == nil && len(tasks) > 0 {
				r.First = tasks[0].Title
			}
		}
		if err != nil {
			r.Problem = err.Error()
		}
		body, err := json.MarshalIndent(r, "", "  ")
		if err == nil {
			err = os.WriteFile(c.opt.SelfTest, append(body, '\n'), 0o600)
		}
		if err != nil {
			c.report(fmt.Errorf("write self test: %w", err))
		}
		c.now().Quit()
	}()
}
