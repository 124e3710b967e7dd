package model

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"cairn/engine"
)

// Client talks to one Ollama. It may be used from several goroutines; Ollama
// itself answers one call after the other.
type Client struct {
	addr   Address
	clock  engine.Clock
	limits Limits
	random engine.Random
	http   *http.Client
	ticks  func(time.Duration) (<-chan time.Time, func())

	mu    sync.Mutex
	known map[string]*manner // by model name
}

// manner is what the client has learned about driving one model.
type manner struct {
	strategy  Strategy // "" = not probed
	noFormat  bool     // the server failed on a schema; cleared by Preflight
	numCtx    int      // as last sent, so that a probe never reloads the model
	readRate  float64  // tokens/s of fresh prompt, 0 = not measured
	writeRate float64
	load      time.Duration
	tokenLen  float64 // bytes of prompt per token
}

// Config makes a Client.
type Config struct {
	Address string // as OLLAMA_HOST; "" = DefaultAddress
	Clock   engine.Clock
	Limits  Limits
	Random  engine.Random // begins each probe; nil = the system's
}

// New makes a client; nothing is dialled. The error is a KindUsage one for an
// address that can't be one.
func New(c Config) (*Client, error) {
	addr, err := ParseAddress(c.Address)
	if err != nil {
		return nil, err
	}
	if c.Clock == nil {
		return nil, errors.New("model: a client needs a clock")
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if c.Random == nil {
		c.Random = rand.Reader
	}
	return &Client{
		random: c.Random,
		addr:   addr,
		clock:  c.Clock,
		limits: c.Limits,
		ticks:  newTicks,
		known:  map[string]*manner{},
		http: &http.Client{
			// No Timeout: it would count loading and reading as failure, and ends a
			// stream in a way that looks like a short answer. The watch replaces it.
			Transport: &http.Transport{
				Proxy:              nil,
				DialContext:        dialer.DialContext,
				DisableCompression: true,
				// A connection from before a sleep or a restart of the server fails or
				// hangs; a new one over loopback costs next to nothing.
				DisableKeepAlives: true,
			},
			// Nothing may lead elsewhere than the configured address.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Address tells where the client dials.
func (c *Client) Address() Address { return c.addr }

// Reset drops connections that are not in use.
func (c *Client) Reset() { c.http.CloseIdleConnections() }

// learn runs fn on what is known about a model.
func (c *Client) learn(name string, fn func(*manner)) manner {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.known[name]
	if m == nil {
		m = &manner{}
		c.known[name] = m
	}
	if fn != nil {
		fn(m)
	}
	return *m
}

// Rates gives the measured speed of a model in tokens a second, 0 when it was
// not measured yet.
func (c *Client) Rates(name string) (read, write float64) {
	m := c.learn(name, nil)
	return m.readRate, m.writeRate
}

// Tokens estimates how many tokens text has for a model, from what was
// measured; three bytes a token, on the safe side, before anything was.
func (c *Client) Tokens(name, text string) int {
	n := c.learn(name, nil).tokenLen
	if n <= 0 {
		n = 3
	}
	return int(float64(len(text))/n) + 1
}

// send makes a request and gives the response of any status. Errors are
// wrapped ErrAway or ErrLost, or the context's cause.
func (c *Client) send(ctx context.Context, method, path string, body io.Reader, size int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.addr.URL+path, body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	if body != nil {
		req.ContentLength = size
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, connError(ctx, err)
	}
	return resp, nil
}

// connError tells a refused dial from a lost connection from a stop.
func connError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return stopped(ctx, cause)
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

// stopped keeps a watch's verdict apart from the caller's stop, and makes the
// latter recognisable as such whatever its cause is.
func stopped(ctx context.Context, cause error) error {
	if e, ok := errors.AsType[*expired](cause); ok {
		return e
	}
	if errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return fmt.Errorf("%w: %w", ctx.Err(), cause)
}

// refusal reads the error body of a response.
func refusal(resp *http.Response) error {
	b, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil && len(b) == 0 {
		return classify(resp.StatusCode, "")
	}
	var e struct {
		Error  string `json:"error"`
		Signin string `json:"signin_url"`
	}
	if json.Unmarshal(b, &e) != nil {
		e.Error = strings.TrimSpace(string(b))
		if resp.StatusCode == http.StatusNotFound {
			return fmt.Errorf("%w: status 404, %q", ErrProtocol, clip(e.Error, 200))
		}
	}
	if e.Signin != "" {
		e.Error += " (signin needed)"
	}
	return classify(resp.StatusCode, e.Error)
}

// call makes one short request with a JSON answer. limit bounds it in awake
// time; in may be nil. Errors are *engine.Error.
func (c *Client) call(ctx context.Context, method, path, name string, in, out any, limit time.Duration) error {
	if err := c.short(ctx, method, path, in, out, limit); err != nil {
		return explain(fmt.Errorf("%s %s: %w", method, path, err), name, c.addr.Host)
	}
	return nil
}

func (c *Client) short(ctx context.Context, method, path string, in, out any, limit time.Duration) error {
	ctx, w := startWatch(ctx, c.clock, Limits{FirstByte: limit, Gap: limit}, c.ticks)
	defer w.stop()
	var body io.Reader
	var size int64
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		body, size = bytes.NewReader(b), int64(len(b))
	}
	resp, err := c.send(ctx, method, path, body, size)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return refusal(resp)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err != nil {
		return connError(ctx, err)
	}
	if len(b) > maxReply {
		return ErrTooMuch
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return nil
}
