package ledger

import (
	"fmt"
	"reflect"
)

// Encode gives the canonical bytes of a line, without LF. It refuses what Decode
// would refuse: fields that break their rule (*TextError for a text that is too
// long), an author who may not write the op, a line above MaxLine.
func Encode(head Head, op Op) ([]byte, error) {
	if op == nil || reflect.ValueOf(op).IsNil() {
		return nil, errForm("no op")
	}
	name := op.OpName()
	p := linePlans[name]
	if p == nil {
		return nil, errForm("unknown op %q", name)
	}
	if head.V == 0 {
		head.V = FormatVersion
	}
	if head.V != FormatVersion {
		return nil, &NewerError{Version: head.V}
	}
	b, err := p.append(make([]byte, 0, 1024), reflect.ValueOf(op).Elem(), &head, 1)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	if err := checkHead(&head, name); err != nil {
		return nil, err
	}
	if err := checkOp(op, head.By); err != nil {
		return nil, err
	}
	if len(b) > MaxLine {
		return nil, &TextError{Field: "The line with this " + name, Size: len(b), Limit: MaxLine}
	}
	return b, nil
}

func appendStruct(b []byte, v any, depth int) ([]byte, error) {
	rv := reflect.ValueOf(v)
	if rv.Kind() == reflect.Pointer && !rv.IsNil() {
		rv = rv.Elem()
	}
	if !rv.IsValid() {
		return nil, errForm("null")
	}
	if rv.Kind() == reflect.Slice && rv.Type().Elem().Kind() == reflect.Struct {
		p, err := planFor(rv.Type().Elem())
		if err != nil {
			return nil, err
		}
		if rv.Len() == 0 {
			return nil, errForm("an empty list must be left out")
		}
		return p.appendList(b, rv, depth)
	}
	p, err := planFor(rv.Type())
	if err != nil {
		return nil, err
	}
	return p.append(b, rv, nil, depth)
}

func (p *plan) append(b []byte, v reflect.Value, head *Head, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, errForm("nested deeper than %d", MaxDepth)
	}
	b = append(b, '{')
	first := len(b)
	var err error
	for i := range p.fields {
		f := &p.fields[i]
		mark := len(b)
		if mark > first {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, f.name...)
		b = append(b, '"', ':')
		var there bool
		if f.kind == kHead {
			b, there, err = appendHead(b, f, head, p.op)
		} else {
			b, there, err = f.append(b, v.Field(f.index), depth)
		}
		if err != nil {
			return nil, err
		}
		if !there {
			if f.required {
				return nil, errForm("%s is missing", f.name)
			}
			b = b[:mark]
		}
	}
	if len(b) == first {
		return nil, errForm("an empty object must be left out")
	}
	return append(b, '}'), nil
}

// append writes a field's value; there is false for an empty one.
func (f *field) append(b []byte, v reflect.Value, depth int) (out []byte, there bool, err error) {
	switch f.kind {
	case kString:
		s := v.String()
		if s == "" {
			return b, false, nil
		}
		if err := f.rule.text(f.name, s); err != nil {
			return b, false, err
		}
		b, err = appendString(b, s)
		return b, true, err
	case kInt:
		n := v.Int()
		if n == 0 && !f.required {
			return b, false, nil
		}
		if err := f.rule.integer(f.name, n); err != nil {
			return b, false, err
		}
		return appendDecimal(b, n), true, nil
	case kBool:
		if v.Bool() {
			return append(b, "true"...), true, nil
		}
		if f.required {
			return append(b, "false"...), true, nil
		}
		return b, false, nil
	case kStruct:
		if v.IsNil() {
			return b, false, nil
		}
		b, err = f.plan.append(b, v.Elem(), nil, depth+1)
		if err != nil {
			err = fmt.Errorf("%s: %w", f.name, err)
		}
		return b, true, err
	}
	if v.Len() == 0 {
		return b, false, nil
	}
	if err := f.rule.list(f.name, v.Len()); err != nil {
		return b, false, err
	}
	if f.kind == kStructs {
		b, err = f.plan.appendList(b, v, depth+1)
		if err != nil {
			err = fmt.Errorf("%s: %w", f.name, err)
		}
		return b, true, err
	}
	list, ok := v.Interface().([]string)
	if !ok {
		return b, false, errForm("%s: no list of texts", f.name)
	}
	if err := f.rule.order(f.name, list); err != nil {
		return b, false, err
	}
	for i, s := range list {
		if i == 0 {
			b = append(b, '[')
		} else {
			b = append(b, ',')
		}
		if s == "" {
			return b, false, errForm("%s: an empty text in a list", f.name)
		}
		if err := f.rule.text(f.name, s); err != nil {
			return b, false, err
		}
		if b, err = appendString(b, s); err != nil {
			return b, false, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return append(b, ']'), true, nil
}

func (p *plan) appendList(b []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, errForm("nested deeper than %d", MaxDepth)
	}
	var err error
	for i := 0; i < v.Len(); i++ {
		if i == 0 {
			b = append(b, '[')
		} else {
			b = append(b, ',')
		}
		if b, err = p.append(b, v.Index(i), nil, depth+1); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func appendHead(b []byte, f *field, h *Head, op string) ([]byte, bool, error) {
	number := func(n int64, always bool) ([]byte, bool, error) {
		if n == 0 && !always {
			return b, false, nil
		}
		b, err := appendInt(b, n)
		return b, true, err
	}
	text := func(s string) ([]byte, bool, error) {
		if s == "" {
			return b, false, nil
		}
		b, err := appendString(b, s)
		return b, true, err
	}
	switch f.index {
	case headAt:
		return number(h.At, true)
	case headBy:
		return text(string(h.By))
	case headG:
		return number(h.Group, true)
	case headN:
		return number(h.N, false)
	case headOp:
		return text(op)
	case headOrigin:
		if h.Origin == nil {
			return b, false, nil
		}
		b, err := originPlan.append(b, reflect.ValueOf(h.Origin).Elem(), nil, 2)
		return b, true, err
	case headPrev:
		b = append(b, '"')
		for _, c := range h.Prev {
			b = append(b, hexDigits[c>>4], hexDigits[c&15])
		}
		return append(b, '"'), true, nil
	case headReported:
		if !h.Reported {
			return b, false, nil
		}
		return append(b, "true"...), true, nil
	case headSalt:
		return text(h.Salt)
	case headSeq:
		return number(h.Seq, true)
	case headV:
		return number(h.V, true)
	case headWho:
		return text(h.Who)
	case headX:
		if len(h.X) == 0 {
			return b, false, nil
		}
		b, err := appendObject(b, h.X, 2)
		return b, true, err
	}
	return b, false, errForm("unknown head field %q", f.name)
}
