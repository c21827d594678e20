package chart_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write what the chart renders into the golden files")

// The golden files name these alone, by kind and image: they are copies from config/, where their contents are tested.
var copies = []string{"CustomResourceDefinition", "Benchmark", "HardwareProfile", policyKind, gateKind, "ClusterRole", "Role", "PrometheusRule"}

// The dashboard is one too: the golden files show its ConfigMap without it.
const dashboard = "assay.json"

// golden compares what the chart renders with a file that a person has read.
func golden(t *testing.T, name string, all []unstructured.Unstructured) {
	t.Helper()
	copied, own := map[string][]string{}, []unstructured.Unstructured{}
	for _, o := range all {
		if slices.Contains(copies, o.GetKind()) {
			image, _, _ := unstructured.NestedString(o.Object, "spec", "image")
			kind := strings.TrimSpace(o.GetKind() + " " + image)
			copied[kind] = append(copied[kind], o.GetName())
		} else {
			own = append(own, o)
		}
	}
	var head []string
	for kind, names := range copied {
		slices.Sort(names)
		head = append(head, "# "+kind+": "+strings.Join(names, ", ")+"\n")
	}
	slices.Sort(head)
	texts := []string{strings.Join(head, "") + withoutLabels(own)}
	for _, o := range own {
		unstructured.RemoveNestedField(o.Object, "data", dashboard)
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	got, path := strings.Join(texts, "---\n"), filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := diffOf(string(readFile(t, path)), got); diff != "" {
		t.Errorf("the chart renders otherwise than %s; if that is what you want, run `go test ./test/integration/chart -update` (-file +chart):\n%s", path, diff)
	}
}

// withoutLabels takes the labels of the chart as a whole from the objects that have them all, and says which labels and which other objects there are.
func withoutLabels(all []unstructured.Unstructured) string {
	chart := map[string]string{}
	for _, key := range []string{"app.kubernetes.io/instance", "app.kubernetes.io/name", "app.kubernetes.io/version", "helm.sh/chart"} {
		chart[key] = all[0].GetLabels()[key]
	}
	text := "# all of the following have the labels " + labels.FormatLabels(chart)
	for _, o := range all {
		rest := o.GetLabels()
		maps.DeleteFunc(rest, func(key, value string) bool { return chart[key] == value })
		if len(rest)+len(chart) > len(o.GetLabels()) {
			text += ", but for " + o.GetKind() + " " + o.GetName()
		} else if len(rest) > 0 {
			o.SetLabels(rest)
		} else {
			o.SetLabels(nil)
		}
	}
	return text + "\n"
}
