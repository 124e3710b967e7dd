package view

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"cairn/engine/planner"
	"cairn/engine/source"
)

// count writes a number with its noun: "1 claim", "12 claims".
func count(n int64, one, many string) string {
	if n == 1 || n == -1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Count is count for others.
func Count(n int64, one, many string) string { return count(n, one, many) }

// Cut shortens s to n characters on one line.
func Cut(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return strings.TrimRight(string(r[:n-1]), " .,;:") + "…"
}

// Duration in words, rounded to what a person needs.
func Duration(seconds float64) string {
	switch {
	case seconds < 45:
		return "under a minute"
	case seconds < 90:
		return "about 1 minute"
	case seconds < 90*60:
		return fmt.Sprintf("about %d minutes", int(seconds/60+0.5))
	case seconds < 36*3600:
		return fmt.Sprintf("about %d hours", int(seconds/3600+0.5))
	}
	return fmt.Sprintf("about %d days", int(seconds/86400+0.5))
}

// When names a moment as seen from now: "15:05", "tomorrow 9:00", "Tuesday 9:00",
// "14 March".
func When(now, at time.Time) string {
	at = at.In(now.Location())
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 12, 0, 0, 0, time.UTC)
	}
	switch days := int(day(at).Sub(day(now)).Hours()/24 + 0.5); {
	case days <= 0:
		return at.Format("15:04")
	case days == 1:
		return "tomorrow " + at.Format("15:04")
	case days < 7:
		return at.Format("Monday 15:04")
	}
	return at.Format("2 January")
}

// Clock is the time of a saved checkpoint: "14:03:22", with the day when it is
// not today.
func Clock(now time.Time, ms int64) string {
	at := time.UnixMilli(ms).In(now.Location())
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04:05")
	}
	return at.Format("2 January, 15:04:05")
}

// QuestionReason words a reason code on a question; a person's own words stay.
func QuestionReason(code string) string {
	switch code {
	case "":
		return ""
	case "nothing_found":
		return "Nothing was found in the sources for this question."
	}
	return Reason(code)
}

// Reason words a reason code of a stop, a park or an end.
func Reason(code string) string {
	switch code {
	case planner.ReasonNoQuestion:
		return "There is no question to work on. Add one."
	case planner.ReasonNoSource:
		return "There is no source that can be read. Add files to the folder, or choose another."
	case planner.ReasonNoModel:
		return "No model is chosen. The sentences that search found can be read, accepted and exported without one."
	case planner.ReasonParked:
		return "What is left was set aside because it could not be worked on."
	case planner.ReasonOpen:
		return "Questions are still open, and there is nothing left to try with these sources at this depth."
	case "person":
		return "You stopped it."
	case "quit":
		return "Cairn was closed."
	case "budget":
		return "The time you gave it is used up."
	case "model_away":
		return "Ollama does not answer."
	case "model_missing":
		return "Ollama has no such model."
	case "model_failed":
		return "The model gave replies that can't be used, three times in a row."
	case "disk_full":
		return "The disk is full."
	case "error":
		return "Something went wrong; nothing saved is lost."
	case "slept":
		return "The computer slept."
	case "killed", "crashed":
		return "Cairn was ended from outside."
	case "closed":
		return "Cairn was closed."
	case "stopped":
		return "It was stopped."
	case "attempts", "interrupted_three_times":
		return "The same step was interrupted three times; it is left for you."
	case "too_long":
		return "The text is longer than this model can take at once."
	case "unusable_reply":
		return "The model gave no reply that could be used."
	case "cut":
		return "The model's reply was cut off each time."
	case "gone":
		return "The file is no longer in the folder. Its stored text is used."
	case "not_here":
		return "Its text did not travel with the file and is not on this computer."
	case "changed":
		return "The file changed since it was read."
	case "newer":
		return "A newer version of this file came in. What rests on this one can still be checked."
	}
	if !strings.ContainsAny(code, " .") {
		return "Reason: " + strings.ReplaceAll(code, "_", " ") + "."
	}
	return code
}

// SourceReason is the sentence for why a file has no text.
func SourceReason(code string) string { return source.Explain(code) }
