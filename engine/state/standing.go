package state

import "cairn/engine/ledger"

// settle makes a live claim's Standing from its marks.
func settle(c *Claim) {
	if !c.Live() {
		return
	}
	switch {
	case c.IsStale:
		c.Standing = Stale
	case c.IsContested:
		c.Standing = Contested
	default:
		c.Standing = Active
	}
}

// settle makes Checked of what persons said; what a sender reported does not count.
func (a *Assumption) settle() {
	a.Checked = false
	for _, v := range a.said {
		if !v.Reported && (v.Good() || v.Bad()) {
			a.Checked = v.Good()
		}
	}
}

// standsFor follows merges: what rested on a merged claim rests on the other.
func (s *State) standsFor(id string) *Claim {
	c := s.Claims[id]
	for range s.Claims {
		if c == nil || !c.Merged || c.Standing != Superseded {
			break
		}
		c = s.Claims[c.Into]
	}
	return c
}

// basisState says of each element of a basis that it is active, and not stale.
func (s *State) basisState(basis []string) (active, fresh bool) {
	active, fresh = true, true
	for _, b := range basis {
		on, ok := s.elementState(b)
		active = active && on
		fresh = fresh && ok
	}
	return active, active && fresh
}

func (s *State) elementState(b string) (active, fresh bool) {
	if len(b) > 33 && b[0] == 's' {
		src := s.Sources[b[:33]]
		on := src != nil && src.Aside == "" && src.Missing != erased
		return on, on
	}
	switch {
	case b == "":
		return false, false
	case b[0] == 'c':
		c := s.standsFor(b)
		return c != nil && c.Live(), c != nil && !c.IsStale
	case b[0] == 'm':
		a := s.Assumptions[b]
		return a != nil && a.Live(), a != nil && !a.IsStale
	case b[0] == 'w':
		w := s.Answers[b]
		return w != nil && w.Live(), w != nil && !w.IsStale
	}
	return false, false
}

// basisStale reports whether something the new claim rests on is stale or gone.
func (s *State) basisStale(c *Claim) bool {
	_, fresh := s.basisState(c.Basis)
	return !fresh
}

// usable reports whether a piece of evidence counts for trust.
func (s *State) usable(e *Evidence) bool {
	src := s.Sources[e.Slice.Source]
	return e.Stance == "supports" && !e.Reported && src != nil && src.Aside == "" && src.Missing != erased
}

// trustOf is the ladder of 3.6.
func (s *State) trustOf(c *Claim) Trust {
	if active, _ := s.basisState(c.Basis); !active {
		return Stated
	}
	t, derived, limit := Stated, false, Checked
	for _, b := range c.Basis {
		if b[0] != 'c' && b[0] != 'm' || len(b) > 33 {
			continue
		}
		derived = true
		limit = min(limit, s.trustOfBasis(b))
	}
	if derived {
		t = Backed
	}
	for i := range c.Evidence {
		if s.usable(&c.Evidence[i]) {
			t = max(t, Backed)
		}
	}
	var calculation, model, person *Verdict
	for i := range c.Checks {
		v := &c.Checks[i]
		if v.Reported || v.Verdict == "unsure" {
			continue
		}
		switch v.How {
		case "calculation":
			calculation = v
		case "model":
			model = v
		case "person":
			person = v
		}
	}
	if calculation != nil && calculation.Good() && (derived || len(c.Basis) == 0) {
		t = max(t, Backed)
	}
	if model != nil && model.Good() && t >= Backed {
		t = Agreed
	}
	if person != nil {
		if person.Good() {
			t = Checked
		} else {
			t = min(t, Backed)
		}
	}
	return min(t, limit)
}

func (s *State) trustOfBasis(b string) Trust {
	if b[0] == 'm' {
		if a := s.Assumptions[b]; a != nil && a.Checked {
			return Checked
		}
		return Stated
	}
	if c := s.standsFor(b); c != nil {
		return c.Trust
	}
	return Stated
}

// restingOn gives what rests directly on an object now, each once.
func (s *State) restingOn(id string) []string {
	list := s.in.rests[id]
	if id == "" || id[0] != 'c' || len(s.in.mergedFrom[id]) == 0 {
		return list
	}
	out := append([]string(nil), list...)
	seen := map[string]bool{id: true}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		for _, a := range s.in.mergedFrom[queue[0]] {
			if c := s.Claims[a]; !seen[a] && c != nil && c.Merged && c.Standing == Superseded && c.Into == queue[0] {
				seen[a] = true
				queue = append(queue, a)
				out = append(out, s.in.rests[a]...)
			}
		}
	}
	return out
}

// names reports whether the claim's basis names the object itself.
func (s *State) names(c *Claim, on string) bool {
	for _, b := range c.Basis {
		if b == on || len(b) > 33 && b[:33] == on {
			return true
		}
		if b[0] == 'c' && on[0] == 'c' && len(b) == 33 {
			if m := s.standsFor(b); m != nil && m.ID == on {
				return true
			}
		}
	}
	return false
}

