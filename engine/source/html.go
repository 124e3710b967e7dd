package source

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlText is the text of a page: body, its blocks, and the title.
type htmlText struct {
	body   []byte
	blocks []block
	title  string
}

var emptyRawElement = regexp.MustCompile(`(?i)<(title|script|style|textarea|iframe|noscript)(\s[^<>]*)?/>`)

// readHTML takes the article out of a page, or the whole page where no article
// is found or where it would leave most of the text out.
func readHTML(page []byte) (htmlText, error) {
	if xhtml(page) {
		// An HTML parser reads <title/> as the start of an endless title.
		page = emptyRawElement.ReplaceAll(page, []byte("<$1$2></$1>"))
	}
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return htmlText{}, fmt.Errorf("parse page: %w", err)
	}
	whole := renderHTML(doc)
	whole.title = pageTitle(doc)
	freeHeadings(doc)
	p := readability.NewParser()
	p.MaxElemsToParse = 200_000
	article, err := p.ParseAndMutate(doc, nil)
	if err != nil || article.Node == nil {
		return whole, nil // no article in it: the page as it stands
	}
	got := renderHTML(article.Node)
	if t := strings.Join(strings.Fields(article.Title()), " "); t != "" {
		whole.title = clip(t, 300)
	}
	got.title = whole.title
	if letters(got.body)*2 < letters(whole.body) || letters(got.body) < 200 {
		return whole, nil
	}
	return got, nil
}

// freeHeadings takes headings out of boxes of their own, with the links to edit
// a section that stand beside them: readability takes such boxes for clutter.
func freeHeadings(doc *html.Node) {
	var boxes []*html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && isHeading(n) && n.Parent != nil && n.Parent.DataAtom == atom.Div && n.Parent.Parent != nil && onlyHeading(n) {
			boxes = append(boxes, n)
		}
	}
	for _, h := range boxes {
		box := h.Parent
		box.RemoveChild(h)
		box.Parent.InsertBefore(h, box)
		box.Parent.RemoveChild(box)
	}
}

func isHeading(n *html.Node) bool {
	return len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6'
}

// onlyHeading: beside h its box holds nothing but spans.
func onlyHeading(h *html.Node) bool {
	for c := h.Parent.FirstChild; c != nil; c = c.NextSibling {
		if c != h && (c.Type == html.ElementNode && c.DataAtom != atom.Span || c.Type == html.TextNode && strings.TrimSpace(c.Data) != "") {
			return false
		}
	}
	return true
}

func xhtml(page []byte) bool {
	top := bytes.ToLower(page[:min(len(page), 1024)])
	return bytes.HasPrefix(bytes.TrimSpace(top), []byte("<?xml")) || bytes.Contains(top, []byte("xhtml"))
}

func letters(b []byte) int {
	n := 0
	for _, r := range string(b) {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

func pageTitle(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Title && n.FirstChild != nil && (n.Parent == nil || n.Parent.DataAtom == atom.Head) {
			return clip(strings.Join(strings.Fields(n.FirstChild.Data), " "), 300)
		}
	}
	return ""
}

// htmlWriter turns a tree into blocks separated by blank lines.
type htmlWriter struct {
	out    []byte
	blocks []block
	from   int // start of the open block
	kind   blockKind
	pre    int
	cells  int // cells written in the open table row
	blank  bool
}

func renderHTML(root *html.Node) htmlText {
	w := &htmlWriter{}
	w.node(root)
	w.end(para)
	return htmlText{body: bytes.TrimRight(w.out, "\n "), blocks: w.blocks}
}

var hiddenElements = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Head: true, atom.Iframe: true,
	atom.Object: true, atom.Audio: true, atom.Video: true, atom.Canvas: true, atom.Select: true, atom.Button: true, atom.Nav: true,
	atom.Input: true, atom.Textarea: true, atom.Map: true,
}

var blockElements = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Center: true, atom.Dd: true, atom.Details: true,
	atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true, atom.Footer: true,
	atom.Form: true, atom.Header: true, atom.Hr: true, atom.Li: true, atom.Main: true, atom.Ol: true, atom.P: true, atom.Pre: true,
	atom.Section: true, atom.Summary: true, atom.Table: true, atom.Tbody: true, atom.Tfoot: true, atom.Thead: true, atom.Tr: true,
	atom.Ul: true, atom.Caption: true, atom.Body: true, atom.Html: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
}

