package setup

import (
	"os"
	"strings"
	"testing"
)

func TestAgrees(t *testing.T) {
	for in, want := range map[string]bool{"yes\n": true, "Y\n": true, " YES": true, "no\n": false, "\n": false, "": false, "yesterday\n": false} {
		var said strings.Builder
		got := agrees(strings.NewReader(in), func(s string) { said.WriteString(s) }, "apt-get install x")
		if got != want {
			t.Errorf("the answer %q counts as %v, want %v", in, got, want)
		}
		if !strings.Contains(said.String(), "apt-get install x") {
			t.Errorf("the question does not show the command: %q", said.String())
		}
	}
}

func TestPermissionShowsTheCommands(t *testing.T) {
	if os.Geteuid() == 0 || !has("apt-get")() {
		t.Skip("needs a person without rights on a system with apt-get")
	}
	_, err := permission(t.Context(), []Need{{Package: "libx-dev", Why: "y"}}, nil, func(string) {})
	if err == nil || !strings.Contains(err.Error(), "apt-get install -y --no-install-recommends libx-dev") {
		t.Errorf("error %v does not show the command", err)
	}
}

func TestElsewhereNamesThePackages(t *testing.T) {
	if got := elsewhere([]string{"a", "b"}); !strings.Contains(got, "a, b") {
		t.Errorf("%q does not name them", got)
	}
}
