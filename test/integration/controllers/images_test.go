package controllers_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestAnImageOfTheSite: a benchmark whose image is the site's to provide is skipped, with what to do, and no pod is started for it. Others of
// the run go on. Once somebody sets the image, the next run measures by it.
func TestAnImageOfTheSite(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.editBenchmark(l.name, func(b *v1alpha1.Benchmark) { b.Spec.Image, b.Spec.SiteImage = "", "NAMD and its input" })
	other := l.benchmark(l.name + "-other")
	l.create(other)
	l.run(func(r *v1alpha1.ValidationRun) {
		r.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: l.name}, {Name: other.Name}}
	})
	started := map[string]bool{}
	l.until("finished", func() bool {
		for _, p := range l.pods() {
			started[p.Labels[v1alpha1.LabelBenchmark]] = true
		}
		return l.finished()
	})
	l.finish()
	same(t, "the benchmarks started", map[string]bool{other.Name: true}, started)
	row := l.result("a").Benchmarks[0]
	same(t, "verdict and reason", [2]string{"Skipped", "ImageNotProvided"}, [2]string{string(row.Verdict), row.Reason})
	for _, want := range []string{"spec.image", "catalogue.images." + l.name, "NAMD and its input"} {
		if !strings.Contains(row.Message, want) {
			t.Errorf("the message does not say %q: %s", want, row.Message)
		}
	}
	l.editBenchmark(l.name, func(b *v1alpha1.Benchmark) { b.Spec.Image = "site.example/namd:3" })
	second := l.next("-second")
	second.until("a pod", func() bool { return len(second.pods()) > 0 })
	same(t, "the image", "site.example/namd:3", second.pods()[0].Spec.Containers[0].Image)
	same(t, "the rows", map[string]string{"a": "Pass/Passed"}, second.rowsOf(second.finish()))
}
