package source

import (
	"archive/zip"
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
)

// kindOfFile says what a file's bytes are. The name only decides between kinds
// of text that look alike. reason is "" for kinds that can be read.
func kindOfFile(name string, raw []byte) (media, reason string) {
	if i := bytes.Index(raw[:min(len(raw), 1024)], []byte("%PDF-")); i >= 0 {
		return "pdf", ""
	}
	for _, m := range magics {
		if len(raw) >= m.at+len(m.mark) && string(raw[m.at:m.at+len(m.mark)]) == m.mark {
			switch m.media {
			case "zip":
				return zipKind(raw)
			case "ole":
				return oleKind(name, raw)
			}
			return m.media, m.reason
		}
	}
	ext := strings.ToLower(filepath.Ext(name))
	if k, ok := byName[ext]; ok && k.reason != "" && looksLike(k.media, raw) {
		return k.media, k.reason
	}
	if looksHTML(raw) {
		return "html", ""
	}
	if k, ok := byName[ext]; ok && k.reason == "" {
		return k.media, ""
	}
	return "text", ""
}

type magic struct {
	at                  int
	mark, media, reason string
}

var magics = []magic{
	{0, "PK\x03\x04", "zip", ""}, {0, "PK\x05\x06", "zip", ""},
	{0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "ole", ""},
	{0, "\x89PNG\r\n\x1a\n", "png", NoText}, {0, "\xFF\xD8\xFF", "jpeg", NoText}, {0, "GIF87a", "gif", NoText}, {0, "GIF89a", "gif", NoText},
	{0, "II*\x00", "tiff", NoText}, {0, "MM\x00*", "tiff", NoText}, {8, "WEBP", "webp", NoText}, {4, "ftypheic", "heic", NoText},
	{4, "ftypavif", "avif", NoText}, {0, "8BPS", "photoshop", NoText},
	{0, "{\\rtf", "rtf", Unsupported}, {0, "%!PS", "postscript", Unsupported},
	{0, "\x1F\x8B", "gzip", Unsupported}, {0, "BZh", "bzip2", Unsupported}, {0, "\xFD7zXZ\x00", "xz", Unsupported},
	{0, "7z\xBC\xAF\x27\x1C", "7z", Unsupported}, {0, "Rar!\x1A\x07", "rar", Unsupported}, {0, "\x28\xB5\x2F\xFD", "zstd", Unsupported},
	{257, "ustar", "tar", Unsupported}, {0, "SQLite format 3\x00", "sqlite", Unsupported},
	{0, "\x78\x9F\x3E\x22", "winmail", Unsupported}, {60, "BOOKMOBI", "mobi", Unsupported},
	{0, "ID3", "audio", Unsupported}, {0, "OggS", "audio", Unsupported}, {0, "fLaC", "audio", Unsupported}, {8, "WAVE", "audio", Unsupported},
	{4, "ftyp", "video", Unsupported}, {0, "\x1A\x45\xDF\xA3", "video", Unsupported}, {8, "AVI ", "video", Unsupported},
	{0, "\x7FELF", "program", Binary}, {0, "\xCF\xFA\xED\xFE", "program", Binary}, {0, "\x00asm", "program", Binary},
}

var byName = map[string]struct{ media, reason string }{
	".md": {"markdown", ""}, ".markdown": {"markdown", ""}, ".mdown": {"markdown", ""}, ".qmd": {"markdown", ""}, ".rmd": {"markdown", ""},
	".csv": {"csv", ""}, ".tsv": {"tsv", ""}, ".tab": {"tsv", ""},
	".eml": {"mail", Unsupported}, ".mbox": {"mail", Unsupported}, ".svg": {"svg", Unsupported}, ".ipynb": {"notebook", Unsupported},
}

var mailHead = regexp.MustCompile(`(?m)^(?:From|Received|Return-Path|Message-ID|Subject|MIME-Version|Date|To)[ :]`)

// looksLike guards kinds that only the name gives away: a text named .eml that
// is no mail is read as text.
func looksLike(media string, raw []byte) bool {
	top := raw[:min(len(raw), 4096)]
	switch media {
	case "mail":
		return len(mailHead.FindAll(top, -1)) >= 2
	case "svg":
		return bytes.Contains(top, []byte("<svg"))
	case "notebook":
		return bytes.HasPrefix(bytes.TrimSpace(top), []byte("{"))
	}
	return true
}

var htmlMark = regexp.MustCompile(`(?i)^(?:\s|<\?xml[^>]*>|<!--(?s:.*?)-->)*<(?:!doctype\s+html|html|head|body)[\s>]`)

// looksHTML decides by content, because saved pages are often named .txt.
func looksHTML(raw []byte) bool {
	top := bytes.TrimPrefix(raw[:min(len(raw), 8192)], []byte{0xEF, 0xBB, 0xBF})
	if e := wide(top); e != nil || bytes.HasPrefix(top, []byte{0xFF, 0xFE}) || bytes.HasPrefix(top, []byte{0xFE, 0xFF}) {
		top = bytes.ReplaceAll(bytes.TrimLeft(top, "\xFF\xFE"), []byte{0}, nil)
	}
	return htmlMark.Match(top)
}

var htmlCharset = regexp.MustCompile(`(?i)<meta[^>]{0,200}charset\s*=\s*["']?\s*([a-z0-9_:.-]+)`)

// declaredCharset is what an HTML page says about itself.
func declaredCharset(raw []byte) string {
	if m := htmlCharset.FindSubmatch(raw[:min(len(raw), 4096)]); m != nil {
		return string(m[1])
	}
	return ""
}

// zipKind names the kind of a ZIP container by its members.
func zipKind(raw []byte) (string, string) {
	r, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return "zip", Damaged
	}
	for i, f := range r.File {
		if i > 5000 {
			break
		}
		switch n := f.Name; {
		case strings.HasPrefix(n, "word/"):
			return "docx", Unsupported
		case strings.HasPrefix(n, "xl/"):
			return "xlsx", Unsupported
		case strings.HasPrefix(n, "ppt/"):
			return "pptx", Unsupported
		case n == "META-INF/container.xml":
			return "epub", Unsupported
		case n == "content.xml":
			return "opendocument", Unsupported
		}
	}
	return "zip", Unsupported
}

// oleKind: old Office files, and new ones behind a password.
func oleKind(name string, raw []byte) (string, string) {
	if bytes.Contains(raw, []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")) {
		return strings.TrimPrefix(strings.ToLower(filepath.Ext(name)), "."), Encrypted
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".xls":
		return "xls", Unsupported
	case ".ppt":
		return "ppt", Unsupported
	case ".msg":
		return "mail", Unsupported
	}
	return "doc", Unsupported
}
