// Package house holds the rules of this repository that no ready linter knows:
// which calls are allowed where, and which package may import which.
package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Ban is a call that is allowed only in some folders.
type Ban struct {
	Package string   // import path
	Names   []string // of functions
	Only    []string // folders in which it is allowed; "." is the root folder itself, tests are never asked
	Why     string
}

// Bans are the calls that are banned, and where they are allowed all the same.
var Bans = []Ban{
	{"time", []string{"Now", "AfterFunc", "Since", "Until"}, []string{"engine/clock"}, "time comes from engine.Clock, so that tests own it and a sleep does not mislead"},
	{"os", []string{"Exit"}, []string{".", "build", "build/bench/measure", "build/lab", "engine/source/sourcetest/child"}, "only main decides when the process ends"},
	{"log", []string{"Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln"}, []string{"."}, "errors are returned; only main decides when the process ends"},
}

// Import is a package that only some folders may import.
type Import struct {
	Prefix string // import path or the beginning of one
	Only   []string
	Why    string
}

// Imports are the restricted imports.
var Imports = []Import{
	{"github.com/wailsapp/wails", []string{"app/window"}, "the window stays exchangeable, and the command line needs no graphics library"},
	{"github.com/dgraph-io/badger", []string{"vault"}, "the store stays exchangeable"},
}

// Finding is one breach of a rule.
type Finding struct {
	Place string // file:line, from the root
	Text  string
}

func (f Finding) String() string { return f.Place + ": " + f.Text }

// Calls checks every Go file below root that is no test against bans and imports.
func Calls(root string) ([]Finding, error) {
	var found []Finding
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return fmt.Errorf("name %s: %w", name, err)
		}
		more, err := File(filepath.ToSlash(rel), body)
		found = append(found, more...)
		return err
	})
	sort.Slice(found, func(i, j int) bool { return found[i].Place < found[j].Place })
	return found, err
}

// File checks one file; name is its path from the root, with slashes.
func File(name string, body []byte) ([]Finding, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, body, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("read the Go code of %s: %w", name, err)
	}
	dir := "."
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		dir = name[:i]
	}
	var found []Finding
	add := func(at token.Pos, text string) {
		found = append(found, Finding{fmt.Sprintf("%s:%d", name, set.Position(at).Line), text})
	}
	known := map[string]string{} // local name → import path
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("read an import of %s: %w", name, err)
		}
		local := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			local = spec.Name.Name
		}
		known[local] = path
		for _, r := range Imports {
			if (path == r.Prefix || strings.HasPrefix(path, r.Prefix+"/")) && !within(dir, r.Only) {
				add(spec.Pos(), fmt.Sprintf("imports %s: allowed only in %s; %s", path, strings.Join(r.Only, ", "), r.Why))
			}
		}
	}
	if strings.HasSuffix(name, "_test.go") {
		return found, nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, b := range Bans {
			if known[x.Name] != b.Package || within(dir, b.Only) {
				continue
			}
			for _, banned := range b.Names {
				if sel.Sel.Name == banned {
					add(sel.Pos(), fmt.Sprintf("uses %s.%s: allowed only in %s; %s", b.Package, banned, strings.Join(b.Only, ", "), b.Why))
				}
			}
		}
		return true
	})
	return found, nil
}

// within tells whether dir is one of the folders or below one; "." and "build"
// mean the folder itself only, where package main lies.
func within(dir string, folders []string) bool {
	for _, f := range folders {
		if dir == f || (f != "." && f != "build" && strings.HasPrefix(dir, f+"/")) {
			return true
		}
	}
	return false
}
