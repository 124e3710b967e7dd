package source

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode/utf32"

	xunicode "golang.org/x/text/encoding/unicode"
)

// decode turns the bytes of a text file into normal form: UTF-8 without byte
// order mark, LF line ends, no control characters but tab and LF. It returns ""
// or the reason why the bytes are not a text. declared is the encoding that the
// document names itself, "" for none.
func decode(raw []byte, declared string) ([]byte, string) {
	text, ok := toUTF8(raw, declared)
	if !ok {
		return nil, Binary
	}
	if len(text) > MaxText+MaxText/4 {
		return nil, TooLarge
	}
	if binaryText(text) {
		if len(bytes.Trim(raw, "\x00")) == 0 {
			return nil, Empty
		}
		return nil, Binary
	}
	text = normal(text)
	if len(bytes.TrimFunc(text, blank)) == 0 {
		return nil, Empty
	}
	if len(text) > MaxText {
		return nil, TooLarge
	}
	return text, ""
}

// toUTF8: byte order mark, then valid UTF-8, then UTF-16 by its zero bytes, then
// what the document says, then detection.
func toUTF8(raw []byte, declared string) ([]byte, bool) {
	switch {
	case bytes.HasPrefix(raw, []byte{0xEF, 0xBB, 0xBF}):
		return bytes.ToValidUTF8(raw[3:], []byte("\uFFFD")), true
	case bytes.HasPrefix(raw, []byte{0xFF, 0xFE, 0, 0}):
		return convert(raw[4:], utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM))
	case bytes.HasPrefix(raw, []byte{0, 0, 0xFE, 0xFF}):
		return convert(raw[4:], utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM))
	case bytes.HasPrefix(raw, []byte{0xFF, 0xFE}):
		return convert(raw[2:], xunicode.UTF16(xunicode.LittleEndian, xunicode.IgnoreBOM))
	case bytes.HasPrefix(raw, []byte{0xFE, 0xFF}):
		return convert(raw[2:], xunicode.UTF16(xunicode.BigEndian, xunicode.IgnoreBOM))
	}
	if e := wide(raw); e != nil {
		return convert(raw, e)
	}
	if utf8.Valid(raw) {
		return raw, true
	}
	if mostlyUTF8(raw) {
		return bytes.ToValidUTF8(raw, []byte("\uFFFD")), true
	}
	if e := named(declared); e != nil {
		if text, ok := convert(raw, e); ok && bytes.Count(text, []byte("\uFFFD")) == 0 {
			return text, true
		}
	}
	return convert(raw, detect(raw))
}

func convert(raw []byte, e encoding.Encoding) ([]byte, bool) {
	out, err := e.NewDecoder().Bytes(raw)
	if err != nil {
		return nil, false
	}
	return bytes.ToValidUTF8(out, []byte("\uFFFD")), true
}

// wide recognises UTF-16 without a mark: in text of any language about every
// second byte is from a small set, mostly zero for Latin letters and blanks.
func wide(raw []byte) encoding.Encoding {
	s := raw[:min(len(raw), 4096)&^1]
	if len(s) < 8 {
		return nil
	}
	var even, odd int
	for i := 0; i < len(s); i += 2 {
		if s[i] == 0 {
			even++
		}
		if s[i+1] == 0 {
			odd++
		}
	}
	half := len(s) / 2
	switch {
	case odd > half*4/10 && even < half/20:
		return xunicode.UTF16(xunicode.LittleEndian, xunicode.IgnoreBOM)
	case even > half*4/10 && odd < half/20:
		return xunicode.UTF16(xunicode.BigEndian, xunicode.IgnoreBOM)
	}
	return nil
}

// mostlyUTF8: a long UTF-8 text with a few broken bytes (a cut end, a pasted
// byte) is still UTF-8.
func mostlyUTF8(raw []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else if n > 1 {
			good++
		}
		i += n
	}
	return good > 20*bad
}

// aliases are names that detectors and files use for encodings of the web.
var aliases = map[string]string{"cp932": "shift_jis", "ms932": "shift_jis", "cp949": "euc-kr", "uhc": "euc-kr", "cp936": "gbk", "cp950": "big5",
	"maccyrillic": "x-mac-cyrillic", "macroman": "macintosh", "hz-gb-2312": "gbk"}

