package vault_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/engine/ledger"
	"cairn/vault"
	"cairn/vault/vaulttest"
)

// The crash laboratory: a child process writes groups and acknowledges each on
// a pipe; it is killed at random, or kills itself at a named point of a commit;
// what is found afterwards is compared with what it acknowledged.
// CAIRN_KILLS=N makes N random kills instead of a few.

const (
	childEnv = "CAIRN_VAULT_CHILD" // folder that the child works in
	pointEnv = "CAIRN_VAULT_POINT" // "<point> <n>": die when it is reached the n-th time
	earlyEnv = "CAIRN_VAULT_EARLY" // acknowledge before saving: the planted fault
	probeEnv = "CAIRN_VAULT_PROBE" // be the child of ProbeChild; "panic" dies first
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(childEnv) != "":
		os.Exit(child(vault.Home(os.Getenv(childEnv))))
	case os.Getenv(probeEnv) == "panic":
		go panic("as Badger does on its own goroutines")
		select {}
	case os.Getenv(probeEnv) != "":
		os.Exit(vault.ProbeMain(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// child writes until it is killed.
func child(dir vault.Home) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, "child:", err)
		return 1
	}
	opts := vault.Options{FreeSpace: roomy, Hook: dieAt(os.Getenv(pointEnv))}
	lock, err := vault.Lock(dir)
	if err != nil {
		return fail(err)
	}
	s, _, err := vault.Open(dir, lock, opts)
	if err != nil {
		return fail(err)
	}
	early := os.Getenv(earlyEnv) != ""
	list, err := s.Branches(bg)
	if err != nil {
		return fail(err)
	}
	for n := 0; ; n++ {
		w := &vaulttest.Writer{Salt: fmt.Sprintf("%d-%d", len(list), n)}
		blob, err := s.PutBlob(bg, fmt.Appendf(nil, "reply %s %s", w.Salt, vaulttest.Filler(9000, w.Salt)))
		if err != nil {
			return fail(err)
		}
		group := w.Group("task", blob.String())
		ack := func() { fmt.Printf("%s %d %s\n", id(group), w.Seq(), w.Chain()) }
		if early {
			ack()
		}
		branch, err := s.Begin(bg, "", group)
		if err != nil {
			return fail(err)
		}
		ack = func() { fmt.Printf("%s %d %s\n", branch, w.Seq(), w.Chain()) }
		ack()
		for g := range 8 {
			blob, err := s.PutBlob(bg, fmt.Appendf(nil, "reply %d %s %s", g, w.Salt, vaulttest.Filler(5000, w.Salt)))
			if err != nil {
				return fail(err)
			}
			group := w.Group("call", blob.String(), vaulttest.Filler(700, "claim"), "checkpoint")
			if early {
				ack()
			}
			if err := s.Append(bg, branch, group); err != nil {
				return fail(err)
			}
			ack()
		}
	}
}

func id(group [][]byte) string { return (ledger.Hash{}).Extend(ledger.HashOf(group[0])).String() }

// dieAt gives a hook that kills this process at a point, without a last word.
func dieAt(spec string) func(string) error {
	name, count, ok := strings.Cut(spec, " ")
	if !ok {
		return nil
	}
	left, _ := strconv.Atoi(count)
	return func(point string) error {
		if point == name {
			if left--; left == 0 {
				kill()
			}
		}
		return nil
	}
}

func kill() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	fmt.Fprintln(os.Stderr, "kill:", err)
	select {}
}

// run starts a child and gives what it acknowledged before it died. after > 0
// kills it that long after its first acknowledgement.
func run(t *testing.T, dir vault.Home, after time.Duration, env ...string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, childEnv+"="+string(dir))...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var acked []string
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			break // half an acknowledgement is none
		}
		if err != nil {
			t.Fatal(err)
		}
		acked = append(acked, strings.TrimSpace(line))
		if len(acked) == 1 && after > 0 {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() >= 0 {
		t.Fatalf("the child ended by itself: %v %s", err, said.String())
	}
	return acked
}

