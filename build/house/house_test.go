package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// TestCalls holds this repository to its own rules.
func TestCalls(t *testing.T) {
	found, err := Calls(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// TestDirections asks the Go tool what is imported, once as the command line
// is built and once as the window is.
func TestDirections(t *testing.T) {
	for _, tags := range []string{"", "window,desktop,production,webkit2_41"} {
		name := "terminal"
		if tags != "" {
			name = "window"
		}
		t.Run(name, func(t *testing.T) {
			packages, err := list(tags)
			if err != nil {
				t.Fatal(err)
			}
			if len(packages) < 5 {
				t.Fatalf("the Go tool lists only %d packages", len(packages))
			}
			for _, f := range Directions(packages) {
				t.Error(f)
			}
			if tags != "" {
				return
			}
			// Without the tag, nothing in the program may need a graphics library.
			for _, p := range packages {
				for _, d := range p.Deps {
					if strings.HasPrefix(d, "github.com/wailsapp/") && p.ImportPath == "cairn" {
						t.Errorf("%s reaches %s without the tag window", p.ImportPath, d)
					}
				}
			}
		})
	}
}

func list(tags string) ([]Package, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Deps", "-tags", tags, "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New(err.Error() + ": " + stderr.String())
	}
	var packages []Package
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

func TestFile(t *testing.T) {
	tests := []struct {
		name, file, code string
		want             string // part of the finding, "" for none
	}{
		{"clock allowed", "engine/clock/clock.go", `import "time"; var _ = time.Now`, ""},
		{"clock banned", "engine/run/step.go", `import "time"; func f() { time.Now() }`, "uses time.Now"},
		{"as a value", "app/x.go", `import "time"; var now = time.Now`, "uses time.Now"},
		{"renamed import", "app/x.go", `import t "time"; var _ = t.AfterFunc`, "uses time.AfterFunc"},
		{"own name", "app/x.go", `var time struct{ Now int }; var _ = time.Now`, ""},
		{"tests are free", "app/x_test.go", `import "time"; var _ = time.Now`, ""},
		{"exit in main", "main.go", `import "os"; func f() { os.Exit(1) }`, ""},
		{"exit in build", "build/main.go", `import "os"; func f() { os.Exit(1) }`, ""},
		{"exit below build", "build/setup/x.go", `import "os"; func f() { os.Exit(1) }`, "uses os.Exit"},
		{"fatal", "vault/x.go", `import "log"; func f() { log.Fatalf("") }`, "uses log.Fatalf"},
		{"wails in the window", "app/window/x.go", `import _ "github.com/wailsapp/wails/v2/pkg/runtime"`, ""},
		{"wails elsewhere", "app/x.go", `import _ "github.com/wailsapp/wails/v2"`, "imports github.com/wailsapp/wails/v2"},
		{"badger in the vault", "vault/internal/x.go", `import _ "github.com/dgraph-io/badger/v4"`, ""},
		{"badger in a test elsewhere", "engine/x_test.go", `import _ "github.com/dgraph-io/badger/v4"`, "imports github.com/dgraph-io/badger"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, err := File(tt.file, []byte("package x; "+tt.code))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.want == "" && len(found) > 0:
				t.Errorf("found %v, want nothing", found)
			case tt.want != "" && (len(found) != 1 || !strings.Contains(found[0].Text, tt.want)):
				t.Errorf("found %v, want one with %q", found, tt.want)
			}
			if len(found) == 1 && !strings.HasPrefix(found[0].Place, filepath.ToSlash(tt.file)+":") {
				t.Errorf("place %q does not name the file", found[0].Place)
			}
		})
	}
}

func TestDirectionsFinds(t *testing.T) {
	tests := []struct {
		name string
		pkg  Package
		want string
	}{
		{"main imports all", Package{ImportPath: "cairn", Imports: []string{"cairn/vault", "cairn/app/cli"}}, ""},
		{"engine inside", Package{ImportPath: "cairn/engine/task", Imports: []string{"cairn/engine/state"}}, ""},
		{"engine to vault", Package{ImportPath: "cairn/engine/task", Imports: []string{"cairn/vault"}}, "imports cairn/vault"},
		{"engine reaches badger", Package{ImportPath: "cairn/engine/task", Deps: []string{"github.com/dgraph-io/badger/v4"}}, "reaches github.com/dgraph-io/badger/v4"},
		{"vault to engine", Package{ImportPath: "cairn/vault", Imports: []string{"cairn/engine"}}, ""},
		{"vault to app", Package{ImportPath: "cairn/vault/vaulttest", Imports: []string{"cairn/app/dto"}}, "imports cairn/app/dto"},
		{"app to engine", Package{ImportPath: "cairn/app/cli", Imports: []string{"cairn/engine/task"}}, ""},
		{"app to vault", Package{ImportPath: "cairn/app", Imports: []string{"cairn/vault"}}, "imports cairn/vault"},
		{"similar name", Package{ImportPath: "cairn/engine", Imports: []string{"cairn/engineer"}}, "imports cairn/engineer"},
		{"stranger", Package{ImportPath: "cairn/util"}, "belongs to no layer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := Directions([]Package{tt.pkg})
			switch {
			case tt.want == "" && len(found) > 0:
				t.Errorf("found %v, want nothing", found)
			case tt.want != "" && (len(found) != 1 || !strings.Contains(found[0].Text, tt.want)):
				t.Errorf("found %v, want one with %q", found, tt.want)
			}
		})
	}
}
