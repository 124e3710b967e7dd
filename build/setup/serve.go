package setup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"cairn/build/stage"
	"cairn/engine/clock"
)

// Served is a bundled runtime that was started here.
type Served struct {
	Address string
	cmd     *exec.Cmd
	ended   chan error
	log     *tailWriter
}

// Serve starts the bundled runtime on a free port of this machine, with its
// models in the folder models. The caller stops it.
func Serve(ctx context.Context, p Place, models string) (*Served, error) {
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	s := &Served{Address: address, ended: make(chan error, 1), log: &tailWriter{}}
	s.cmd = exec.Command(p.Runtime(), "serve")
	s.cmd.Env = append(os.Environ(), "OLLAMA_HOST="+address, "OLLAMA_MODELS="+models, "OLLAMA_NO_CLOUD=1", "OLLAMA_NUM_PARALLEL=1")
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	ownGroup(s.cmd)
	s.cmd.Cancel = nil
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the runtime: %w", err)
	}
	go func() { s.ended <- s.cmd.Wait() }()
	var c clock.Real
	for deadline := c.Now().Add(30 * time.Second); c.Now().Before(deadline); {
		var v struct{ Version string }
		if getJSON(ctx, "http://"+address+"/api/version", &v) == nil {
			return s, nil
		}
		select {
		case err := <-s.ended:
			s.ended <- err
			return nil, fmt.Errorf("the runtime ended as it started: %w\n%s", err, s.log.text())
		default:
		}
		if err := c.Sleep(ctx, 100*time.Millisecond); err != nil {
			s.Stop()
			return nil, err
		}
	}
	s.Stop()
	return nil, errors.New("the runtime did not answer within 30 seconds\n" + s.log.text())
}

// Stop ends the runtime and everything it started, and waits for it.
func (s *Served) Stop() {
	endGroup(s.cmd, false)
	select {
	case <-s.ended:
	case <-time.After(5 * time.Second):
		endGroup(s.cmd, true)
		<-s.ended
	}
}

// Import makes the starter model known to the runtime at address.
func Import(ctx context.Context, p Place, address string) error {
	var tags struct {
		Models []struct{ Name string }
	}
	if err := getJSON(ctx, "http://"+address+"/api/tags", &tags); err != nil {
		return fmt.Errorf("ask the runtime for its models: %w", err)
	}
	for _, m := range tags.Models {
		if m.Name == StarterName {
			return nil
		}
	}
	if !isGGUF(p.Starter()) {
		return ollama(ctx, p, address, nil, "pull", StarterName)
	}
	file := filepath.Join(filepath.Dir(p.Starter()), "Modelfile")
	if err := stage.WriteFile(file, []byte("FROM "+p.Starter()+"\n"), 0o600); err != nil {
		return err
	}
	return ollama(ctx, p, address, nil, "create", StarterName, "-f", file)
}

func ollama(ctx context.Context, p Place, address string, line func(string), args ...string) error {
	return Command{
		Args: append([]string{p.Runtime()}, args...),
		Env:  []string{"OLLAMA_HOST=" + address, "OLLAMA_NO_CLOUD=1"},
		Line: line,
	}.Run(ctx)
}

// byOllama pulls the starter model through the bundled runtime, into the folder
// where the program's runtime keeps its models.
func byOllama(ctx context.Context, p Place, pr *stage.Progress) error {
	s, err := Serve(ctx, p, p.Models())
	if err != nil {
		return err
	}
	defer s.Stop()
	line := func(text string) { pr.Note(shorten(strings.TrimSpace(text), 60)) }
	if err := ollama(ctx, p, s.Address, line, "pull", StarterName); err != nil {
		return err
	}
	return stage.WriteFile(pulledStamp(p), []byte(StarterName+" through Ollama\n"), 0o600)
}

// FreePort gives a port of this machine that nobody listens on now.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
