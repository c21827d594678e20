package chart_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write what the chart renders into the golden files")

// The golden files show these in one line each: they are copies from config/, where their contents are tested.
var copies = []string{"CustomResourceDefinition", "Benchmark", "HardwareProfile", policyKind, gateKind, "ClusterRole", "Role", "PrometheusRule"}

// The dashboard is one too: the golden files show its ConfigMap without it.
const dashboard = "assay.json"

// golden compares what the chart renders with a file that a person has read.
func golden(t *testing.T, name string, all []unstructured.Unstructured) {
	t.Helper()
	var short, full []string
	for _, o := range all {
		if slices.Contains(copies, o.GetKind()) {
			image, _, _ := unstructured.NestedString(o.Object, "spec", "image")
			short = append(short, strings.TrimSpace("# "+o.GetKind()+" "+o.GetName()+" "+image))
			continue
		}
		unstructured.RemoveNestedField(o.Object, "data", dashboard)
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		full = append(full, string(text))
	}
	slices.Sort(short)
	got, path := strings.Join(short, "\n")+"\n---\n"+strings.Join(full, "---\n"), filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := diffOf(string(readFile(t, path)), got); diff != "" {
		t.Errorf("the chart renders otherwise than %s; if that is what you want, run `go test ./test/integration/chart -update` (-file +chart):\n%s", path, diff)
	}
}
