package fakeollama

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

func fullName(name string) string {
	if !strings.Contains(name, ":") {
		name += ":latest"
	}
	return strings.ToLower(name)
}

func find(models []Model, name string) (Model, bool) {
	for _, m := range models {
		if fullName(m.Name) == fullName(name) {
			return m.full(), true
		}
	}
	return Model{}, false
}

// full fills in the defaults.
func (m Model) full() Model {
	if m.Digest == "" {
		h := sha256.Sum256([]byte("fake model " + m.Name))
		m.Digest = hex.EncodeToString(h[:])
	}
	if m.Parameters == 0 {
		m.Parameters = 3_000_000_000
	}
	if m.Size == "" {
		m.Size = fmt.Sprintf("%.1fB", float64(m.Parameters)/1e9)
		if m.Parameters < 1e9 {
			m.Size = fmt.Sprintf("%.2fM", float64(m.Parameters)/1e6)
		}
	}
	if m.Bytes == 0 {
		m.Bytes = m.Parameters / 2
	}
	if m.Context == 0 {
		m.Context = 32768
	}
	if m.Template == "" {
		m.Template = "{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"
	}
	if m.Capabilities == nil {
		m.Capabilities = []string{"completion"}
	}
	return m
}

func (s *Server) tags(w http.ResponseWriter) {
	list := []map[string]any{}
	for _, m := range s.get().Models {
		m = m.full()
		e := map[string]any{
			"name": m.Name, "model": m.Name, "digest": m.Digest, "size": m.Bytes,
			"details": map[string]any{"family": "fake", "parameter_size": m.Size, "quantization_level": "Q4_1"},
		}
		if m.RemoteHost != "" {
			e["remote_host"] = m.RemoteHost
		}
		if m.RemoteModel != "" {
			e["remote_model"] = m.RemoteModel
		}
		list = append(list, e)
	}
	answer(w, map[string]any{"models": list})
}

func (s *Server) show(w http.ResponseWriter, r Recorded) {
	name := text(r.Raw, "model")
	m, ok := find(s.get().Models, name)
	if !ok {
		fail(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", name))
		return
	}
	v := map[string]any{
		"template": m.Template, "modelfile": "FROM fake\n", "capabilities": m.Capabilities,
		"details":    map[string]any{"family": "fake", "parameter_size": m.Size, "quantization_level": "Q4_1"},
		"model_info": map[string]any{"general.architecture": "fake", "general.parameter_count": m.Parameters, "fake.context_length": m.Context},
	}
	if m.RemoteHost != "" {
		v["remote_host"] = m.RemoteHost
	}
	answer(w, v)
}

func (s *Server) ps(w http.ResponseWriter) {
	models := s.get().Models
	s.mu.Lock()
	list := []map[string]any{}
	for name, options := range s.loaded {
		m, ok := find(models, name)
		if !ok {
			continue
		}
		var ctx int
		_, _ = fmt.Sscanf(options, "num_ctx=%d", &ctx) // 0 when it was not given
		list = append(list, map[string]any{"name": m.Name, "model": m.Name, "digest": m.Digest, "size": m.Bytes,
			"size_vram": m.VRAM, "context_length": ctx, "expires_at": "2030-01-01T00:00:00Z"})
	}
	s.mu.Unlock()
	answer(w, map[string]any{"models": list})
}

func (s *Server) blob(w http.ResponseWriter, r *http.Request, digest string) {
	s.mu.Lock()
	_, have := s.blobs[digest]
	s.mu.Unlock()
	if r.Method == http.MethodHead {
		if !have {
			w.WriteHeader(http.StatusNotFound)
		}
		return
	}
	h := sha256.New()
	n, err := io.Copy(h, r.Body)
	if err != nil {
		return // the client left
	}
	if got := "sha256:" + hex.EncodeToString(h.Sum(nil)); got != digest {
		fail(w, http.StatusBadRequest, fmt.Sprintf("digest mismatch, expected %q, got %q", digest, got))
		return
	}
	s.mu.Lock()
	s.blobs[digest] = n
	s.mu.Unlock()
	if !have {
		w.WriteHeader(http.StatusCreated)
	}
}

// create makes a model from blobs that were sent, or from another model. A name
// that holds "bare" gets the template of an unknown form.
func (s *Server) create(w http.ResponseWriter, r Recorded) {
	var in struct {
		Model    string            `json:"model"`
		From     string            `json:"from"`
		Files    map[string]string `json:"files"`
		Template string            `json:"template"`
	}
	if err := json.Unmarshal(r.Body, &in); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	s.mu.Lock()
	m, ok := find(s.Models, in.From)
	var total int64
	for _, digest := range in.Files {
		n, have := s.blobs[digest]
		if !have {
			s.mu.Unlock()
			fail(w, http.StatusBadRequest, fmt.Sprintf("blob %s not found", digest))
			return
		}
		ok, total = true, total+n
	}
	if ok {
		m.Name, m.Digest = in.Model, ""
		if total > 0 {
			m.Bytes, m.Template = total, ""
			if strings.Contains(in.Model, "bare") {
				m.Template = "{{ .Prompt }}"
			}
		}
		if in.Template != "" {
			m.Template = in.Template
		}
		kept := s.Models[:0:0]
		for _, old := range s.Models {
			if fullName(old.Name) != fullName(in.Model) {
				kept = append(kept, old)
			}
		}
		s.Models = append(kept, m)
	}
	s.mu.Unlock()
	if !ok {
		fail(w, http.StatusBadRequest, "neither 'from' or 'files' was specified")
		return
	}
	for _, status := range []string{"parsing GGUF", "writing manifest", "success"} {
		answer(w, map[string]string{"status": status})
	}
}

// pull pretends to fetch a model; one whose name holds "absent" does not exist.
func (s *Server) pull(w http.ResponseWriter, r Recorded) {
	name := text(r.Raw, "model")
	answer(w, map[string]any{"status": "pulling manifest"})
	if strings.Contains(name, "absent") {
		answer(w, map[string]any{"error": "pull model manifest: file does not exist"})
		return
	}
	for _, done := range []int{0, 500, 1000} {
		answer(w, map[string]any{"status": "pulling", "digest": "sha256:00", "total": 1000, "completed": done})
	}
	s.mu.Lock()
	if _, have := find(s.Models, name); !have {
		s.Models = append(s.Models, Model{Name: name})
	}
	s.mu.Unlock()
	answer(w, map[string]any{"status": "success"})
}

func text(raw map[string]json.RawMessage, field string) string {
	var v string
	if json.Unmarshal(raw[field], &v) != nil {
		return ""
	}
	return v
}
