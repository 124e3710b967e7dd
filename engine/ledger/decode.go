package ledger

import (
	"bytes"
	"fmt"
	"reflect"
)

// Decode reads one line strictly. Everything that Encode would not have written
// for the same values is refused: another form, unknown ops and names, wrong
// types, values against their rules, an author who may not write the op. A line
// of a newer format gives a *NewerError (errors.Is ErrNewer); CodeOf names what is
// wrong with any other. The line
// {"h":"<hash>"} gives a Line with Withheld set. Raw is line itself, not a copy.
func Decode(line []byte) (*Line, error) {
	if h, ok := withheld(line); ok {
		return &Line{Hash: h, Raw: line, Withheld: true}, nil
	}
	l, err := decode(line)
	if err != nil {
		if newer := newerThan(line); newer != nil {
			return nil, newer
		}
		return nil, classify(line, err)
	}
	return l, nil
}

func decode(line []byte) (*Line, error) {
	if len(line) > MaxLine {
		return nil, errForm("%d bytes are more than a line's %d", len(line), MaxLine)
	}
	name := guessOp(line)
	p := linePlans[name]
	if p == nil {
		if _, err := ParseCanonical(line); err != nil {
			return nil, err
		}
		return nil, errForm("unknown op %q", name)
	}
	op := kinds[name].make()
	l := &Line{Op: op, Raw: line}
	c := cursor{b: line}
	if err := p.read(&c, reflect.ValueOf(op).Elem(), &l.Head, 1); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if c.i != len(line) {
		return nil, c.bad("bytes after the line")
	}
	if l.V != FormatVersion {
		return nil, &NewerError{Version: l.V}
	}
	if err := checkHead(&l.Head, name); err != nil {
		return nil, err
	}
	if err := checkOp(op, l.By); err != nil {
		return nil, err
	}
	l.Hash = HashOf(line)
	return l, nil
}

// guessOp finds the op's name before the line is read. The first `"op":"` is the
// line's own: inside a text every quote is escaped, and of the names that may
// hold objects only x may hold one called op, and x comes later. Whatever is
// found, the reader compares it with the op when it comes to it.
func guessOp(line []byte) string {
	const mark = `"op":"`
	i := bytes.Index(line, []byte(mark))
	if i < 0 {
		return ""
	}
	rest := line[i+len(mark):]
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		return ""
	}
	return string(rest[:end])
}

// newerThan gives the NewerError of a canonical object whose v is above ours.
func newerThan(line []byte) error {
	o, err := ParseCanonical(line)
	if err != nil {
		return nil
	}
	if v, ok := o["v"].(int64); ok && v > FormatVersion {
		return &NewerError{Version: v}
	}
	return nil
}

// withheld reads {"h":"<64 hex digits>"}.
func withheld(line []byte) (Hash, bool) {
	const before, after = `{"h":"`, `"}`
	if len(line) != len(before)+64+len(after) || string(line[:len(before)]) != before || string(line[len(before)+64:]) != after {
		return Hash{}, false
	}
	h, err := ParseHash(string(line[len(before) : len(before)+64]))
	return h, err == nil
}

// Withhold gives the line that stands for one with that hash.
func Withhold(h Hash) []byte { return []byte(`{"h":"` + h.String() + `"}`) }

// Unmarshal reads canonical bytes into a struct with `json` (and `is`) tags, as
// strictly as Decode reads an op: unknown names, wrong types, missing fields and
// values against their rule are errors.
func Unmarshal(b []byte, into any) error {
	rv := reflect.ValueOf(into)
	if rv.Kind() != reflect.Pointer || rv.IsNil() {
		return errForm("%T is no pointer to a struct", into)
	}
	p, err := planFor(rv.Type().Elem())
	if err != nil {
		return err
	}
	c := cursor{b: b}
	if err := p.read(&c, rv.Elem(), nil, 1); err != nil {
		return err
	}
	if c.i != len(b) {
		return c.bad("bytes after the object")
	}
	return nil
}

// read walks the bytes and the plan side by side; both are in name order, so a
// name that the plan does not hold at its place is unknown or out of order.
func (p *plan) read(c *cursor, v reflect.Value, head *Head, depth int) error {
	if depth > MaxDepth {
		return c.bad("nested too deep")
	}
	if !c.take('{') {
		return c.bad("no object")
	}
	next := 0
	for {
		name, err := c.name()
		if err != nil {
			return err
		}
		for next < len(p.fields) && p.fields[next].name != string(name) {
			if p.fields[next].required {
				return p.misplaced(string(name), next)
			}
			next++
		}
		if next == len(p.fields) {
			return p.misplaced(string(name), next)
		}
		f := &p.fields[next]
		next++
		if f.kind == kHead {
			err = f.readHead(c, head, p.op)
		} else {
			err = f.read(c, v.Field(f.index), depth)
		}
		if err != nil {
			return err
		}
		if c.take(',') {
			continue
		}
		if !c.take('}') {
			return c.bad("no comma or end of object")
		}
		break
	}
	for ; next < len(p.fields); next++ {
		if p.fields[next].required {
			return errForm("%s is missing", p.fields[next].name)
		}
	}
	return nil
}

