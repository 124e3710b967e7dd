package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// kindLetters are the kinds of objects: answer w, assumption m, claim c, note n,
// plan item p, question q, quote k, report o, source s, step f, task t, tried r.
const kindLetters = "cfkmnopqrstw"

const idLen = 1 + 32

// IDKind gives the kind letter of an object id, 0 when s is none.
func IDKind(s string) byte {
	if len(s) != idLen || strings.IndexByte(kindLetters, s[0]) < 0 || !isHex(s[1:]) {
		return 0
	}
	return s[0]
}

// id makes an id of a canonical object: the kind letter and the first 32 hex
// digits of its SHA-256.
func id(kind byte, object []byte) string {
	h := sha256.Sum256(object)
	var b [idLen]byte
	b[0] = kind
	hex.Encode(b[1:], h[:16])
	return string(b[:])
}

// object builds a canonical object whose names are given in order; empty values
// are left out. Text that is not UTF-8 can't come from a line; it is hashed with
// the bad bytes replaced, so that an id exists for everything.
type object []byte

func (o object) name(n string) object {
	if len(o) == 0 {
		o = append(make(object, 0, 256), '{') // most objects fit
	} else {
		o = append(o, ',')
	}
	o = append(o, '"')
	o = append(o, n...)
	return append(o, '"', ':')
}

func (o object) text(n, s string) object {
	if s == "" {
		return o
	}
	return o.name(n).str(s)
}

func (o object) str(s string) object {
	b, err := appendString(o, s)
	if err != nil {
		b, _ = appendString(o, strings.ToValidUTF8(s, "\ufffd"))
	}
	return b
}

func (o object) int(n string, v int64) object { return appendDecimal(o.name(n), v) }

func (o object) texts(n string, list []string) object {
	if len(list) == 0 {
		return o
	}
	o = append(o.name(n), '[')
	for i, s := range list {
		if i > 0 {
			o = append(o, ',')
		}
		o = o.str(s)
	}
	return append(o, ']')
}

func (o object) sentences(n string, list []Sentence) object {
	if len(list) == 0 {
		return o
	}
	o = append(o.name(n), '[')
	for i, s := range list {
		if i > 0 {
			o = append(o, ',')
		}
		o = append(o, object(nil).texts("claims", s.Claims).text("text", s.Text).end()...)
	}
	return append(o, ']')
}

func (o object) end() []byte {
	if len(o) == 0 {
		o = append(o, '{')
	}
	return append(o, '}')
}

// SortBasis sorts basis and takes out repeats, in place, and returns it.
func SortBasis(basis []string) []string {
	slices.Sort(basis)
	return slices.Compact(basis)
}

// TaskID is t{goal,nonce}; goal as in the task line, whatever amend says later.
func TaskID(t Task) string {
	return id('t', object(nil).text("goal", t.Goal).text("nonce", t.Nonce).end())
}

// SourceID is s{body,file}; s{name} for a file that could not be opened.
func SourceID(s Source) string {
	o := object(nil).text("body", s.Body).text("file", s.File)
	if len(o) == 0 {
		o = o.text("name", s.Name)
	}
	return id('s', o.end())
}

// QuestionID is q{parent,text}.
func QuestionID(q Question) string {
	return id('q', object(nil).text("parent", q.Parent).text("text", q.Text).end())
}

// ClaimID is c{basis,question,text}; the basis must be sorted (SortBasis).
func ClaimID(c Claim) string {
	return id('c', object(make([]byte, 0, 512)).texts("basis", c.Basis).text("question", c.Question).text("text", c.Text).end())
}

// QuoteID is k{claim,from,source,stance,to}.
func QuoteID(q Quote) string {
	return id('k', object(make([]byte, 0, 256)).text("claim", q.Claim).int("from", q.From).text("source", q.Source).
		text("stance", q.Stance).int("to", q.To).end())
}

// AssumeID is m{question,text}.
func AssumeID(a Assume) string {
	return id('m', object(nil).text("question", a.Question).text("text", a.Text).end())
}

// TriedID is r{approach,outcome,question,why}.
func TriedID(t Tried) string {
	return id('r', object(nil).text("approach", t.Approach).text("outcome", t.Outcome).text("question", t.Question).text("why", t.Why).end())
}

// AnswerID is w{question,sentences}, each sentence {claims,text}.
func AnswerID(a Answer) string {
	return id('w', object(nil).text("question", a.Question).sentences("sentences", a.Sentences).end())
}

// ReportID is o{answers,opening}, each sentence {claims,text}.
func ReportID(r Report) string {
	return id('o', object(nil).texts("answers", r.Answers).sentences("opening", r.Opening).end())
}

// ItemID is p{args,kind,serves}.
func ItemID(i Item) string {
	return id('p', object(nil).texts("args", i.Args).text("kind", i.Kind).text("serves", i.Serves).end())
}

// NoteID is n{due,for,on,text}.
func NoteID(n Note) string {
	return id('n', object(nil).text("due", n.Due).text("for", n.For).text("on", n.On).text("text", n.Text).end())
}

// StepKey is f{args,inputs,kind}: two steps with the same key are the same work.
func StepKey(kind string, args []string, inputs string) string {
	return id('f', object(nil).texts("args", args).text("inputs", inputs).text("kind", kind).end())
}

// Place is a run of sentences of one source, inclusive, from 1.
type Place struct {
	Source   string
	From, To int64
}

// Overlaps reports whether both name a common sentence.
func (p Place) Overlaps(o Place) bool {
	return p.Source == o.Source && p.From <= o.To && o.From <= p.To
}

// Ref writes a reference as it stands in a basis: "<source id>/<from>-<to>".
func Ref(source string, from, to int64) string {
	return source + "/" + Span(from, to)
}

// Span writes a run of sentences: "<from>-<to>".
func Span(from, to int64) string {
	return strconv.FormatInt(from, 10) + "-" + strconv.FormatInt(to, 10)
}

// ParseRef reads a reference.
func ParseRef(s string) (Place, bool) {
	p, err := parseRef(s)
	return p, err == nil
}

// ParseSpan reads "<from>-<to>".
func ParseSpan(s string) (from, to int64, ok bool) {
	from, to, err := parseRange(s)
	return from, to, err == nil
}

func parseRef(s string) (Place, error) {
	if len(s) <= idLen || s[idLen] != '/' || IDKind(s[:idLen]) != 's' {
		return Place{}, errForm("%q is no reference to sentences of a source", s)
	}
	from, to, err := parseRange(s[idLen+1:])
	return Place{Source: s[:idLen], From: from, To: to}, err
}

func parseRange(s string) (from, to int64, err error) {
	i := strings.IndexByte(s, '-')
	if i < 0 {
		return 0, 0, errForm("%q is no run of sentences", s)
	}
	from, ok := count(s[:i])
	to, ok2 := count(s[i+1:])
	if !ok || !ok2 || from > to {
		return 0, 0, errForm("%q is no run of sentences", s)
	}
	return from, to, nil
}

// count reads a number from 1 without leading zeros.
func count(s string) (int64, bool) {
	if s == "" || len(s) > 16 || s[0] == '0' {
		return 0, false
	}
	var n int64
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n, n <= MaxInt
}
