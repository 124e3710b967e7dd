package frame_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"cairn/engine/ledger"
	"cairn/vault/internal/frame"
	"cairn/vault/vaulttest"
)

// The example chain of the repository, where it is there.
func TestVectors(t *testing.T) {
	body, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "vectors", "chain.json"))
	if err != nil {
		t.Skipf("no example chain: %v", err)
	}
	var v struct {
		Lines    []struct{ Line, Hash, Chain string }
		Withheld []string
	}
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	var at, over frame.At
	var all [][]byte
	for i, l := range v.Lines {
		h, err := frame.Parse([]byte(l.Line))
		if err != nil || h.Hash.String() != l.Hash || h.Seq != int64(i+1) {
			t.Fatalf("line %d: %+v %v", i+1, h, err)
		}
		if at, err = at.Step(h); err != nil || at.Chain.String() != l.Chain {
			t.Fatalf("line %d: chain %s %v", i+1, at.Chain, err)
		}
		all = append(all, []byte(l.Line))
	}
	for i, l := range v.Withheld {
		h, err := frame.Parse([]byte(l))
		if err == nil {
			over, err = over.Step(h)
		}
		if err != nil {
			t.Fatalf("withheld line %d: %v", i+1, err)
		}
	}
	if len(v.Lines) == 0 || over != at {
		t.Fatalf("the chain with a withheld line ends in %+v, not %+v", over, at)
	}
	if n, after, err := frame.Whole(frame.At{}, all); n != len(all) || after != at || err != nil {
		t.Fatalf("%d of %d lines are whole: %v", n, len(all), err)
	}
}

func TestParseRefuses(t *testing.T) {
	good := (&vaulttest.Writer{}).Group("text")[0]
	if _, err := frame.Parse(good); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		if _, err := frame.Parse(good[:i]); err == nil {
			t.Errorf("the first %d bytes pass for a line", i)
		}
	}
	for name, line := range map[string]string{
		"empty":                      ``,
		"empty object":               `{}`,
		"names not sorted":           `{"v":1,"seq":1,"prev":"` + zeros + `","g":1}`,
		"a second seq":               `{"g":1,"prev":"` + zeros + `","seq":1,"seq":2,"v":1}`,
		"seq in a string":            `{"g":1,"prev":"` + zeros + `","seq":"1","v":1}`,
		"seq 0":                      `{"g":1,"prev":"` + zeros + `","seq":0,"v":1}`,
		"leading zero":               `{"g":1,"prev":"` + zeros + `","seq":01,"v":1}`,
		"negative":                   `{"g":1,"prev":"` + zeros + `","seq":-1,"v":1}`,
		"too long a number":          `{"g":1,"prev":"` + zeros + `","seq":12345678901234567,"v":1}`,
		"short prev":                 `{"g":1,"prev":"` + zeros[1:] + `","seq":1,"v":1}`,
		"upper-case prev":            `{"g":1,"prev":"` + zeros[1:] + `A","seq":1,"v":1}`,
		"no prev":                    `{"g":1,"seq":1,"v":1}`,
		"seq only inside":            `{"g":1,"prev":"` + zeros + `","v":1,"x":{"seq":1}}`,
		"space":                      `{"g":1, "prev":"` + zeros + `","seq":1,"v":1}`,
		"comma at the end":           `{"g":1,"prev":"` + zeros + `","seq":1,"v":1,}`,
		"empty value":                `{"g":1,"prev":"` + zeros + `","seq":1,"v":}`,
		"text after a value":         `{"g":1,"prev":"` + zeros + `"x,"seq":1,"v":1}`,
		"open list":                  `{"g":1,"prev":"` + zeros + `","seq":1,"v":1,"x":[1}`,
		"withheld, not a hash":       `{"h":"` + zeros[1:] + `g"}`,
		"withheld, with another":     `{"h":"` + zeros + `","x":1}`,
		"withheld, no closing quote": `{"h":"` + zeros + `1}`,
	} {
		if h, err := frame.Parse([]byte(line)); err == nil {
			t.Errorf("%s: passes as %+v", name, h)
		}
	}
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// Whatever is cut off, whole groups before it are found, and nothing after.
func TestWholeFindsEveryCut(t *testing.T) {
	w := &vaulttest.Writer{}
	var all [][]byte
	ends := map[int]bool{0: true}
	for _, texts := range [][]string{{"a"}, {"b", "c", "d"}, {"e", "f"}, {"g"}} {
		all = append(all, w.Group(texts...)...)
		ends[len(all)] = true
	}
	for cut := range len(all) + 1 {
		n, after, err := frame.Whole(frame.At{}, all[:cut])
		want := cut
		for !ends[want] {
			want--
		}
		if n != want || after.Seq != int64(want) || err != nil {
			t.Errorf("%d lines: %d are whole, want %d: %v", cut, n, want, err)
		}
	}
	// A withheld line may have closed its group: then the next that can be read tells.
	hidden := append([][]byte{}, all...)
	hidden[0], hidden[3] = vaulttest.Withhold(all[0]), vaulttest.Withhold(all[3])
	if n, _, err := frame.Whole(frame.At{}, hidden); n != len(all) || err != nil {
		t.Errorf("%d of %d lines are whole: %v", n, len(all), err)
	}
	if n, _, err := frame.Whole(frame.At{}, hidden[:5]); n != 0 || err != nil {
		t.Errorf("%d lines are whole where no end can be seen: %v", n, err)
	}
	if n, _, err := frame.Whole(frame.At{}, all[1:]); n != 0 || err == nil {
		t.Errorf("%d lines are whole without their beginning", n)
	}
}