// judge opens what a kill left and says what is wrong with it.
func judge(t *testing.T, h *home, acked []string) []string {
	t.Helper()
	h.open()
	defer h.end()
	var wrong []string
	chains := map[string][]ledger.Hash{} // by branch: chain value after each line
	list, err := h.Branches(bg)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range list {
		if b.Damage != "" {
			wrong = append(wrong, b.ID+": "+b.Damage)
		}
		var chain ledger.Hash
		var last []byte
		for _, line := range vaulttest.Read(t, h, b.ID, 1) {
			chain = chain.Extend(ledger.HashOf(line))
			chains[b.ID] = append(chains[b.ID], chain)
			last = line
		}
		if chain != b.Head.Chain || int64(len(chains[b.ID])) != b.Head.Seq {
			wrong = append(wrong, b.ID+": its lines do not end in its head")
		}
		if !strings.Contains(string(last), `"n":`) {
			wrong = append(wrong, b.ID+": ends in the middle of a group")
		}
		for i, line := range vaulttest.Read(t, h, b.ID, 1) {
			if text := blobOf(line); text != nil {
				if _, err := h.Blob(bg, *text); err != nil {
					wrong = append(wrong, fmt.Sprintf("%s: line %d: its text: %v", b.ID, i+1, err))
				}
			}
		}
	}
	for _, ack := range acked {
		f := strings.Fields(ack)
		seq, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatalf("acknowledgement %q", ack)
		}
		if have := chains[f[0]]; len(have) < seq || have[seq-1].String() != f[2] {
			wrong = append(wrong, "acknowledged and not there: "+ack)
		}
	}
	more, err := h.Check(bg)
	if err != nil {
		t.Fatal(err)
	}
	return append(wrong, more...)
}

// blobOf reads the text's hash out of a line of the child.
func blobOf(line []byte) *ledger.Hash {
	_, rest, ok := strings.Cut(string(line), `"text":"`)
	if !ok || len(rest) < 64 {
		return nil
	}
	h, err := ledger.ParseHash(rest[:64])
	if err != nil {
		return nil
	}
	return &h
}

func labHome(t *testing.T) *home {
	return &home{t: t, dir: vault.Home(filepath.Join(t.TempDir(), "home")), opts: vault.Options{FreeSpace: roomy}}
}

func TestKillAtEachPoint(t *testing.T) {
	t.Parallel()
	h := labHome(t)
	var acked []string
	for _, point := range []string{
		vault.PointBlobs, vault.PointBlobsDone, vault.PointJournalHalf, vault.PointJournal,
		vault.PointJournalDone, vault.PointVault, vault.PointVaultDone,
	} {
		for _, n := range []int{1, 11} { // the first is a new branch's
			acked = append(acked, run(t, h.dir, 0, fmt.Sprintf("%s=%s %d", pointEnv, point, n))...)
			for _, w := range judge(t, h, acked) {
				t.Errorf("killed at %s, time %d: %s", point, n, w)
			}
		}
	}
	if len(acked) < 7*(0+10) {
		t.Fatalf("only %d groups were acknowledged", len(acked))
	}
}

func TestKillAtRandom(t *testing.T) {
	t.Parallel()
	kills := 16
	if n, err := strconv.Atoi(os.Getenv("CAIRN_KILLS")); err == nil {
		kills = n
	}
	h := labHome(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	var acked []string
	total := 0
	for i := range kills {
		got := run(t, h.dir, time.Duration(rnd.IntN(60_000))*time.Microsecond)
		total += len(got)
		acked = append(acked, got...)
		wrong := judge(t, h, acked)
		for _, w := range wrong {
			t.Errorf("kill %d: %s", i, w)
		}
		if len(wrong) > 0 {
			return
		}
		if i%50 == 49 { // a folder does not grow for ever
			h, acked = labHome(t), nil
		}
	}
	t.Logf("%d kills, %d acknowledged groups", kills, total)
}

// A laboratory that can't find a loss proves nothing: here the child lies.
func TestKillFindsPlantedLoss(t *testing.T) {
	h := labHome(t)
	acked := run(t, h.dir, 0, fmt.Sprintf("%s=%s 1", pointEnv, vault.PointJournalHalf), earlyEnv+"=1")
	if wrong := judge(t, h, acked); len(wrong) == 0 {
		t.Fatal("a group that was acknowledged and never saved was not missed")
	}
}
