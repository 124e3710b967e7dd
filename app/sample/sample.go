// Package sample holds the task that ships with Cairn: five documents, three
// questions, and a finished example whose claims its makers wrote.
package sample

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cairn/app/dto"
)

//go:embed files/*.md task.json example.json LICENSE.md
var content embed.FS

// Who is the key that the lines of the example are by: "makers" in hex, so that it
// can never be the random key of a person.
const Who = "key:6d616b657273"

// ByLine is what a person reads beside a claim of the example.
const ByLine = "example written by the makers"

// Claim of the example. Text is "" where the claim is its quote.
type Claim struct {
	File     string `json:"file"`
	Text     string `json:"text"`
	Sentence string `json:"sentence"` // word for word in the file
}

// Sentence of an answer, with the numbers of its claims from 0.
type Sentence struct {
	Text   string `json:"text"`
	Claims []int  `json:"claims"`
}

// Question is the example's work on the task's question at the same place.
type Question struct {
	Claims []Claim    `json:"claims"`
	Answer []Sentence `json:"answer"`
	Note   string     `json:"note"`
}

// Example is the finished work.
type Example struct {
	About     string     `json:"about"`
	Questions []Question `json:"questions"`
	Opening   []Sentence `json:"opening"`
}

// Form is the sample task as a person would fill in the form, without a folder.
func Form() (dto.NewTask, error) {
	var t struct {
		Title       string   `json:"title"`
		Goal        string   `json:"goal"`
		Questions   []string `json:"questions"`
		Constraints []string `json:"constraints"`
	}
	if err := read("task.json", &t); err != nil {
		return dto.NewTask{}, err
	}
	return dto.NewTask{Title: t.Title, Goal: t.Goal, Questions: t.Questions, Constraints: t.Constraints}, nil
}

// Finished is the example.
func Finished() (Example, error) {
	var e Example
	return e, read("example.json", &e)
}

func read(name string, v any) error {
	body, err := content.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read the sample: %w", err)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("read the sample's %s: %w", name, err)
	}
	return nil
}

// Documents are the names and bytes of the documents, in order of name.
func Documents() (names []string, bodies map[string][]byte, err error) {
	entries, err := content.ReadDir("files")
	if err != nil {
		return nil, nil, fmt.Errorf("read the sample: %w", err)
	}
	bodies = map[string][]byte{}
	for _, e := range entries {
		body, err := content.ReadFile("files/" + e.Name())
		if err != nil {
			return nil, nil, fmt.Errorf("read the sample: %w", err)
		}
		names, bodies[e.Name()] = append(names, e.Name()), body
	}
	return names, bodies, nil
}

// Unpack writes the documents and their licence below dir, where they are not
// there yet, and gives the folder of the documents. A file that somebody
// changed stays as it is.
func Unpack(dir string) (string, error) {
	names, bodies, err := Documents()
	if err != nil {
		return "", err
	}
	docs := filepath.Join(dir, "documents")
	if err := os.MkdirAll(docs, 0o700); err != nil {
		return "", fmt.Errorf("make the sample's folder: %w", err)
	}
	licence, err := content.ReadFile("LICENSE.md")
	if err != nil {
		return "", fmt.Errorf("read the sample: %w", err)
	}
	if err := put(filepath.Join(dir, "LICENSE.md"), licence); err != nil {
		return "", err
	}
	for _, name := range names {
		if err := put(filepath.Join(docs, name), bodies[name]); err != nil {
			return "", err
		}
	}
	return docs, nil
}

// put writes a file whole or not at all, and never over another.
func put(path string, body []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for the sample's file: %w", err)
	}
	part := path + ".part"
	if err := os.WriteFile(part, body, 0o600); err != nil {
		return fmt.Errorf("write the sample's file: %w", err)
	}
	if err := os.Rename(part, path); err != nil {
		return fmt.Errorf("write the sample's file: %w", err)
	}
	return nil
}
