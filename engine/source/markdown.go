package source

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownParser knows blocks only. Without inline parsers no input is
// quadratic, and link definitions stay part of the text.
var markdownParser = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
)

// markdownBlocks divides Markdown by its blocks. The body stays the file's text;
// marks of quotes and lists between the lines of a paragraph are skipped.
func markdownBlocks(body []byte) []block {
	top := frontMatter(body)
	var out []block
	for _, l := range linesOf(body, 0, top) {
		if strings.Trim(string(body[l.from:l.to]), "-+") != "" {
			out = append(out, block{from: l.from, to: l.to, kind: row, begins: true})
		}
	}
	m := marked{body: body[top:], base: top}
	doc := markdownParser.Parse(text.NewReader(m.body))
	// The walk can't fail: its function returns no error.
	_ = ast.Walk(doc, m.visit)
	return append(out, m.out...)
}

// frontMatter is the length of a block of settings at the top, 0 for none.
func frontMatter(body []byte) int {
	if !bytes.HasPrefix(body, []byte("---\n")) {
		return 0
	}
	z := bytes.Index(body[:min(len(body), 16<<10)], []byte("\n---\n"))
	if z < 0 {
		return 0
	}
	return z + len("\n---\n")
}

type marked struct {
	body []byte
	base int
	out  []block
}

func (m *marked) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering || n.Type() == ast.TypeInline {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Heading:
		m.lines(n, head)
		return ast.WalkSkipChildren, nil
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		m.code(n)
		return ast.WalkSkipChildren, nil
	case *ast.HTMLBlock:
		if n.HTMLBlockType != ast.HTMLBlockType2 {
			m.lines(n, para)
		}
		return ast.WalkSkipChildren, nil
	case *east.TableHeader, *east.TableRow:
		m.row(n)
		return ast.WalkSkipChildren, nil
	case *ast.Paragraph, *ast.TextBlock:
		m.lines(n, para)
		return ast.WalkSkipChildren, nil
	}
	return ast.WalkContinue, nil
}

// lines makes one block of all lines of n.
func (m *marked) lines(n ast.Node, kind blockKind) {
	ls := n.Lines()
	if ls == nil || ls.Len() == 0 {
		return
	}
	b := block{from: m.base + ls.At(0).Start, to: m.base + ls.At(ls.Len()-1).Stop, kind: kind, begins: true}
	for i := 1; i < ls.Len(); i++ {
		before, after := ls.At(i-1).Stop, ls.At(i).Start
		if before < after {
			b.inside().skip = append(b.inside().skip, [2]int{m.base + before, m.base + after})
		}
		l := m.body[ls.At(i-1).Start:before]
		if bytes.HasSuffix(l, []byte("  \n")) || bytes.HasSuffix(l, []byte("\\\n")) {
			b.inside().hard = append(b.inside().hard, m.base+after)
		}
	}
	m.add(b)
}

// code makes one block a line.
func (m *marked) code(n ast.Node) {
	ls := n.Lines()
	for i := range ls.Len() {
		m.add(block{from: m.base + ls.At(i).Start, to: m.base + ls.At(i).Stop, kind: row, begins: i == 0})
	}
}

// row is a line of a table, from its first cell to its last.
func (m *marked) row(n ast.Node) {
	from, to := -1, -1
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if ls := c.Lines(); ls != nil && ls.Len() > 0 {
			if from < 0 {
				from = ls.At(0).Start
			}
			to = max(to, ls.At(ls.Len()-1).Stop)
		}
	}
	if from >= 0 {
		m.add(block{from: m.base + from, to: m.base + to, kind: row, begins: true})
	}
}

// add keeps the order that cut relies on, whatever the parser did.
func (m *marked) add(b block) {
	if n := len(m.out); n > 0 && b.from < m.out[n-1].to {
		b.from = m.out[n-1].to
	}
	if b.from < b.to && b.to <= m.base+len(m.body) {
		m.out = append(m.out, b)
	}
}

// markdownTitle is the title setting, or the first heading.
func markdownTitle(body []byte, t *Table) string {
	for _, l := range linesOf(body, 0, frontMatter(body)) {
		if v, ok := strings.CutPrefix(string(body[l.from:l.to]), "title:"); ok {
			return clip(strings.Trim(strings.TrimSpace(v), `"'`), 300)
		}
	}
	if len(t.Headings) > 0 {
		return t.Headings[0]
	}
	return plainTitle(body)
}
