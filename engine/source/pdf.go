package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/klippa-app/go-pdfium"
	perrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// pdfPages is the limit of PDFium's own memory, in pages of 64 KiB: 128 MiB. The
// file's bytes are not in it, they are read through a callback.
const pdfPages = 128 << 20 >> 16

// pdfReader keeps compiled PDFium for the life of the child.
type pdfReader struct{ pool pdfium.Pool }

// newPDFReader compiles PDFium, or loads it from cache, a private folder: what
// is in it is run as native code.
func newPDFReader(cache string) (*pdfReader, error) {
	ctx := experimental.WithCompilationWorkers(context.Background(), 2)
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(pdfPages)
	if cache != "" {
		c, err := wazero.NewCompilationCacheWithDir(cache)
		if err != nil {
			return nil, fmt.Errorf("open compilation cache: %w", err)
		}
		config = config.WithCompilationCache(c)
	}
	pool, err := webassembly.Init(webassembly.Config{
		Context: ctx, MinIdle: 0, MaxIdle: 1, MaxTotal: 1,
		FSConfig:      wazero.NewFSConfig(), // empty: without it the whole disk is mounted
		RuntimeConfig: config,
		Stdout:        io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return &pdfReader{pool: pool}, nil
}

// pdfContent is what PDFium gives: raw text a page.
type pdfContent struct {
	pages  []string
	bad    int // pages that gave an error
	title  string
	reason string
}

// read opens a PDF in a new instance, because instances never give memory back.
// trapped means that the instance died; the child should be replaced.
func (r *pdfReader) read(file []byte) (c pdfContent, trapped bool) {
	defer func() {
		if p := recover(); p != nil {
			c, trapped = pdfContent{reason: trapReason(fmt.Sprint(p))}, true
		}
	}()
	instance, err := r.pool.GetInstance(10 * time.Second)
	if err != nil {
		return pdfContent{reason: trapReason(err.Error())}, true
	}
	defer func() { _ = instance.Close() }() // the instance is thrown away whatever it says
	doc, err := instance.OpenDocument(&requests.OpenDocument{FileReader: bytes.NewReader(file), FileReaderSize: int64(len(file))})
	if err != nil {
		switch {
		case errors.Is(err, perrors.ErrPassword), errors.Is(err, perrors.ErrSecurity):
			return pdfContent{reason: Encrypted}, false
		}
		return pdfContent{reason: trapReason(err.Error())}, true
	}
	count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil {
		return pdfContent{reason: trapReason(err.Error())}, true
	}
	size := 0
	for i := range count.PageCount {
		page := requests.Page{ByIndex: &requests.PageByIndex{Document: doc.Document, Index: i}}
		text, err := instance.GetPageText(&requests.GetPageText{Page: page})
		if err != nil {
			if isTrap(err) {
				return pdfContent{reason: trapReason(err.Error())}, true
			}
			c.bad++
			c.pages = append(c.pages, "")
			continue
		}
		if size += len(text.Text); size > MaxText+MaxText/4 {
			return pdfContent{reason: TooLarge}, false
		}
		c.pages = append(c.pages, text.Text)
	}
	switch {
	case count.PageCount == 0 || c.bad == count.PageCount:
		return pdfContent{reason: Damaged}, false
	case size == 0 || !strings.ContainsFunc(strings.Join(c.pages, ""), wordRune):
		c.reason = NoText
		return c, false
	}
	c.title = pdfTitle(instance, doc.Document)
	return c, false
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isTrap recognises the end of a WebAssembly instance among ordinary errors.
func isTrap(err error) bool {
	s := err.Error()
	return strings.Contains(s, "wasm error") || strings.Contains(s, "out of bounds") || strings.Contains(s, "unreachable") || strings.Contains(s, "module closed")
}

// trapReason: an instance that asked for more than its memory ends in a trap
// that does not name it, so only clear words count as memory.
func trapReason(s string) string {
	if strings.Contains(s, "memory") && !strings.Contains(s, "out of bounds") {
		return Memory
	}
	return Damaged
}

// pdfTitle is the title that the file names, or the words in the largest type
// on its first page.
func pdfTitle(instance pdfium.Pdfium, doc references.FPDF_DOCUMENT) string {
	tags := []string{"Title"}
	if meta, err := instance.GetMetaData(&requests.GetMetaData{Document: doc, Tags: &tags}); err == nil && len(meta.Tags) > 0 {
		if t := goodTitle(meta.Tags[0].Value); t != "" {
			return t
		}
	}
	page := requests.Page{ByIndex: &requests.PageByIndex{Document: doc, Index: 0}}
	got, err := instance.GetPageTextStructured(&requests.GetPageTextStructured{
		Page: page, Mode: requests.GetPageTextStructuredModeRects, CollectFontInformation: true})
	if err != nil {
		return "" // a title is a convenience; the text is here without it
	}
	var largest float64
	var words []string
	for _, r := range got.Rects {
		text := strings.Join(strings.Fields(r.Text), " ")
		if r.FontInformation == nil || len(text) < 4 || strings.HasPrefix(text, "arXiv:") || !strings.ContainsFunc(text, unicode.IsLetter) {
			continue
		}
		switch size := r.FontInformation.Size; {
		case size > largest*1.02:
			largest, words = size, []string{text}
		case size > largest*0.98:
			words = append(words, text)
		}
	}
	return goodTitle(strings.Join(words, " "))
}

// goodTitle refuses what word processors put where a title should be.
func goodTitle(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	low := strings.ToLower(s)
	if len(s) < 4 || len(s) > 300 || !strings.ContainsFunc(s, unicode.IsLetter) || strings.HasPrefix(low, "untitled") || strings.HasPrefix(low, "microsoft word") {
		return ""
	}
	for _, end := range []string{".doc", ".docx", ".tex", ".dvi", ".pdf", ".indd", ".qxd"} {
		if strings.HasSuffix(low, end) {
			return ""
		}
	}
	return s
}
