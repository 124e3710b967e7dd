//go:build !window

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cairn/app/dto"
	"cairn/vault"
)

// what is the part of a view that the loss of the store must not change.
func what(v dto.View) dto.View {
	v.Seq, v.Status = 0, dto.Status{State: v.Status.State, Checkpoint: v.Status.Checkpoint, SavedAt: v.Status.SavedAt}
	return v
}

// The store's whole folder is deleted: everything that the journals hold is back at
// once, texts with the next look at the folder, and it is said.
func TestStoreDeleted(t *testing.T) {
	h := newHouse(t)
	id := h.begin()
	h.good("run", id, "--quiet")
	before := h.view(id)
	sources := h.good("show", id, "--json")
	if err := os.RemoveAll(vault.Home(h.home).Vault()); err != nil {
		t.Fatal(err)
	}
	_, errs, code := h.do("tasks")
	if code != 0 || !strings.Contains(errs, "built again from the journals") || !strings.Contains(errs, "is gone") {
		t.Fatalf("code %d: %s", code, errs)
	}
	if after := h.view(id); !reflect.DeepEqual(claimsOf(what(after)), claimsOf(what(before))) {
		t.Errorf("the view before its texts are back differs:\n%+v\n%+v", after, before)
	}
	_, errs, code = h.do("run", id)
	if code != 0 || !strings.Contains(errs, "read again from the same files") {
		t.Errorf("code %d: %s", code, errs)
	}
	if after := h.view(id); !reflect.DeepEqual(what(after), what(before)) {
		t.Errorf("the view differs:\n%+v\n%+v", what(after), what(before))
	}
	if again := h.good("show", id, "--json"); len(again) < len(sources)/2 {
		t.Error("the view became poor")
	}
	// What was asked and replied is gone; the audit of what is left holds.
	h.good("vault", "check")
}

// claimsOf is what a view says without texts: what was found, and how it stands.
func claimsOf(v dto.View) (out []string) {
	for _, q := range v.Questions {
		out = append(out, q.Text, q.Status)
		for _, c := range q.Claims {
			out = append(out, c.ID, c.Text, c.Trust, c.Standing)
			for _, quote := range c.Quotes {
				out = append(out, quote.Text)
			}
		}
	}
	return out
}

func TestVaultCommands(t *testing.T) {
	h := newHouse(t)
	id := h.begin()
	came := h.gate.shut()
	run := h.command("run", id)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.Process.Kill() }()
	h.until(came)
	// While another process has them open: through its socket, or refused in words.
	var c dto.VaultCheck
	if err := json.Unmarshal([]byte(h.good("vault", "check", "--json")), &c); err != nil || !c.Sound || c.Lines == 0 || c.Audited == 0 {
		t.Errorf("%+v, %v", c, err)
	}
	path := strings.SplitN(h.good("vault", "backup"), "\n", 2)[0]
	if out := h.good("vault", "backups"); !strings.Contains(out, path) {
		t.Errorf("backups: %s", out)
	}
	h.good("vault", "compact")
	for _, args := range [][]string{{"vault", "repair"}, {"vault", "restore", path, "--set-aside"}} {
		if _, errs, code := h.do(args...); code != 1 || !strings.Contains(errs, "Cairn is open with this folder") {
			t.Errorf("%v: code %d: %s", args, code, errs)
		}
	}
	h.gate.open()
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	h.good("vault", "check")

	// Damage is named and ends with 3; a repair mends it.
	journal := vault.Home(h.home).Journal(id)
	body, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	at := len(body) / 2
	body[at] ^= 1
	if err := os.WriteFile(journal, body, 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := h.do("vault", "check", "--json")
	if err := json.Unmarshal([]byte(out), &c); err != nil || code != 3 || len(c.Faults) != 1 || !c.Mends ||
		c.Faults[0].File != "journal/"+id+".jsonl" || !strings.HasPrefix(c.Faults[0].Record, "line ") {
		t.Errorf("code %d, %v: %s %s", code, err, out, errs)
	}
	var r dto.VaultRepair
	if err := json.Unmarshal([]byte(h.good("vault", "repair", "--json")), &r); err != nil || !r.Sound || len(r.Done) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	h.good("vault", "check")

	// Restoring never overwrites.
	now := h.view(id)
	if _, errs, code := h.do("vault", "restore", path); code != 2 || !strings.Contains(errs, "--set-aside") {
		t.Errorf("code %d: %s", code, errs)
	}
	aside := strings.SplitN(h.good("vault", "restore", path, "--set-aside"), "\n", 2)[0]
	if then := h.view(id); then.Status.Checkpoint >= now.Status.Checkpoint {
		t.Errorf("checkpoint %d is not that of the backup", then.Status.Checkpoint)
	}
	old := &house{t: t, gate: h.gate, home: aside, env: h.env}
	if v := old.view(id); v.Status.Checkpoint != now.Status.Checkpoint {
		t.Errorf("what was set aside stands at %d, not %d", v.Status.Checkpoint, now.Status.Checkpoint)
	}
	fresh := &house{t: t, gate: h.gate, home: filepath.Join(t.TempDir(), "fresh"), env: h.env}
	fresh.good("vault", "restore", path)
	fresh.good("run", id, "--quiet")
	if v := fresh.view(id); v.Status.State != "done" {
		t.Errorf("from the backup it ends as %s", v.Status.State)
	}
	// A file that is none, and a command that is none.
	if _, errs, code := fresh.do("vault", "restore", journal, "--set-aside"); code != 3 || !strings.Contains(errs, "not a backup") {
		t.Errorf("code %d: %s", code, errs)
	}
	if _, _, code := fresh.do("vault", "polish"); code != 2 {
		t.Errorf("code %d", code)
	}
}
