package house

import (
	"fmt"
	"sort"
	"strings"
)

// Layer is a part of the module and what it may import of the module.
type Layer struct {
	Name string   // folder
	May  []string // folders of the module that it may import, besides itself
	Not  []string // beginnings of import paths that must not be reached at all, through whatever
}

// Layers are the directions of imports: main → app → engine ← vault.
var Layers = []Layer{
	{Name: "engine", Not: []string{"github.com/wailsapp/wails", "github.com/dgraph-io/badger", "cairn/app", "cairn/vault", "cairn/build"}},
	{Name: "vault", May: []string{"engine"}, Not: []string{"github.com/wailsapp/wails", "cairn/app", "cairn/build"}},
	{Name: "app/window", May: []string{"app", "engine", "frontend"}, Not: []string{"github.com/dgraph-io/badger", "cairn/vault", "cairn/build"}},
	{Name: "app", May: []string{"engine", "frontend"}, Not: []string{"github.com/dgraph-io/badger", "cairn/vault", "cairn/build"}},
	{Name: "build", May: []string{"engine", "app/dto", "vault"}, Not: []string{"github.com/wailsapp/wails"}},
}

// Package is what `go list -deps -json` says of one package.
type Package struct {
	ImportPath string
	Imports    []string
	Deps       []string // everything reached
}

// Directions checks the packages of the module against Layers. A layer's
// program, package main at the root, may import everything.
func Directions(packages []Package) []Finding {
	var found []Finding
	for _, p := range packages {
		name, ok := strings.CutPrefix(p.ImportPath, "cairn/")
		if !ok {
			continue
		}
		l, ok := layerOf(name)
		if !ok {
			if name != "frontend" {
				found = append(found, Finding{p.ImportPath, "belongs to no layer"})
			}
			continue
		}
		for _, imp := range p.Imports {
			if inner, ok := strings.CutPrefix(imp, "cairn/"); ok && !within2(inner, append([]string{l.Name}, l.May...)) {
				found = append(found, Finding{p.ImportPath, fmt.Sprintf("imports %s: %s may import only %s", imp, l.Name, allowed(l))})
			}
		}
		for _, dep := range p.Deps {
			for _, not := range l.Not {
				// app/window is the one part of app that reaches Wails.
				if dep == not || strings.HasPrefix(dep, not+"/") {
					found = append(found, Finding{p.ImportPath, fmt.Sprintf("reaches %s: %s must not", dep, l.Name)})
				}
			}
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].String() < found[j].String() })
	return found
}

func allowed(l Layer) string {
	if len(l.May) == 0 {
		return "itself"
	}
	return "itself and " + strings.Join(l.May, ", ")
}

// layerOf gives the first layer that holds the folder.
func layerOf(name string) (Layer, bool) {
	for _, l := range Layers {
		if within2(name, []string{l.Name}) {
			return l, true
		}
	}
	return Layer{}, false
}

func within2(dir string, folders []string) bool {
	for _, f := range folders {
		if dir == f || strings.HasPrefix(dir, f+"/") {
			return true
		}
	}
	return false
}
