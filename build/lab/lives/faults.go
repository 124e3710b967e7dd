package lives

import (
	"context"
	"encoding/json"

	"cairn/engine/handoff"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/state"
	"cairn/engine/task"
)

// Fault is one that can be planted in a life, which must then fail.
type Fault struct{ Name, About string }

// Faults are planted around the engine: in the store under it, in what is asked of
// it, and in what is looked at. The program itself has no switch for them.
var Faults = []Fault{
	{"early-ack", "a group is acknowledged before it is saved"},
	{"text-not-kept", "texts are not durable with the line that names them"},
	{"claim-dropped", "a claim's line is not read back"},
	{"quote-not-cut", "the store gives another text than the document's"},
	{"sticky-off", "what a person takes back counts as taken back by a model"},
	{"undo-forgets", "an undo leaves out one of the records"},
	{"next-by-clock", "the next step depends on the clock"},
	{"import-recodes", "an imported line is written anew instead of kept"},
}

// plant puts the life's fault in place.
func plant(l *life) {
	switch l.o.Fault {
	case "next-by-clock":
		l.next = func(st *state.State, lib planner.Library) (planner.Step, error) {
			s, err := planner.Next(st, lib)
			if l.clock.Now().Unix()/86400%2 == 1 {
				s.Serves += "?"
			}
			return s, err
		}
	case "undo-forgets":
		l.undo = undoAllButOne
	case "sticky-off":
		l.person = modelTakesBack
	}
}

// undoAllButOne takes the lines of the newest group of a person back, but one.
func undoAllButOne(ctx context.Context, t *task.Task) error {
	var seqs []int64
	var who string
	err := t.Lines(ctx, 1, func(seq int64, raw []byte) error {
		line, err := ledger.Decode(raw)
		if err != nil || line.Withheld {
			return err
		}
		if line.By == ledger.Person && ledger.IsWork(line.Op.OpName()) {
			seqs, who = append(seqs, seq), line.Who
		}
		return nil
	})
	if err != nil || len(seqs) < 2 || seqs[len(seqs)-2] != seqs[len(seqs)-1]-1 {
		_, uerr := t.Undo(ctx)
		return uerr
	}
	return t.Commit(ctx, []task.Entry{{By: ledger.Person, Who: who, Op: &ledger.Undo{Line: seqs[len(seqs)-1]}}}, nil)
}

// modelTakesBack writes a person's retraction as a model's.
func modelTakesBack(ctx context.Context, t *task.Task, do func() error) error {
	before := t.Snapshot()
	if err := do(); err != nil {
		return err
	}
	for id, c := range t.Snapshot().Claims {
		if c.Standing == state.Retracted && before.Claims[id].Live() && before.Claims[id].By == ledger.Model && !before.Claims[id].Person {
			if _, err := t.Undo(ctx); err != nil {
				return nil //nolint:nilerr // then it stays the person's
			}
			return t.Commit(ctx, []task.Entry{{By: ledger.Model, Who: ledger.WhoDigest(digestOf(1)), Op: &ledger.Retract{ID: id, Reason: "It says something else."}}}, nil)
		}
	}
	return nil
}

// recode writes the last line of a file that was read anew, as a general encoder would.
func recode(p *handoff.Parsed) {
	n := len(p.Lines) - 1
	var v map[string]json.RawMessage
	if json.Unmarshal(p.Lines[n], &v) != nil {
		return
	}
	v["x"] = json.RawMessage(`{"by":"another encoder"}`)
	if b, err := json.Marshal(v); err == nil {
		p.Lines[n] = b
	}
}
