package runs

import (
	"os"
	"path/filepath"
	"testing"
)

// The search for the repository ends at the root of the file system.
func TestOutsideTheRepository(t *testing.T) {
	if _, err := os.Stat(filepath.Join(root(), "mkdocs.yml")); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a folder outside of any repository was taken for one")
		}
	}()
	above(t.TempDir())
}
