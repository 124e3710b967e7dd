package model

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const shortLimit = 15 * time.Second // awake time for a call that does no model work

// Version asks for the server's version. It answers while a runner is dead, so
// it shows that a server is there and nothing more.
func (c *Client) Version(ctx context.Context) (string, error) {
	var v struct {
		Version string `json:"version"`
	}
	if err := c.call(ctx, http.MethodGet, "/api/version", "", nil, &v, shortLimit); err != nil {
		return "", err
	}
	if v.Version == "" {
		return "", explain(fmt.Errorf("%w: no version given", ErrProtocol), "", c.addr.Host)
	}
	return v.Version, nil
}

// VersionWarning says that a version is known to leak memory to whoever can
// reach the server (CVE-2026-7482), or nothing. A server that was built without
// a version number calls itself 0.0.0.
func VersionWarning(version string) (Warning, bool) {
	v, ok := parseVersion(version)
	if !ok || v == [3]int{} || v[0] > 0 || v[1] > 17 || (v[1] == 17 && v[2] >= 1) {
		return Warning{}, false
	}
	return Warning{
		Code: "old_version",
		Text: fmt.Sprintf("Ollama %s has a known security hole that 0.17.1 closed. Please update it.", version),
	}, true
}

func parseVersion(s string) ([3]int, bool) {
	var v [3]int
	s, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(s), "v"), "-")
	s, _, _ = strings.Cut(s, "+")
	parts := strings.Split(s, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

// Model is one model that the server has.
type Model struct {
	Name   string
	Digest string
	Bytes  int64
	Size   string // as the server says it: "134.52M"
	Quant  string
	Family string
	// Reject, when not empty, says why Cairn does not use it.
	Reject string
}

type tagDetails struct {
	Family string `json:"family"`
	Size   string `json:"parameter_size"`
	Quant  string `json:"quantization_level"`
}

// Tags lists the server's models in its order. Those that run elsewhere are in
// the list with a Reject, so that a person sees why they can't be chosen.
func (c *Client) Tags(ctx context.Context) ([]Model, error) {
	var v struct {
		Models []struct {
			Name        string     `json:"name"`
			Model       string     `json:"model"`
			Digest      string     `json:"digest"`
			Bytes       int64      `json:"size"`
			RemoteHost  string     `json:"remote_host"`
			RemoteModel string     `json:"remote_model"`
			Details     tagDetails `json:"details"`
		} `json:"models"`
	}
	if err := c.call(ctx, http.MethodGet, "/api/tags", "", nil, &v, shortLimit); err != nil {
		return nil, err
	}
	var out []Model
	for _, m := range v.Models {
		name := m.Name
		if name == "" {
			name = m.Model
		}
		mod := Model{Name: name, Digest: strings.TrimPrefix(m.Digest, "sha256:"), Bytes: m.Bytes,
			Size: m.Details.Size, Quant: m.Details.Quant, Family: m.Details.Family}
		if m.RemoteHost != "" || m.RemoteModel != "" || cloudName(name) {
			mod.Reject = "It runs on somebody else's computer; Cairn uses only models that run here."
		}
		out = append(out, mod)
	}
	return out, nil
}

// Find gives one of the server's models by name; a name without a tag means
// :latest. A missing model is a KindModelMissing error, a remote one KindRefused.
func (c *Client) Find(ctx context.Context, name string) (Model, error) {
	all, err := c.Tags(ctx)
	if err != nil {
		return Model{}, err
	}
	for _, m := range all {
		if fullName(m.Name) == fullName(name) {
			if m.Reject != "" {
				return m, explain(ErrRemote, name, c.addr.Host)
			}
			return m, nil
		}
	}
	return Model{}, explain(ErrMissing, name, c.addr.Host)
}

func fullName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if !strings.Contains(name[strings.LastIndexByte(name, '/')+1:], ":") {
		name += ":latest"
	}
	return name
}

// cloudName tells a name by which Ollama means a model on its makers' servers.
func cloudName(name string) bool {
	_, tag, _ := strings.Cut(fullName(name), ":")
	return tag == "cloud" || strings.HasSuffix(tag, "-cloud")
}