// misplaced says what is wrong with a name that the plan does not hold here.
func (p *plan) misplaced(name string, next int) error {
	for i := range p.fields {
		if p.fields[i].name == name {
			if i < next {
				return errForm("%s: a name twice, or names not sorted", name)
			}
			return errForm("%s is missing", p.fields[next].name)
		}
	}
	return errForm("%s: unknown name", name)
}

func (f *field) read(c *cursor, v reflect.Value, depth int) error {
	switch f.kind {
	case kString:
		b, err := c.textBytes()
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		s := f.rule.intern(b)
		*v.Addr().Interface().(*string) = s
		return f.rule.text(f.name, s)
	case kInt:
		n, err := c.integer()
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if n == 0 && !f.required {
			return errForm("%s: 0 must be left out", f.name)
		}
		v.SetInt(n)
		return f.rule.integer(f.name, n)
	case kBool:
		t, err := c.boolean()
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if !t && !f.required {
			return errForm("%s: false must be left out", f.name)
		}
		v.SetBool(t)
		return nil
	case kStrings:
		return f.readStrings(c, v.Addr().Interface().(*[]string), depth+1)
	case kStruct:
		v.Set(reflect.New(v.Type().Elem()))
		if err := f.plan.read(c, v.Elem(), nil, depth+1); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		return nil
	}
	return f.readStructs(c, v, depth+1)
}

// intern avoids a copy for the words of a closed list.
func (r *rule) intern(b []byte) string {
	for _, w := range r.words {
		if w == string(b) {
			return w
		}
	}
	return string(b)
}

func (f *field) readStrings(c *cursor, into *[]string, depth int) error {
	if depth > MaxDepth || !c.take('[') {
		return fmt.Errorf("%s: %w", f.name, c.bad("no list"))
	}
	var list []string
	for {
		b, err := c.textBytes()
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		s := f.rule.intern(b)
		if err := f.rule.text(f.name, s); err != nil {
			return err
		}
		list = append(list, s)
		if c.take(',') {
			continue
		}
		if !c.take(']') {
			return fmt.Errorf("%s: %w", f.name, c.bad("no comma or end of list"))
		}
		break
	}
	*into = list
	if err := f.rule.list(f.name, len(list)); err != nil {
		return err
	}
	return f.rule.order(f.name, list)
}

func (f *field) readStructs(c *cursor, v reflect.Value, depth int) error {
	if depth > MaxDepth || !c.take('[') {
		return fmt.Errorf("%s: %w", f.name, c.bad("no list"))
	}
	var err error
	switch into := v.Addr().Interface().(type) {
	case *[]Slice:
		err = readItems(f, c, into, depth+1)
	case *[]Sentence:
		err = readItems(f, c, into, depth+1)
	case *[]Item:
		err = readItems(f, c, into, depth+1)
	default:
		for {
			item := reflect.New(v.Type().Elem()).Elem()
			if err = f.plan.read(c, item, nil, depth+1); err != nil {
				break
			}
			v.Set(reflect.Append(v, item))
			if !c.take(',') {
				break
			}
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	if !c.take(']') {
		return fmt.Errorf("%s: %w", f.name, c.bad("no comma or end of list"))
	}
	return f.rule.list(f.name, v.Len())
}

func readItems[T any](f *field, c *cursor, into *[]T, depth int) error {
	for {
		var item T
		*into = append(*into, item)
		last := &(*into)[len(*into)-1]
		if err := f.plan.read(c, reflect.ValueOf(last).Elem(), nil, depth); err != nil {
			return err
		}
		if !c.take(',') {
			return nil
		}
	}
}

func (f *field) readHead(c *cursor, h *Head, op string) error {
	err := f.headValue(c, h, op)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}

func (f *field) headValue(c *cursor, h *Head, op string) (err error) {
	switch f.index {
	case headAt:
		h.At, err = c.integer()
	case headG:
		h.Group, err = c.integer()
	case headN:
		if h.N, err = c.integer(); err == nil && h.N == 0 {
			err = errForm("0 must be left out")
		}
	case headSeq:
		h.Seq, err = c.integer()
	case headV:
		if h.V, err = c.integer(); err == nil && h.V < 1 {
			err = errForm("no version")
		}
	case headReported:
		if h.Reported, err = c.boolean(); err == nil && !h.Reported {
			err = errForm("false must be left out")
		}
	case headBy:
		var b []byte
		if b, err = c.textBytes(); err == nil {
			h.By = byOf(b)
		}
	case headOp:
		var b []byte
		if b, err = c.textBytes(); err == nil && string(b) != op {
			err = errForm("unknown op %q", b)
		}
	case headPrev:
		var b []byte
		if b, err = c.textBytes(); err == nil {
			err = h.Prev.read(b)
		}
	case headSalt:
		h.Salt, err = c.text()
	case headWho:
		h.Who, err = c.text()
	case headOrigin:
		h.Origin = new(Origin)
		err = originPlan.read(c, reflect.ValueOf(h.Origin).Elem(), nil, 2)
	case headX:
		h.X, err = c.object(2)
	default:
		err = errForm("unknown head field")
	}
	return err
}

// byOf avoids a copy for the four author classes; MayWrite refuses any other.
func byOf(b []byte) By {
	for _, by := range []By{Person, Program, Model, Engine} {
		if string(b) == string(by) {
			return by
		}
	}
	return By(b)
}
