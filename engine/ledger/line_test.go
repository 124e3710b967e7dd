package ledger

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const (
	someHash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	some32   = "0123456789abcdef0123456789abcdef"
)

// sample draws a value that keeps the rule of a field.
func sample(t *rapid.T, f *field, depth int) string {
	r := &f.rule
	if r.words != nil {
		return rapid.SampledFrom(r.words).Draw(t, f.name)
	}
	candidates := []string{
		rapid.StringN(1, 40, 200).Draw(t, f.name), "word", someHash, some32, "s" + some32 + "/1-2", "3-9",
		"c" + some32, "m" + some32, "q" + some32, "s" + some32, "w" + some32, "p" + some32, "model:x",
	}
	for _, c := range candidates {
		if r.text(f.name, c) == nil {
			return c
		}
	}
	t.Fatalf("no sample for %s", f.name)
	return ""
}

func fill(t *rapid.T, p *plan, v reflect.Value) {
	for i := range p.fields {
		f := &p.fields[i]
		if f.kind == kHead || !f.required && rapid.Bool().Draw(t, "leave out "+f.name) {
			continue
		}
		fv := v.Field(f.index)
		switch f.kind {
		case kString:
			fv.SetString(sample(t, f, 0))
		case kInt:
			fv.SetInt(int64(rapid.IntRange(1, 1<<40).Draw(t, f.name)))
		case kBool:
			fv.SetBool(rapid.Bool().Draw(t, f.name))
		case kStrings:
			list := []string{sample(t, f, 0)}
			if !f.rule.sorted && rapid.Bool().Draw(t, "two") {
				list = append(list, sample(t, f, 0))
			}
			fv.Set(reflect.ValueOf(list))
		case kStruct:
			fv.Set(reflect.New(fv.Type().Elem()))
			fill(t, f.plan, fv.Elem())
			if fv.Elem().IsZero() {
				fv.SetZero()
			}
		case kStructs:
			item := reflect.New(fv.Type().Elem()).Elem()
			fill(t, f.plan, item)
			if !item.IsZero() {
				fv.Set(reflect.Append(fv, item))
			}
		}
	}
}

func drawHead(t *rapid.T, op string) Head {
	h := Head{V: 1, Seq: rapid.Int64Range(1, MaxInt).Draw(t, "seq"), Group: rapid.Int64Range(1, 1<<40).Draw(t, "g"),
		At: rapid.Int64Range(0, MaxInt).Draw(t, "at"), N: rapid.Int64Range(0, 256).Draw(t, "n")}
	for _, by := range []By{Person, Engine, Model, Program} {
		if MayWrite(op, by) {
			h.By = by
			break
		}
	}
	if rapid.Bool().Draw(t, "who") {
		h.Who = WhoDigest("sha256:" + someHash)
	}
	if IsLog(op) {
		h.Salt = some32
	}
	if IsWork(op) && rapid.Bool().Draw(t, "origin") {
		h.Origin, h.Reported = &Origin{Chain: someHash, Seq: 4}, rapid.Bool().Draw(t, "reported")
	}
	if rapid.Bool().Draw(t, "x") {
		h.X = Object{"op": "claim", "free": []any{int64(1), "two", Object{"three": true}}}
	}
	return h
}

// TestEveryOpComesBack: what Encode writes, Decode reads to the same values and
// Encode writes again to the same bytes, for every op.
func TestEveryOpComesBack(t *testing.T) {
	for name := range kinds {
		written := 0
		rapid.Check(t, func(t *rapid.T) {
			op := NewOp(name)
			fill(t, linePlans[name], reflect.ValueOf(op).Elem())
			fix(op)
			head := drawHead(t, name)
			raw, err := Encode(head, op)
			var form *FormError
			if errors.As(err, &form) {
				return // a rule between fields
			}
			if err != nil {
				t.Fatal(err)
			}
			written++
			l, err := Decode(raw)
			if err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			if !reflect.DeepEqual(l.Op, op) || !reflect.DeepEqual(l.Head, head) {
				t.Fatalf("came back as %+v %+v, was %+v %+v", l.Head, l.Op, head, op)
			}
			again, err := Encode(l.Head, l.Op)
			if err != nil || string(again) != string(raw) {
				t.Fatalf("written again as %s, %v; was %s", again, err, raw)
			}
			f, err := DecodeFrame(raw)
			if err != nil || f.Seq != l.Seq || f.Group != l.Group || f.N != l.N || f.Op != name || f.Hash != l.Hash {
				t.Fatalf("frame %+v, %v", f, err)
			}
		})
		if written < 10 {
			t.Errorf("%s: only %d lines could be written", name, written)
		}
	}
}