// Card is what the server knows about a model.
type Card struct {
	Template     string
	Renderer     string
	Parser       string
	Modelfile    string
	Capabilities []string
	Size         string
	Quant        string
	Family       string
	Parameters   int64 // number of weights, 0 when not known
	Context      int   // tokens it was trained for, 0 when not known
	Remote       bool
}

// Show asks for a model's card.
func (c *Client) Show(ctx context.Context, name string) (Card, error) {
	var v struct {
		Template     string                     `json:"template"`
		Renderer     string                     `json:"renderer"`
		Parser       string                     `json:"parser"`
		Modelfile    string                     `json:"modelfile"`
		Capabilities []string                   `json:"capabilities"`
		RemoteHost   string                     `json:"remote_host"`
		RemoteModel  string                     `json:"remote_model"`
		Details      tagDetails                 `json:"details"`
		Info         map[string]json.RawMessage `json:"model_info"`
	}
	in := map[string]string{"model": name}
	if err := c.call(ctx, http.MethodPost, "/api/show", name, in, &v, time.Minute); err != nil {
		return Card{}, err
	}
	card := Card{
		Template: v.Template, Renderer: v.Renderer, Parser: v.Parser, Modelfile: v.Modelfile, Capabilities: v.Capabilities,
		Size: v.Details.Size, Quant: v.Details.Quant, Family: v.Details.Family,
		Remote: v.RemoteHost != "" || v.RemoteModel != "",
	}
	var arch string
	if json.Unmarshal(v.Info["general.architecture"], &arch) == nil {
		card.Context = int(number(v.Info[arch+".context_length"]))
	}
	card.Parameters = number(v.Info["general.parameter_count"])
	if card.Parameters == 0 {
		card.Parameters = parseSize(v.Details.Size)
	}
	return card, nil
}

// number reads a JSON number that may be written as a float, 0 when it is none.
func number(b json.RawMessage) int64 {
	var f float64
	if len(b) == 0 || json.Unmarshal(b, &f) != nil || f < 0 || f > 1e15 {
		return 0
	}
	return int64(f)
}

// parseSize reads "134.52M", "7B" and the like, 0 when it is something else.
func parseSize(s string) int64 {
	s = strings.ToUpper(strings.TrimSpace(s))
	if s == "" {
		return 0
	}
	unit := map[byte]float64{'K': 1e3, 'M': 1e6, 'B': 1e9, 'T': 1e12}[s[len(s)-1]]
	f, err := strconv.ParseFloat(s[:len(s)-1], 64)
	if err != nil || unit == 0 || f < 0 {
		return 0
	}
	return int64(f * unit)
}

// Loaded is a model that is in memory now.
type Loaded struct {
	Name    string
	Digest  string
	Bytes   int64
	VRAM    int64 // bytes of it on the graphics card; 0 = all on the processor
	Context int   // num_ctx it was loaded with
	Expires time.Time
}

// Ps lists what is loaded. Ask at most every 5 s and not while a model loads:
// some versions read their table unlocked.
func (c *Client) Ps(ctx context.Context) ([]Loaded, error) {
	var v struct {
		Models []struct {
			Name    string    `json:"name"`
			Digest  string    `json:"digest"`
			Bytes   int64     `json:"size"`
			VRAM    int64     `json:"size_vram"`
			Context int       `json:"context_length"`
			Expires time.Time `json:"expires_at"`
		} `json:"models"`
	}
	if err := c.call(ctx, http.MethodGet, "/api/ps", "", nil, &v, shortLimit); err != nil {
		return nil, err
	}
	var out []Loaded
	for _, m := range v.Models {
		out = append(out, Loaded{Name: m.Name, Digest: strings.TrimPrefix(m.Digest, "sha256:"), Bytes: m.Bytes,
			VRAM: m.VRAM, Context: m.Context, Expires: m.Expires})
	}
	return out, nil
}

// Unload takes a model out of memory.
func (c *Client) Unload(ctx context.Context, name string) error {
	in := map[string]any{"model": name, "messages": []message{}, "keep_alive": 0, "stream": false}
	var out struct {
		Done bool `json:"done"`
	}
	return c.call(ctx, http.MethodPost, "/api/chat", name, in, &out, time.Minute)
}
