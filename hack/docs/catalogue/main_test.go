package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/test/testdata"
)

// The pages name what a user can set and will read of each benchmark.
func TestEveryBenchmarkHasAPage(t *testing.T) {
	folder := t.TempDir()
	t.Chdir("../../..")
	if err := write(folder); err != nil {
		t.Fatal(err)
	}
	index := read(t, folder, "index")
	for _, b := range testdata.Benchmarks() {
		text := read(t, folder, b.Name)
		if !strings.Contains(index, "- ["+b.Name+"]("+b.Name+".md): ") {
			t.Errorf("the list lacks %s", b.Name)
		}
		for _, m := range b.Spec.Metrics {
			if !strings.Contains(text, "\n| "+m.Name+" | "+m.Unit+" |") {
				t.Errorf("%s has no row of metric %s", b.Name, m.Name)
			}
		}
		for _, p := range b.Spec.Parameters {
			if !strings.Contains(text, "\n| "+p.Name+" | "+string(p.Type)+" | "+p.Default+" |") {
				t.Errorf("%s has no row of parameter %s and its default", b.Name, p.Name)
			}
		}
		for _, suite := range b.Spec.Suites {
			if !strings.Contains(index, "\n| "+suite+" | ") {
				t.Errorf("the list lacks suite %s", suite)
			}
		}
	}
	if want := "| 0.03%, 0.13%, 0.3% | gpu |"; !strings.Contains(read(t, folder, "gpustream"), want) {
		t.Errorf("gpustream has no row that ends with %q", want)
	}
}

func read(t *testing.T, folder, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, page+".md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
