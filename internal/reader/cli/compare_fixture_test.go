package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/clitest"
)

// measured is a finished run of some nodes: two benchmarks, whose metrics reach so many times what they do by default.
type measured struct {
	name, driver, image string
	nodes               []string
	hbm, latency        float64
	disturbed           bool
	at                  string
}

func (m measured) run() *v1alpha1.ValidationRun {
	run := &v1alpha1.ValidationRun{}
	run.Name, run.UID = m.name, types.UID("uid-of-"+m.name)
	run.Status.Verdict = v1alpha1.VerdictPass
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue, Reason: "Passed"}}
	return run
}

func (m measured) results() []v1alpha1.ValidationResult {
	var all []v1alpha1.ValidationResult
	for i, node := range m.nodes {
		r := v1alpha1.ValidationResult{Run: v1alpha1.ObjectReference{Name: m.name, UID: m.run().UID}, Verdict: v1alpha1.VerdictPass}
		r.Name, r.Labels = m.name+"-"+node, map[string]string{v1alpha1.LabelRunUID: string(m.run().UID)}
		r.Node = v1alpha1.ObjectReference{Name: node, UID: types.UID("uid-" + node)}
		r.Benchmarks = []v1alpha1.BenchmarkResult{m.gpustream(i), m.mpi(i)}
		all = append(all, r)
	}
	return all
}

func (m measured) attempt(benchmark string) v1alpha1.Attempt {
	when, _ := time.Parse(time.RFC3339, m.at)
	return v1alpha1.Attempt{
		Number: 1, Verdict: v1alpha1.VerdictPass, LaunchTime: &metav1.Time{Time: when}, Configuration: benchmark + m.image, ImageID: "registry/" + benchmark + m.image,
		Machine: &v1alpha1.Machine{Kernel: "6.18", Driver: m.driver},
	}
}

// wobble is a small difference that repeats from call to call.
func wobble(seed int) float64 { return 1 + 0.001*math.Sin(float64(seed)*12.9898) }

func (m measured) gpustream(node int) v1alpha1.BenchmarkResult {
	a := m.attempt("gpustream")
	triad := v1alpha1.Measurement{Name: "hbmTriad", Unit: "GB/s", Better: v1alpha1.Higher}
	clock := v1alpha1.Measurement{Name: "smClock", Unit: "MHz", Better: v1alpha1.Higher}
	for gpu := range 4 {
		at := fmt.Sprintf("gpu%d", gpu)
		seed := 4*node + gpu + len(m.name) + 100*len(m.driver)
		triad.Parts = append(triad.Parts, v1alpha1.PartValue{At: at, Value: quantity.Decimal(4370*m.hbm*wobble(seed), 7)})
		clock.Parts = append(clock.Parts, v1alpha1.PartValue{At: at, Value: quantity.Decimal(1980*wobble(seed+50), 7)})
	}
	a.Measurements = []v1alpha1.Measurement{triad, clock}
	out := v1alpha1.BenchmarkResult{Name: "gpustream", Verdict: v1alpha1.VerdictPass, Attempts: []v1alpha1.Attempt{a},
		Headline: []v1alpha1.HeadlineValue{{Benchmark: "gpustream", Metric: "hbmTriad"}}}
	if m.disturbed {
		out.Attempts = append([]v1alpha1.Attempt{{Number: 2, Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonDisturbed}}, out.Attempts...)
	}
	return out
}

func (m measured) mpi(node int) v1alpha1.BenchmarkResult {
	a := m.attempt("mpi")
	a.Measurements = []v1alpha1.Measurement{{Name: "latency", Unit: "us", Better: v1alpha1.Lower, Parts: []v1alpha1.PartValue{
		{At: "node", Value: quantity.Decimal(2*m.latency*wobble(7*node+len(m.driver)), 7)}}}}
	return v1alpha1.BenchmarkResult{Name: "mpi", Verdict: v1alpha1.VerdictPass, Attempts: []v1alpha1.Attempt{a}}
}

func (m measured) objects() []client.Object {
	all := []client.Object{m.run()}
	results := m.results()
	for i := range results {
		all = append(all, &results[i])
	}
	return all
}

func (m measured) save(t *testing.T, cluster string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), m.name+".jsonl")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	lines, err := export.NewLines(out, "test", cluster)
	if err != nil {
		t.Fatal(err)
	}
	run := export.Run{Cluster: cluster, Run: m.run(), Results: m.results()}
	if err := errors.Join(run.Pour(lines), lines.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

func someNodes(first, n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("node-%d", first+i))
	}
	return all
}

var (
	older = measured{name: "rack-7-old", driver: "535.104", nodes: someNodes(1, 8), hbm: 1, latency: 1, at: "2026-03-01T12:00:00Z"}
	newer = measured{name: "rack-7-new", driver: "550.54.15", nodes: someNodes(1, 8), hbm: 1.05, latency: 1.2, disturbed: true, at: "2026-03-08T12:00:00Z"}
)

func compared2(t *testing.T, args ...string) string {
	t.Helper()
	c := clitest.Cluster(t, interceptor.Funcs{}, append(older.objects(), newer.objects()...)...)
	out, err := run(t, c, append([]string{"compare"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
