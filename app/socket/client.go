package socket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"cairn/app/dto"
	"cairn/app/problem"
	"cairn/engine"
)

// Client is a dto.Service that another process does the work of.
type Client struct {
	http *http.Client
}

var _ dto.Service = (*Client)(nil)

// Dial says hello at the socket. The error is KindNotFound when nobody answers
// there.
func Dial(ctx context.Context, path string) (*Client, Hello, error) {
	c := &Client{http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", path)
		},
		// A call is never given a deadline here: the caller's context is one.
	}}}
	wait, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	hello, err := call[Hello](wait, c, "hello")
	if err != nil {
		c.Close()
		return nil, Hello{}, &engine.Error{
			Kind: engine.KindNotFound, What: "The running Cairn does not answer at its socket.",
			Safe: "Nothing was done.", Do: "Try again; if it stays silent, end it and start it anew.", Err: err,
		}
	}
	return c, hello, nil
}

// Close ends the connections that wait for a next call.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Show asks the owner's window to come to the front and open the files.
func (c *Client) Show(ctx context.Context, files []string) error {
	if files == nil {
		files = []string{}
	}
	_, err := call[Hello](ctx, c, "show", files)
	return err
}

func (c *Client) post(ctx context.Context, name string, args []any) (*http.Response, error) {
	if args == nil {
		args = []any{}
	}
	body, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("write the call %s: %w", name, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://cairn"+prefix+name, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("write the call %s: %w", name, err)
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, &engine.Error{Kind: engine.KindCancelled, What: "The call was stopped.", Safe: "What was saved is safe.", Err: ctx.Err()}
		}
		return nil, &engine.Error{
			Kind: engine.KindBusy, What: "The connection to the running Cairn ended.",
			Safe: "What was saved is safe.", Do: "Try the command again.", Err: err,
		}
	}
	return res, nil
}

func call[T any](ctx context.Context, c *Client, name string, args ...any) (T, error) {
	var out struct {
		Result T            `json:"result"`
		Error  *dto.Problem `json:"error"`
	}
	res, err := c.post(ctx, name, args)
	if err != nil {
		return out.Result, err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		if ctx.Err() != nil {
			return out.Result, &engine.Error{Kind: engine.KindCancelled, What: "The call was stopped.", Safe: "What was saved is safe.", Err: ctx.Err()}
		}
		return out.Result, &engine.Error{
			Kind: engine.KindInternal, What: "The answer of the running Cairn could not be read.",
			Safe: "What was saved is safe.", Do: "Use the same version of Cairn on both sides.", Err: err,
		}
	}
	if out.Error != nil {
		return out.Result, problem.Error(*out.Error)
	}
	if res.StatusCode >= 400 {
		return out.Result, unknown(name)
	}
	return out.Result, nil
}

func do(ctx context.Context, c *Client, name string, args ...any) error {
	_, err := call[json.RawMessage](ctx, c, name, args...)
	return err
}

// Watch follows the owner's events until ctx ends or the owner goes away; the
// latter is an error.
func (c *Client) Watch(ctx context.Context, task string, fn func(dto.Event)) error {
	res, err := c.post(ctx, "Watch", []any{task})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	r := bufio.NewReaderSize(res.Body, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var e struct {
				dto.Event
				Error *dto.Problem `json:"error"`
			}
			if uerr := json.Unmarshal(line, &e); uerr != nil {
				return fmt.Errorf("read an event: %w", uerr)
			}
			if e.Error != nil {
				return problem.Error(*e.Error)
			}
			fn(e.Event)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return &engine.Error{Kind: engine.KindBusy, What: "The running Cairn was closed.", Safe: "Everything up to then is saved.", Do: "Run the command again to go on."}
		case err != nil:
			return &engine.Error{Kind: engine.KindBusy, What: "The connection to the running Cairn ended.", Safe: "What was saved is safe.", Err: err}
		}
	}
}
