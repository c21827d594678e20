// Package overlay gives the compiler another text for some files, and nothing in the tree.
package overlay

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Write keeps the text in dir, and returns the file that go's -overlay takes.
func Write(dir, file, text string) (string, error) {
	return WriteAll(dir, map[string]string{file: text})
}

// WriteAll is Write for the texts of several files, of which some may be new.
func WriteAll(dir string, texts map[string]string) (string, error) {
	overlay, replace := filepath.Join(dir, "overlay.json"), map[string]string{}
	for i, file := range slices.Sorted(maps.Keys(texts)) {
		replace[file] = filepath.Join(dir, fmt.Sprintf("instead%d.go", i))
		if err := os.WriteFile(replace[file], []byte(texts[file]), 0o600); err != nil {
			return "", err
		}
	}
	replaced, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, replaced, 0o600)
}
