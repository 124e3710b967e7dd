package ledger

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"
)

// fieldKind says how a field is read and written.
type fieldKind byte

const (
	kString fieldKind = iota
	kInt
	kBool
	kStrings
	kStruct  // pointer to a struct; absent when nil
	kStructs // list of structs
	kHead    // a field of Head; index is its head constant
)

const (
	headAt = iota
	headBy
	headG
	headN
	headOp
	headOrigin
	headPrev
	headReported
	headSalt
	headSeq
	headV
	headWho
	headX
)

// field is one name that may stand in an object.
type field struct {
	name     string
	index    int // of the struct's field, or a head constant
	kind     fieldKind
	required bool
	rule     rule
	plan     *plan // of kStruct and kStructs
}

// plan is a struct's fields in the order of their names: the order on the line.
// It is made once per type; reading and writing walk it beside the bytes.
type plan struct {
	op     string // "" for structs inside ops
	fields []field
}

func planOf(t reflect.Type) (*plan, error) {
	p := &plan{}
	for i := 0; i < t.NumField(); i++ {
		sf := t.Field(i)
		name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if !isName(name) {
			return nil, fmt.Errorf("%s.%s: no canonical name", t, sf.Name)
		}
		r, err := parseRule(sf.Tag.Get("is"))
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, sf.Name, err)
		}
		f := field{name: name, index: i, required: opts != "omitempty", rule: r}
		switch ft := sf.Type; {
		case ft.Kind() == reflect.String:
			f.kind = kString
		case ft.Kind() == reflect.Int64:
			f.kind = kInt
		case ft.Kind() == reflect.Bool:
			f.kind = kBool
		case ft == reflect.TypeFor[[]string]():
			f.kind = kStrings
		case ft.Kind() == reflect.Pointer && ft.Elem().Kind() == reflect.Struct:
			f.kind = kStruct
			f.plan, err = planOf(ft.Elem())
		case ft.Kind() == reflect.Slice && ft.Elem().Kind() == reflect.Struct:
			f.kind = kStructs
			f.plan, err = planOf(ft.Elem())
		default:
			err = fmt.Errorf("%s.%s: a type that has no canonical form", t, sf.Name)
		}
		if err != nil {
			return nil, err
		}
		p.fields = append(p.fields, f)
	}
	return p, p.sort()
}

func (p *plan) sort() error {
	sort.Slice(p.fields, func(i, j int) bool { return p.fields[i].name < p.fields[j].name })
	for i := 1; i < len(p.fields); i++ {
		if p.fields[i-1].name == p.fields[i].name {
			return fmt.Errorf("name %q twice", p.fields[i].name)
		}
	}
	return nil
}

// linePlans holds the plan of a whole line for each op.
var linePlans = func() map[string]*plan {
	plans := make(map[string]*plan, len(kinds))
	for name, k := range kinds {
		p, err := planOf(reflect.TypeOf(k.make()).Elem())
		if err == nil {
			p.op = name
			p.fields = append(p.fields, headFields(k.class)...)
			err = p.sort()
		}
		if err != nil {
			panic("ledger: op " + name + ": " + err.Error()) // a defect of this file's tags
		}
		plans[name] = p
	}
	return plans
}()

func headFields(c class) []field {
	head := func(name string, index int, required bool) field {
		return field{name: name, index: index, kind: kHead, required: required}
	}
	fields := []field{
		head("at", headAt, true), head("by", headBy, true), head("g", headG, true), head("n", headN, false),
		head("op", headOp, true), head("prev", headPrev, true), head("seq", headSeq, true), head("v", headV, true),
		head("who", headWho, false), head("x", headX, false),
	}
	switch c {
	case classLog:
		fields = append(fields, head("salt", headSalt, true))
	case classWork:
		fields = append(fields, head("origin", headOrigin, false), head("reported", headReported, false))
	}
	return fields
}

// structPlans caches the plans of other structs (Canonical, Unmarshal).
var structPlans sync.Map // reflect.Type → *plan

func planFor(t reflect.Type) (*plan, error) {
	if p, ok := structPlans.Load(t); ok {
		return p.(*plan), nil
	}
	if t.Kind() != reflect.Struct {
		return nil, errForm("%s has no canonical form", t)
	}
	p, err := planOf(t)
	if err != nil {
		return nil, err
	}
	structPlans.Store(t, p)
	return p, nil
}

var originPlan, _ = planOf(reflect.TypeFor[Origin]())
