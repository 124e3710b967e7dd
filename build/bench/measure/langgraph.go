package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cairn/engine/clock"
	"cairn/engine/ledger"
)

//go:embed saver.py
var saverScript string

const (
	atStep     = 1000 // steps before the first pair
	saverPairs = 40
)

// commitOverLangGraph is the median of a step group at step 1,000 over the median of
// LangGraph's SqliteSaver saving a state of the same replies and claims, in turns on
// the same disk.
func commitOverLangGraph(ctx context.Context, m Machine) (_ float64, err error) {
	if m.Python == "" {
		return 0, notHere("LangGraph's packages are not installed")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	saver, err := startSaver(ctx, m)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, saver.end()) }()
	s, done, err := open(filepath.Join(m.Dir, "home"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	mk := newMaker()
	branch, err := begin(ctx, s, mk)
	if err != nil {
		return 0, err
	}
	var c clock.Real
	var ours, whole, theirs []float64
	for i := range atStep + saverPairs {
		m.Note(fmt.Sprintf("step %d of %d", i+1, atStep+saverPairs))
		var bodies [][]byte
		var replies []string
		begun := c.Now()
		for range repliesPerStep {
			body := mk.reply()
			h, err := s.PutBlob(ctx, body)
			if err != nil {
				return 0, err
			}
			bodies, replies = append(bodies, body), append(replies, h.String())
		}
		groups, err := mk.step(replies)
		if err != nil {
			return 0, err
		}
		var last time.Time
		for _, g := range groups {
			last = c.Now()
			if err := s.Append(ctx, branch, g); err != nil {
				return 0, err
			}
		}
		if i >= atStep {
			ours, whole = append(ours, since(c, last)), append(whole, since(c, begun))
		}
		ms, err := saver.step(bodies, groups[len(groups)-1], i >= atStep)
		if err != nil {
			return 0, err
		}
		if i >= atStep {
			theirs = append(theirs, ms)
		}
	}
	m.Note(fmt.Sprintf("step group %.2f ms; whole step with its calls and replies %.2f ms; SqliteSaver %.2f ms",
		median(ours), median(whole), median(theirs)))
	return median(ours) / median(theirs), nil
}

// saver is the other side, a process of its own.
type saver struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	say strings.Builder
}

func startSaver(ctx context.Context, m Machine) (*saver, error) {
	s := &saver{cmd: exec.CommandContext(ctx, m.Python, "-c", saverScript, filepath.Join(m.Dir, "langgraph.sqlite"))}
	s.cmd.Stderr = &s.say
	s.cmd.WaitDelay = 5 * time.Second
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		s.in, err = s.cmd.StdinPipe()
	}
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start LangGraph: %w", err)
	}
	s.out = bufio.NewReader(out)
	if _, err := s.line(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *saver) line() (string, error) {
	text, err := s.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("LangGraph ended: %w: %s", errors.Join(err, s.cmd.Wait()), s.say.String())
	}
	return strings.TrimSpace(text), nil
}

// step puts what a step brought into the other side's state and, with save, gives
// the milliseconds that saving it took there.
func (s *saver) step(replies [][]byte, group [][]byte, save bool) (float64, error) {
	var step struct {
		Replies []string `json:"replies"`
		Claims  []any    `json:"claims"`
	}
	for _, r := range replies {
		step.Replies = append(step.Replies, base64.StdEncoding.EncodeToString(r))
	}
	for _, raw := range group {
		line, err := ledger.Decode(raw)
		if err != nil {
			return 0, fmt.Errorf("read a line: %w", err)
		}
		if claim, ok := line.Op.(*ledger.Claim); ok {
			step.Claims = append(step.Claims, map[string]string{"text": claim.Text, "quote": claim.Quotes[0].Text, "question": claim.Question})
		}
	}
	order := map[string]any{"add": step}
	if save {
		order = map[string]any{"put": step}
	}
	body, err := json.Marshal(order)
	if err != nil {
		return 0, fmt.Errorf("write a step: %w", err)
	}
	if _, err := s.in.Write(append(body, '\n')); err != nil {
		return 0, fmt.Errorf("send a step to LangGraph: %w: %s", err, s.say.String())
	}
	if !save {
		return 0, nil
	}
	text, err := s.line()
	if err != nil {
		return 0, err
	}
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("LangGraph gave no number: %w", err)
	}
	return ms, nil
}

func (s *saver) end() error {
	if err := s.in.Close(); err != nil {
		return fmt.Errorf("end LangGraph: %w", err)
	}
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("end LangGraph: %w: %s", err, s.say.String())
	}
	return nil
}
