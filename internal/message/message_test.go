package message

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/messages.golden anew")

// sample is what one call of the function Name of this package says.
type sample struct{ name, text string }

// samples are filled by the init functions of the speakers' tests, one or more for each exported function.
var samples []sample

const golden = "testdata/messages.golden"

// celSpeaker begins the names of samples that are the API's own: no function says them.
const celSpeaker = "rules of "

// The golden file is where wording is reviewed: every sentence of the product, by speaker.
func TestEverySentenceIsInTheGoldenFile(t *testing.T) {
	got := render(samples, speakers(t))
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("messages differ from %s (-want +got):\n%s\nIf the new wording is meant, run: go test ./internal/message -update", golden, diff)
	}
}

func TestEveryFunctionHasASample(t *testing.T) {
	speaker := speakers(t)
	sampled := map[string]bool{}
	for _, s := range samples {
		sampled[s.name] = true
		if speaker[s.name] == "" {
			t.Errorf("sample %q: the package has no such exported function", s.name)
		}
		if strings.TrimSpace(s.text) == "" {
			t.Errorf("sample %q is empty", s.name)
		}
	}
	for name, file := range speaker {
		if !sampled[name] {
			t.Errorf("%s of %s has no sample: add one to %s_test.go", name, file, strings.TrimSuffix(file, ".go"))
		}
	}
}

// No sentence shows that a value was missing or a verb did not fit, and none needs trimming.
func TestSentencesAreWellFormed(t *testing.T) {
	for _, s := range samples {
		for _, fault := range []string{"%!", "  ", "<nil>", "{{", "\n"} {
			if strings.Contains(s.text, fault) {
				t.Errorf("%s contains %q: %s", s.name, fault, s.text)
			}
		}
		if s.text != strings.TrimSpace(s.text) {
			t.Errorf("%s begins or ends with a space: %q", s.name, s.text)
		}
	}
}

// speakers maps each exported function of the package to the file that declares it.
func speakers(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
				all[f.Name.Name] = path
			}
		}
	}
	for _, s := range samples {
		if strings.HasPrefix(s.name, celSpeaker) {
			all[s.name] = "the API (CEL)"
		}
	}
	return all
}

// render lists the samples by file, then by function; several of one function stay in their order.
func render(all []sample, speaker map[string]string) string {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b sample) int {
		return strings.Compare(speaker[a.name]+" "+a.name, speaker[b.name]+" "+b.name)
	})
	var out strings.Builder
	file, name := "", ""
	for _, s := range sorted {
		if f := speaker[s.name]; f != file {
			if file != "" {
				out.WriteString("\n")
			}
			file = f
			fmt.Fprintf(&out, "# %s\n", file)
		}
		if s.name != name {
			name = s.name
			fmt.Fprintf(&out, "\n%s\n", name)
		}
		fmt.Fprintf(&out, "    %s\n", s.text)
	}
	return out.String()
}
