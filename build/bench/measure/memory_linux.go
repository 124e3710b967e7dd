package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"cairn/engine/clock"
)

// settle is how long a window rests before its memory counts as idle.
const settle = 20 * time.Second

// appMemory starts the window on the finished sample, lets it come to rest and
// adds up the proportional memory of the program, its children and the
// processes of its page.
func appMemory(ctx context.Context, m Machine) (float64, error) {
	if m.Program == "" {
		return 0, notHere("the window is not built")
	}
	home := filepath.Join(m.Dir, "home")
	cmd := exec.Command("dbus-run-session", "--", "xvfb-run", "-a", "-s", "-screen 0 1440x960x24", m.Program)
	cmd.Env = append(os.Environ(), "CAIRN_HOME="+home, "CAIRN_CACHE="+filepath.Join(home, "cache"),
		"GDK_BACKEND=x11", "WEBKIT_DISABLE_COMPOSITING_MODE=1", "LIBGL_ALWAYS_SOFTWARE=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start the window: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
	}()
	m.Note("the window comes to rest")
	if err := (clock.Real{}).Sleep(ctx, settle); err != nil {
		return 0, err
	}
	select {
	case err := <-ended:
		ended <- err
		return 0, fmt.Errorf("the window ended early: %v: %s", err, out.String())
	default:
	}
	procs, err := processes()
	if err != nil {
		return 0, err
	}
	program, err := filepath.EvalSymlinks(m.Program)
	if err != nil {
		return 0, fmt.Errorf("find the program: %w", err)
	}
	var sum float64
	var page int
	for _, p := range below(procs, cmd.Process.Pid) {
		if p.exe != program && !strings.Contains(filepath.Base(p.exe), "WebKit") {
			continue // the screen and the session
		}
		if strings.Contains(p.exe, "WebKit") {
			page++
		}
		kb, err := pss(p.pid)
		if err != nil {
			return 0, err
		}
		sum += kb / 1024
	}
	if page == 0 {
		return 0, fmt.Errorf("the window shows no page: %s", out.String())
	}
	return sum, nil
}

type process struct {
	pid, parent int
	exe         string
}

func processes() ([]process, error) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	var all []process
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has ended
		}
		parent, ok := parentOf(string(stat))
		if !ok {
			continue
		}
		exe, err := os.Readlink(filepath.Join(dir, "exe"))
		if err != nil {
			exe = ""
		}
		all = append(all, process{pid, parent, exe})
	}
	return all, nil
}

// parentOf reads the parent from /proc/PID/stat, where the name of the program
// stands in parentheses and may hold any character.
func parentOf(stat string) (int, bool) {
	i := strings.LastIndexByte(stat, ')')
	if i < 0 {
		return 0, false
	}
	fields := strings.Fields(stat[i+1:])
	if len(fields) < 2 {
		return 0, false
	}
	n, err := strconv.Atoi(fields[1])
	return n, err == nil
}

// below gives the process root and everything it started.
func below(all []process, root int) []process {
	in := map[int]bool{root: true}
	for grew := true; grew; {
		grew = false
		for _, p := range all {
			if !in[p.pid] && in[p.parent] {
				in[p.pid], grew = true, true
			}
		}
	}
	var out []process
	for _, p := range all {
		if in[p.pid] {
			out = append(out, p)
		}
	}
	return out
}

// pss is the memory of a process in KiB, shared pages counted by their share.
func pss(pid int) (float64, error) {
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, fmt.Errorf("read the memory of the window: %w", err)
	}
	return pssOf(string(body))
}

func pssOf(rollup string) (float64, error) {
	for line := range strings.Lines(rollup) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kb, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			if err != nil {
				return 0, fmt.Errorf("read the memory of the window: %w", err)
			}
			return kb, nil
		}
	}
	return 0, fmt.Errorf("the system does not say how much memory the window holds")
}
