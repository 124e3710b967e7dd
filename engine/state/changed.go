package state

// Changed reports whether a line changed any record of its own, so that there is
// something of it to take back.
func (s *State) Changed(seq int64) bool {
	return seq >= 1 && seq <= int64(len(s.in.lines)) && len(s.madeBy(seq)) > 0
}

// NotHere: a line says that the source's text is not on this machine. One whose file
// is gone or was changed has its text here all the same.
func (s *Source) NotHere() bool { return s.Missing == "not_here" || s.Missing == erased }