// onItself reports whether a claim, or the one it was merged into, came to rest
// on itself: a merge that comes into force or out of it can close a circle.
func (s *State) onItself(id string) bool {
	if s.RestsUpon(id, id) {
		return true
	}
	c := s.standsFor(id)
	return c != nil && c.ID != id && s.RestsUpon(c.ID, c.ID)
}

// RestsUpon reports whether claim id rests on the claim on, directly or not,
// merges followed.
func (s *State) RestsUpon(id, on string) bool {
	seen := map[string]bool{}
	queue := []string{id}
	for len(queue) > 0 {
		c := s.Claims[queue[len(queue)-1]]
		queue = queue[:len(queue)-1]
		if c == nil || seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		for _, b := range c.Basis {
			if len(b) != 33 || b[0] != 'c' {
				continue
			}
			m := s.standsFor(b)
			if m == nil {
				continue
			}
			if b == on || m.ID == on {
				return true
			}
			queue = append(queue, m.ID)
		}
	}
	return false
}

// makeStale marks everything that rests on id, directly or not: claims, closed
// questions, answers, reports.
func (s *State) makeStale(id string) {
	seen := map[string]bool{id: true}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		on := queue[0]
		for _, d := range s.restingOn(on) {
			if seen[d] {
				continue
			}
			if s.markStale(d, on) {
				seen[d] = true
				queue = append(queue, d)
			}
		}
	}
}

// markStale marks one object that may rest on another; false: it does not, or
// does not stand.
func (s *State) markStale(id, on string) bool {
	switch id[0] {
	case 'c':
		old := s.Claims[id]
		if old == nil || !old.Live() || !s.names(old, on) {
			return false
		}
		if !old.IsStale {
			c := *old
			c.IsStale = true
			settle(&c)
			s.putClaim(&c)
		}
	case 'q':
		old := s.Questions[id]
		if old == nil || old.Status != Closed || !s.cites(old.Claims, on) {
			return false
		}
		if !old.Stale {
			q := *old
			q.Stale = true
			s.putQuestion(&q)
		}
	case 'w':
		old := s.Answers[id]
		if old == nil || !old.Live() {
			return false
		}
		if !old.IsStale {
			a := *old
			a.IsStale, a.Standing = true, Stale
			s.putAnswer(&a)
		}
	case 'o':
		old := s.Reports[id]
		if old == nil || !old.Live() {
			return false
		}
		if !old.IsStale {
			s.markReport(old)
		}
	default:
		return false
	}
	return true
}

func (s *State) markReport(old *Report) {
	r := *old
	r.IsStale, r.Standing = true, Stale
	s.putReport(&r)
}

// cites reports whether one of the claims is on, or was merged into it.
func (s *State) cites(claims []string, on string) bool {
	for _, id := range claims {
		if id == on {
			return true
		}
		if c := s.standsFor(id); c != nil && c.ID == on {
			return true
		}
	}
	return false
}

// retrust takes the trust of a claim and of all that rests on it again.
func (s *State) retrust(id string) { s.retrustAll(append([]string{id}, s.restingOn(id)...)) }

// retrustOn does so for what rests on a source or assumption.
func (s *State) retrustOn(id string) { s.retrustAll(s.restingOn(id)) }

func (s *State) retrustAll(ids []string) {
	queue := append([]string(nil), ids...)
	// A basis has no cycle, so each claim settles after those it rests on; the
	// bound only keeps the fold total whatever a ledger holds.
	for changes := 8 * (len(s.Claims) + 1); len(queue) > 0 && changes > 0; {
		id := queue[0]
		queue = queue[1:]
		if id == "" || id[0] != 'c' {
			continue
		}
		old := s.Claims[id]
		if old == nil {
			continue
		}
		t := s.trustOf(old)
		if t == old.Trust {
			continue
		}
		c := *old
		c.Trust = t
		put(s, kClaim, s.Claims, &s.ClaimIDs, id, &c, true)
		queue = append(queue, s.restingOn(id)...)
		changes--
	}
}

// allFresh: everything named is active and not stale.
func (s *State) allFresh(claims []string) bool {
	for _, id := range claims {
		if active, fresh := s.elementState(id); !active || !fresh {
			return false
		}
	}
	return true
}

// metaOfObject is for the sticky rules; nil for an unknown object.
func (s *State) metaOfObject(id string) *Meta {
	switch ledger.IDKind(id) {
	case 'c':
		if r := s.Claims[id]; r != nil {
			return &r.Meta
		}
	case 'm':
		if r := s.Assumptions[id]; r != nil {
			return &r.Meta
		}
	case 'n':
		if r := s.Notes[id]; r != nil {
			return &r.Meta
		}
	case 'o':
		if r := s.Reports[id]; r != nil {
			return &r.Meta
		}
	case 'r':
		if r := s.Tried[id]; r != nil {
			return &r.Meta
		}
	case 'w':
		if r := s.Answers[id]; r != nil {
			return &r.Meta
		}
	case 'q':
		if r := s.Questions[id]; r != nil {
			return &r.Meta
		}
	case 's':
		if r := s.Sources[id]; r != nil {
			return &r.Meta
		}
	case 'p':
		if r := s.Plan[id]; r != nil {
			return &r.Meta
		}
	}
	return nil
}
