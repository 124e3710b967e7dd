package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Type is one small, flat JSON type: what the server is asked to hold the model
// to, and what the reply is checked against, because a grammar is a hint and
// not every server follows it. Build it with Object, Text, Enum, Number, YesNo
// and List.
type Type struct {
	kind   string // object, string, enum, integer, boolean, array
	fields []Field
	values []string
	max    int
	from   int64
	to     int64
	of     *Type
}

// Field is one member of an object. All fields are required; the model writes
// them in this order, so put evidence before wording.
type Field struct {
	Name string
	Type Type
}

// Object has exactly these fields.
func Object(fields ...Field) Type { return Type{kind: "object", fields: fields} }

// Text is a string of at most max characters.
func Text(max int) Type { return Type{kind: "string", max: max} }

// Enum is one of the values, which must not be empty: an enum of nothing can't
// be answered.
func Enum(values ...string) Type { return Type{kind: "enum", values: slices.Clone(values)} }

// Number is an integer between from and to, both allowed.
func Number(from, to int64) Type { return Type{kind: "integer", from: from, to: to} }

// YesNo is true or false.
func YesNo() Type { return Type{kind: "boolean"} }

// List holds at most max of a type; an empty list is a good answer.
func List(of Type, max int) Type { return Type{kind: "array", of: &of, max: max} }

// Schema gives the JSON schema, fields in their order, the same bytes every time.
func (t Type) Schema() json.RawMessage {
	var b bytes.Buffer
	t.write(&b)
	return b.Bytes()
}

func (t Type) write(b *bytes.Buffer) {
	switch t.kind {
	case "object":
		b.WriteString(`{"type":"object","properties":{`)
		for i, f := range t.fields {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(quote(f.Name))
			b.WriteByte(':')
			f.Type.write(b)
		}
		b.WriteString(`},"required":[`)
		for i, f := range t.fields {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(quote(f.Name))
		}
		b.WriteString(`],"additionalProperties":false}`)
	case "string":
		fmt.Fprintf(b, `{"type":"string","maxLength":%d}`, t.max)
	case "enum":
		b.WriteString(`{"type":"string","enum":[`)
		for i, v := range t.values {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(quote(v))
		}
		b.WriteString(`]}`)
	case "integer":
		fmt.Fprintf(b, `{"type":"integer","minimum":%d,"maximum":%d}`, t.from, t.to)
	case "boolean":
		b.WriteString(`{"type":"boolean"}`)
	case "array":
		b.WriteString(`{"type":"array","maxItems":`)
		b.WriteString(strconv.Itoa(t.max))
		b.WriteString(`,"items":`)
		t.of.write(b)
		b.WriteByte('}')
	}
}

func quote(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil { // a string can always be marshalled
		return []byte(`""`)
	}
	return b
}

// ErrSchema is a value that is JSON but not of the type. Its text can be shown
// to the model when asking again.
var ErrSchema = errors.New("the reply has the wrong form")

// Check says whether obj, as ParseJSON gives it, is of the type.
func (t Type) Check(obj []byte) error { return t.check(obj, "reply") }

func (t Type) check(b json.RawMessage, at string) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s %s", ErrSchema, at, fmt.Sprintf(format, args...))
	}
	b = bytes.TrimSpace(b)
	switch t.kind {
	case "object":
		var m map[string]json.RawMessage
		if len(b) == 0 || b[0] != '{' || json.Unmarshal(b, &m) != nil {
			return wrong("must be an object")
		}
		for _, f := range t.fields {
			v, ok := m[f.Name]
			if !ok {
				return wrong("has no %q", f.Name)
			}
			delete(m, f.Name)
			if err := f.Type.check(v, at+"."+f.Name); err != nil {
				return err
			}
		}
		extra := make([]string, 0, len(m))
		for name := range m {
			extra = append(extra, name)
		}
		if slices.Sort(extra); len(extra) > 0 {
			return wrong("must not have %q", clip(extra[0], 40))
		}
	case "string", "enum":
		var s string
		if len(b) == 0 || b[0] != '"' || json.Unmarshal(b, &s) != nil {
			return wrong("must be a text")
		}
		if t.kind == "string" && utf8.RuneCountInString(s) > t.max {
			return wrong("must have at most %d characters", t.max)
		}
		if t.kind == "enum" && !slices.Contains(t.values, s) {
			return wrong("must be one of %s", clip(strings.Join(t.values, ", "), 400))
		}
	case "integer":
		n, err := strconv.ParseInt(string(b), 10, 64)
		if err != nil || n < t.from || n > t.to {
			return wrong("must be a whole number from %d to %d", t.from, t.to)
		}
	case "boolean":
		if s := string(b); s != "true" && s != "false" {
			return wrong("must be true or false")
		}
	case "array":
		var items []json.RawMessage
		if len(b) == 0 || b[0] != '[' || json.Unmarshal(b, &items) != nil {
			return wrong("must be a list")
		}
		if len(items) > t.max {
			return wrong("must have at most %d entries", t.max)
		}
		for i, item := range items {
			if err := t.of.check(item, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	default:
		return wrong("has no type")
	}
	return nil
}
