package api_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/workload"
)

var configFolder = filepath.Join("..", "..", "..", "config")

func TestTheAPIServerAcceptsCatalogueAndSamples(t *testing.T) {
	for _, o := range manifests(t, "catalogue/benchmarks", "catalogue/profiles", "samples") {
		if err := dryRun(t, o); err != nil {
			t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
	}
}

func TestEveryPeakOfTheCatalogueIsKnownSomewhere(t *testing.T) {
	// Peaks of CPUs, their memory and the fabric depend on the node; docs/catalogue.md tells how to give them.
	known := map[string]bool{"memoryBandwidth": true, "cpuFp64": true, peak.FabricRate: true, "portRate": true}
	for _, profile := range typed[v1alpha1.HardwareProfile](t, "catalogue/profiles") {
		for _, peak := range profile.Spec.Peaks {
			known[peak.Name] = true
		}
	}
	for _, benchmark := range typed[v1alpha1.Benchmark](t, "catalogue/benchmarks") {
		for _, metric := range benchmark.Spec.Metrics {
			if metric.Peak != "" && !known[metric.Peak] {
				t.Errorf("benchmark %s, metric %s: no profile has a peak %q", benchmark.Name, metric.Name, metric.Peak)
			}
		}
	}
}

// TestNoRuleOfTheCatalogueIsInVain: what is measured once in a run has no like in it, and groups have no past.
func TestNoRuleOfTheCatalogueIsInVain(t *testing.T) {
	for _, benchmark := range typed[v1alpha1.Benchmark](t, "catalogue/benchmarks") {
		g := benchmark.Spec.Group
		if g == nil || g.Size.StrVal != v1alpha1.GroupSizeAll {
			continue
		}
		for _, m := range benchmark.Spec.Metrics {
			if m.Expectation != nil && (m.Expectation.MaxFleetDeviation != "" || m.Expectation.MaxRegression != "") {
				t.Errorf("benchmark %s, metric %s: nothing will ever be judged by maxFleetDeviation or maxRegression", benchmark.Name, m.Name)
			}
		}
	}
}

func TestEveryCommandOfTheCatalogueCanBeFilledIn(t *testing.T) {
	for _, benchmark := range typed[v1alpha1.Benchmark](t, "catalogue/benchmarks") {
		if _, err := workload.Arguments(&benchmark, nil); err != nil {
			t.Errorf("with its defaults: %v", err)
		}
	}
}

func TestSamplesUseTheCatalogueRightly(t *testing.T) {
	benchmarks := map[string]v1alpha1.Benchmark{}
	for _, b := range typed[v1alpha1.Benchmark](t, "catalogue/benchmarks") {
		benchmarks[b.Name] = b
	}
	for _, run := range typed[v1alpha1.ValidationRun](t, "samples") {
		for _, ref := range run.Spec.Benchmarks {
			b, ok := benchmarks[ref.Name]
			if !ok {
				t.Errorf("sample %s names benchmark %q, which the catalogue does not have", run.Name, ref.Name)
				continue
			}
			if _, err := workload.Arguments(&b, ref.Parameters); err != nil {
				t.Errorf("sample %s: %v", run.Name, err)
			}
		}
	}
}

// typed reads all manifests of a folder as one kind.
func typed[T any](t *testing.T, folder string) []T {
	t.Helper()
	var all []T
	for _, o := range manifests(t, folder) {
		var one T
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &one); err != nil {
			t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
		all = append(all, one)
	}
	return all
}

func manifests(t *testing.T, folders ...string) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(configFolder, folder, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no manifests in %s: %v", folder, err)
		}
		for _, file := range files {
			if filepath.Base(file) != "kustomization.yaml" {
				all = append(all, documents(t, file)...)
			}
		}
	}
	return all
}

func documents(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096); ; {
		o := &unstructured.Unstructured{}
		if err := decoder.Decode(o); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if o.Object != nil {
			all = append(all, o)
		}
	}
}
