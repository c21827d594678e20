package chart_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestDashboard: it is there where it is asked for, with the label that Grafana's sidecar looks for, and nothing in it was taken for a template.
func TestDashboard(t *testing.T) {
	t.Parallel()
	if maps := ofKind(documents(t, render(t, "assay", "assay-system")), "ConfigMap"); len(maps) != 0 {
		t.Errorf("nobody asked for a ConfigMap: %v", maps)
	}
	// What helm upgrade --reuse-values makes of a release whose chart had no dashboard.
	if maps := ofKind(documents(t, render(t, "assay", "assay-system", "monitoring=null")), "ConfigMap"); len(maps) != 0 {
		t.Errorf("nobody could ask for a ConfigMap: %v", maps)
	}
	all := documents(t, render(t, "assay", "assay-system", "monitoring.dashboard.enabled=true", "monitoring.dashboard.annotations.grafana_folder=GPUs"))
	m, found := ofKind(all, "ConfigMap")["assay-dashboard"]
	if !found || m.GetLabels()["grafana_dashboard"] != "1" || m.GetAnnotations()["grafana_folder"] != "GPUs" {
		t.Fatalf("found %v, labels %v, annotations %v", found, m.GetLabels(), m.GetAnnotations())
	}
	want, err := os.ReadFile(filepath.Join(root, "config", "grafana", "assay.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _ := unstructured.NestedString(m.Object, "data", "assay.json"); strings.TrimSpace(got) != strings.TrimSpace(string(want)) {
		t.Error("the dashboard differs from config/grafana/assay.json")
	}
}
