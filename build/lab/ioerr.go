package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"cairn/vault"
)

// ioerrLab lets the n-th call of a kind fail, n rising until a run is clean.
func ioerrLab() Lab {
	return Lab{
		Name: "ioerr", About: "the n-th msync, fsync, write, open, rename, truncate … fails with EIO or ENOSPC", Short: 36, Usual: 300, Long: 2000,
		Ordered: true,
		Memory:  true,
		Faults:  []Fault{{"sync-error-ignored", "a failed sync counts as a good one", "sync"}},
		Missing: missingStrace,
		Run:     runIoerr,
	}
}

// missingStrace says why calls can't be failed or followed here.
func missingStrace() string {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return "strace is not installed"
	}
	if out, err := exec.Command(strace, "-f", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		return "strace can't follow a process here: " + strings.TrimSpace(string(out))
	}
	return ""
}

// injected are the calls that can fail, with the error they give.
var injected = func() (out [][2]string) {
	for _, call := range []string{"msync", "fsync", "write", "pwrite64", "openat", "renameat", "ftruncate", "fallocate", "unlinkat", "mkdirat"} {
		for _, e := range []string{"EIO", "ENOSPC"} {
			out = append(out, [2]string{call, e})
		}
	}
	return out
}()

func runIoerr(ctx context.Context, o Options, p *Progress) error {
	idle := 0
	for i := range o.N {
		seed := o.Seed + uint64(i)
		if o.Only == "sync" { // only the first kinds, which are of syncs
			seed = uint64(i%2*2) + 1 + uint64(i/2*len(injected))
		}
		t, err := o.failCall(ctx, seed)
		if err != nil {
			return err
		}
		if err := p.Add(t); err != nil {
			return err
		}
		if idle++; t.Landed {
			idle = 0
		}
		if idle == len(injected) {
			break // none of them comes so often in a run
		}
	}
	p.N = p.Done
	return nil
}

// failCall makes one call fail. Its kind, error and number are those of the seed:
// kinds follow each other, the number rises when all had their turn.
func (o Options) failCall(ctx context.Context, seed uint64) (Trial, error) {
	call := injected[(seed-1)%uint64(len(injected))]
	n := 1 + (seed-1)/uint64(len(injected))
	t := Trial{Seed: seed, Kind: call[0] + " " + call[1]}
	dir := filepath.Join(o.Dir, fmt.Sprintf("trial-%d", seed))
	defer os.RemoveAll(dir)
	home, log := vault.Home(filepath.Join(dir, "home")), filepath.Join(dir, "calls")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return t, fmt.Errorf("make a trial's folder: %w", err)
	}
	// A first life without faults, so that there is something to lose.
	c := settings{home: home, seed: seed, groups: 12}
	acks, said, state, err := o.life(ctx, c, 0, nil)
	if err != nil || state.ExitCode() != endGood {
		return t, fmt.Errorf("prepare a home: %w %s", err, said)
	}
	lead := []string{"strace", "-f", "-qq", "-y", "-o", log, "-e", "trace=write," + call[0],
		"-e", fmt.Sprintf("inject=%s:error=%s:when=%d", call[0], call[1], n)}
	more, said, state, err := o.life(ctx, c, 0, nil, lead...)
	if err != nil {
		return t, err
	}
	acks = append(acks, more...)
	failed, after, mute, err := readCalls(log)
	if err != nil {
		return t, err
	}
	t.Landed = failed > 0
	switch {
	case strings.Contains(said, "panic:") || state.ExitCode() < 0:
		t.Crashed = true
	case after > 0:
		t.Silent = append(t.Silent, fmt.Sprintf("call %d: %d groups were acknowledged after a sync had failed", n, after))
	case state.ExitCode() != endGood && !strings.Contains(said, ": ") && !mute:
		t.Silent = append(t.Silent, fmt.Sprintf("call %d: it ended with %d and said %q", n, state.ExitCode(), said))
	}
	j, crashed, err := o.judge(ctx, home)
	t.Crashed = t.Crashed || crashed
	if err != nil {
		if ctx.Err() == nil {
			t.Lost = append(t.Lost, fmt.Sprintf("call %d: %v", n, err))
			err = nil
		}
		return t, err
	}
	for _, row := range append(j.missing(acks), j.wrong()...) {
		t.Lost = append(t.Lost, fmt.Sprintf("call %d: %s; the process had said %q", n, row, said[:min(200, len(said))]))
	}
	return t, nil
}

var (
	injectedCall = regexp.MustCompile(`\(INJECTED\)`)
	// A sync of a journal or, through a memory map of 16 MiB, of the store's log. The
	// store syncs its value log too, which holds nothing and has another size.
	failedSync = regexp.MustCompile(`(msync\(0x[0-9a-f]+, 16777216,|fsync\(\d+<[^>]*\.jsonl>).*\(INJECTED\)`)
	ackWritten = regexp.MustCompile(`write\(1<[^>]*>, "ack `)
	failedWord = regexp.MustCompile(`write\(2<.*\(INJECTED\)`)
)

// readCalls reads what strace wrote: how many calls were failed, how many groups
// were acknowledged after a failed sync, and whether what the process wanted to say
// was itself a write that failed.
func readCalls(log string) (failed, after int, mute bool, err error) {
	f, err := os.Open(log)
	if err != nil {
		return 0, 0, false, fmt.Errorf("read the calls: %w", err)
	}
	defer f.Close()
	broken := false
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text := lines.Text()
		switch {
		case injectedCall.MatchString(text):
			failed++
			broken = broken || failedSync.MatchString(text)
			mute = mute || failedWord.MatchString(text)
		case broken && ackWritten.MatchString(text):
			after++
		}
	}
	return failed, after, mute, lines.Err()
}
