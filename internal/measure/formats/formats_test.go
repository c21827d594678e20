package formats

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

// The marker of the API's type is the one list that this package cannot be asked for.
func TestEveryFormatOfTheAPIHasAReader(t *testing.T) {
	var want, got []string
	for _, value := range crdFormats(t) {
		want = append(want, string(value.Raw))
	}
	for _, format := range Formats() {
		got = append(got, `"`+string(format)+`"`)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the CRD's output formats and the readers of this package differ (-CRD +readers):\n%s\nThe enum is in api/v1alpha1/benchmark_output.go (make manifests), the readers are in formats.go.", diff)
	}
}

func TestEveryFormatHasAFuzzTarget(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "fuzz_test.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			targets[f.Name.Name] = true
		}
	}
	for _, format := range Formats() {
		if target := "FuzzParse" + string(format); !targets[target] {
			t.Errorf("fuzz_test.go has no %s: what a program prints is hostile input", target)
		}
	}
}

func crdFormats(t *testing.T) []apiextensionsv1.JSON {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "config", "crd", "bases", "assay.dev_benchmarks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(content, &crd); err != nil {
		t.Fatal(err)
	}
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["output"].Properties["format"].Enum
}

func TestParseRefusesBeforeReading(t *testing.T) {
	for name, test := range map[string]struct {
		format v1alpha1.OutputFormat
		output string
		want   error
		reason string
	}{
		"no output":           {v1alpha1.FormatAssay, " \n\t\n", result.ErrNoOutput, v1alpha1.ReasonNoOutput},
		"too much output":     {v1alpha1.FormatHPL, strings.Repeat("x", result.MaxOutput+1), result.ErrTooLarge, v1alpha1.ReasonOutputTooLarge},
		"an unknown format":   {"XML", "<a/>", result.ErrBadRequest, v1alpha1.ReasonBadOutput},
		"an output unread":    {v1alpha1.FormatAssay, "{}", result.ErrBadOutput, v1alpha1.ReasonBadOutput},
		"a unit that differs": {v1alpha1.FormatAssay, assayJSON(onePart, ""), result.ErrBadOutput, v1alpha1.ReasonBadOutput},
	} {
		t.Run(name, func(t *testing.T) {
			metrics := []v1alpha1.Metric{{Name: "bandwidth", Unit: "MB/s"}}
			_, err := Parse(test.format, nil, metrics, []byte(test.output))
			if !errors.Is(err, test.want) {
				t.Errorf("error %v, want one that wraps %v", err, test.want)
			}
			if got := result.Reason(err); got != test.reason {
				t.Errorf("reason %s, want %s", got, test.reason)
			}
		})
	}
}