func (w *htmlWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
		return
	case html.ElementNode:
	case html.DocumentNode:
		w.children(n)
		return
	default:
		return
	}
	switch {
	case hiddenElements[n.DataAtom] || hidden(n):
		return
	case n.DataAtom == atom.Br:
		if w.kind == row {
			w.text(" ")
			return
		}
		w.out = append(bytes.TrimRight(w.out, " "), '\n')
		w.blank = true
	case n.Data == "math":
		w.math(n)
	case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
		if w.cells > 0 && len(w.out) > w.from {
			w.text(" | ")
		}
		w.cells++
		w.children(n)
	case n.DataAtom == atom.Tr && flat(n):
		w.end(para)
		w.kind, w.cells = row, 0
		w.children(n)
		w.end(para)
	case blockElements[n.DataAtom]:
		w.end(para)
		if isHeading(n) {
			w.kind = head
		}
		if n.DataAtom == atom.Pre {
			w.pre++
		}
		w.children(n)
		if n.DataAtom == atom.Pre {
			w.pre--
		}
		w.end(para)
	default:
		w.children(n)
	}
}

func (w *htmlWriter) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c)
	}
}

// flat reports that a table row holds data, not the layout of a page.
func flat(n *html.Node) bool {
	size := 0
	for d := range n.Descendants() {
		switch d.DataAtom {
		case atom.Table, atom.P, atom.Div, atom.Ul, atom.Ol, atom.H1, atom.H2, atom.H3:
			return false
		}
		if d.Type == html.TextNode {
			size += len(d.Data)
		}
	}
	return size < 2*MaxSentence
}

// hidden: what the page's author does not show.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if a.Val == "true" && n.DataAtom != atom.Span {
				return true
			}
		case "style":
			if s := strings.ReplaceAll(strings.ToLower(a.Val), " ", ""); strings.Contains(s, "display:none") && n.FirstChild != nil && !hasMath(n) {
				return true
			}
		}
	}
	return false
}

func hasMath(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.Data == "math" && d.Type == html.ElementNode {
			return true
		}
	}
	return false
}

// math writes a formula once: as its author's TeX where that is given.
func (w *htmlWriter) math(n *html.Node) {
	for _, a := range n.Attr {
		if a.Key == "alttext" && a.Val != "" {
			w.text(a.Val)
			return
		}
	}
	for d := range n.Descendants() {
		if d.Data == "annotation" && d.FirstChild != nil {
			w.text(d.FirstChild.Data)
			return
		}
	}
	w.children(n)
}

// text adds words; white space becomes one blank, except in <pre>.
func (w *htmlWriter) text(s string) {
	if w.pre > 0 {
		w.out = append(w.out, strings.ReplaceAll(s, "\r", "")...)
		w.blank = false
		return
	}
	for _, r := range s {
		switch {
		case r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' || r == 0xA0:
			if !w.blank && len(w.out) > w.from {
				w.out = append(w.out, ' ')
				w.blank = true
			}
		case r < ' ' || r >= 0x7F && r < 0xA0 || r == 0xFEFF || r == 0x200B || r == 0x00AD:
		default:
			w.out = utf8.AppendRune(w.out, r)
			w.blank = false
		}
	}
}

// end closes the open block; next is the kind of the one that begins.
func (w *htmlWriter) end(next blockKind) {
	from, to := trim(w.out, w.from, len(w.out))
	if from < to {
		w.out = w.out[:to]
		b := block{from: from, to: to, kind: w.kind, begins: true}
		if w.kind == para {
			for i := from; i < to; i++ {
				if w.out[i] == '\n' {
					b.inside().hard = append(b.inside().hard, i+1)
				}
			}
		}
		w.blocks = append(w.blocks, b)
		w.out = append(w.out, "\n\n"...)
		if w.kind == row {
			w.out = w.out[:len(w.out)-1]
		}
	} else {
		w.out = w.out[:w.from]
	}
	w.from, w.kind, w.blank = len(w.out), next, true
}
