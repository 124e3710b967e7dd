package view

import (
	"fmt"
	"slices"

	"cairn/app/dto"
	"cairn/engine/ledger"
	"cairn/engine/state"
)

// toCheck is "still to check", what weighs most first.
func (in Input) toCheck() []dto.CheckItem {
	st := in.State
	var out []dto.CheckItem
	one := func(kind, on, text string) {
		out = append(out, dto.CheckItem{Kind: kind, On: on, Text: text, Count: 1})
	}
	for _, n := range in.notes("") {
		if n.For == "" && n.Due == "" {
			continue
		}
		text := n.Text
		if n.For != "" {
			text += " (for " + n.For + ")"
		}
		if n.Due != "" {
			text += " (by " + n.Due + ")"
		}
		one("note", n.On, text)
	}
	for i, id := range st.QuestionIDs {
		if q := st.Questions[id]; q.Status == state.Parked {
			one("parked", id, fmt.Sprintf("Question %d is left for you. %s", i+1, QuestionReason(q.Reason)))
		}
	}
	var unchecked, stale int
	for _, id := range st.ClaimIDs {
		c := st.Claims[id]
		if !c.Live() {
			continue
		}
		if by, yes := saysMore(c); yes {
			one("says_more", id, by+" more than its quote: “"+Cut(c.Text, 90)+"”")
			continue
		}
		if Judged(c) {
			continue
		}
		unchecked++
		switch {
		case c.IsContested:
			one("contested", id, "Two statements do not agree: “"+Cut(c.Text, 90)+"”")
		case c.IsStale:
			stale++
		case len(c.Flags) > 0:
			one("says_more", id, FlagWords(c.Flags[0])+" “"+Cut(c.Text, 90)+"”")
		}
	}
	several := func(kind string, n int, text string) {
		if n > 0 {
			out = append(out, dto.CheckItem{Kind: kind, Text: text, Count: n})
		}
	}
	several("stale", stale, count(int64(stale), "claim", "claims")+" to be redone, because what they rest on changed")
	several("unchecked", unchecked, count(int64(unchecked), "claim", "claims")+" nobody has checked")
	var unreadable, away int
	for _, s := range st.Sources {
		switch {
		case s.Aside != "" || s.Readable() || s.Body == "" && s.Newer != "":
		case s.Missing != "":
			away++
		default:
			unreadable++
		}
	}
	words := count(int64(unreadable), "file", "files") + " that could not be read"
	if elsewhere := count(int64(away), "document whose file or text is not here", "documents whose files or texts are not here"); unreadable == 0 {
		words = elsewhere
	} else if away > 0 {
		words += ", " + elsewhere
	}
	several("unreadable", unreadable+away, words)
	several("refused", len(st.Log.Refusals), count(int64(len(st.Log.Refusals)), "proposal", "proposals")+" of the model refused")
	return out
}

// saysMore tells whether the last check of a claim found that it says more than
// its quote, and begins the sentence about who found that.
func saysMore(c *state.Claim) (string, bool) {
	n := len(c.Checks)
	if n == 0 || c.Checks[n-1].Verdict != "says_more" {
		return "", false
	}
	switch v := c.Checks[n-1]; {
	case v.Reported:
		return "Its sender marked it as saying", true
	case v.By == ledger.Person:
		return "You marked it as saying", true
	}
	return "A second look found that it says", true
}

// Sources are the rows of the table, unreadable ones first, then by name.
func Sources(in Input) []dto.Source {
	st := in.State
	claims := map[string]map[string]int64{} // source → question → claims
	for _, c := range st.Claims {
		if !c.Live() {
			continue
		}
		seen := map[string]bool{}
		for _, e := range c.Evidence {
			if id := e.Slice.Source; !seen[id] {
				seen[id] = true
				if claims[id] == nil {
					claims[id] = map[string]int64{}
				}
				claims[id][c.Question]++
			}
		}
	}
	var out []dto.Source
	for _, id := range st.SourceIDs {
		s := st.Sources[id]
		row := in.source(s)
		for _, n := range claims[id] {
			row.Claims += n
		}
		for _, q := range st.QuestionIDs {
			if st.Questions[q].Status != state.Dropped {
				row.Cells = append(row.Cells, dto.Cell{Question: q, Shown: in.shown(s, q), Claims: claims[id][q]})
			}
		}
		out = append(out, row)
	}
	rank := func(s dto.Source) int {
		switch s.Status {
		case "unreadable", "missing":
			return 0
		case "aside":
			return 2
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b dto.Source) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		switch {
		case a.Name < b.Name:
			return -1
		case a.Name > b.Name:
			return 1
		}
		return 0
	})
	return dto.Whole(out)
}

func (in Input) source(s *state.Source) dto.Source {
	row := dto.Source{ID: s.ID, Name: s.Name, Title: s.Title, Media: s.Media, Bytes: s.Bytes, Sentences: s.Sentences, Status: "readable"}
	if row.Title == "" {
		row.Title = s.Name
	}
	switch {
	case s.Aside != "":
		row.Status, row.Reason = "aside", "Set aside."
		if s.Aside != "-" {
			row.Reason = "Set aside: " + s.Aside
		}
	case s.Newer != "":
		row.Status, row.Reason = "changed", Reason("newer")
	case s.Body == "" && s.Missing == "": // there is no stored text to speak of
		row.Status, row.Reason = "unreadable", SourceReason(s.Reason)
		if in.Looked[s.ID] == "gone" {
			row.Reason += " It is no longer in the folder."
		}
	case s.Missing == "changed":
		row.Status, row.Reason = "changed", Reason("changed")
	case s.Missing != "":
		row.Status, row.Reason = "missing", Reason(s.Missing)
	case in.Looked[s.ID] == "gone":
		row.Status, row.Reason = "missing", Reason("gone")
	case in.Looked[s.ID] == "changed":
		row.Status, row.Reason = "changed", Reason("changed")+" It is read again when the task runs."
	}
	if s.Body != "" && in.Texts != nil {
		if _, table, ok := in.Texts.Text(s); ok {
			if last, ok := table.At(table.Len()); ok {
				row.Pages = int64(last.Page)
			}
		}
	}
	return row
}

// shown is the share of a source's passages that were shown for a question.
func (in Input) shown(s *state.Source, question string) float64 {
	if !s.Readable() || s.Sentences == 0 {
		return 0
	}
	var n int64
	for _, iv := range in.State.Read[s.ID][question] {
		n += iv.To - iv.From + 1
	}
	return min(1, float64(n)/float64(s.Sentences))
}

// Around is how many sentences before and after a place the inspector gets.
const Around = 40

// SourceText is a place in its surroundings; from 0 is the beginning. A source
// without text here gives its row and no sentences.
func SourceText(in Input, s *state.Source, from, to int64) dto.SourceText {
	out := dto.SourceText{Source: in.source(s), Total: s.Sentences}
	if in.Texts == nil {
		return dto.Whole(out)
	}
	body, table, ok := in.Texts.Text(s)
	if !ok {
		return dto.Whole(out)
	}
	out.Total = table.Len()
	first, last := max(1, from-Around), min(out.Total, max(from, to)+Around)
	out.First = first
	for n := first; n <= last; n++ {
		at, ok := table.At(n)
		if !ok {
			break
		}
		out.Sentences = append(out.Sentences, dto.Sentence{
			Number: n, Text: table.Slice(body, n, n), Heading: table.Heading(n), Start: at.Start,
			Page: int64(at.Page), Mark: from > 0 && from <= n && n <= to,
		})
	}
	return dto.Whole(out)
}
