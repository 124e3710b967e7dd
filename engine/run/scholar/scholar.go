// Package scholar answers the prompts of engine/prompt as a careful reader would
// who knows the gold sentences of a sample. Its reply is a function of the prompt
// alone, so that tests with it are repeatable. It is for tests and for driving
// the program without a model; nothing it says is ever recorded as a real model's
// unless a test serves it under a test model's name.
package scholar

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Gold is the shape of expected.json: per question, the sentences that answer it.
type Gold struct {
	Questions []struct {
		Question string `json:"question"`
		Gold     []struct {
			File     string `json:"file"`
			Sentence string `json:"sentence"`
			Key      string `json:"key"`
		} `json:"gold"`
	} `json:"questions"`
}

// Read parses expected.json.
func Read(expected []byte) (Gold, error) {
	var g Gold
	if err := json.Unmarshal(expected, &g); err != nil {
		return g, fmt.Errorf("read the gold sentences: %w", err)
	}
	return g, nil
}

// Keys are the parts that a report has to carry.
func (g Gold) Keys() (keys []string) {
	for _, q := range g.Questions {
		for _, s := range q.Gold {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

type finding struct {
	Sentences []string `json:"sentences"`
	Claim     string   `json:"claim"`
}

type sentence struct {
	Claims []string `json:"claims"`
	Text   string   `json:"text"`
}

// Reply gives the JSON that answers a prompt.
func (g Gold) Reply(prompt string) string {
	labels, texts, question := parse(prompt)
	if len(labels) > 0 && strings.HasPrefix(labels[0], "c") {
		return answer(labels, texts)
	}
	out := []finding{}
	for i, t := range texts {
		if key := g.key(question, t); key != "" && len(out) < 3 {
			out = append(out, finding{[]string{labels[i]}, short(t, key)})
		}
	}
	return encode(map[string]any{"findings": out})
}

// key gives the key of the gold sentence that t holds for the question.
func (g Gold) key(question, t string) string {
	for _, q := range g.Questions {
		if squeeze(q.Question) != squeeze(question) {
			continue
		}
		for _, s := range q.Gold {
			if strings.Contains(t, squeeze(s.Sentence)) {
				return s.Key
			}
		}
	}
	return ""
}

// short keeps a claim within 240 characters, with its key.
func short(t, key string) string {
	if r := []rune(t); len(r) <= 240 {
		return t
	}
	i := strings.Index(t, key)
	if i < 0 {
		return string([]rune(t)[:240])
	}
	from := max(0, i-100)
	for from > 0 && t[from-1] != ' ' {
		from--
	}
	to := min(len(t), i+len(key)+60)
	for to < len(t) && t[to] != ' ' {
		to++
	}
	return t[from:to]
}

func answer(labels, texts []string) string {
	out := []sentence{}
	for i := range labels {
		if len(out) == 12 {
			break
		}
		out = append(out, sentence{[]string{labels[i]}, texts[i]})
	}
	return encode(map[string]any{"sentences": out})
}

// parse finds the numbered lines between the markers, and the question below them.
func parse(prompt string) (labels, texts []string, question string) {
	inside := false
	marker := ""
	for _, line := range strings.Split(prompt, "\n") {
		switch {
		case strings.HasPrefix(line, "=== ") && !inside && marker == "":
			marker, inside = line, true
		case line == marker && inside:
			inside = false
		case inside && strings.HasPrefix(line, "["):
			if label, text, ok := strings.Cut(line[1:], "] "); ok {
				labels, texts = append(labels, label), append(texts, text)
			}
		case !inside && marker != "" && strings.HasPrefix(line, "Question: "):
			question = strings.TrimPrefix(line, "Question: ")
		}
	}
	return labels, texts, question
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		// Strings and lists of them always encode.
		panic("encode reply: " + err.Error())
	}
	return string(b)
}
