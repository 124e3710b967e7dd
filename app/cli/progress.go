package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// progress writes what goes on to standard error: on a terminal one line that is
// written over, elsewhere a line whenever it says something new.
type progress struct {
	w      io.Writer
	screen bool
	quiet  bool
	last   string
	open   bool // a line without its end stands on the screen
	stream bool // ... and it is the model's text
}

func (t *tool) progress() *progress {
	return &progress{w: t.Err, screen: t.Screen, quiet: t.quiet}
}

const width = 100

// show says what goes on now.
func (p *progress) show(line string) {
	if p.quiet || line == p.last {
		return
	}
	p.last = line
	line = strings.ReplaceAll(printable(line), "\n", "[U+000A]") // it stays one line
	p.endStream()
	if !p.screen {
		fmt.Fprintln(p.w, line)
		return
	}
	if utf8.RuneCountInString(line) > width {
		line = string([]rune(line)[:width-1]) + "…"
	}
	fmt.Fprint(p.w, "\r\x1b[K", line)
	p.open = true
}

// text shows a piece of what the model is writing, on a terminal.
func (p *progress) text(piece string) {
	if p.quiet || !p.screen || piece == "" {
		return
	}
	if !p.stream {
		p.end()
		fmt.Fprint(p.w, "  ")
	}
	fmt.Fprint(p.w, strings.ReplaceAll(printable(piece), "\n", "\n  "))
	p.open, p.stream = true, true
}

// say writes a line that stays.
func (p *progress) say(line string) {
	if p.quiet || line == "" {
		return
	}
	p.end()
	fmt.Fprintln(p.w, printable(line))
}

func (p *progress) endStream() {
	if p.stream {
		p.end()
	}
}

func (p *progress) end() {
	if p.open {
		fmt.Fprintln(p.w)
	}
	p.open, p.stream = false, false
}

func (p *progress) done() {
	if !p.quiet {
		p.end()
	}
}
