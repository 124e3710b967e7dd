package source

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
)

// The names and versions of the extractors, as they stand on `source` lines. A
// change that gives other text or other sentences for some file raises the
// version: the same file then makes a new version of the source.
var extractors = map[string]string{
	"markdown": "markdown/1", "text": "text/1", "csv": "records/1", "tsv": "records/1", "html": "html/1", "pdf": "pdfium-1.21.4/1",
}

// extractor reads documents in this process: the child's side.
type extractor struct {
	cache string
	pdf   *pdfReader
}

// extract turns the bytes of a file into a document. spent means that this
// process should not be used for another file.
func (x *extractor) extract(name string, raw []byte) (d Document, spent bool) {
	d.Name = filepath.Base(name)
	if len(raw) == 0 {
		d.Media, d.Reason = "text", Empty
		return d, false
	}
	d.Media, d.Reason = kindOfFile(d.Name, raw)
	if d.Reason != "" {
		return d, false
	}
	d.Extractor = extractors[d.Media]
	var blocks []block
	if d.Media == "pdf" {
		blocks, spent = x.readPDF(&d, raw)
	} else {
		blocks = readText(&d, raw)
	}
	if d.Reason == "" && len(d.Body) > MaxText {
		d.Reason = TooLarge
	}
	if d.Reason == "" {
		d.Table = cut(d.Body, blocks)
		if len(d.Table.Sentences) == 0 {
			d.Reason = NoText
		}
	}
	if d.Reason != "" {
		d.Body, d.Table, d.Extractor, d.Title = nil, Table{}, "", ""
		return d, spent
	}
	switch d.Media {
	case "markdown":
		d.Title = markdownTitle(d.Body, &d.Table)
	case "text":
		d.Title = plainTitle(d.Body)
	}
	return d, spent
}

func (x *extractor) readPDF(d *Document, raw []byte) ([]block, bool) {
	if x.pdf == nil {
		r, err := newPDFReader(x.cache)
		if err != nil && x.cache != "" { // a cache that can't be used costs seconds, not the document
			r, err = newPDFReader("")
		}
		if err != nil {
			d.Reason = trapReason(err.Error())
			return nil, true
		}
		x.pdf = r
		debug.FreeOSMemory() // compiling takes 400 MB, reading 60
	}
	c, spent := x.pdf.read(raw)
	d.Pages, d.BadPages, d.Reason = len(c.pages), c.bad, c.reason
	if d.Reason != "" {
		return nil, spent
	}
	body, blocks := pdfBody(c.pages)
	d.Body, d.Title = body, c.title
	return blocks, spent
}

func readText(d *Document, raw []byte) []block {
	declared := ""
	if d.Media == "html" {
		declared = declaredCharset(raw)
	}
	if len(raw) > 2*MaxText { // even as UTF-16 this is too much text
		d.Reason = TooLarge
		return nil
	}
	text, reason := decode(raw, declared)
	if d.Reason = reason; reason != "" {
		return nil
	}
	switch d.Media {
	case "html":
		page, err := readHTML(text)
		if err != nil {
			d.Reason = Damaged
			return nil
		}
		d.Body, d.Title = page.body, page.title
		if len(d.Body) == 0 {
			d.Reason = NoText
		}
		return page.blocks
	case "markdown":
		d.Body = text
		return markdownBlocks(text)
	case "csv", "tsv":
		d.Body = text
		return recordBlocks(text)
	}
	d.Body = text
	return plainBlocks(text)
}

// safely is extract, with a panic of a parser turned into a reason.
func (x *extractor) safely(name string, raw []byte) (d Document, spent bool) {
	defer func() {
		if p := recover(); p != nil {
			d, spent = Document{Name: filepath.Base(name), Reason: trapReason(fmt.Sprint(p))}, true
			d.Media, _ = kindOfFile(d.Name, raw)
		}
	}()
	return x.extract(name, raw)
}
