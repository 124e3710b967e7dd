//go:build !lab

package vault

// planted says whether a laboratory planted a fault. A laboratory that can't find
// a planted fault proves nothing, so each is built with the tag `lab`, in which the
// faults below can be switched on; no other program has them.
func planted(fault) bool { return false }
