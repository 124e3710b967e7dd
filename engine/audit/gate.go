package audit

import (
	"fmt"
	"sort"
	"strings"

	"cairn/engine/state"
)

// Reason is one amber reason; its id is what `check` and `override` name.
type Reason struct {
	ID   string
	Text string // what is the matter, and what clears it
}

// Now is what a resume would use now. Empty fields are not compared.
type Now struct {
	Digest   string // of the model
	Template string // version of the prompts
}

// Gates.
const (
	Green = "green"
	Amber = "amber"
	Red   = "red"
)

// Reasons lists the amber reasons of a state that still stand: neither a check of
// that id passed nor a person overrode it. The list is closed (DESIGN 3.7), each
// reason stands once, in a fixed order.
func Reasons(st *state.State, now Now) []Reason {
	var out []Reason
	add := func(id, format string, args ...any) {
		if v := st.Passed[id]; v == "passed" || v == "right" || st.Overrides[id] != "" {
			return
		}
		out = append(out, Reason{ID: id, Text: fmt.Sprintf(format, args...)})
	}
	if st.Imported != nil {
		add(ImportReason(st), "This came from a file. Accept its preview to go on.")
	}
	was := ""
	if n := len(st.Checkpoints); n > 0 {
		was = st.Checkpoints[n-1].Template
	}
	if d := st.Settings.Digest; d != "" && now.Digest != "" && d != now.Digest {
		add("model:"+amberPart(now.Digest), "Another model stands under this name than the one that did the work so far. It is tried out, and one known claim is read again.")
	}
	if was != "" && now.Template != "" && was != now.Template {
		add("template:"+amberPart(now.Template), "The prompts changed since the last checkpoint. The model is tried out with them, and one known claim is read again.")
	}
	for _, id := range st.SourceIDs {
		s := st.Sources[id]
		switch s.Missing {
		case "gone":
			add("source:"+id, "The file “%s” is gone. Its quotes are compared with the stored text.", s.Name)
		case "changed":
			add("source:"+id, "The file “%s” was changed. Its quotes are compared with the stored text.", s.Name)
		}
	}
	var keys []string
	for key, n := range st.Log.Attempts {
		if n >= 3 {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	for _, key := range keys {
		add("step:"+key, "The same step was interrupted %d times. It is set aside until you let it run again.", st.Log.Attempts[key])
	}
	return out
}

// ImportReason is the id of the amber reason of the last import, "" without one.
func ImportReason(st *state.State) string {
	if st.Imported == nil {
		return ""
	}
	return "import:" + st.Imported.File[:min(len(st.Imported.File), 16)]
}

// amberPart fits a name into an amber id.
func amberPart(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '-', r == '_', r == '/':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, s)
	if len(s) > 128 {
		s = s[:128]
	}
	return s
}