// named finds an encoding by the name a document or detector gives.
func named(name string) encoding.Encoding {
	name = strings.ToLower(strings.TrimSpace(name))
	if a, ok := aliases[name]; ok {
		name = a
	}
	if name == "" {
		return nil
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	return e
}

// singleByte are the encodings tried by fitness, in order of preference.
var singleByte = []encoding.Encoding{charmap.Windows1252, charmap.Windows1250, charmap.ISO8859_2, charmap.Windows1251, charmap.KOI8R,
	charmap.Windows1253, charmap.Windows1254, charmap.Windows1255, charmap.Windows1256, charmap.Windows1257}

// detect guesses the encoding of bytes that are not UTF-8. Below a certainty of
// 0.8 the detector is wrong more often than a look at which reading puts letters
// where letters belong; for encodings of two bytes it is good.
func detect(raw []byte) encoding.Encoding {
	sample := raw[:min(len(raw), 256<<10)]
	guess := chardet.Detect(sample)
	e := named(guess.Encoding)
	if _, single := e.(*charmap.Charmap); e != nil && (guess.Confidence >= 0.8 && !latin(e) || !single && guess.Confidence >= 0.5) {
		return e
	}
	best, bestScore := singleByte[0], fitness(sample, singleByte[0])
	if e != nil && guess.Confidence >= 0.5 {
		if s := fitness(sample, e); s > bestScore {
			best, bestScore = e, s
		}
	}
	for _, c := range singleByte[1:] {
		if s := fitness(sample, c); s > bestScore {
			best, bestScore = c, s
		}
	}
	return best
}

// latin: single-byte encodings that detectors can't tell apart.
func latin(e encoding.Encoding) bool {
	switch e {
	case charmap.Windows1252, charmap.Windows1250, charmap.ISO8859_1, charmap.ISO8859_2, charmap.ISO8859_15, charmap.Windows1254, charmap.ISO8859_9:
		return true
	}
	return false
}

// fitness is high when the bytes above 0x7F become letters inside words of one
// script whose case fits, and low when they become signs between letters.
func fitness(raw []byte, e encoding.Encoding) int {
	out, ok := convert(raw, e)
	if !ok {
		return -1 << 30
	}
	score := 0
	before := rune(' ')
	rs := []rune(string(out))
	for i, r := range rs {
		if r >= 0x80 {
			after := rune(' ')
			if i+1 < len(rs) {
				after = rs[i+1]
			}
			score += fit(before, r, after)
		}
		before = r
	}
	return score
}

func fit(before, r, after rune) int {
	switch {
	case r == utf8.RuneError || unicode.IsControl(r):
		return -10
	case !unicode.IsLetter(r):
		if unicode.IsLetter(before) && unicode.IsLetter(after) && r != '’' && r != '·' && !unicode.Is(unicode.M, r) {
			return -3 // a sign inside a word
		}
		return 0
	case otherScript(r, before) || otherScript(r, after):
		return -3
	case unicode.IsUpper(r) && unicode.IsLower(before), unicode.IsLower(r) && unicode.IsUpper(before) && unicode.IsUpper(after):
		return -2
	case unicode.IsLetter(before) || unicode.IsLetter(after):
		return 1
	}
	return 0
}

// otherScript: both are letters, of different scripts.
func otherScript(a, b rune) bool {
	return unicode.IsLetter(b) && script(a) != script(b)
}

func script(r rune) int {
	switch {
	case unicode.Is(unicode.Latin, r):
		return 1
	case unicode.Is(unicode.Cyrillic, r):
		return 2
	case unicode.Is(unicode.Greek, r):
		return 3
	case unicode.Is(unicode.Hebrew, r):
		return 4
	case unicode.Is(unicode.Arabic, r):
		return 5
	}
	return 6
}

// binaryText: control characters where a text has none.
func binaryText(text []byte) bool {
	s := text[:min(len(text), 64<<10)]
	bad := 0
	for _, c := range s {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1B {
			bad++
		}
	}
	bad += 2 * bytes.Count(s, []byte("\uFFFD"))
	return bad > len(s)/50
}

// normal makes line ends LF and drops what no reader sees: control characters,
// and marks of byte order inside a text. Form feeds become paragraph ends.
func normal(text []byte) []byte {
	if plain(text) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\r':
			out = append(out, '\n')
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
		case c == '\f' || c == '\v':
			out = append(out, '\n', '\n')
		case c < ' ' && c != '\n' && c != '\t' || c == 0x7F:
		case c == 0xC2 && i+1 < len(text) && text[i+1] < 0xA0: // C1 controls
			if text[i+1] == 0x85 {
				out = append(out, '\n')
			}
			i++
		case c == 0xEF && i+2 < len(text) && text[i+1] == 0xBB && text[i+2] == 0xBF:
			i += 2
		default:
			out = append(out, c)
		}
	}
	return out
}

// plain reports that normal has nothing to do.
func plain(text []byte) bool {
	for i, c := range text {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7F {
			return false
		}
		if c == 0xC2 && i+1 < len(text) && text[i+1] < 0xA0 || c == 0xEF && i+1 < len(text) && text[i+1] == 0xBB {
			return false
		}
	}
	return true
}
