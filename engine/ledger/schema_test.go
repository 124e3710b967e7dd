package ledger_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"cairn/engine/ledger"
)

var update = flag.Bool("update", false, "write docs/schema/line.schema.json anew")

const schemaPath = "../../docs/schema/line.schema.json"

type object = map[string]any

const (
	idPattern   = `[cfkmnopqrstw][0-9a-f]{32}`
	spanPattern = `[1-9][0-9]{0,15}-[1-9][0-9]{0,15}`
	refPattern  = `s[0-9a-f]{32}/` + spanPattern
	amber       = `[a-z_]{1,24}(:[0-9a-z/._-]{1,128})?`
)

func text(limit int) object { return object{"type": "string", "minLength": 1, "maxLength": limit} }

func pattern(p string) object { return object{"type": "string", "pattern": "^(" + p + ")$"} }

// textRule is the schema of a text that keeps the rules.
func textRule(rules []string) object {
	out := object{"type": "string", "minLength": 1}
	for _, r := range rules {
		word, arg, _ := strings.Cut(r, "=")
		switch word {
		case "text":
			out = text(ledger.MaxText)
		case "slice":
			out = text(ledger.MaxSlice)
		case "line":
			out = text(ledger.MaxShort)
			out["pattern"] = `^[^\x00-\x1f\x7f]*$`
		case "name":
			out = text(ledger.MaxShort)
			out["pattern"] = `^[^/\x00-\x1f\x7f]*$`
		case "word":
			out = pattern(`[a-z0-9_]{1,64}`)
		case "step":
			out = object{"enum": ledger.StepKinds()}
		case "hash":
			out = pattern(`[0-9a-f]{64}`)
		case "nonce":
			out = pattern(`[0-9a-f]{32}`)
		case "ref":
			out = pattern(refPattern)
		case "range":
			out = pattern(spanPattern)
		case "basis":
			out = pattern(`[cm][0-9a-f]{32}|` + refPattern)
		case "amber":
			out = pattern(amber)
		case "any":
			out = pattern(idPattern)
		case "subject":
			out = pattern(idPattern + "|" + amber)
		case "id":
			out = pattern("[" + arg + "][0-9a-f]{32}")
		case "one":
			out = object{"enum": strings.Split(arg, "|")}
		}
	}
	return out
}

func has(rules []string, word string) (arg string, ok bool) {
	for _, r := range rules {
		if w, a, _ := strings.Cut(r, "="); w == word {
			return a, true
		}
	}
	return "", false
}

func fieldSchema(f ledger.FieldSpec) object {
	switch f.Type {
	case "integer":
		out := object{"type": "integer", "minimum": 0, "maximum": int64(ledger.MaxInt)}
		if _, pos := has(f.Rules, "pos"); pos || f.Optional {
			out["minimum"] = 1
		}
		if _, signed := has(f.Rules, "signed"); signed {
			out["minimum"], out["not"] = -ledger.MaxInt, object{"const": 0}
		}
		return out
	case "true":
		return object{"const": true}
	case "object":
		return ref(f.Of)
	case "texts", "objects":
		out := object{"type": "array", "minItems": 1, "items": textRule(f.Rules)}
		if f.Type == "objects" {
			out["items"] = ref(f.Of)
		}
		if n, ok := has(f.Rules, "max"); ok {
			out["maxItems"], _ = strconv.Atoi(n)
		}
		if _, sorted := has(f.Rules, "sorted"); sorted {
			out["uniqueItems"] = true
		}
		return out
	}
	return textRule(f.Rules)
}

func ref(name string) object { return object{"$ref": "#/$defs/" + name} }

func objectSchema(fields []ledger.FieldSpec) (properties object, required []string) {
	properties = object{}
	for _, f := range fields {
		properties[f.Name] = fieldSchema(f)
		if !f.Optional {
			required = append(required, f.Name)
		}
	}
	return properties, required
}

func needs(names ...string) object { return object{"required": names} }
func lacks(names ...string) object {
	none := make([]object, len(names))
	for i, n := range names {
		none[i] = needs(n)
	}
	return object{"not": object{"anyOf": none}}
}
func value(name string, v ...any) object {
	return object{"properties": object{name: object{"enum": v}}}
}

// between are the rules between the fields of an op, as far as a schema can say them.
var between = map[string]object{
	"amend": {"oneOf": []object{
		{"allOf": []object{value("field", "goal"), needs("text"), lacks("list")}},
		{"allOf": []object{value("field", "title"), lacks("list")}},
		{"allOf": []object{value("field", "constraints", "acceptance"), lacks("text")}}}},
	"set": {"dependentRequired": object{"trial": []string{"model"}}, "properties": object{"budget": object{"minimum": -1}},
		"anyOf": []object{needs("budget"), needs("context"), needs("depth"), needs("digest"), needs("model"), needs("predict"),
			needs("read_rate"), needs("token_bytes"), needs("write_rate")}},
	"source": {"oneOf": []object{
		{"allOf": []object{needs("body", "file", "table", "sentences"), lacks("reason")}},
		{"allOf": []object{needs("reason"), lacks("body", "table", "sentences", "bytes")}}}},
	"close":  {"anyOf": []object{needs("claims"), {"allOf": []object{needs("reason"), value("by", "person", "engine")}}}},
	"claim":  {"anyOf": []object{needs("text"), needs("quotes")}},
	"report": {"anyOf": []object{needs("answers"), needs("opening")}},
	"plan":   {"anyOf": []object{needs("add"), needs("order"), needs("remove")}},
	"check": {"oneOf": []object{
		{"allOf": []object{value("how", "person"), value("by", "person")}},
		{"allOf": []object{value("how", "program"), value("by", "program", "engine")}},
		{"allOf": []object{value("how", "calculation", "model"), value("by", "engine")}}}},
	"supersede": {"oneOf": sameKinds("cmnorw")},
}

