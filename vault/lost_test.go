package vault_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/engine"
	"cairn/engine/clock"
	"cairn/engine/ledger"
	"cairn/engine/task"
	"cairn/vault"
	"cairn/vault/vaulttest"
)

// Of a long text one record is missing: the check names the text, whichever it was.
func TestHalfATextIsNamed(t *testing.T) {
	for part := range 2 {
		h := newHome(t)
		w := &vaulttest.Writer{}
		half, err := h.PutBlob(bg, noise(2, 300_000))
		if err != nil {
			t.Fatal(err)
		}
		vaulttest.Start(t, h, w, "task", half.String())
		h.end()
		vault.DropPart(t, h.dir, half, part)
		h.open()
		_, err = h.Blob(bg, half)
		vaulttest.Kind(t, err, engine.KindDamaged)
		r, err := h.Examine(bg, nil)
		if err != nil || len(r.Faults) != 1 || r.Faults[0].Record != "text "+half.String() || !r.Mends {
			t.Errorf("part %d: the check finds %+v, %v", part, r, err)
		}
	}
}

// Of a long text one record is damaged. The next start names it when it builds the
// store again, and from then on nothing is mended in vain.
func TestDamagedTextIsNotMendedForEver(t *testing.T) {
	body := noise(2, 300_000)
	for part, at := range []int{1000, 290_000} {
		h := newHome(t)
		w := &vaulttest.Writer{}
		whole, err := h.PutBlob(bg, noise(1, 4000))
		if err != nil {
			t.Fatal(err)
		}
		half, err := h.PutBlob(bg, body)
		if err != nil {
			t.Fatal(err)
		}
		id, all := vaulttest.Start(t, h, w, "task", whole.String(), half.String())
		h.end()
		file, from := stored(t, string(h.dir.Vault()), ".sst", body[at:at+64])
		flip(t, file, from)
		h.open()
		_, err = h.Blob(bg, half)
		vaulttest.Kind(t, err, engine.KindDamaged)
		h.reopen()
		h.reported("The text " + half.String() + " is lost")
		h.holds(map[string][][]byte{id: all})
		if _, err := h.Blob(bg, whole); err != nil {
			t.Error(err)
		}
		_, err = h.Blob(bg, half)
		vaulttest.Kind(t, err, engine.KindNotFound)
		h.sound()
		h.reopen()
		for _, s := range h.Report {
			if strings.Contains(s, "set aside") {
				t.Errorf("part %d: it was mended again: %s", part, s)
			}
		}
	}
}

// An unclean end, and the newest log of the store is gone with acknowledged groups:
// the journals give the lines back, and of the calls it is said that their prompts
// and replies are gone.
func TestLostLogSaysWhichCallsItTookAlong(t *testing.T) {
	h := newHome(t)
	desk := task.NewDesk(h, clock.NewFake(time.Unix(1_800_000_000, 0)), rand.Reader, "cairn test")
	one, err := desk.Create(bg, task.New{Goal: "Find out.", Questions: []string{"What?"}})
	if err != nil {
		t.Fatal(err)
	}
	var first, last int64
	for i := range 3 {
		prompt, err := h.PutBlob(bg, noise(byte(i), 3000))
		if err != nil {
			t.Fatal(err)
		}
		call := &ledger.Call{Purpose: "read", Model: "m", Prompt: prompt.String(), Outcome: "lost", Options: strings.Repeat("0", 64), Template: "1"}
		if err := one.Commit(bg, []task.Entry{{By: ledger.Engine, Op: call}}, nil); err != nil {
			t.Fatal(err)
		}
		if last = one.Snapshot().Seq; i == 0 {
			first = last
		}
	}
	id := one.Branch
	h.crash()
	logs, err := filepath.Glob(filepath.Join(h.dir.Vault(), "*.mem"))
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	for _, l := range logs {
		if err := os.Remove(l); err != nil {
			t.Fatal(err)
		}
	}
	h.open()
	h.reported(fmt.Sprintf("History %s: of the prompts, replies and other texts that lines %d to %d name, 3 are not here", id, first, last))
}
