package hack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every page of docs/ is in the navigation of the site: its build is strict, and fails where one is not. `make docs` finds what else may be
// wrong, and takes Python and a compiled program for it.
func TestEveryPageIsInTheNavigation(t *testing.T) {
	site, err := os.ReadFile("../mkdocs.yml")
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := filepath.Glob("../docs/*.md")
	for _, page := range pages {
		if !strings.Contains(string(site), ": "+filepath.Base(page)+"\n") {
			t.Errorf("mkdocs.yml leads nowhere to docs/%s: name it under nav", filepath.Base(page))
		}
	}
	if len(pages) < 20 {
		t.Errorf("%d pages of docs/ found", len(pages))
	}
}
