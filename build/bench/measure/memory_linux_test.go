package main

import (
	"strings"
	"testing"
)

func TestBelow(t *testing.T) {
	all := []process{{1, 0, "init"}, {5, 3, "grandchild"}, {2, 1, "root"}, {3, 2, "child"}, {9, 1, "stranger"}}
	var got []string
	for _, p := range below(all, 2) {
		got = append(got, p.exe)
	}
	if strings.Join(got, " ") != "grandchild root child" {
		t.Errorf("below 2 are %q", got)
	}
}

func TestProcReaders(t *testing.T) {
	if n, ok := parentOf("42 (a (b) c) S 7 42 42 0"); !ok || n != 7 {
		t.Errorf("parent %d, %v", n, ok)
	}
	if _, ok := parentOf("nothing"); ok {
		t.Error("a parent was read from nothing")
	}
	if kb, err := pssOf("Rss:  100 kB\nPss:   1234 kB\nPss_Anon: 5 kB\n"); err != nil || kb != 1234 {
		t.Errorf("pss %v, %v", kb, err)
	}
	if _, err := pssOf("Rss: 1 kB\n"); err == nil {
		t.Error("no figure gave no error")
	}
}
