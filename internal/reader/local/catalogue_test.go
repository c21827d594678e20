package local

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/config"
)

const entry = `apiVersion: assay.dev/v1alpha1
kind: Benchmark
metadata: {name: mine}
spec:
  image: example/mine:1
  command: [mine]
  output: {format: Assay}
  metrics:
  - {name: speed, unit: GB/s}
`

// The API server would fill in what a file does not set.
func TestACatalogueHasItsDefaults(t *testing.T) {
	c, err := ReadCatalogue(fstest.MapFS{"sub/mine.yaml": {Data: []byte(entry)}, "README.md": {Data: []byte("no YAML")},
		"kustomization.yaml": {Data: []byte("kind: Kustomization")}})
	if err != nil || len(c.Benchmarks) != 1 {
		t.Fatalf("%v, %+v", err, c)
	}
	b := c.Benchmarks[0].Spec
	if b.TimeoutSeconds <= 0 || b.CostSeconds <= 0 || b.Scope != v1alpha1.ScopeNode || b.Metrics[0].Better != v1alpha1.Higher {
		t.Errorf("without its defaults: %+v", b)
	}
}

func TestTheCatalogueOfThisReleaseCanBeRead(t *testing.T) {
	c, err := ReadCatalogue(config.Catalogue)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := fs.Glob(config.Catalogue, "catalogue/*/*.yaml")
	if want := len(files) - 2; len(c.Benchmarks)+len(c.Profiles) != want { // two kustomizations
		t.Errorf("%d objects, want %d", len(c.Benchmarks)+len(c.Profiles), want)
	}
}

func TestAMisspeltFieldIsRefused(t *testing.T) {
	_, err := ReadCatalogue(fstest.MapFS{"mine.yaml": {Data: []byte(strings.Replace(entry, "unit:", "units:", 1))}})
	if err == nil || !strings.Contains(err.Error(), `reading mine.yaml: json: unknown field "units"`) {
		t.Errorf("got %v", err)
	}
}

// The API server would refuse these; without one, they are found when they are read, and not in the middle of a run.
func TestWhatAnAPIServerWouldRefuseIsRefused(t *testing.T) {
	profile := "apiVersion: assay.dev/v1alpha1\nkind: HardwareProfile\nmetadata: {name: mine}\n" +
		"spec: {selector: {matchExpressions: [{key: a, operator: %s}]}, devices: [{resource: a/b, count: 1}]}\n"
	for name, c := range map[string]struct{ file, want string }{
		"no command":     {strings.Replace(entry, "  command: [mine]\n", "", 1), `reading mine.yaml: Benchmark "mine" has a wrong spec.command: it is empty`},
		"empty command":  {strings.Replace(entry, "[mine]", "[]", 1), `Benchmark "mine" has a wrong spec.command: it is empty`},
		"In nothing":     {fmt.Sprintf(profile, "In, values: []"), `reading mine.yaml: HardwareProfile "mine" has a wrong spec.selector: `},
		"not in nothing": {fmt.Sprintf(profile, "NotIn"), `HardwareProfile "mine" has a wrong spec.selector: `},
		"no label":       {strings.Replace(profile, "{matchExpressions: [{key: a, operator: %s}]}", "{}", 1), `HardwareProfile "mine" has a wrong spec.selector: it is empty`},
		"no operator":    {fmt.Sprintf(profile, "Like, values: [b]"), `"Like" is not a valid label selector operator`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadCatalogue(fstest.MapFS{"mine.yaml": {Data: []byte(c.file)}})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// A real program, run as in a pod: found in its folder, in the environment of its benchmark, and read by its format.
func TestARealProgram(t *testing.T) {
	if !Supported {
		t.Skip("programs are measured on Linux only")
	}
	folder := t.TempDir()
	script := `#!/bin/sh
echo "said to $1" >&2
echo '{"schema":"assay.dev/result/v1","benchmark":"mine","measurements":[{"name":"speed","unit":"GB/s","better":"higher","parts":[{"at":"node","value":'$SPEED'}]}]}'
`
	if err := os.WriteFile(filepath.Join(folder, "mine"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := ReadCatalogue(fstest.MapFS{"mine.yaml": {Data: []byte(strings.Replace(entry, "  output:", "  env: [{name: SPEED, value: \"42\"}]\n  output:", 1))}})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	e, file := Programs{Folders: []string{folder}, Log: &log}.Execute(t.Context(), &c.Benchmarks[0], []string{"mine", "you"})
	if e.Document == nil || e.Document.Measurements[0].Parts[0].Value != 42 || e.End.Sub(e.Start) > time.Minute {
		t.Errorf("got %+v", e)
	}
	if log.String() != "said to you\n" || !strings.HasPrefix(file, "local@sha256:") {
		t.Errorf("log %q, file %q", log.String(), file)
	}
}
