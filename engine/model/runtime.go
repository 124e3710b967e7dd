package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"cairn/engine"
)

// FindRunning looks for a person's own Ollama: at configured when it is not
// empty, else at OLLAMA_HOST, else at the usual address. It gives a client and
// the version, or a KindModelAway error when nothing answers there.
func FindRunning(ctx context.Context, clock engine.Clock, configured string) (*Client, string, error) {
	address := configured
	if address == "" {
		address = os.Getenv("OLLAMA_HOST")
	}
	c, err := New(Config{Address: address, Clock: clock})
	if err != nil {
		return nil, "", err
	}
	version, err := c.Version(ctx)
	if err != nil {
		return nil, "", err
	}
	return c, version, nil
}

// RuntimeConfig says how to start the built-in runtime.
type RuntimeConfig struct {
	Binary string // the runtime's program
	Dir    string // private folder for its models, log, keys and pid file; made when absent
	Models string // folder of its models; "" = Dir/models
	Clock  engine.Clock
	Limits Limits        // of the client
	Wait   time.Duration // how long it may take to answer; 0 = 60 s
}

// Runtime is the built-in Ollama that belongs to this process, or one that
// another living process of the same home folder started.
type Runtime struct {
	Client  *Client
	Version string
	Shared  bool // another process started it; Close leaves it alone
	LogPath string

	models string
	record string
	lock   *flock.Flock
	child  *child
	once   sync.Once
}

// runtimeRecord is the pid file: enough to find an orphan again and to be sure
// that it is the one.
type runtimeRecord struct {
	Pid     int    `json:"pid"`
	Born    string `json:"born"` // what the system says about the process' start
	Address string `json:"address"`
}

// StartRuntime starts the runtime on a free loopback port and waits until it
// answers. A runtime that an earlier process left behind is ended first; one of
// a living process is shared. Close must be called.
func StartRuntime(ctx context.Context, cfg RuntimeConfig) (*Runtime, error) {
	if cfg.Wait <= 0 {
		cfg.Wait = time.Minute
	}
	if cfg.Models == "" {
		cfg.Models = filepath.Join(cfg.Dir, "models")
	}
	for _, path := range []*string{&cfg.Binary, &cfg.Dir, &cfg.Models} {
		whole, err := filepath.Abs(*path) // the runtime has another working folder
		if err != nil {
			return nil, noRuntime(fmt.Errorf("find %s: %w", *path, err), "")
		}
		*path = whole
	}
	for _, dir := range []string{cfg.Dir, cfg.Models} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, noRuntime(fmt.Errorf("make folder: %w", err), "")
		}
	}
	r := &Runtime{
		models: cfg.Models, record: filepath.Join(cfg.Dir, "runtime.json"),
		LogPath: filepath.Join(cfg.Dir, "runtime.log"), lock: flock.New(filepath.Join(cfg.Dir, "runtime.lock")),
	}
	mine, err := r.lock.TryLock()
	if err != nil {
		return nil, noRuntime(fmt.Errorf("lock runtime folder: %w", err), "")
	}
	if !mine {
		return r.share(ctx, cfg)
	}
	if err := r.endOrphan(ctx, cfg.Clock); err != nil {
		return nil, errors.Join(noRuntime(err, r.LogPath), r.lock.Unlock())
	}
	// The port is free now but may be taken before the runtime listens.
	for try := 0; ; try++ {
		err = r.start(ctx, cfg)
		if err == nil {
			return r, nil
		}
		if try >= 2 || ctx.Err() != nil || !errors.Is(err, errEarlyExit) {
			return nil, errors.Join(noRuntime(err, r.LogPath), r.lock.Unlock())
		}
	}
}

var errEarlyExit = errors.New("it ended at once")

func noRuntime(err error, log string) error {
	e := &engine.Error{Kind: engine.KindModelAway, What: "The built-in runtime did not start.",
		Safe: "Nothing was changed; everything works except asking a model.", Do: "Start Ollama yourself, or build the runtime again.", Err: err}
	if log != "" {
		e.Do += " Its log is " + log + "."
	}
	if errors.Is(err, context.Canceled) {
		e.Kind, e.What, e.Do = engine.KindCancelled, "Starting the built-in runtime was stopped.", ""
	}
	return e
}

// share uses the runtime of the process that holds the lock, which may still be
// starting it.
func (r *Runtime) share(ctx context.Context, cfg RuntimeConfig) (*Runtime, error) {
	deadline := cfg.Clock.Awake() + cfg.Wait
	for {
		if rec, err := r.read(); err == nil && rec.Address != "" {
			c, err := New(Config{Address: rec.Address, Clock: cfg.Clock, Limits: cfg.Limits})
			if err != nil {
				return nil, err
			}
			if v, err := c.Version(ctx); err == nil {
				r.Client, r.Version, r.Shared = c, v, true
				return r, nil
			}
		}
		if cfg.Clock.Awake() > deadline {
			return nil, &engine.Error{Kind: engine.KindBusy, What: "Another Cairn holds the built-in runtime, and it does not answer.",
				Safe: "Nothing was changed.", Do: "Close the other Cairn, or wait until it has started.", Err: ErrAway}
		}
		if err := cfg.Clock.Sleep(ctx, 200*time.Millisecond); err != nil {
			return nil, noRuntime(err, "")
		}
	}
}

func (r *Runtime) read() (runtimeRecord, error) {
	var rec runtimeRecord
	b, err := os.ReadFile(r.record)
	if err != nil {
		return rec, err
	}
	if err := json.Unmarshal(b, &rec); err != nil {
		return rec, fmt.Errorf("read runtime record: %w", err)
	}
	return rec, nil
}

