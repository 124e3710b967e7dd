package audit

import (
	"context"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

// Blobs is what Audit needs of a store (engine.Store fits).
type Blobs interface {
	Blob(ctx context.Context, h ledger.Hash) ([]byte, error)
	HasBlob(ctx context.Context, h ledger.Hash) (bool, error)
}

// Options of an audit.
type Options struct {
	// Lines calls fn for each line of the branch from seq 1 on, raw bytes without LF.
	// nil: only what the state alone can show is checked.
	Lines func(fn func(seq int64, line []byte) error) error
	// Digest and Template are those that would be used now; "" is not compared.
	Digest, Template string
	// Quick leaves out slices and texts (D1, D2).
	Quick bool
}

// Problem is one check that did not pass, or could not be made here.
type Problem struct {
	Code    string // id of a check
	Class   Class
	Seq     int64  // line it belongs to, 0 when none
	Object  string // object id, "" when none
	Message string
}

// Reason is one amber reason; its id is what `check` and `override` name.
type Reason struct {
	ID   string
	Text string
}

// Report of an audit.
type Report struct {
	Problems  []Problem // breaches first, in the order of their lines
	Unchecked []Problem // what cannot be checked here, e.g. texts that did not travel
	Gate      string    // green, amber, red
	Reasons   []Reason  // of amber: those still standing
	Lines     int64
	Slices    int64 // quotes compared with their text
	Sources   int64 // texts hashed
	Good      int64 // seq of the newest checkpoint before the first breach, 0 when none
}

// Audit checks the invariants of a branch and says whether its task may resume.
// The error is about reading (store, context), never about what was found.
func Audit(ctx context.Context, st *state.State, blobs Blobs, o Options) (Report, error) {
	return Report{}, nil
}
