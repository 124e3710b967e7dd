package source

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	xunicode "golang.org/x/text/encoding/unicode"
)

func TestMarkdown(t *testing.T) {
	d := textOf(t, "a.md", `---
title: "From the top"
date: 2024
---

Setext *heading*
================

A paragraph with [a link](http://x.y/z) in
two lines. And a second sentence.

> Quoted words over
> two lines. Done.

- first item
- second item
  goes on. Twice.

1. one
2. two

| Name | Size |
|------|------|
| abc  | 12   |

`+"```go\nx := 1. Y\nz\n```"+`

<!-- not for readers -->

[ref]: http://example.org "Title"

## Last **one** ##
`)
	if d.Title != "From the top" || !slices.Equal(d.Table.Headings, []string{"Setext heading", "Last one"}) {
		t.Errorf("title %q, headings %q", d.Title, d.Table.Headings)
	}
	want := []string{`title: "From the top"`, "date: 2024", "Setext *heading*", "A paragraph with [a link](http://x.y/z) in\ntwo lines.",
		"And a second sentence.", "Quoted words over\n> two lines.", "Done.", "first item", "second item\n  goes on.", "Twice.", "one", "two",
		"Name | Size", "abc  | 12", "x := 1. Y", "z", `[ref]: http://example.org "Title"`, "Last **one**"}
	if got := sentencesOf(&d); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestHTML(t *testing.T) {
	page := `<!DOCTYPE html><html><head><title> A  page </title><style>p{}</style></head><body><nav>Menu entry</nav>
<h1>Heading</h1><p>First&nbsp;sentence. Second <b>bold</b> one.</p><script>var x = "hidden words"</script>
<div style="display: none">unseen</div><p>A line<br>and another</p>
<ul><li>item one</li><li>item two</li></ul>
<table><tr><th>Name</th><th>Size</th></tr><tr><td>abc</td><td>12</td></tr></table>
<pre>code  here
  and here</pre><math alttext="x^2"><mi>x</mi></math></body></html>`
	for _, name := range []string{"a.html", "a.txt", "a"} {
		d := textOf(t, name, page)
		want := []string{"Heading", "First sentence.", "Second bold one.", "A line", "and another", "item one", "item two", "Name | Size", "abc | 12",
			"code  here", "and here", "x^2"}
		if got := sentencesOf(&d); d.Media != "html" || !slices.Equal(got, want) {
			t.Errorf("%s: %s\ngot  %q\nwant %q", name, d.Media, got, want)
		}
		if !slices.Equal(d.Table.Headings, []string{"Heading"}) || d.Title != "A page" {
			t.Errorf("title %q headings %q", d.Title, d.Table.Headings)
		}
	}
	// XHTML with an empty title must not swallow its body.
	d := textOf(t, "a.xhtml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><p>Here it is.</p></body></html>`)
	if got := sentencesOf(&d); !slices.Equal(got, []string{"Here it is."}) {
		t.Errorf("XHTML: %q", got)
	}
	deep, _ := (&extractor{}).safely("deep.html", []byte("<html>"+strings.Repeat("<div>", 20000)+"words"))
	if deep.Reason != Damaged {
		t.Errorf("a page 20000 deep: %+v", deep.Reason)
	}
}

func TestRecords(t *testing.T) {
	d := textOf(t, "a.csv", "name,text\n1,\"two\nlines, \"\"quoted\"\"\"\n\n2,plain\n")
	if got, want := sentencesOf(&d), []string{"name,text", "1,\"two\nlines, \"\"quoted\"\"\"", "2,plain"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	long := "1,\"" + strings.Repeat("A sentence in a cell. ", 100) + "\"\n2,x\n"
	d = textOf(t, "a.csv", long)
	if n := d.Table.Len(); n < 10 {
		t.Errorf("a cell of 2,200 bytes makes %d sentences", n)
	}
	// A quote without its pair costs one record, not the table.
	d = textOf(t, "a.csv", "1,5\" pipe\n"+strings.Repeat("2,some other words here\n", 4000))
	if n := d.Table.Len(); n < 3900 {
		t.Errorf("%d records of 4001", n)
	}
}

func TestEncodings(t *testing.T) {
	polish := "Zażółć gęślą jaźń. Łódź leży nad rzeką, a wieś śpi. Część osób już tu była i mówiła o książkach."
	french := "L'été où l'élève a mangé des crêpes à la forêt près de l'île était très agréable."
	russian := "Съешь же ещё этих мягких французских булок, да выпей чаю. Всё это было давно."
	japan := strings.Repeat("縄文時代の日本についての文章です。公用語は日本語です。", 5)
	for name, c := range map[string]struct {
		text string
		enc  encoding.Encoding
	}{
		"UTF-8 with mark": {french, xunicode.UTF8BOM},
		"UTF-16LE":        {french, xunicode.UTF16(xunicode.LittleEndian, xunicode.IgnoreBOM)},
		"UTF-16BE":        {french, xunicode.UTF16(xunicode.BigEndian, xunicode.UseBOM)},
		"Windows-1252":    {french, charmap.Windows1252},
		"Windows-1250":    {polish, charmap.Windows1250},
		"ISO-8859-2":      {polish, charmap.ISO8859_2},
		"Windows-1251":    {russian, charmap.Windows1251},
		"KOI8-R":          {russian, charmap.KOI8R},
		"Shift-JIS":       {japan, japanese.ShiftJIS},
		"EUC-JP":          {japan, japanese.EUCJP},
	} {
		raw, err := c.enc.NewEncoder().String(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if d := textOf(t, "a.txt", raw); string(d.Body) != c.text {
			t.Errorf("%s: %.80q", name, d.Body)
		}
	}
	d := textOf(t, "a.html", "<html><head><meta charset=\"windows-1253\"></head><body>\xC3\xE5\xE9\xDC \xF3\xEF\xF5</body></html>")
	if string(d.Body) != "Γειά σου" {
		t.Errorf("declared: %q", d.Body)
	}
}

func TestNormalForm(t *testing.T) {
	d := textOf(t, "a.txt", "\uFEFFa\r\nb\rc\x07d\fe\u0085f\uFEFFg"+strings.Repeat(" word", 20))
	if string(d.Body) != "a\nb\ncd\n\ne\nfg"+strings.Repeat(" word", 20) {
		t.Errorf("%q", d.Body)
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct{ name, raw, media, reason string }{
		{"a.md", "# x", "markdown", ""}, {"a.TXT", "x", "text", ""}, {"a", "x", "text", ""}, {"a.csv", "x", "csv", ""}, {"a.tsv", "x", "tsv", ""},
		{"a.txt", "junk %PDF-1.7", "pdf", ""}, {"a.pdf", "words", "text", ""}, {"a.docx", "PK\x03\x04", "zip", Damaged},
		{"a.txt", "  <!-- c --><!DOCTYPE html>", "html", ""}, {"a.md", "<b>bold</b> text", "markdown", ""}, {"a.jpg", "\xFF\xD8\xFF\xE0", "jpeg", NoText},
		{"a.rtf", `{\rtf1 x}`, "rtf", Unsupported}, {"a.eml", "From: a\nTo: b\nSubject: c\n\nHi", "mail", Unsupported}, {"a.eml", "no mail", "text", ""},
		{"a.doc", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "doc", Unsupported}, {"a.mp4", "\x00\x00\x00\x18ftypmp42", "video", Unsupported},
		{"a.svg", "<svg xmlns=''>", "svg", Unsupported}, {"a.exe", "\x7FELF", "program", Binary},
	} {
		if media, reason := kindOfFile(c.name, []byte(c.raw)); media != c.media || reason != c.reason {
			t.Errorf("%s %q: %s %q, want %s %q", c.name, c.raw, media, reason, c.media, c.reason)
		}
	}
}

func TestPDFText(t *testing.T) {
	pages := []string{
		"Running head 1\r\nA Study\r\n1 Introduction\r\nThis is a para\x02graph of well\x02known words that is wide enough.\r\nIt has state-of-the-art infor\x02mation, PaSa\x02GPT-4o and self-\r\n" +
			"attention in lines that are wide enough.\r\nShort end.\r\nThe next paragraph \x01goes over the page and is wide\r\n1",
		"Running head 2\r\nuntil it ends on another page, as is usual in a text.\r\n• An item.\r\nTheory\r\nUnder a heading that stands alone there is wide text\r\n, and so on.\r\n2",
		"Running head 3\r\nEnd of it all, the information is complete and done.\r\n3",
	}
	body, blocks := pdfBody(pages)
	table := cut(body, blocks)
	if err := table.Check(body); err != nil {
		t.Fatal(err)
	}
	d := Document{Body: body, Table: table}
	want := []string{"A Study", "1 Introduction", "This is a paragraph of well-known words that is wide enough.",
		"It has state-of-the-art information, PaSa-GPT-4o and self-attention in lines that are wide enough.", "Short end.",
		"The next paragraph goes over the page and is wide until it ends on another page, as is usual in a text.", "• An item.", "Theory",
		"Under a heading that stands alone there is wide text, and so on.", "End of it all, the information is complete and done."}
	if got := sentencesOf(&d); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if !slices.Equal(table.Headings, []string{"1 Introduction", "Theory"}) {
		t.Errorf("headings %q", table.Headings)
	}
	var at []int
	for _, s := range table.Sentences {
		at = append(at, s.Page)
	}
	if !slices.Equal(at, []int{1, 1, 1, 1, 1, 1, 2, 2, 2, 3}) {
		t.Errorf("pages %v", at)
	}
}
