package view

import (
	"cairn/app/dto"
	"cairn/engine/audit"
	"cairn/engine/ledger"
	"cairn/engine/search"
	"cairn/engine/state"
)

// claims are the live claims of a question in the order they came in.
func (in Input) claims(question string) []dto.Claim {
	var out []dto.Claim
	for _, id := range in.State.ClaimIDs {
		if c := in.State.Claims[id]; c.Question == question && c.Live() {
			out = append(out, in.claim(c))
		}
	}
	return out
}

func (in Input) claim(c *state.Claim) dto.Claim {
	out := dto.Claim{
		ID: c.ID, Text: c.Text, IsQuote: c.IsQuote, Question: c.Question,
		Trust: TrustName(c.Trust), Word: TrustWord(c), Standing: string(standing(c)),
		By: string(c.By), ByLine: in.byLine(c.By, c.Who), Reported: reported(c), Reason: c.Reason, Seq: c.Seq, Verdict: verdict(c),
	}
	if by, yes := saysMore(c); yes {
		flag := by + " more than its quote"
		if why := c.Checks[len(c.Checks)-1].Reason; why != "" {
			flag += ": " + why
		}
		out.Flags = append(out.Flags, flag)
	}
	for _, code := range c.Flags {
		out.Flags = append(out.Flags, FlagWords(code))
	}
	for _, e := range c.Evidence {
		out.Quotes = append(out.Quotes, dto.Quote{
			ID: e.ID, Text: e.Slice.Text, Stance: e.Stance, Reported: e.Reported,
			Place: in.Place(e.Slice.Source, e.Slice.From, e.Slice.To),
		})
	}
	return out
}

// standing is the one word that is shown: the marks beside an active claim win.
func standing(c *state.Claim) state.Standing {
	switch {
	case !c.Live():
		return c.Standing
	case c.IsStale:
		return state.Stale
	case c.IsContested:
		return state.Contested
	}
	return c.Standing
}

// reported: what it rests on, or who checked it, comes from a sender and nobody
// here looked at it.
func reported(c *state.Claim) bool {
	if Judged(c) && c.Trust == state.Checked {
		return false
	}
	if c.Reported {
		return true
	}
	for _, e := range c.Evidence {
		if e.Reported {
			return true
		}
	}
	for _, v := range c.Checks {
		if v.Reported {
			return true
		}
	}
	return false
}

// TrustName is the rung's name in files and --json.
func TrustName(t state.Trust) string {
	switch t {
	case state.Backed:
		return "backed"
	case state.Agreed:
		return "agreed"
	case state.Checked:
		return "checked"
	}
	return "stated"
}

// TrustWord is what people read for a claim's rung.
func TrustWord(c *state.Claim) string {
	switch c.Trust {
	case state.Checked:
		return "you checked"
	case state.Agreed:
		return "model agrees"
	case state.Backed:
		for _, v := range c.Checks {
			if v.How == "calculation" && v.Verdict == "passed" {
				return "calculated"
			}
		}
		if quoted(c) {
			return "quote attached"
		}
		return "derived"
	}
	if quoted(c) {
		return "quote reported" // it came with a file and nobody here looked at it yet
	}
	return "only stated"
}

// quoted: a quote that supports the claim came with it, from here or a sender.
func quoted(c *state.Claim) bool {
	for _, e := range c.Evidence {
		if e.Stance == "supports" {
			return true
		}
	}
	return false
}

// FlagWords is the sentence for the code of a check.
func FlagWords(code string) string {
	for _, c := range audit.Table {
		if c.ID == code {
			return c.Message
		}
	}
	return "A check (" + code + ") had a remark."
}

func (in Input) byLine(by ledger.By, who string) string {
	switch by {
	case ledger.Engine:
		return "Cairn"
	case ledger.Person:
		if who != "" && who == in.Me {
			return "you"
		}
		if name := in.name(who); name != "" {
			return name
		}
		return "another person"
	case ledger.Model:
		if name := in.name(who); name != "" {
			return name
		}
		return in.model(who)
	}
	if name := in.name(who); name != "" {
		return name
	}
	return "another program"
}

func (in Input) name(who string) string {
	if n := in.Names[who]; n != "" {
		return n
	}
	return in.State.Log.Names[who]
}

// model is the name under which a model was called.
func (in Input) model(who string) string {
	set := in.State.Settings
	if set.Digest != "" && who == ledger.WhoDigest(set.Digest) && set.Model != "" {
		return set.Model
	}
	for _, c := range in.State.Log.CallsAt {
		if c.Model != "" && c.Digest != "" && ledger.WhoDigest(c.Digest) == who {
			return c.Model
		}
	}
	return "a model"
}

// Place names a run of sentences for people, with heading and page where the
// text is here.
func (in Input) Place(id string, from, to int64) dto.Place {
	p := dto.Place{Source: id, From: from, To: to}
	s := in.State.Sources[id]
	if s == nil {
		return p
	}
	p.Name, p.Title = s.Name, s.Title
	if p.Title == "" {
		p.Title = s.Name
	}
	if in.Texts == nil {
		return p
	}
	if _, table, ok := in.Texts.Text(s); ok {
		p.Heading = table.Heading(from)
		if at, ok := table.At(from); ok {
			p.Page = int64(at.Page)
		}
	}
	return p
}

// Candidates are the best places that search found for a question and no claim
// rests on, cut out of the stored text. most 0 = all.
func (in Input) Candidates(question string, most int) []dto.Candidate {
	st := in.State
	q := st.Questions[question]
	if q == nil || in.Texts == nil || q.Status == state.Dropped || q.Status == state.Closed {
		return nil
	}
	used := map[string][]state.Interval{}
	for _, c := range st.Claims {
		if c.Question != question || undone(c) {
			continue
		}
		for _, e := range c.Evidence {
			used[e.Slice.Source] = append(used[e.Slice.Source], state.Interval{From: e.Slice.From, To: e.Slice.To})
		}
	}
	var out []dto.Candidate
	for _, c := range in.ranked(q) {
		if overlaps(used[c.Source], c.From, c.To) {
			continue
		}
		s := st.Sources[c.Source]
		if s == nil || !s.Readable() {
			continue
		}
		body, table, ok := in.Texts.Text(s)
		if !ok {
			continue
		}
		text := table.Slice(body, c.From, c.To)
		if text == "" {
			continue
		}
		id := ledger.ClaimID(ledger.Claim{Question: question, Basis: []string{ledger.Ref(c.Source, c.From, c.To)}})
		out = append(out, dto.Candidate{ID: id, Text: text, Place: in.Place(c.Source, c.From, c.To), Score: c.Score})
		if most > 0 && len(out) == most {
			break
		}
	}
	return out
}

// undone: what made the claim was undone, so its sentence is to be had again.
func undone(c *state.Claim) bool {
	return c.Standing == state.Retracted && c.Reason == state.ReasonUndone
}

func overlaps(list []state.Interval, from, to int64) bool {
	for _, iv := range list {
		if iv.From <= to && from <= iv.To {
			return true
		}
	}
	return false
}

// ranked is what search gives for a question, best first.
func (in Input) ranked(q *state.Question) []search.Hit {
	if in.Sentences != nil && !in.History {
		return in.Sentences(q.Text)
	}
	var out []search.Hit
	for i, r := range in.State.Found[q.ID] {
		out = append(out, search.Hit{Source: r.Source, From: r.From, To: r.To, Score: 1 / float64(i+1)})
	}
	return out
}
