package prompt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Pointed is one item of a reply: what it rests on, and its words.
type Pointed struct {
	Refs []string
	Text string
}

// Extra is a name in the reply that the schema does not have. The engine records
// it as a refusal: counts, times, trust and "done" are never the model's.
//
// Over is set where a list is longer than asked for: how many items were left out.
type Extra struct {
	Name, Value string
	Over        int
}

// ParseRead reads the JSON of a reading reply.
func ParseRead(object []byte) ([]Pointed, []Extra, error) {
	return parse(object, "findings", "sentences", "claim", MaxFindings)
}

// ParseAnswer reads the JSON of an answering reply.
func ParseAnswer(object []byte) ([]Pointed, []Extra, error) {
	return parse(object, "sentences", "claims", "text", 12)
}

// parse checks the form in Go, because `format` is only a hint to the sampler.
// References are accepted as strings or numbers: some models quote them, some do not.
func parse(data []byte, outer, refs, text string, most int) ([]Pointed, []Extra, error) {
	var top map[string]json.RawMessage
	if err := strict(data, &top); err != nil {
		return nil, nil, err
	}
	raw, ok := top[outer]
	if !ok {
		return nil, nil, fmt.Errorf("it has no %q", outer)
	}
	var extra []Extra
	for name, value := range top {
		if name != outer {
			extra = append(extra, Extra{Name: name, Value: cut(string(value), 200)})
		}
	}
	var items []map[string]json.RawMessage
	if err := strict(raw, &items); err != nil {
		return nil, nil, fmt.Errorf("%q is not a list of objects", outer)
	}
	if len(items) > most {
		over := len(items) - most
		extra = append(extra, Extra{Name: outer, Value: fmt.Sprintf("%d more than the %d asked for", over, most), Over: over})
		items = items[:most]
	}
	var out []Pointed
	for _, item := range items {
		p, err := pointed(item, refs, text)
		if err != nil {
			return nil, nil, err
		}
		for name, value := range item {
			if name != refs && name != text {
				extra = append(extra, Extra{Name: name, Value: cut(string(value), 200)})
			}
		}
		out = append(out, p)
	}
	sortExtra(extra)
	return out, extra, nil
}

func pointed(item map[string]json.RawMessage, refs, text string) (Pointed, error) {
	var p Pointed
	var list []any
	d := json.NewDecoder(bytes.NewReader(item[refs]))
	d.UseNumber()
	if len(item[refs]) == 0 || d.Decode(&list) != nil {
		return p, fmt.Errorf("an item has no list %q", refs)
	}
	for _, r := range list {
		switch r := r.(type) {
		case string:
			p.Refs = append(p.Refs, strings.Trim(strings.TrimSpace(r), "[]"))
		case json.Number:
			p.Refs = append(p.Refs, r.String())
		default:
			return p, fmt.Errorf("%q holds something that is not a label", refs)
		}
	}
	if len(item[text]) == 0 || json.Unmarshal(item[text], &p.Text) != nil {
		return p, fmt.Errorf("an item has no text %q", text)
	}
	p.Text = strings.TrimSpace(p.Text)
	return p, nil
}

func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(into); err != nil {
		return errors.New("it is not the JSON that was asked for")
	}
	if d.More() {
		return errors.New("something follows the JSON")
	}
	return nil
}

func sortExtra(e []Extra) {
	slices.SortFunc(e, func(a, b Extra) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Value, b.Value)
	})
}

// cut shortens s to n bytes at a character's border.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
