package campaign

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// editBenchmark of the catalogue.
func (w *world) editBenchmark(name string, edit func(*v1alpha1.BenchmarkSpec)) {
	if b := kube.Find[*v1alpha1.Benchmark](w.API, name); b != nil {
		next := b.DeepCopy()
		edit(&next.Spec)
		_, _ = w.API.Update("person", next, false)
	}
}

// reviseBenchmark, as an administrator does who knows better. Only those of one node with a bound of their own get another bound.
func (w *world) reviseBenchmark(h cases.Happening) {
	w.revised = true
	shipped := cluster.Benchmark(h.Name, w.Case).Spec
	bound := map[string]v1alpha1.Decimal{cases.BoundTooHard: "150", cases.BoundHard: "95", cases.BoundSoft: "50"}[h.How]
	w.editBenchmark(h.Name, func(s *v1alpha1.BenchmarkSpec) {
		switch {
		case bound != "" && (h.Name == "gemm" || h.Name == "cpu"):
			s.Metrics[0].Expectation.Min = bound
		case h.How == cases.BenchmarkParameters:
			s.Parameters = append(shipped.Parameters, v1alpha1.ParameterSpec{Name: "rounds", Type: v1alpha1.ParameterInteger, Default: "3"})
			s.Command = append(shipped.Command, "--rounds=$(rounds)")
		case h.How == cases.BenchmarkNeeds && s.Group != nil:
			s.Group.SlotsPerWorker = intstr.FromString("Devices")
		case h.How == cases.BenchmarkNeeds && s.Needs.DeviceResource != "":
			s.Needs.MinDevices = new(int32(h.Number))
		case h.How == cases.BenchmarkSuite:
			s.Suites = []string{"full"}
		case h.How == cases.BenchmarkShipped:
			*s = shipped
		}
	})
}

// remakeBenchmark after a while, or at once, of another image.
func (w *world) remakeBenchmark(h cases.Happening) {
	if kube.Find[*v1alpha1.Benchmark](w.API, h.Name) == nil {
		return
	}
	w.revised = true
	w.remove("Benchmark", h.Name)
	again := func() {
		b := cluster.Benchmark(h.Name, w.Case)
		if h.Number > 1 {
			b.Spec.Image = "bench:2"
		}
		_, _ = w.API.Create("person", b) // it may be there again
	}
	if h.For == 0 {
		again()
		return
	}
	w.After(h.For, again)
}

// shipCatalogue: each Benchmark is there, and is what was shipped.
func (w *world) shipCatalogue() {
	for _, name := range w.Case.Benchmarks {
		shipped := cluster.Benchmark(name, w.Case)
		if kube.Find[*v1alpha1.Benchmark](w.API, name) == nil {
			_, _ = w.API.Create("person", shipped)
			continue
		}
		w.editBenchmark(name, func(s *v1alpha1.BenchmarkSpec) { *s = shipped.Spec })
	}
	w.writeProfile(cases.BenchmarkShipped)
}
