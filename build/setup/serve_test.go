package setup

import (
	"os"
	"path/filepath"
	"testing"
)

// TestServe starts the bundled runtime and gives it the starter model, twice:
// the second import must find it there.
func TestServe(t *testing.T) {
	runtime, starter := os.Getenv("CAIRN_RUNTIME"), os.Getenv("CAIRN_STARTER")
	if runtime == "" || starter == "" {
		t.Skip("needs CAIRN_RUNTIME and CAIRN_STARTER: go run ./build test --only real sets them")
	}
	p := Place{Cache: filepath.Dir(filepath.Dir(runtime))}
	if p.Runtime() != runtime || p.Starter() != starter {
		t.Fatalf("the runtime is looked for at %s and the model at %s", p.Runtime(), p.Starter())
	}
	s, err := Serve(t.Context(), p, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	for range 2 {
		if err := Import(t.Context(), p, s.Address); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("OLLAMA_HOST", s.Address)
	found, ok := FindOllama(t.Context())
	if !ok || found.Models != 1 || found.Version != runtimeVersion[1:] {
		t.Errorf("found %+v, %v; want one model and version %s", found, ok, runtimeVersion)
	}
}
