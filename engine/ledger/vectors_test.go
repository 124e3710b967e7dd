package ledger

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("../../docs/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// fromJSON turns encoding/json's values into ours.
func fromJSON(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		o := Object{}
		for name, inner := range v {
			o[name] = fromJSON(t, inner)
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = fromJSON(t, v[i])
		}
		return list
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return v
}

func TestCanonicalVectors(t *testing.T) {
	var v struct {
		Good []struct {
			Value  any
			Line   string
			SHA256 string
		}
		Bad []struct{ Why, Line string }
	}
	readVectors(t, "canonical.json", &v)
	if len(v.Good) < 10 || len(v.Bad) < 20 {
		t.Fatalf("only %d good and %d bad vectors", len(v.Good), len(v.Bad))
	}
	for _, g := range v.Good {
		got, err := Canonical(fromJSON(t, g.Value))
		if err != nil || string(got) != g.Line {
			t.Errorf("Canonical(%v) = %s, %v; want %s", g.Value, got, err, g.Line)
		}
		if h := HashOf(got).String(); h != g.SHA256 {
			t.Errorf("%s: hash %s, want %s", g.Line, h, g.SHA256)
		}
		o, err := ParseCanonical([]byte(g.Line))
		if err != nil {
			t.Errorf("%s refused: %v", g.Line, err)
			continue
		}
		if again, err := Canonical(o); err != nil || string(again) != g.Line {
			t.Errorf("%s came back as %s, %v", g.Line, again, err)
		}
	}
	for _, b := range v.Bad {
		if o, err := ParseCanonical([]byte(b.Line)); err == nil {
			t.Errorf("%s: %s was read as %v", b.Why, b.Line, o)
		}
	}
}

func TestChainVectors(t *testing.T) {
	var v struct {
		Lines    []struct{ Line, Hash, Chain string }
		Withheld []string
		Broken   []struct {
			Why   string
			Lines []string
		}
	}
	readVectors(t, "chain.json", &v)
	verifier := NewVerifier(Hash{})
	for i, l := range v.Lines {
		if h := HashOf([]byte(l.Line)).String(); h != l.Hash {
			t.Errorf("line %d: hash %s, want %s", i+1, h, l.Hash)
		}
		if err := verifier.Add([]byte(l.Line)); err != nil {
			t.Fatal(err)
		}
		if got := verifier.Chain().String(); got != l.Chain {
			t.Errorf("line %d: chain %s, want %s", i+1, got, l.Chain)
		}
	}
	last, err := verifier.Close()
	if err != nil {
		t.Fatal(err)
	}
	got, err := VerifyChain(asBytes(v.Withheld), Hash{})
	if err != nil || got != last {
		t.Errorf("withheld: %s, %v; want %s", got, err, last)
	}
	if len(v.Broken) < 5 {
		t.Fatalf("only %d broken chains", len(v.Broken))
	}
	for _, b := range v.Broken {
		_, err := VerifyChain(asBytes(b.Lines), Hash{})
		t.Logf("%s: %v", b.Why, err)
		if err == nil {
			t.Errorf("%s: not noticed", b.Why)
		}
	}
}

func asBytes(lines []string) [][]byte {
	out := make([][]byte, len(lines))
	for i, l := range lines {
		out[i] = []byte(l)
	}
	return out
}
