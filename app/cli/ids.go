package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cairn/app/dto"
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
func claim(v dto.View, prefix string) (string, error) { return pick("claim", prefix, claims(v)) }

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
