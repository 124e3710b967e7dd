package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cairn/app/dto"
	"cairn/app/view"
)

// shown is how much of an id is shown: enough to be typed, and hardly ever shared.
const shown = 10

// short cuts an id for people.
func short(id string) string {
	if len(id) > shown {
		return id[:shown]
	}
	return id
}

// pick finds the one id that begins with prefix.
func pick(what, prefix string, ids []string) (string, error) {
	var found []string
	for _, id := range ids {
		if id == prefix {
			return id, nil
		}
		if strings.HasPrefix(id, strings.ToLower(prefix)) {
			found = append(found, id)
		}
	}
	switch {
	case prefix == "" || len(found) == 0:
		return "", usage(fmt.Sprintf("There is no %s %q.", what, prefix), "Use an id as the list shows it.")
	case len(found) > 1:
		var list []string
		for _, id := range found {
			list = append(list, short(id))
		}
		return "", usage(fmt.Sprintf("%q fits more than one %s: %s.", prefix, what, strings.Join(list, ", ")), "Type more of the id.")
	}
	return found[0], nil
}

// task finds a task by the beginning of its id.
func (t *tool) task(ctx context.Context, s dto.Service, prefix string) (string, error) {
	list, err := s.Tasks(ctx)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, row := range list {
		ids = append(ids, row.ID)
	}
	return pick("task", prefix, ids)
}

// claim finds a claim of a task, retracted ones included.
func claim(v dto.View, prefix string) (string, error) {
	id, err := pick("claim", prefix, claims(v))
	if err == nil || prefix == "" {
		return id, err
	}
	for _, q := range v.Questions {
		for _, c := range q.Candidates {
			if strings.HasPrefix(c.ID, strings.ToLower(prefix)) && !slices.Contains(claims(v), c.ID) {
				return "", usage(fmt.Sprintf("“%s” is a candidate, not yet a claim.", prefix), "Take it with `cairn accept` first.")
			}
		}
	}
	return "", err
}

func claims(v dto.View) []string {
	var ids []string
	for _, q := range v.Questions {
		for _, c := range q.Claims {
			ids = append(ids, c.ID)
		}
	}
	for _, c := range v.Retracted {
		ids = append(ids, c.ID)
	}
	return ids
}

// found is a candidate with the question that search found it for.
type found struct {
	question  string
	candidate dto.Candidate
}

// claimOrCandidate finds what may be accepted: a claim, or a candidate, whose id is
// that of the claim which it becomes.
func claimOrCandidate(v dto.View, list []dto.Question, prefix string) (string, *found, error) {
	if err := noPlace(list, prefix); err != nil {
		return "", nil, err
	}
	ids := claims(v)
	candidates := map[string]*found{}
	for _, q := range list {
		for _, c := range q.Candidates {
			if !slices.Contains(ids, c.ID) {
				ids = append(ids, c.ID)
			}
			candidates[c.ID] = &found{q.ID, c}
		}
	}
	id, err := pick("claim or candidate", prefix, ids)
	return id, candidates[id], err
}

// noPlace refuses a place in the list of candidates, like 1.3: the list moves with
// every acceptance and every reading. It names what stands there now.
func noPlace(list []dto.Question, typed string) error {
	var question, nth int
	if n, err := fmt.Sscanf(typed+"\n", "%d.%d\n", &question, &nth); err != nil || n != 2 {
		return nil
	}
	do := "Use the id that stands before the sentence in `cairn candidates`."
	for _, q := range list {
		if q.Number == question && nth >= 1 && nth <= len(q.Candidates) {
			c := q.Candidates[nth-1]
			do = fmt.Sprintf("Use an id. There stands now %s: “%s”", short(c.ID), view.Cut(c.Text, 80))
		}
	}
	return usage(fmt.Sprintf("“%s” is a place in a list, and what stands there changes.", typed), do)
}
