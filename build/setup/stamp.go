package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// fingerprint is a hash over the names and bytes of the files under root/…,
// leaving out the named folders. It tells whether something must be built anew:
// times of files are not asked, because a fresh clone has new ones.
func fingerprint(root string, paths []string, without ...string) (string, error) {
	skip := map[string]bool{}
	for _, w := range without {
		skip[w] = true
	}
	var files []string
	for _, p := range paths {
		err := filepath.WalkDir(filepath.Join(root, p), func(path string, d fs.DirEntry, err error) error {
			switch {
			case os.IsNotExist(err):
				return nil
			case err != nil:
				return err
			case d.IsDir() && skip[d.Name()]:
				return filepath.SkipDir
			case d.Type().IsRegular():
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return "", fmt.Errorf("list the files of %s: %w", p, err)
		}
	}
	sort.Strings(files)
	sum := sha256.New()
	for _, path := range files {
		body, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("read a file to build from: %w", err)
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return "", fmt.Errorf("name a file to build from: %w", err)
		}
		one := sha256.Sum256(body)
		fmt.Fprintf(sum, "%s\x00%x\n", filepath.ToSlash(rel), one)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func readStamp(path string) string {
	body, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(body))
}
