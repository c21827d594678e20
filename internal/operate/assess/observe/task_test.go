package observe

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

// To what a run is compared and what it proves, an override of its suite is what a reference to a benchmark by name is.
func TestAnOverrideIsWhatAReferenceIs(t *testing.T) {
	b := v1alpha1.Benchmark{}
	b.Name, b.Spec.Suites, b.Spec.Command = "hbm", []string{"quick"}, []string{"hbm", "$(size)"}
	b.Spec.Parameters = []v1alpha1.ParameterSpec{{Name: "size", Type: v1alpha1.ParameterInteger, Default: "1"}}
	b.Spec.Metrics = []v1alpha1.Metric{{Name: "triad", Expectation: &v1alpha1.Expectation{Min: "1"}}}
	snapshot := catalogue.Take([]v1alpha1.Benchmark{b}, nil)
	task := func(spec v1alpha1.ValidationRunSpec) Task {
		t.Helper()
		tasks, err := Tasks(&v1alpha1.ValidationRun{Spec: spec}, snapshot)
		if err != nil {
			t.Fatal(err)
		}
		return tasks[0]
	}
	plain := task(v1alpha1.ValidationRunSpec{Suite: "quick"})
	for sentence, ref := range map[string]v1alpha1.BenchmarkRef{
		"an expectation": {Name: "hbm", Expectations: []v1alpha1.ExpectationOverride{{Metric: "triad", Expectation: v1alpha1.Expectation{Min: "4"}}}},
		"a parameter":    {Name: "hbm", Parameters: []v1alpha1.ParameterValue{{Name: "size", Value: "2"}}},
	} {
		refs := []v1alpha1.BenchmarkRef{ref}
		got, named := task(v1alpha1.ValidationRunSpec{Suite: "quick", Overrides: refs}), task(v1alpha1.ValidationRunSpec{Benchmarks: refs})
		if got.Asked == plain.Asked || got.Asked != named.Asked || got.Configuration != named.Configuration || got.OwnParameters != named.OwnParameters ||
			len(got.Overridden) != len(named.Overridden) || got.Argv[1] != named.Argv[1] {
			t.Errorf("%s: got %+v\nwant %+v", sentence, got, named)
		}
		if (got.Configuration == plain.Configuration) != (sentence == "an expectation") {
			t.Errorf("%s: configurations %s and %s: values are compared where the same is measured", sentence, got.Configuration, plain.Configuration)
		}
	}
	if _, err := Tasks(&v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Suite: "quick", Overrides: []v1alpha1.BenchmarkRef{
		{Name: "hbm", Expectations: []v1alpha1.ExpectationOverride{{Metric: "copy"}}}}}}, snapshot); err == nil || err.Error() != `benchmark "hbm" has no metric "copy": correct the run's expectations` {
		t.Errorf("got %v", err)
	}
}

// TestImageDigest: what ran is told by its content, wherever it was pulled from.
func TestImageDigest(t *testing.T) {
	b := v1alpha1.Benchmark{}
	b.Spec.Image = "registry.example/stream:1"
	for id, want := range map[string]string{
		"registry.example/stream@sha256:abc":               "sha256:abc",
		"docker-pullable://mirror.local/stream@sha256:abc": "sha256:abc",
		"sha256:abc":   "sha256:abc",
		"some-runtime": "some-runtime",
		"":             "registry.example/stream:1",
	} {
		if got := imageDigest(&b, id); got != want {
			t.Errorf("image ID %q: %q, want %q", id, got, want)
		}
	}
}
