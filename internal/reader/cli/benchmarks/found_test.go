package benchmarks

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/clitest"
)

// Who finds most for its GPU time comes first, and a group costs, but tells of no node.
func TestWhatEachHasFound(t *testing.T) {
	of := func(name string, verdict v1alpha1.Verdict, gpuSeconds ...int64) (b v1alpha1.BenchmarkResult) {
		b.Name, b.Verdict = name, verdict
		for _, s := range gpuSeconds {
			b.Attempts = append(b.Attempts, v1alpha1.Attempt{Cost: &v1alpha1.Cost{GPUSeconds: s}})
		}
		return b
	}
	result := func(name string, benchmarks ...v1alpha1.BenchmarkResult) *v1alpha1.ValidationResult {
		r := &v1alpha1.ValidationResult{Benchmarks: benchmarks}
		r.Name = name
		return r
	}
	group := result("run.group", of("net", v1alpha1.VerdictPass, 1000))
	group.Group = &v1alpha1.GroupReference{}
	objects := []client.Object{group,
		result("run.a", of("cpu", v1alpha1.VerdictPass), of("burn", v1alpha1.VerdictPass, 4800), of("quick", v1alpha1.VerdictFail, 40, 40), of("net", v1alpha1.VerdictSkipped)),
		result("run.b", of("cpu", v1alpha1.VerdictFail), of("burn", v1alpha1.VerdictFail, 4800), of("quick", v1alpha1.VerdictFail, 40, 40), of("net", v1alpha1.VerdictPass)),
		result("run.c", of("cpu", v1alpha1.VerdictPass), of("burn", v1alpha1.VerdictPass, 4800), of("quick", v1alpha1.VerdictError, 40), of("net", v1alpha1.VerdictPass)),
	}
	old := result("run.d", of("burn", v1alpha1.VerdictFail)) // of a release that knew no cost
	objects = append(objects, old)
	for _, name := range []string{"burn", "cpu", "net", "quick", "unused"} {
		b := &v1alpha1.Benchmark{}
		b.Name = name
		objects = append(objects, b)
	}
	cluster := clitest.Cluster(t, interceptor.Funcs{}, objects...)
	connect := func() (client.WithWatch, error) { return cluster, nil }
	out, err := clitest.Execute(t, clitest.Under(Command(connect)), "benchmarks", "--found")
	if err != nil {
		t.Fatal(err)
	}
	want := `
NAME     JUDGED   FAILED   ONLY HERE   GPU TIME   FAILED PER GPU HOUR
cpu      3        1        0           -          -
quick    2        2        1           3m20s      36
burn     4        2        1           4h         0.25
net      2        0        0           16m40s     0
unused   0        0        0           -          -
`
	if !strings.HasPrefix("\n"+out, want) {
		t.Errorf("got\n%s", out)
	}
	out, err = clitest.Execute(t, clitest.Under(Command(connect)), "benchmarks", "--found", "-o", "csv")
	if err != nil || !strings.Contains(out, "quick,2,2,1,200,36\n") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err = clitest.Execute(t, clitest.Under(Command(connect)), "benchmarks", "--found", "burn"); err == nil || err.Error() != commandFoundByAll {
		t.Errorf("of one: %v", err)
	}
}