func sameKinds(kinds string) []object {
	var out []object
	for _, k := range kinds {
		one := object{"pattern": "^" + string(k)}
		out = append(out, object{"properties": object{"id": one, "into": one}})
	}
	return out
}

// lineSchema makes the schema of one line from the registry of ops.
func lineSchema() object {
	defs := object{
		"withheld": object{"type": "object", "required": []string{"h"}, "additionalProperties": false, "properties": object{"h": textRule([]string{"hash"})}},
		"free":     object{"type": "object", "minProperties": 1, "propertyNames": object{"pattern": "^[a-z_]+$"}, "additionalProperties": ref("value")},
		"value": object{"anyOf": []object{{"type": "string", "minLength": 1}, {"type": "boolean"},
			{"type": "integer", "minimum": -ledger.MaxInt, "maximum": ledger.MaxInt}, {"type": "array", "minItems": 1, "items": ref("value")}, ref("free")}},
	}
	inner(defs, "Origin", ledger.OriginSpec())
	lines := []object{ref("withheld")}
	for _, s := range ledger.Registry() {
		properties, required := objectSchema(s.Fields)
		for _, f := range s.Fields {
			if f.Of != "" {
				inner(defs, f.Of, f.Fields)
			}
		}
		head := object{"v": object{"const": ledger.FormatVersion}, "op": object{"const": s.Name}, "by": object{"enum": s.By},
			"seq": object{"type": "integer", "minimum": 1, "maximum": int64(ledger.MaxInt)}, "g": object{"type": "integer", "minimum": 1, "maximum": int64(ledger.MaxInt)},
			"n": object{"type": "integer", "minimum": 1, "maximum": ledger.MaxGroupLines}, "at": object{"type": "integer", "minimum": 0, "maximum": int64(ledger.MaxInt)},
			"prev": textRule([]string{"hash"}), "x": ref("free"),
			"who": object{"type": "string", "maxLength": ledger.MaxWho, "pattern": `^(key:[0-9a-f]+|(digest|program):[A-Za-z0-9._-]+)$`}}
		required = append(required, "v", "seq", "g", "at", "by", "prev", "op")
		out := object{"type": "object", "additionalProperties": false}
		switch s.Class {
		case "log":
			head["salt"] = textRule([]string{"nonce"})
			required = append(required, "salt")
		case "work":
			head["origin"], head["reported"] = ref("Origin"), object{"const": true}
			out["dependentRequired"] = object{"reported": []string{"origin"}}
		}
		for name, h := range head {
			properties[name] = h
		}
		out["properties"], out["required"] = properties, required
		if rule := between[s.Name]; rule != nil {
			out["allOf"] = []object{rule}
		}
		defs["op_"+s.Name] = out
		lines = append(lines, ref("op_"+s.Name))
	}
	return object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     "urn:cairn:line:1",
		"title":   "One line of a Cairn ledger, format version 1",
		"$comment": "Made from the registry of ops in engine/ledger; vault/FORMAT.md is normative. A schema counts characters where the format counts bytes, and does " +
			"not see the canonical form, the order of a list, or what the quotes of a claim have to do with its basis.",
		"oneOf": lines,
		"$defs": defs,
	}
}

func inner(defs object, name string, fields []ledger.FieldSpec) {
	properties, required := objectSchema(fields)
	out := object{"type": "object", "properties": properties, "additionalProperties": false, "minProperties": 1}
	if len(required) > 0 {
		out["required"] = required
	}
	defs[name] = out
	for _, f := range fields {
		if f.Of != "" {
			inner(defs, f.Of, f.Fields)
		}
	}
}

// TestSchemaIsTheRegistry: the file is what the registry gives; -update writes it.
func TestSchemaIsTheRegistry(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(lineSchema()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaPath, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, b.Bytes()) {
		t.Error("docs/schema/line.schema.json is not what the registry gives; -update writes it")
	}
}

func compile(t testing.TB) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	s, err := c.Compile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(s *jsonschema.Schema, line string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	return s.Validate(v)
}

// TestSchemaOverVectors: every good line is valid, every line that is broken in a
// way that a schema can see is not.
func TestSchemaOverVectors(t *testing.T) {
	s := compile(t)
	files, err := filepath.Glob("../../docs/vectors/ledgers/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d ledgers: %v", len(files), err)
	}
	read := func(path string, into any) {
		b, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(b, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	good := 0
	for _, path := range files {
		var v struct{ Groups []struct{ Lines []string } }
		read(path, &v)
		for _, g := range v.Groups {
			for _, line := range g.Lines {
				good++
				if err := valid(s, line); err != nil {
					t.Errorf("%s: %s: %v", path, line, err)
				}
			}
		}
	}
	var broken struct {
		Lines []struct {
			Why, Line string
			Schema    bool
		}
	}
	read("../../docs/vectors/broken.json", &broken)
	seen := 0
	for _, b := range broken.Lines {
		err := valid(s, b.Line)
		if (err != nil) != b.Schema {
			t.Errorf("%s: the schema says %v\n%s", b.Why, err, b.Line)
		}
		if err != nil {
			seen++
		}
	}
	if good < 400 || seen < 400 {
		t.Errorf("only %d good and %d broken lines", good, seen)
	}
	t.Logf("%d good lines are valid, %d of %d broken ones are not", good, seen, len(broken.Lines))
}
