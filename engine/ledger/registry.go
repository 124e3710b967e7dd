package ledger

import (
	"reflect"
	"slices"
	"sort"
	"strings"
)

// OpSpec is what format version 1 says of one op. The registry is made of the same
// tags that Decode reads by; vault/FORMAT.md and docs/schema/line.schema.json are
// held to it by tests.
type OpSpec struct {
	Name    string
	Class   string // work, log or frame
	By      []By   // who may write it
	Propose bool   // a model may propose it
	Fields  []FieldSpec
}

// FieldSpec is one name that may stand in an object.
type FieldSpec struct {
	Name     string
	Type     string // text, integer, true, texts, object, objects
	Optional bool
	Rules    []string    // words of its rule, as rules.go lists them
	Of       string      // the inner object's name, of object and objects
	Fields   []FieldSpec // and its fields
}

// Registry gives every op of the format, sorted by name, its fields sorted by name.
func Registry() []OpSpec {
	out := make([]OpSpec, 0, len(kinds))
	for name, k := range kinds {
		s := OpSpec{Name: name, Class: [...]string{classWork: "work", classLog: "log", classFrame: "frame"}[k.class], Propose: k.propose,
			Fields: fieldSpecs(reflect.TypeOf(k.make()).Elem())}
		for _, by := range []By{Person, Program, Model, Engine} {
			if MayWrite(name, by) {
				s.By = append(s.By, by)
			}
		}
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// OriginSpec gives the fields of a re-issued line's origin.
func OriginSpec() []FieldSpec { return fieldSpecs(reflect.TypeFor[Origin]()) }

// StepKinds gives the closed list of step kinds.
func StepKinds() []string { return slices.Clone(stepKinds) }

func fieldSpecs(t reflect.Type) []FieldSpec {
	out := make([]FieldSpec, 0, t.NumField())
	for i := range t.NumField() {
		sf := t.Field(i)
		name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
		f := FieldSpec{Name: name, Optional: opts == "omitempty"}
		if tag := sf.Tag.Get("is"); tag != "" {
			f.Rules = strings.Split(tag, ",")
		}
		inner := sf.Type
		switch sf.Type.Kind() {
		case reflect.String:
			f.Type = "text"
		case reflect.Int64:
			f.Type = "integer"
		case reflect.Bool:
			f.Type = "true"
		case reflect.Pointer:
			f.Type, inner = "object", sf.Type.Elem()
		case reflect.Slice:
			f.Type, inner = "texts", sf.Type.Elem()
			if inner.Kind() == reflect.Struct {
				f.Type = "objects"
			}
		}
		if inner.Kind() == reflect.Struct {
			f.Of, f.Fields = inner.Name(), fieldSpecs(inner)
		}
		out = append(out, f)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
