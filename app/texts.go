package app

import (
	"fmt"

	"cairn/app/view"
	"cairn/engine/state"
	"cairn/engine/task"
)

// sayTexts tells the person what became of texts that the store had lost.
func (h *handle) sayTexts(taken task.Taken) {
	if taken.Restored == 0 && taken.Lost == 0 {
		return
	}
	var title string
	_ = h.task.Read(func(st *state.State) error { title = view.Title(st); return nil })
	said := fmt.Sprintf("“%s”:", title)
	if taken.Restored > 0 {
		said += fmt.Sprintf(" the %s that the store had lost %s read again from the same files.",
			view.Count(int64(taken.Restored), "text", "texts"), were(taken.Restored))
	}
	if taken.Lost > 0 {
		said += fmt.Sprintf(" the %s can't be read again, because the files are not in the folder or are not the same; claims and quotes made from them are kept.",
			view.Count(int64(taken.Lost), "text of a document", "texts of documents"))
	}
	h.s.notice(said)
}

func were(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
