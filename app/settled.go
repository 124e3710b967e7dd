package app

import "cairn/engine/state"

// settled: every question is closed or dropped, and nothing that stands is to be
// redone. A person's act takes a task's end away; where it left nothing to do, the
// task is as done as before.
func settled(st *state.State) bool {
	answered := false
	for _, q := range st.Questions {
		switch {
		case q.Stale:
			return false
		case q.Status == state.Closed:
			answered = true
		case q.Status != state.Dropped:
			return false
		}
	}
	for _, c := range st.Claims {
		if c.Live() && c.IsStale {
			return false
		}
	}
	for _, a := range st.Answers {
		if a.Live() && a.IsStale {
			return false
		}
	}
	for _, r := range st.Reports {
		if r.Live() && r.IsStale {
			return false
		}
	}
	return answered
}
