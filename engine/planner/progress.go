package planner

import "cairn/engine/state"

// Cover is how far the reading of one question has come at the task's depth.
type Cover struct {
	Question    string
	Shown, Left int64 // passages
	Documents   int   // documents of which something was shown
}

// Progress counts passages shown and left for each question that is not dropped,
// and estimates the seconds of model time that are left, answers included.
func Progress(st *state.State, lib Library) (cover []Cover, seconds float64, err error) {
	queue, err := Queue(st, lib)
	if err != nil {
		return nil, 0, err
	}
	left := map[string]int64{}
	for _, r := range queue {
		left[r.Serves]++
		seconds += Seconds(st.Settings, r.Tokens, replyTokens)
	}
	for _, id := range st.QuestionIDs {
		q := st.Questions[id]
		if q.Status == state.Dropped {
			continue
		}
		c := Cover{Question: id, Left: left[id]}
		ranges, err := wanted(st, lib, id)
		if err != nil {
			return nil, 0, err
		}
		docs := map[string]bool{}
		for _, r := range ranges {
			if Shown(st, r.Source, id, r.From, r.To) {
				c.Shown++
				docs[r.Source] = true
			}
		}
		c.Documents = len(docs)
		if q.Status == state.Open && !answered(st, q, answerStep(st, q)) {
			seconds += Seconds(st.Settings, 800, 200)
		}
		cover = append(cover, c)
	}
	return cover, seconds, nil
}
