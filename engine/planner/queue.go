package planner

import (
	"slices"
	"strings"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Reading is one reading step that is still to do, with what it costs.
type Reading struct {
	Step
	Source   string
	From, To int64
	Tokens   int64 // estimated prompt tokens
	score    float64
}

// PerDocument is how many passages of one document are shown for one question
// at a depth; 0 means all of them.
func PerDocument(depth string) int {
	switch depth {
	case "quick":
		return 3
	case "exhaustive":
		return 0
	default:
		return 6
	}
}

// Figures that stand in for a model that was not measured yet.
const (
	defaultTokenBytes = 400 // bytes per 100 tokens
	defaultReadRate   = 40  // tokens a second
	defaultWriteRate  = 6
	promptTokens      = 60 // question, headings and markers around a passage
	replyTokens       = 40 // a usual reading reply
	// reserved is the share of a time budget that is kept for answers.
	reservedPercent = 15
)

// Tokens estimates how many tokens a text of that many bytes has.
func Tokens(set state.Settings, bytes int64) int64 {
	per := set.TokenBytes
	if per <= 0 {
		per = defaultTokenBytes
	}
	return (bytes*100 + per - 1) / per
}

// Seconds estimates a call from its prompt tokens and reply tokens.
func Seconds(set state.Settings, prompt, reply int64) float64 {
	read, write := set.ReadRate, set.WriteRate
	if read <= 0 {
		read = defaultReadRate
	}
	if write <= 0 {
		write = defaultWriteRate
	}
	return float64(prompt)/float64(read) + float64(reply)/float64(write)
}

// Queue gives the passages that are still to be shown at the task's depth and
// time budget, best first. Order: expected new evidence per second, where a
// document that a question has not seen yet counts more (DESIGN 4).
func Queue(st *state.State, lib Library) ([]Reading, error) {
	seen := map[[2]string]int{} // (question, source) → passages shown
	var queue []Reading
	var spent float64
	open := openQuestions(st)
	for _, q := range open {
		ranges, err := wanted(st, lib, q.ID)
		if err != nil {
			return nil, err
		}
		for rank, r := range ranges {
			tokens := Tokens(st.Settings, r.bytes) + promptTokens
			if Shown(st, r.Source, q.ID, r.From, r.To) {
				seen[[2]string{q.ID, r.Source}]++
				spent += Seconds(st.Settings, tokens, replyTokens)
				continue
			}
			rd := Reading{Step: readStep(st, q, r.Range), Source: r.Source, From: r.From, To: r.To, Tokens: tokens}
			if finished(st, rd.Step) {
				continue // parked: it was tried and can't be read
			}
			rd.score = 1 / (float64(rank) + 3)
			queue = append(queue, rd)
		}
	}
	order(queue, seen, st.Settings)
	return within(st, queue, spent), nil
}

// order sorts greedily: each passage taken makes the next of the same document
// and question worth less. It is a merge over lists that are sorted already, so
// it stays cheap for thousands of passages.
func order(queue []Reading, seen map[[2]string]int, set state.Settings) {
	for i := range queue {
		k := [2]string{queue[i].Serves, queue[i].Source}
		queue[i].score /= float64(1 + seen[k])
		seen[k]++
		queue[i].score /= Seconds(set, queue[i].Tokens, replyTokens)
	}
	slices.SortStableFunc(queue, func(a, b Reading) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return strings.Compare(a.Args[0]+a.Args[1], b.Args[0]+b.Args[1])
	})
}

// within cuts the queue where the time budget is used up. What was shown counts
// as its estimate, so the same work gives the same plan on any day.
func within(st *state.State, queue []Reading, spent float64) []Reading {
	if st.Settings.Budget <= 0 {
		return queue
	}
	left := float64(st.Settings.Budget)*(100-reservedPercent)/100 - spent
	for i, r := range queue {
		left -= Seconds(st.Settings, r.Tokens, replyTokens)
		if left < 0 {
			return queue[:i]
		}
	}
	return queue
}

func readStep(st *state.State, q *state.Question, r state.Range) Step {
	ref := ledger.Ref(r.Source, r.From, r.To)
	h := newHasher("read", q.Text, ref, st.Sources[r.Source].Table)
	return Step{Kind: Read, Args: []string{q.ID, ref}, Serves: q.ID, Inputs: h.sum()}
}

type sized struct {
	state.Range
	bytes int64
}

// wanted gives the passages to show for a question at the task's depth: the best
// of every document in the order of the search, then (exhaustive) all others.
func wanted(st *state.State, lib Library, question string) ([]sized, error) {
	most := PerDocument(st.Settings.Depth)
	count := map[string]int{}
	taken := map[state.Range]bool{}
	size := map[state.Range]int64{}
	sources := Readable(st)
	for _, s := range sources {
		passages, err := lib.Passages(s.ID)
		if err != nil {
			return nil, err
		}
		for _, p := range passages {
			size[state.Range{Source: s.ID, From: p.From, To: p.To}] = p.Bytes
		}
	}
	var out []sized
	for _, r := range st.Found[question] {
		bytes, ok := size[r]
		if !ok || taken[r] || (most > 0 && count[r.Source] >= most) {
			continue
		}
		taken[r] = true
		count[r.Source]++
		out = append(out, sized{r, bytes})
	}
	if most > 0 {
		return out, nil
	}
	for _, s := range sources {
		passages, err := lib.Passages(s.ID)
		if err != nil {
			return nil, err
		}
		for _, p := range passages {
			r := state.Range{Source: s.ID, From: p.From, To: p.To}
			if !taken[r] {
				out = append(out, sized{r, p.Bytes})
			}
		}
	}
	return out, nil
}

// Shown reports whether all sentences from..to of a source were shown for a question.
func Shown(st *state.State, source, question string, from, to int64) bool {
	for _, iv := range st.Read[source][question] {
		if iv.From <= from && to <= iv.To {
			return true
		}
	}
	return false
}
