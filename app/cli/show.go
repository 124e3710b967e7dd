package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/app/view"
	"cairn/engine"
)

func (t *tool) showCmd() *cobra.Command {
	var at int64
	cmd := &cobra.Command{
		Use: "show TASK", Short: "Show what is solved, what to check, and what is next", Args: takes("TASK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if at < 0 {
				return misuse{"--at takes the number of a line, from 1.", "`cairn log TASK` shows the numbers."}
			}
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				id, err := t.task(ctx, s, args[0])
				if err != nil {
					return err
				}
				v, err := s.View(ctx, id, at)
				if err != nil {
					return err
				}
				return t.printView(ctx, s, v, true)
			})
		},
	}
	cmd.Flags().Int64Var(&at, "at", 0, "as it stood at this line of the record (see `cairn log`)")
	return cmd
}

// printView prints a task with its sources. An earlier state is printed without
// them: they are known only as they are now.
func (t *tool) printView(ctx context.Context, s dto.Service, v dto.View, full bool) error {
	if v.At > 0 {
		return t.print(v, func(w io.Writer) { writeView(w, v, nil, full) })
	}
	sources, err := s.Sources(ctx, v.ID)
	if err != nil {
		return err
	}
	return t.print(shownView{v, sources}, func(w io.Writer) { writeView(w, v, sources, full) })
}

// shownView is the JSON of show and run.
type shownView struct {
	dto.View
	Sources []dto.Source `json:"sources"`
}

// mark is the shape for a claim's trust, as in the window.
func mark(c dto.Claim) string {
	switch c.Trust {
	case "checked":
		return "●"
	case "agreed":
		return "◑"
	case "backed":
		return "◔"
	}
	return "○"
}

// writer prints lines of text that may come from anywhere.
type writer struct{ w io.Writer }

func (o writer) line(indent int, format string, args ...any) {
	text := printable(fmt.Sprintf(format, args...))
	pad := strings.Repeat(" ", indent)
	for _, l := range wrap(text, 96-indent) {
		fmt.Fprintln(o.w, strings.TrimRight(pad+l, " "))
	}
}

// wrap breaks text at blanks; a longer word stays whole.
func wrap(text string, n int) []string {
	var out []string
	for _, para := range strings.Split(text, "\n") {
		line := ""
		for _, word := range strings.Fields(para) {
			switch {
			case line == "":
				line = word
			case len([]rune(line))+1+len([]rune(word)) <= n:
				line += " " + word
			default:
				out = append(out, line)
				line = word
			}
		}
		out = append(out, line)
	}
	return out
}

// writeView prints a task; full shows every claim with its quotes. Of the sources
// those without a text are named.
func writeView(w io.Writer, v dto.View, sources []dto.Source, full bool) {
	o := writer{w}
	o.line(0, "%s", v.Title)
	if v.Title != v.Goal {
		o.line(0, "%s", v.Goal)
	}
	if v.Imported != "" {
		o.line(0, "%s", v.Imported)
	}
	o.line(0, "")
	if v.At > 0 {
		o.line(0, "As it stood at line %d.", v.At)
	} else {
		o.line(0, "%s", join(problem.Stop(v.Status.Sentence), v.Status.Detail, v.Status.Promise))
	}
	for _, r := range v.Status.Reasons {
		o.line(0, "! %s", r)
	}
	switch v.Sum {
	case "":
	case "0 lost":
		o.line(0, "Newest checkpoint: no claim or question changed, 0 lost.")
	default:
		o.line(0, "Newest checkpoint: %s.", v.Sum)
	}
	o.line(0, "")
	o.line(0, "SOLVED")
	for _, q := range v.Questions {
		o.question(q, full)
	}
	o.line(0, "")
	o.line(0, "TO CHECK")
	for _, c := range v.ToCheck {
		ref := ""
		if c.On != "" {
			ref = " [" + short(c.On) + "]"
		}
		o.line(2, "%s%s", c.Text, ref)
		if c.Kind == "unreadable" {
			o.list(4, reasons(sources, "unreadable", "missing"))
		}
	}
	if len(v.ToCheck) == 0 {
		o.line(2, "Nothing.")
	}
	if v.At == 0 {
		o.line(0, "")
		o.line(0, "SOURCES")
		o.line(2, "%s", sourceSum(sources))
		o.list(4, reasons(sources, "changed"))
	}
	o.line(0, "")
	o.line(0, "NEXT")
	next := join(problem.Stop(v.Next.Text), v.Next.Why)
	if next == "" {
		next = "No next step was recorded by then."
	}
	o.line(2, "%s", next)
	if v.Next.Serves != "" {
		o.line(2, "It is %s.", v.Next.Serves)
	}
}

