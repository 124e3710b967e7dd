package stage

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Output shows stages. On a terminal the running stage is one line that
// changes; elsewhere a line is written every quarter of a minute, so that a
// log stays short and still shows that something goes on.
type Output struct{ w *writer }

type writer struct {
	mu   sync.Mutex
	out  io.Writer
	live bool
	wide int
	drew bool // a live line stands unfinished
	said map[string]time.Duration
}

// every is the pace of progress lines where there is no terminal.
const every = 15 * time.Second

// NewOutput writes to f; fd is its descriptor, or -1 when it is no file.
func NewOutput(f io.Writer, fd int) Output {
	w := &writer{out: f, wide: 100, said: map[string]time.Duration{}}
	if fd >= 0 && term.IsTerminal(fd) {
		w.live = true
		if wide, _, err := term.GetSize(fd); err == nil && wide > 20 {
			w.wide = wide
		}
	}
	return Output{w}
}

// Line writes a whole line.
func (o Output) Line(text string) {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	o.w.clear()
	fmt.Fprintln(o.w.out, text)
}

// Begin says that a stage starts.
func (o Output) Begin(s Stage, own, total time.Duration) {
	text := fmt.Sprintf("%-10s %s", s.Name, s.About)
	if own >= 2*time.Second {
		text += ", about " + Span(own)
	}
	if total-own >= time.Minute {
		text += " (everything: about " + Span(total) + ")"
	}
	o.Line(text)
}

// Fresh says that a stage was not needed.
func (o Output) Fresh(s Stage, why string) {
	o.Line(fmt.Sprintf("%-10s nothing to do: %s", s.Name, why))
}

// End says what became of a stage.
func (o Output) End(s Stage, took time.Duration, note string, err error) {
	text := fmt.Sprintf("%-10s done in %s", s.Name, Span(took))
	if err != nil {
		text = fmt.Sprintf("%-10s FAILED after %s", s.Name, Span(took))
	}
	if note != "" {
		text += ": " + note
	}
	o.Line(text)
}

// Tick shows a running stage.
func (o Output) Tick(s State) {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	if !o.w.live {
		last := o.w.said[s.Stage.Name]
		if s.Spent-last < every {
			return
		}
		o.w.said[s.Stage.Name] = s.Spent
		fmt.Fprintln(o.w.out, sentence(s))
		return
	}
	text := sentence(s)
	if r := []rune(text); len(r) > o.w.wide-1 {
		text = string(r[:o.w.wide-2]) + "…"
	}
	o.w.clear()
	fmt.Fprint(o.w.out, text)
	o.w.drew = true
}

func (w *writer) clear() {
	if w.drew {
		fmt.Fprint(w.out, "\r\x1b[K")
		w.drew = false
	}
}

// sentence is one line about a running stage.
func sentence(s State) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %s", s.Stage.Name, Span(s.Spent))
	if s.Total > 0 {
		fmt.Fprintf(&b, ", %d of %d", s.Done, s.Total)
	}
	switch all := s.Left + s.After; {
	case s.Left < time.Second:
		b.WriteString(", longer than expected")
	case s.After >= time.Second:
		fmt.Fprintf(&b, ", about %s left, %s for everything", Span(s.Left), Span(all))
	default:
		fmt.Fprintf(&b, ", about %s left", Span(s.Left))
	}
	if s.Note != "" {
		b.WriteString(": " + s.Note)
	}
	return b.String()
}

// Span writes a duration for people: "0.4 s", "12 s", "3 min 05 s", "2 h 10 min".
func Span(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}
