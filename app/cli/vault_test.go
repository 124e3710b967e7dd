package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"cairn/app/dto"
	"cairn/app/home"
	"cairn/app/servicetest"
	"cairn/engine"
)

func TestVault(t *testing.T) {
	broken := dto.VaultCheck{Sentence: "9 records were read: 1 thing is damaged.", Do: "Run a repair.",
		Faults: []dto.VaultFault{{File: "vault/000001.sst", Record: "text abc", What: "Text abc: checksum."}}}
	for _, c := range []struct {
		args string
		give any
		err  error
		code int
		out  string
		errs string
	}{
		{"vault check", dto.VaultCheck{Sound: true, Sentence: "All is whole."}, nil, Good, "All is whole.\n", ""},
		{"vault check", broken, nil, Unsound, "!!  vault/000001.sst, text abc\n    Text abc: checksum.\n9 records", "Run a repair."},
		{"vault check --json", broken, nil, Unsound, `"file": "vault/000001.sst"`, `"kind":"verification"`},
		{"vault compact", dto.VaultCompact{Sentence: "Smaller."}, nil, Good, "Smaller.", ""},
		{"vault compact", dto.VaultCompact{}, &engine.Error{Kind: engine.KindDiskFull, What: "Full."}, Failed, "", "Full."},
		{"vault backup", dto.VaultBackup{Path: "/b/c", Sentence: "Done."}, nil, Good, "/b/c\nDone.\n", ""},
		{"vault backups", dto.VaultState{}, nil, Good, "no backup", ""},
		{"vault backups", dto.VaultState{Backups: []dto.VaultBackup{{Path: "/b/c", Bytes: 2e6}}}, nil, Good, "2.0 MB  /b/c", ""},
		{"vault", nil, nil, Good, "restore", ""},
		{"vault polish", nil, nil, Usage, "", "“polish” is no command of `cairn vault`"},
		{"vault restore", nil, nil, Usage, "", "cairn vault restore FILE"},
		{"vault restore x", nil, nil, Usage, "", "can't restore"},
	} {
		fake := &servicetest.Fake{Answer: func(string, []any) (any, error) { return c.give, c.err }}
		fake.Answer = func(method string, _ []any) (any, error) {
			if method == "Watch" {
				return nil, nil
			}
			return c.give, c.err
		}
		r := cairn(t, fake, "", strings.Fields(c.args)...)
		if r.code != c.code || !strings.Contains(r.out, c.out) || !strings.Contains(r.err, c.errs) {
			t.Errorf("%s: code %d\n%s\n%s", c.args, r.code, r.out, r.err)
		}
	}
	r := cairn(t, nil, "", "vault", "backup", "--to", "relative", "--keep", "2")
	if args := r.called("VaultBackup"); len(args) != 2 || !strings.HasPrefix(args[0].(string), "/") || args[1] != 2 {
		t.Errorf("called with %v", args)
	}
}

// Progress is on standard error, also where another process does the work.
func TestVaultProgress(t *testing.T) {
	watched, shown := make(chan struct{}), make(chan struct{})
	live := make(chan dto.Event)
	fake := &servicetest.Fake{Live: live}
	fake.Answer = func(method string, _ []any) (any, error) {
		switch method {
		case "Watch":
			close(watched)
		case "VaultCheck":
			<-watched
			live <- dto.Event{Kind: "vault", Text: "reading records: 500"}
			live <- dto.Event{Kind: "tasks"} // taken once the one before it was shown
			close(shown)
			return dto.VaultCheck{Sound: true, Sentence: "Whole."}, nil
		}
		return nil, nil
	}
	r := cairn(t, fake, "", "vault", "check")
	<-shown
	if r.code != Good || r.err != "Reading records: 500\n" || r.out != "Whole.\n" {
		t.Errorf("code %d, out %q, err %q", r.code, r.out, r.err)
	}
}

// What needs the records closed says in words that they are open.
func TestVaultClosed(t *testing.T) {
	t.Setenv("CAIRN_HOME", t.TempDir())
	busy := errors.Join(errors.New("lock"), &engine.Error{Kind: engine.KindBusy, What: "Cairn is already running with this folder."})
	run := func(v Vault, args ...string) (int, string, string) {
		var out, errs strings.Builder
		code := Run(t.Context(), Env{Args: args, Out: &out, Err: &errs, Now: time.Now, Vault: v})
		return code, out.String(), errs.String()
	}
	v := Vault{
		Repair: func(_ context.Context, _ home.Home, tell func(string, int64, int64)) (dto.VaultRepair, error) {
			tell("reading texts", 3, 4)
			return dto.VaultRepair{Sentence: "Some is left.", Done: []string{"A journal was written again."},
				Left: []dto.VaultFault{{File: "vault", Record: "text x", What: "Text x is lost."}}}, nil
		},
		Restore: func(context.Context, home.Home, string, bool, func(string, int64, int64)) (dto.VaultRestore, error) {
			return dto.VaultRestore{}, busy
		},
	}
	code, out, errs := run(v, "vault", "repair")
	if code != Unsound || !strings.Contains(out, "A journal was written again.\nLeft:\n!!  vault, text x") || !strings.Contains(errs, "Reading texts: 3 of 4") {
		t.Errorf("code %d\n%s\n%s", code, out, errs)
	}
	code, _, errs = run(v, "vault", "restore", "b")
	if code != Failed || !strings.Contains(errs, "Cairn is open with this folder") || !strings.Contains(errs, "Close the window") {
		t.Errorf("code %d: %s", code, errs)
	}
}
