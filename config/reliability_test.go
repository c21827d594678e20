package config_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReliabilityNamesTestsThatExist: docs/reliability.md says which test shows what holds. A test that was renamed or taken out, and a
// promise or a family without a test, show here.
func TestReliabilityNamesTestsThatExist(t *testing.T) {
	page := read(t, filepath.Join("..", "docs", "reliability.md"))
	exists := testNames(t, "..")
	name := regexp.MustCompile("`(Test\\w+|[a-z0-9-]+\\.txt)`")
	named := name.FindAllStringSubmatch(page, -1)
	for _, n := range named {
		if !exists[n[1]] {
			t.Errorf("docs/reliability.md names %s, which is neither a test nor a story: name what took its place", n[1])
		}
	}
	if len(named) < 100 {
		t.Errorf("docs/reliability.md names %d tests: this test looks for them in the wrong way", len(named))
	}
	for _, row := range regexp.MustCompile(`(?m)^\| .* \| (?:P\d+ ?)+ \| (.*) \|$`).FindAllStringSubmatch(page, -1) {
		if !name.MatchString(row[1]) {
			t.Errorf("docs/reliability.md names no test in the row %q", row[0])
		}
	}
	for _, promise := range regexp.MustCompile(`(?m)^\| (P\d+) \|`).FindAllStringSubmatch(page, -1) {
		if !regexp.MustCompile(`(?m)^\| .* \| (P\d+ )*` + promise[1] + `( P\d+)* \|`).MatchString(page) {
			t.Errorf("docs/reliability.md: no family of faults puts %s to the test", promise[1])
		}
	}
}

// testNames of all test files below a folder, and the files of stories.
func testNames(t *testing.T, root string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "bin" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return leaveOut(err)
		}
		if folder := filepath.Dir(path); filepath.Base(folder) == "traces" || strings.HasSuffix(folder, filepath.Join("policy", "testdata")) {
			out[d.Name()] = true
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, f := range declared.FindAllSubmatch(text, -1) {
			out[string(f[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// leaveOut leaves a folder out, unless reading it failed.
func leaveOut(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}
