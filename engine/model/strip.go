package model

import "strings"

// The tags in which models reason. Some models that are not known to reason
// leak them into the answer.
var (
	openTags  = []string{"<think>", "<thinking>", "<thought>", "<reasoning>"}
	closeTags = []string{"</think>", "</thinking>", "</thought>", "</reasoning>"}
)

// stripper takes reasoning out of a stream of text, however the tags are cut
// over its pieces. A tag inside a string of a JSON answer is part of the answer:
// sources may well speak of such tags.
type stripper struct {
	held    string // the beginning of what may be a tag
	inside  bool   // between an open and a close tag
	seen    bool   // any tag was taken out
	orphan  int    // bytes of visible text before the last close tag without an open one
	visible strings.Builder
	hidden  strings.Builder
	json    jsonTrack
}

// jsonTrack knows whether the visible text is inside a string of a JSON value
// that the text began with.
type jsonTrack struct {
	begun, on, over  bool
	inString, escape bool
	depth            int
}

func (t *jsonTrack) take(b byte) {
	if t.over || (!t.on && t.begun && b != '{' && b != '[') {
		return
	}
	if !t.begun {
		if b == ' ' || b == '\t' || b == '\r' || b == '\n' {
			return
		}
		t.begun = true
		if b == '`' { // a fence; the value may follow
			return
		}
		if b != '{' && b != '[' {
			t.over = true
			return
		}
	}
	t.on = true
	switch {
	case t.escape:
		t.escape = false
	case t.inString && b == '\\':
		t.escape = true
	case b == '"':
		t.inString = !t.inString
	case t.inString:
	case b == '{' || b == '[':
		t.depth++
	case b == '}' || b == ']':
		if t.depth--; t.depth <= 0 {
			t.over = true
		}
	}
}

// write takes a piece and gives the text that became visible by it.
func (s *stripper) write(piece string) string {
	in := s.held + piece
	s.held = ""
	from := s.visible.Len()
	for len(in) > 0 {
		if in[0] == '<' && !s.json.inString {
			tag, open, partial := matchTag(in)
			if partial {
				s.held = in
				break
			}
			if tag > 0 {
				s.seen = true
				switch {
				case s.inside:
					s.inside = open // another open tag within reasoning changes nothing
				case open:
					s.inside = true
				default:
					s.orphan = s.visible.Len()
					s.json = jsonTrack{}
				}
				in = in[tag:]
				continue
			}
		}
		s.put(in[0])
		in = in[1:]
	}
	return s.visible.String()[from:]
}

func (s *stripper) put(b byte) {
	if s.inside {
		s.hidden.WriteByte(b)
		return
	}
	s.visible.WriteByte(b)
	s.json.take(b)
}

// end takes the text as finished and gives what was still held back.
func (s *stripper) end() string {
	from := s.visible.Len()
	for i := range len(s.held) {
		s.put(s.held[i])
	}
	s.held = ""
	return s.visible.String()[from:]
}

func (s *stripper) thinking() bool { return s.inside }

// text is the answer. What stands before a close tag that nothing opened is
// reasoning too, because some templates open the tag themselves; unless nothing
// follows it.
func (s *stripper) text() string {
	t := s.visible.String()
	if !s.seen {
		return t
	}
	if after := t[s.orphan:]; s.orphan > 0 && strings.TrimSpace(after) != "" {
		t = after
	}
	return strings.TrimSpace(t)
}

func (s *stripper) thought() string {
	t := s.visible.String()
	if s.orphan > 0 && strings.TrimSpace(t[s.orphan:]) != "" {
		return strings.TrimSpace(t[:s.orphan] + s.hidden.String())
	}
	return s.hidden.String()
}

// matchTag looks for a tag at the beginning of s: its length, whether it opens,
// and whether s could still become a tag with more text.
func matchTag(s string) (n int, open, partial bool) {
	for i, tags := range [][]string{openTags, closeTags} {
		for _, tag := range tags {
			if len(s) >= len(tag) {
				if strings.EqualFold(s[:len(tag)], tag) {
					return len(tag), i == 0, false
				}
			} else if strings.EqualFold(s, tag[:len(s)]) {
				partial = true
			}
		}
	}
	return 0, false, partial
}