// Any change to any line of any history is found by Check or by the next line.
func TestAnyChangeIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &vaulttest.Writer{Salt: rapid.StringMatching(`[a-z]{0,8}`).Draw(t, "salt")}
		texts := rapid.SliceOfN(rapid.StringMatching(`[ -!#-%'-;=?-\[\]-_a-~]{0,40}`), 1, 6).Draw(t, "texts")
		group, next := w.Group(texts...), w.Group("next")
		end, err := frame.Check(frame.At{}, group)
		if err != nil || end.Chain.IsZero() || end.Seq != int64(len(texts)) {
			t.Fatalf("a right group is refused: %+v %v", end, err)
		}
		i := rapid.IntRange(0, len(group)-1).Draw(t, "line")
		at := rapid.IntRange(0, len(group[i])-1).Draw(t, "byte")
		to := rapid.Byte().Draw(t, "to")
		if group[i][at] == to {
			return
		}
		group[i] = bytes.Clone(group[i])
		group[i][at] = to
		end, err = frame.Check(frame.At{}, group)
		if err == nil {
			_, err = frame.Check(end, next)
		}
		if err == nil {
			t.Fatalf("changed and not found: %s", group[i])
		}
	})
}

func TestNames(t *testing.T) {
	a, b := ledger.HashOf([]byte("a")), ledger.HashOf([]byte("b"))
	for text, want := range map[string][]ledger.Hash{
		`{"prompt":"` + a.String() + `","reply":"` + b.String() + `"}`: {a, b},
		`{"blobs":["` + a.String() + `","` + a.String() + `"]}`:        {a, a},
		`{"x":"` + a.String()[1:] + `"}`:                               nil,
		`{"x":"` + a.String() + `0"}`:                                  nil,
		`{"x":"a` + a.String() + `"}`:                                  nil,
		`{"x":"\"` + a.String() + `"}`:                                 {a}, // text that looks like one: kept for safety
		`"` + a.String() + `"`:                                         {a},
		`"` + a.String():                                               nil,
		``:                                                             nil,
	} {
		var got []ledger.Hash
		frame.Names([]byte(text), func(h ledger.Hash) { got = append(got, h) })
		if len(got) != len(want) || (len(got) > 0 && got[0] != want[0]) {
			t.Errorf("%s names %v, want %v", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	w := &vaulttest.Writer{}
	for _, line := range w.Group("text", "more") {
		f.Add(line)
		f.Add(vaulttest.Withhold(line))
	}
	f.Add([]byte(`{"g":1,"prev":"` + zeros + `","seq":1,"v":1,"x":{"y":["\"",{}]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		h, err := frame.Parse(line)
		frame.Names(line, func(ledger.Hash) {})
		if err != nil {
			return
		}
		if bytes.ContainsAny(line, "\n\r\x00") {
			t.Fatalf("a line with a line break passes: %q", line)
		}
		if !h.Withheld && (h.Seq < 1 || h.Group < 1 || h.Hash != ledger.HashOf(line)) {
			t.Fatalf("header %+v of %q", h, line)
		}
	})
}