// endOrphan ends the runtime that the record names if it still runs and is
// without doubt the one.
func (r *Runtime) endOrphan(ctx context.Context, clock engine.Clock) error {
	rec, err := r.read()
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && rec.Pid > 1 && rec.Born != "" && born(rec.Pid) == rec.Born {
		terminate(rec.Pid)
		for i := 0; i < 50 && born(rec.Pid) == rec.Born; i++ {
			if err := clock.Sleep(ctx, 100*time.Millisecond); err != nil {
				return err
			}
		}
		if born(rec.Pid) == rec.Born {
			kill(rec.Pid)
		}
	}
	// A record that can't be read names nothing; it is of no use to anybody.
	if err := os.Remove(r.record); err != nil {
		return fmt.Errorf("remove runtime record: %w", err)
	}
	return nil
}

func (r *Runtime) start(ctx context.Context, cfg RuntimeConfig) error {
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	logFile, err := openLog(r.LogPath)
	if err != nil {
		return err
	}
	defer logFile.Close() // the child has its own
	cmd := exec.Command(cfg.Binary, "serve")
	cmd.Dir, cmd.Stdout, cmd.Stderr = cfg.Dir, logFile, logFile
	cmd.Env = runtimeEnv(os.Environ(), cfg, address)
	if r.child, err = startChild(cmd); err != nil {
		return fmt.Errorf("start %s: %w", cfg.Binary, err)
	}
	ready := false
	defer func() {
		if !ready {
			r.child.end(2 * time.Second)
		}
	}()
	rec, err := json.Marshal(runtimeRecord{Pid: cmd.Process.Pid, Born: born(cmd.Process.Pid), Address: address})
	if err != nil {
		return fmt.Errorf("encode runtime record: %w", err)
	}
	if err := writeWhole(r.record, rec); err != nil {
		return fmt.Errorf("write runtime record: %w", err)
	}
	if r.Client, err = New(Config{Address: address, Clock: cfg.Clock, Limits: cfg.Limits}); err != nil {
		return err
	}
	deadline := cfg.Clock.Awake() + cfg.Wait
	for {
		if r.Version, err = r.Client.Version(ctx); err == nil {
			ready = true
			return nil
		}
		if ended, why := r.child.ended(); ended {
			return fmt.Errorf("%w: %w", errEarlyExit, why)
		}
		if cfg.Clock.Awake() > deadline {
			return fmt.Errorf("wait for the runtime: %w", err)
		}
		if err := cfg.Clock.Sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// Close ends the runtime: first kindly, after five seconds by force. It may be
// called more than once.
func (r *Runtime) Close() error {
	var err error
	r.once.Do(func() {
		if r.Shared {
			return
		}
		r.Client.Reset()
		r.child.end(5 * time.Second)
		if e := os.Remove(r.record); e != nil && !errors.Is(e, os.ErrNotExist) {
			err = fmt.Errorf("remove runtime record: %w", e)
		}
		err = errors.Join(err, r.lock.Unlock())
	})
	return err
}

// Done is closed when the runtime has ended, by Close or by itself. It is nil
// for a shared one.
func (r *Runtime) Done() <-chan struct{} {
	if r.child == nil {
		return nil
	}
	return r.child.done
}

// child is a started process with somebody who waits for it.
type child struct {
	pid  int
	done chan struct{}
	why  error
}

// startChild starts cmd from a thread that stays alive as long as the child:
// where the system ends a child together with its parent, it means the parent's
// thread.
func startChild(cmd *exec.Cmd) (*child, error) {
	bind(cmd)
	c := &child{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			c.pid = cmd.Process.Pid
		}
		started <- err
		if err != nil {
			return
		}
		if c.why = cmd.Wait(); c.why == nil {
			c.why = errors.New("exit status 0")
		}
		close(c.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

func (c *child) ended() (bool, error) {
	select {
	case <-c.done:
		return true, c.why
	default:
		return false, nil
	}
}

// end asks the child to end, and makes it after grace. It returns when it has.
func (c *child) end(grace time.Duration) {
	if ended, _ := c.ended(); ended {
		return
	}
	terminate(c.pid)
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-c.done:
	case <-t.C:
		kill(c.pid)
		<-c.done
	}
}

// runtimeEnv is the environment of the runtime: the person's, without their
// Ollama settings and with ours, and a home folder of its own so that it writes
// nothing anywhere else.
func runtimeEnv(env []string, cfg RuntimeConfig, address string) []string {
	own := map[string]string{
		"OLLAMA_HOST":              address,
		"OLLAMA_MODELS":            cfg.Models,
		"OLLAMA_NOPRUNE":           "1", // it would delete a model that is being added
		"OLLAMA_NO_CLOUD":          "1",
		"OLLAMA_NOHISTORY":         "1",
		"OLLAMA_NUM_PARALLEL":      "1",
		"OLLAMA_MAX_LOADED_MODELS": "1",
		"OLLAMA_LOAD_TIMEOUT":      "15m", // a slow disk is no failure
		"HOME":                     cfg.Dir,
		"USERPROFILE":              cfg.Dir,
	}
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, ours := own[name]
		return ours || strings.HasPrefix(name, "OLLAMA_")
	})
	for name, value := range own {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

func freePort(ctx context.Context) (int, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	a, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("find a free port: %v is no TCP address", l.Addr())
	}
	return a.Port, nil
}

// openLog begins a new log when the old one has grown, keeping the one before.
func openLog(path string) (*os.File, error) {
	if st, err := os.Stat(path); err == nil && st.Size() > 4<<20 {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("set the old log aside: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return f, nil
}

// writeWhole replaces a small file in one go.
func writeWhole(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