// fix makes drawn fields fit together, where chance alone hardly would.
func fix(op Op) {
	switch o := op.(type) {
	case *Claim:
		o.Basis, o.Text = nil, "A claim."
		for i := range o.Quotes {
			o.Quotes[i].To = o.Quotes[i].From
			o.Basis = append(o.Basis, Ref(o.Quotes[i].Source, o.Quotes[i].From, o.Quotes[i].To))
		}
	case *Quote:
		o.To = o.From
	case *Supersede:
		o.ID, o.Into = "c"+some32, "c"+some32[1:]+"0"
	case *Merge:
		o.Into = "c" + some32[1:] + "0"
	case *Source:
		if o.Body != "" {
			o.Reason, o.File, o.Table, o.Sentences = "", someHash, someHash, 3
		} else {
			o.Reason, o.Table, o.Sentences, o.Bytes = "empty", "", 0, 0
		}
	case *Amend:
		o.Field, o.List, o.Text = "goal", nil, "Another goal."
	case *Set:
		o.Model = "m"
	case *Check:
		o.How = "person"
	case *Plan:
		o.Remove = []string{"p" + some32}
	case *Report:
		o.Answers = []string{"w" + some32}
	}
}

// line is a good claim line to be spoilt.
func goodLine(t *testing.T) string {
	t.Helper()
	raw, err := Encode(Head{Seq: 7, Group: 3, At: 5, By: Model, Who: WhoDigest(some32)}, &Claim{
		Basis: []string{Ref("s"+some32, 4, 5)}, Question: "q" + some32, Text: "It is so.",
		Quotes: []Slice{{From: 4, Source: "s" + some32, Text: "It is so.", To: 5}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestDecodeRefuses(t *testing.T) {
	good := goodLine(t)
	if _, err := Decode([]byte(good)); err != nil {
		t.Fatal(err)
	}
	spoil := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %s in %s", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	for why, line := range map[string]string{
		"unknown op":                  spoil(`"op":"claim"`, `"op":"clam"`),
		"unknown name":                spoil(`"op":"claim"`, `"kind":"x","op":"claim"`),
		"unknown inner name":          spoil(`"text":"It is so.","to"`, `"tex":"It is so.","to"`),
		"missing head field":          spoil(`"seq":7,`, ``),
		"missing op field":            spoil(`"from":4,`, ``),
		"text for an integer":         spoil(`"seq":7`, `"seq":"7"`),
		"integer for a text":          spoil(`"text":"It is so.","v"`, `"text":7,"v"`),
		"order of names":              spoil(`"at":5,"basis":["s`+some32+`/4-5"]`, `"basis":["s`+some32+`/4-5"],"at":5`),
		"a name twice":                spoil(`"at":5`, `"at":5,"at":5`),
		"zero seq":                    spoil(`"seq":7`, `"seq":0`),
		"n of 0":                      spoil(`"g":3`, `"g":3,"n":0`),
		"n of 257":                    spoil(`"g":3`, `"g":3,"n":257`),
		"salt on a work line":         spoil(`"seq":7`, `"salt":"`+some32+`","seq":7`),
		"unknown author":              spoil(`"by":"model"`, `"by":"robot"`),
		"login as who":                spoil(`"who":"digest:`+some32+`"`, `"who":"alice"`),
		"prev in capitals":            spoil(`"prev":"0000`, `"prev":"000A`),
		"another slice":               spoil(`/4-5"]`, `/4-6"]`),
		"backward range":              spoil(`/4-5"]`, `/5-4"]`),
		"space at the end":            good + " ",
		"line feed at the end":        good + "\n",
		"reported alone":              spoil(`"seq":7`, `"reported":true,"seq":7`),
		"empty basis item":            spoil(`["s`+some32+`/4-5"]`, `[""]`),
		"id of another kind":          spoil(`"question":"q`, `"question":"c`),
		"no object":                   `[]`,
		"nothing":                     ``,
		"a withheld line with more":   `{"h":"` + someHash + `","n":1}`,
		"a withheld line in capitals": `{"h":"` + strings.ToUpper(someHash) + `"}`,
	} {
		if l, err := Decode([]byte(line)); err == nil {
			t.Errorf("%s: read as %+v", why, l)
		}
	}
}

func TestNewerIsRefusedByName(t *testing.T) {
	line := strings.Replace(goodLine(t), `"v":1`, `"v":3`, 1)
	unknown := `{"at":1,"by":"robot","glow":{"a":1},"op":"shine","v":2}`
	for _, l := range []string{line, unknown} {
		_, err := Decode([]byte(l))
		if !errors.Is(err, ErrNewer) {
			t.Errorf("Decode: %v", err)
		}
		if _, err = DecodeFrame([]byte(l)); !errors.Is(err, ErrNewer) {
			t.Errorf("DecodeFrame: %v", err)
		}
	}
	_, err := Decode([]byte(line))
	if !strings.Contains(err.Error(), "version 3") {
		t.Errorf("the version needed is not named: %v", err)
	}
}

func TestEncodeRefuses(t *testing.T) {
	h := Head{Seq: 1, Group: 1, By: Person}
	long := strings.Repeat("ü", MaxText/2) // MaxText bytes
	if _, err := Encode(h, &Question{Text: long}); err != nil {
		t.Errorf("a text of %d bytes: %v", len(long), err)
	}
	_, err := Encode(h, &Question{Text: long + "."})
	var tooLong *TextError
	if !errors.As(err, &tooLong) || tooLong.Size != MaxText+1 || tooLong.Limit != MaxText {
		t.Errorf("a text of %d bytes: %v", len(long)+1, err)
	}
	_, err = Encode(h, &Task{Goal: "g", Nonce: some32, Constraints: []string{strings.Repeat("\x01", 8000), strings.Repeat("\x01", 8000)}})
	if !errors.As(err, &tooLong) || tooLong.Limit != MaxLine {
		t.Errorf("a line above the limit: %v", err)
	}
	model := h
	model.By = Model
	for why, c := range map[string]struct {
		head Head
		op   Op
	}{
		"no op":                        {h, nil},
		"a model's drop":               {model, &Drop{ID: "q" + some32}},
		"a model's check":              {model, &Check{How: "model", ID: "c" + some32, Verdict: "right"}},
		"a person's check by engine":   {Head{Seq: 1, Group: 1, By: Engine}, &Check{How: "person", ID: "c" + some32, Verdict: "right"}},
		"a model's close for nothing":  {model, &Close{ID: "q" + some32, Reason: "nothing_found"}},
		"bytes that are no text":       {h, &Question{Text: "a\xff"}},
		"a claim of nothing":           {h, &Claim{Question: "q" + some32}},
		"an unsorted basis":            {h, &Claim{Text: "x", Basis: []string{"m" + some32, "c" + some32}}},
		"a folder as a name":           {Head{Seq: 1, Group: 1, By: Engine}, &Source{Name: "home/a.txt", Reason: "empty"}},
		"a log line without salt":      {Head{Seq: 1, Group: 1, By: Engine}, &Pause{Reason: "quit"}},
		"a supersede of two kinds":     {h, &Supersede{ID: "c" + some32, Into: "n" + some32}},
		"a merge into itself":          {h, &Merge{ID: "c" + some32, Into: "c" + some32}},
		"an integer beyond the bounds": {Head{Seq: MaxInt + 1, Group: 1, By: Person}, &Question{Text: "x"}},
	} {
		if b, err := Encode(c.head, c.op); err == nil {
			t.Errorf("%s: written as %s", why, b)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	deep := any("x")
	for range MaxDepth {
		deep = []any{deep}
	}
	for why, v := range map[string]any{
		"empty text": Object{"a": ""}, "empty list": Object{"a": []any{}}, "empty object": Object{}, "null": Object{"a": nil},
		"float": Object{"a": 1.5}, "name": Object{"A": "x"}, "too large": Object{"a": int64(MaxInt + 1)}, "no text": Object{"a": "\xc3"},
		"surrogate": Object{"a": "\xed\xa0\x80"}, "too deep": Object{"a": deep},
	} {
		if b, err := Canonical(v); err == nil {
			t.Errorf("%s: written as %s", why, b)
		}
	}
	var nested strings.Builder
	nested.WriteString(strings.Repeat(`{"a":[`, 8) + "1" + strings.Repeat(`]}`, 8))
	if _, err := ParseCanonical([]byte(nested.String())); err != nil {
		t.Errorf("depth %d: %v", MaxDepth, err)
	}
	if _, err := ParseCanonical([]byte(`{"a":` + nested.String() + `}`)); err == nil {
		t.Errorf("depth %d was read", MaxDepth+1)
	}
	if _, err := ParseCanonical([]byte(`{"a":"` + strings.Repeat("x", MaxLine) + `"}`)); err == nil {
		t.Error("a line above the limit was read")
	}
}

func TestUnmarshalIsStrict(t *testing.T) {
	type seal struct {
		Count int64    `json:"count"`
		List  []string `json:"list,omitempty"`
		Name  string   `json:"name,omitempty" is:"word"`
	}
	in := seal{Count: 0, List: []string{"ü", "b"}, Name: "seal"}
	b, err := Canonical(in)
	if err != nil || string(b) != `{"count":0,"list":["\u00fc","b"],"name":"seal"}` {
		t.Fatalf("%s, %v", b, err)
	}
	var out seal
	if err := Unmarshal(b, &out); err != nil || !reflect.DeepEqual(in, out) {
		t.Fatalf("%+v, %v", out, err)
	}
	for _, bad := range []string{`{"name":"seal"}`, `{"count":1,"more":2}`, `{"count":1,"name":"Seal!"}`, `{"count":true}`, `{"count":1} `} {
		if err := Unmarshal([]byte(bad), &out); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}
