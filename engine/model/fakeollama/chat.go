package fakeollama

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// runnerOptions are those that make the server load a model again.
var runnerOptions = []string{"num_ctx", "num_batch", "num_gpu", "main_gpu", "use_mmap", "num_thread"}

// Tokens is how the fake counts: four bytes a token.
func Tokens(s string) int { return (len(s) + 3) / 4 }

func (s *Server) chat(w http.ResponseWriter, r *http.Request, c ChatRequest, n int) {
	set := s.get()
	var script *Script
	if set.Script != nil {
		script = set.Script(c, n)
	}
	if script != nil && script.NoSlot {
		s.play(w, r, set, script)
		return
	}
	// One call after the other, without a byte for those who wait.
	select {
	case set.slot <- struct{}{}:
	case <-r.Context().Done():
		return
	case <-set.stopped:
		return
	}
	free := func() { <-set.slot }
	switch {
	case script != nil:
		if hold := script.Hold; hold != nil {
			defer func() {
				go func() {
					<-hold
					free()
				}()
			}()
		} else {
			defer free()
		}
		s.play(w, r, set, script)
	case set.RunnerDead:
		defer free()
		waitEnd(r.Context(), set)
	default:
		defer free()
		s.simulate(w, r, set, c)
	}
}

func waitEnd(ctx context.Context, set settings) {
	select {
	case <-ctx.Done():
	case <-set.stopped:
	}
}

// play does what a script says.
func (s *Server) play(w http.ResponseWriter, r *http.Request, set settings, script *Script) {
	if script.Offline {
		hangUp(w, false)
		return
	}
	if script.Silent {
		waitEnd(r.Context(), set)
		return
	}
	maps.Copy(w.Header(), script.Header)
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/x-ndjson")
	}
	status := script.Status
	if status == 0 {
		status = http.StatusOK
	}
	begun := false
	begin := func() {
		if !begun {
			begun = true
			w.WriteHeader(status)
			flush(w)
		}
	}
	for _, st := range script.Steps {
		if st.Wait != nil {
			select {
			case <-st.Wait:
			case <-r.Context().Done():
				return
			case <-set.stopped:
				return
			}
		}
		if st.Delay > 0 && set.Clock.Sleep(r.Context(), st.Delay) != nil {
			return
		}
		if st.Do != nil {
			st.Do()
		}
		if st.Bytes != nil {
			begin()
			if _, err := w.Write(st.Bytes); err != nil {
				return // the client left
			}
			flush(w)
		}
	}
	begin()
	switch script.End {
	case EndReset:
		hangUp(w, true)
	case EndCut:
		hangUp(w, false)
	case EndHang:
		waitEnd(r.Context(), set)
	case EndKilled:
		go s.Stop()
		waitEnd(context.Background(), set)
		hangUp(w, true)
	}
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// hangUp takes the connection away from the HTTP server and drops it.
func hangUp(w http.ResponseWriter, reset bool) {
	h, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, _, err := h.Hijack()
	if err != nil {
		return // it is gone already
	}
	if t, ok := conn.(*net.TCPConn); ok && reset {
		_ = t.SetLinger(0) // it is dropped either way
	}
	_ = conn.Close() // it is dropped on purpose
}

// simulate answers like a real server: load, read, write, one token a line.
func (s *Server) simulate(w http.ResponseWriter, r *http.Request, set settings, c ChatRequest) {
	m, ok := find(set.Models, c.Model)
	switch {
	case c.Model == "":
		fail(w, http.StatusBadRequest, "model is required")
		return
	case !ok:
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", c.Model))
		return
	case string(c.Think) == "true" && !slices.Contains(m.Capabilities, "thinking"):
		fail(w, http.StatusBadRequest, fmt.Sprintf("%q does not support thinking", c.Model))
		return
	}
	d := Done{Load: s.load(set, c, m)}
	if d.Load > 0 && set.Clock.Sleep(r.Context(), d.Load) != nil {
		return
	}
	if len(c.Messages) == 0 { // load or unload only
		d.Reason = "load"
		if string(c.KeepAlive) == "0" {
			d.Reason = "unload"
			s.mu.Lock()
			delete(s.loaded, fullName(c.Model))
			s.mu.Unlock()
		}
		_, _ = w.Write(d.Line()) // the client left
		return
	}

	var prompt strings.Builder
	for _, msg := range c.Messages {
		prompt.WriteString(msg.Role + "\n" + msg.Content + "\n")
	}
	count := Tokens(prompt.String())
	limit := min(c.Int("num_ctx"), m.Context)
	if limit <= 0 {
		limit = 4096
	}
	if count > limit {
		if c.Truncate != nil && !*c.Truncate && !set.CutSilently {
			fail(w, http.StatusBadRequest, "the input length exceeds the context length")
			return
		}
		count = limit
	}
	d.PromptCount = int64(count)
	fresh := max(1, count-s.cached(prompt.String()))
	if set.Clock.Sleep(r.Context(), speed(fresh, set.Read)) != nil {
		return
	}
	d.PromptTime = speed(fresh, stated(set.Read, 2000))

	reply := ""
	if set.Reply != nil {
		reply = set.Reply(c)
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	most := limit - count
	if n := c.Int("num_predict"); n > 0 {
		most = min(most, n)
	}
	for reply != "" {
		if d.EvalCount >= int64(most) {
			d.Reason = "length"
			break
		}
		piece := token(reply)
		reply = reply[len(piece):]
		if set.Clock.Sleep(r.Context(), speed(1, set.Write)) != nil {
			return
		}
		d.EvalCount++
		d.EvalTime += speed(1, stated(set.Write, 200))
		if _, err := w.Write(Line(piece)); err != nil {
			return // the client left
		}
		if set.Write > 0 {
			flush(w)
		}
	}
	_, _ = w.Write(d.Line()) // the client left
}

// token gives the next four bytes or so, whole characters.
func token(s string) string {
	for i := range s {
		if i >= 4 {
			return s[:i]
		}
	}
	return s
}

// stated is the speed that the done line speaks of: a fake without delays still
// says something a measuring client can work with.
func stated(rate, otherwise float64) float64 {
	if rate > 0 {
		return rate
	}
	return otherwise
}

func speed(tokens int, perSecond float64) time.Duration {
	if perSecond <= 0 {
		return 0
	}
	return time.Duration(float64(tokens) / perSecond * float64(time.Second))
}

// load says how long loading takes, nothing when the model is there with the
// same runner options.
func (s *Server) load(set settings, c ChatRequest, m Model) time.Duration {
	var options []string
	for _, name := range runnerOptions {
		if v, ok := c.Options[name]; ok {
			b, err := json.Marshal(v)
			if err != nil {
				continue // it came from JSON
			}
			options = append(options, name+"="+string(b))
		}
	}
	key := strings.Join(options, ",")
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fullName(m.Name)
	if old, ok := s.loaded[name]; ok && old == key {
		return 0
	}
	s.loaded[name] = key
	s.loads++
	s.last = ""
	return set.LoadTime
}

// cached gives the tokens at the beginning that the prompt before had too.
func (s *Server) cached(prompt string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < len(prompt) && n < len(s.last) && prompt[n] == s.last[n] {
		n++
	}
	s.last = prompt
	return n / 4
}
