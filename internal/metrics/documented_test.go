package metrics

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestEveryMetricIsDocumented(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source []byte
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`"(assay_[a-z_]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(names) == 0 {
		t.Fatal("no metric was found")
	}
	for _, name := range names {
		if !strings.Contains(string(document), "`"+name[1]+"`") && !strings.Contains(string(document), "`"+name[1]+"{") {
			t.Errorf("docs/operations.md does not tell what %s counts: add it to the table of metrics", name[1])
		}
	}
}