// sourceSum counts what was found, read and cited.
func sourceSum(sources []dto.Source) string {
	var read, cited, aside, none, gone int64
	for _, s := range sources {
		switch s.Status {
		case "unreadable":
			none++
		case "missing":
			if s.Reason == view.Reason("gone") {
				gone++ // its text is stored
			} else {
				none++
			}
		case "aside":
			aside++
		}
		if slices.ContainsFunc(s.Cells, func(c dto.Cell) bool { return c.Shown > 0 }) {
			read++
		}
		if s.Claims > 0 {
			cited++
		}
	}
	out := []string{view.Count(int64(len(sources)), "document", "documents") + " found"}
	if none > 0 {
		out = append(out, fmt.Sprintf("%d without a text here", none))
	}
	if gone > 0 {
		out = append(out, fmt.Sprintf("%d no longer in the folder", gone))
	}
	if aside > 0 {
		out = append(out, fmt.Sprintf("%d set aside", aside))
	}
	return strings.Join(append(out, fmt.Sprintf("%d shown to a model, at least in part", read), fmt.Sprintf("%d quoted", cited)), "; ") + "."
}

// reasons names the sources in one of these states, each with its reason.
func reasons(sources []dto.Source, states ...string) []string {
	var out []string
	for _, s := range sources {
		if slices.Contains(states, s.Status) {
			out = append(out, s.Name+": "+s.Reason)
		}
	}
	return out
}

func (o writer) list(indent int, rows []string) {
	for _, row := range view.Capped(rows) {
		o.line(indent, "%s", row)
	}
}

func (o writer) question(q dto.Question, full bool) {
	o.line(2, "%d. %s", q.Number, q.Text)
	status := q.Status
	if q.Coverage != "" {
		status += ", " + q.Coverage
	}
	o.line(5, "(%s)", status)
	if q.Reason != "" {
		o.line(5, "%s", q.Reason)
	}
	texts := map[string]string{}
	for _, c := range q.Claims {
		texts[c.ID] = c.Text
	}
	for _, s := range q.Answer {
		text := s.Text
		if len(s.Claims) == 1 && s.Backed && !s.Stale && texts[s.Claims[0]] == text {
			continue // it is the claim, which stands below
		}
		if !s.Backed {
			text += " [not backed by a record]"
		}
		if s.Stale {
			text += " [to be redone]"
		}
		o.line(5, "%s", text)
	}
	for _, c := range q.Claims {
		o.claim(c, full)
	}
	if len(q.Claims) == 0 {
		for _, c := range q.Candidates[:min(3, len(q.Candidates))] {
			o.line(5, "○ “%s” [%s] — %s (candidate, not read by a model)", c.Text, short(c.ID), place(c.Place))
		}
	}
	for _, n := range q.Notes {
		o.line(5, "Note by %s: %s", n.By, n.Text)
	}
}

func (o writer) claim(c dto.Claim, full bool) {
	word := c.Word
	if c.Standing != "active" {
		word += ", " + c.Standing
	}
	if c.Reported {
		word += ", reported by the sender"
	}
	o.line(5, "%s %s [%s] (%s; %s)", mark(c), c.Text, short(c.ID), word, c.ByLine)
	for _, f := range c.Flags {
		o.line(9, "! %s", f)
	}
	if !full {
		return
	}
	for _, q := range c.Quotes {
		if c.IsQuote && q.Text == c.Text {
			o.line(9, "— %s", place(q.Place))
			continue
		}
		o.line(9, "“%s” — %s", q.Text, place(q.Place))
	}
}

