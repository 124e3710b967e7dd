package source

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestMain is also the child's side: workers of the tests start the test binary.
func TestMain(m *testing.M) {
	if IsWorker(os.Args) {
		if err := RunWorker(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "bad" {
		badWorker(os.Args[2])
		return
	}
	dir, err := os.MkdirTemp("", "cairn-code")
	if err != nil {
		panic(err)
	}
	sharedCache, childProgram = filepath.Join(dir, "code"), os.Args[0]
	if raceDetector { // see sourcetest/child
		childProgram = filepath.Join(dir, "child")
		if out, err := exec.Command("go", "build", "-o", childProgram, "cairn/engine/source/sourcetest/child").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build the child: %v\n%s", err, out)
			os.Exit(1)
		}
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// sharedCache holds PDFium compiled once for all tests, childProgram is what
// workers start.
var sharedCache, childProgram string

// badWorker does what a document that took the child over could do.
func badWorker(how string) {
	if _, err := readFrame(os.Stdin, maxHeader); err != nil {
		return
	}
	switch how {
	case "hang":
		for {
			time.Sleep(time.Hour)
		}
	case "spin":
		for i := 0; ; i++ {
			_ = i
		}
	case "eat":
		var hold [][]byte
		for {
			b := make([]byte, 8<<20)
			for i := range b {
				b[i] = byte(i)
			}
			hold = append(hold, b)
			_ = hold
			time.Sleep(time.Millisecond)
		}
	case "die":
		os.Exit(3)
	case "panic":
		panic("out of luck")
	case "garbage":
		_, _ = os.Stdout.WriteString("this is not a frame at all, not at all")
	case "flood":
		_, _ = os.Stdout.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF})
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "lie": // a table that points outside of the text
		t := Table{Sentences: []Sentence{{From: 0, To: 4000, Heading: -1}}}
		_ = writeJSON(os.Stdout, replyHeader{Media: "text"})
		_ = writeFrame(os.Stdout, []byte("short"))
		_ = writeFrame(os.Stdout, t.Encode())
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// corpus gives the folder of test documents, or skips.
func corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("CAIRN_CORPUS")
	if dir == "" {
		t.Skip("CAIRN_CORPUS names no folder of test documents")
	}
	return dir
}
