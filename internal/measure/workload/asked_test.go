package workload

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestAsked(t *testing.T) {
	benchmark := func(change func(*v1alpha1.Benchmark)) *v1alpha1.Benchmark {
		b := &v1alpha1.Benchmark{}
		b.Name = "hbm"
		b.Spec.Image, b.Spec.Command = "image@sha256:1", []string{"hbm", "--size=$(size)"}
		b.Spec.Parameters = []v1alpha1.ParameterSpec{{Name: "size", Type: v1alpha1.ParameterInteger, Default: "1"}}
		change(b)
		return b
	}
	asIs := func(*v1alpha1.Benchmark) {}
	expect := func(metric string, minimum v1alpha1.Decimal) v1alpha1.ExpectationOverride {
		return v1alpha1.ExpectationOverride{Metric: metric, Expectation: v1alpha1.Expectation{Min: minimum}}
	}
	asked := func(b *v1alpha1.Benchmark, ref v1alpha1.BenchmarkRef) string {
		t.Helper()
		got, err := Asked(b, ref)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	plain := asked(benchmark(asIs), v1alpha1.BenchmarkRef{})
	both := v1alpha1.BenchmarkRef{Expectations: []v1alpha1.ExpectationOverride{expect("read", "1"), expect("write", "2")}}
	for name, c := range map[string]struct {
		change func(*v1alpha1.Benchmark)
		ref    v1alpha1.BenchmarkRef
		same   string
	}{
		"the default, written out, asks for the same": {asIs, v1alpha1.BenchmarkRef{Parameters: []v1alpha1.ParameterValue{{Name: "size", Value: "1"}}}, plain},
		"what the Benchmark expects is not asked for": {func(b *v1alpha1.Benchmark) { b.Spec.Metrics = []v1alpha1.Metric{{Name: "read"}} }, v1alpha1.BenchmarkRef{}, plain},
		"expectations in another order ask for the same": {asIs, v1alpha1.BenchmarkRef{Expectations: []v1alpha1.ExpectationOverride{expect("write", "2"), expect("read", "1")}},
			asked(benchmark(asIs), both)},
		"another image":       {func(b *v1alpha1.Benchmark) { b.Spec.Image = "image@sha256:2" }, v1alpha1.BenchmarkRef{}, ""},
		"another command":     {func(b *v1alpha1.Benchmark) { b.Spec.Command[0] = "triad" }, v1alpha1.BenchmarkRef{}, ""},
		"another environment": {func(b *v1alpha1.Benchmark) { b.Spec.Env = []v1alpha1.EnvVar{{Name: "A", Value: "b"}} }, v1alpha1.BenchmarkRef{}, ""},
		"a parameter":         {asIs, v1alpha1.BenchmarkRef{Parameters: []v1alpha1.ParameterValue{{Name: "size", Value: "2"}}}, ""},
		"an expectation":      {asIs, v1alpha1.BenchmarkRef{Expectations: []v1alpha1.ExpectationOverride{expect("read", "1")}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			switch got := asked(benchmark(c.change), c.ref); {
			case c.same != "" && got != c.same:
				t.Errorf("asks for %s, want %s", got, c.same)
			case c.same == "" && (got == plain || len(got) != 16):
				t.Errorf("asks for %s, want another hash than %s", got, plain)
			}
		})
	}
	if _, err := Asked(benchmark(asIs), v1alpha1.BenchmarkRef{Parameters: []v1alpha1.ParameterValue{{Name: "none", Value: "2"}}}); err == nil {
		t.Error("a parameter that the Benchmark does not declare is asked for")
	}
}
