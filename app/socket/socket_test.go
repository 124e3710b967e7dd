package socket

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"cairn/app/dto"
	"cairn/app/servicetest"
	"cairn/engine"
)

// sample makes a value of a type with every field set, the number n in it
// somewhere, so that a value that arrives swapped or cut is seen.
func sample(t reflect.Type, n *int) reflect.Value {
	v := reflect.New(t).Elem()
	*n++
	switch t.Kind() {
	case reflect.String:
		v.SetString("wört <&> “" + strings.Repeat("x", *n%7) + "”")
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v = reflect.Append(v, sample(t.Elem(), n), sample(t.Elem(), n))
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(sample(t.Field(i).Type, n))
		}
	case reflect.Pointer:
		p := reflect.New(t.Elem())
		p.Elem().Set(sample(t.Elem(), n))
		v = p
	default:
		panic("no sample for " + t.String())
	}
	return v
}

func serve(t *testing.T, s dto.Service, show func([]string)) (*Client, *Server, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	v, err := Listen(path, s, Hello{Version: "9", Window: true}, show)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	c, hello, err := Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if hello.Version != "9" || !hello.Window {
		t.Errorf("hello is %+v", hello)
	}
	t.Cleanup(c.Close)
	return c, v, path
}

// TestEveryMethod goes over dto.Service itself, so that a method added there
// without a way through the socket fails here.
func TestEveryMethod(t *testing.T) {
	fake := &servicetest.Fake{}
	c, _, _ := serve(t, fake, nil)
	typ := reflect.TypeFor[dto.Service]()
	for i := range typ.NumMethod() {
		m := typ.Method(i)
		if m.Name == "Watch" {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			n := i
			args := []reflect.Value{reflect.ValueOf(t.Context())}
			for j := 1; j < m.Type.NumIn(); j++ {
				args = append(args, sample(m.Type.In(j), &n))
			}
			var want any
			if m.Type.NumOut() == 2 {
				want = sample(m.Type.Out(0), &n).Interface()
			}
			fake.Answer = func(method string, _ []any) (any, error) {
				if method != m.Name {
					t.Errorf("arrived as %s", method)
				}
				return want, nil
			}
			out := reflect.ValueOf(c).MethodByName(m.Name).Call(args)
			if err := out[len(out)-1].Interface(); err != nil {
				t.Fatal(err)
			}
			calls := fake.Calls()
			got := calls[len(calls)-1]
			for j, a := range got.Args {
				if !reflect.DeepEqual(a, args[j+1].Interface()) {
					t.Errorf("argument %d arrived as %+v, sent %+v", j+1, a, args[j+1].Interface())
				}
			}
			if want != nil && !reflect.DeepEqual(out[0].Interface(), want) {
				t.Errorf("result is %+v\nwant %+v", out[0].Interface(), want)
			}
			// And the same method with an error that people read.
			problem := &engine.Error{Kind: engine.KindDiskFull, What: "The disk is full.", Safe: "Nothing is lost.", Do: "Free 500 MB."}
			fake.Answer = func(string, []any) (any, error) { return nil, problem }
			out = reflect.ValueOf(c).MethodByName(m.Name).Call(args)
			err, _ := out[len(out)-1].Interface().(error)
			var e *engine.Error
			if !errors.As(err, &e) {
				t.Fatalf("the error arrived as %v", err)
			}
			if e.Kind != problem.Kind || e.What != problem.What || e.Safe != problem.Safe || e.Do != problem.Do {
				t.Errorf("the error arrived as %+v", e)
			}
		})
	}
}

func TestEmptyListsAreNeverNull(t *testing.T) {
	c, _, _ := serve(t, &servicetest.Fake{}, nil)
	v, err := c.View(t.Context(), "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	if v.Questions == nil || v.Status.Reasons == nil {
		t.Error("an empty list arrived as null")
	}
}

func TestPanicBecomesAnError(t *testing.T) {
	fake := &servicetest.Fake{Answer: func(string, []any) (any, error) { panic("boom") }}
	c, _, _ := serve(t, fake, nil)
	_, err := c.Tasks(t.Context())
	if engine.KindOf(err) != engine.KindInternal {
		t.Fatalf("error is %v", err)
	}
	if strings.Contains(err.Error(), "boom") {
		t.Errorf("the sentence for people holds the panic's text: %v", err)
	}
	fake.Answer = nil
	if _, err := c.Tasks(t.Context()); err != nil {
		t.Errorf("the server is dead after a panic: %v", err)
	}
}

func TestWatch(t *testing.T) {
	n := 0
	want := []dto.Event{
		sample(reflect.TypeFor[dto.Event](), &n).Interface().(dto.Event),
		{Task: "a", Seq: 2, Kind: "stream", Text: "two\nlines"},
	}
	fake := &servicetest.Fake{Events: want}
	c, v, _ := serve(t, fake, nil)
	ctx, stop := context.WithCancel(t.Context())
	var got []dto.Event
	err := c.Watch(ctx, "a", func(e dto.Event) {
		if got = append(got, e); len(got) == len(want) {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("watch ended with %v", err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("events are %+v\nwant %+v", got, want)
	}
	wait, done := context.WithTimeout(t.Context(), 5*time.Second)
	defer done()
	if err := v.Idle(wait); err != nil {
		t.Errorf("the server thinks somebody still watches: %v", err)
	}
}

func TestWatchEndsWithTheOwner(t *testing.T) {
	fake := &servicetest.Fake{Events: []dto.Event{{Kind: "tasks"}}}
	c, v, _ := serve(t, fake, nil)
	err := c.Watch(t.Context(), "", func(dto.Event) { go func() { _ = v.Close() }() })
	if engine.KindOf(err) != engine.KindBusy {
		t.Errorf("watch ended with %v", err)
	}
}

func TestWatchErrorArrives(t *testing.T) {
	fake := &servicetest.Fake{Answer: func(string, []any) (any, error) {
		return nil, &engine.Error{Kind: engine.KindNotFound, What: "There is no such task."}
	}}
	c, _, _ := serve(t, fake, nil)
	if err := c.Watch(t.Context(), "z", func(dto.Event) {}); engine.KindOf(err) != engine.KindNotFound {
		t.Errorf("error is %v", err)
	}
}

func TestSocketIsPrivateAndReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "s")
	for range 2 { // the second finds a leftover
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := Listen(path, &servicetest.Fake{}, Hello{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("socket has mode %o", info.Mode().Perm())
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	_, _, err := Dial(t.Context(), filepath.Join(t.TempDir(), "none"))
	if engine.KindOf(err) != engine.KindNotFound {
		t.Errorf("error is %v", err)
	}
}

func TestShow(t *testing.T) {
	got := make(chan []string, 1)
	c, _, _ := serve(t, &servicetest.Fake{}, func(files []string) { got <- files })
	if err := c.Show(t.Context(), []string{"/a/b.cairn.md"}); err != nil {
		t.Fatal(err)
	}
	if files := <-got; len(files) != 1 || files[0] != "/a/b.cairn.md" {
		t.Errorf("the window was asked to open %q", files)
	}
}

func TestStrangeCalls(t *testing.T) {
	c, _, _ := serve(t, &servicetest.Fake{}, nil)
	for name, args := range map[string][]any{
		"Nothing": {}, "Tasks": {"too much"}, "View": {"x"}, "Run": {map[string]int{"a": 1}},
	} {
		if _, err := call[any](t.Context(), c, name, args...); engine.KindOf(err) != engine.KindUsage {
			t.Errorf("%s%v gives %v", name, args, err)
		}
	}
}