func place(p dto.Place) string {
	text := p.Name
	if p.Heading != "" {
		text += ", " + p.Heading
	}
	if p.Page > 0 {
		text += fmt.Sprintf(", page %d", p.Page)
	}
	if p.From == p.To {
		return text + fmt.Sprintf(", sentence %d", p.From)
	}
	return text + fmt.Sprintf(", sentences %d to %d", p.From, p.To)
}

func join(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" && p != "." {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}

func (t *tool) candidatesCmd() *cobra.Command {
	return &cobra.Command{
		Use: "candidates TASK", Short: "Show what search found for each question", Args: takes("TASK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				id, err := t.task(ctx, s, args[0])
				if err != nil {
					return err
				}
				list, err := s.Candidates(ctx, id)
				if err != nil {
					return err
				}
				return t.print(list, func(w io.Writer) {
					o, example := writer{w}, ""
					for _, q := range list {
						o.line(0, "%d. %s", q.Number, q.Text)
						for _, c := range q.Candidates {
							if example == "" {
								example = short(c.ID)
							}
							o.line(3, "%s “%s”", short(c.ID), c.Text)
							o.line(3+shown+1, "%s. Candidate, not read by a model.", place(c.Place))
						}
						if len(q.Candidates) == 0 {
							o.line(3, "Nothing (%s).", q.Status)
						}
					}
					if example != "" {
						o.line(0, "")
						o.line(0, "Take one as a claim with: cairn accept %s %s", short(id), example)
					}
				})
			})
		},
	}
}

func (t *tool) logCmd() *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use: "log TASK", Short: "Show the history, newest first", Args: takes("TASK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				id, err := t.task(ctx, s, args[0])
				if err != nil {
					return err
				}
				list, err := s.Timeline(ctx, id, full)
				if err != nil {
					return err
				}
				return t.print(list, func(w io.Writer) { t.writeLog(w, list) })
			})
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "with every call of the model and every refusal")
	return cmd
}

func (t *tool) writeLog(w io.Writer, list []dto.Entry) {
	zone := t.Now().Location()
	for _, e := range list {
		at := time.UnixMilli(e.At).In(zone).Format("2006-01-02 15:04:05")
		tail := ""
		if e.Checkpoint > 0 {
			tail = fmt.Sprintf("  (checkpoint %d)", e.Checkpoint)
		}
		if e.TookMs > 0 {
			tail += fmt.Sprintf(" %.1f s", float64(e.TookMs)/1000)
		}
		fmt.Fprintf(w, "%6d  %s  %s%s\n", e.Seq, at, printable(e.Text), tail)
		if e.Detail != "" {
			for _, line := range strings.Split(printable(e.Detail), "\n") {
				fmt.Fprintf(w, "%29s%s\n", "", line)
			}
		}
	}
}

func (t *tool) doctorCmd() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Look at everything Cairn needs and say how to mend it", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.with(cmd, Short, func(ctx context.Context, s dto.Service) error {
				list, err := s.Doctor(ctx)
				if err != nil {
					return err
				}
				wrong := 0
				for _, c := range list {
					if !c.Good {
						wrong++
					}
				}
				if err := t.print(list, func(w io.Writer) {
					for _, c := range list {
						sign := "ok"
						if !c.Good {
							sign = "!!"
						}
						fmt.Fprintf(w, "%s  %-18s %s\n", sign, c.Name, printable(c.Value))
						if c.Mend != "" {
							fmt.Fprintf(w, "    %-18s %s\n", "", printable(c.Mend))
						}
					}
				}); err != nil || wrong == 0 {
					return err
				}
				return &engine.Error{
					Kind: engine.KindInternal, What: view.Count(int64(wrong), "check found", "checks found") + " something to mend.",
					Safe: "Nothing was changed.", Do: "The lines marked !! say how to mend them.",
				}
			})
		},
	}
}
