// Package overlay gives the compiler another text for one file, and nothing in the tree.
package overlay

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Write keeps the text in dir, and returns the file that go's -overlay takes.
func Write(dir, file, text string) (string, error) {
	instead, overlay := filepath.Join(dir, "instead.go"), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{file: instead}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(instead, []byte(text), 0o600); err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, replaced, 0o600)
}
