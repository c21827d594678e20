package forecast

import (
	"fmt"
	"math"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// fleet of so many new nodes with eight GPUs each, and a policy by which they are measured at night and are valid for a week.
func fleet(nodes int) Input {
	gemm, stream := v1alpha1.Benchmark{}, v1alpha1.Benchmark{}
	gemm.Name, gemm.Spec.Suites, gemm.Spec.Image, gemm.Spec.CostSeconds = "gemm", []string{"quick"}, "i", 90
	gemm.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	gemm.Spec.Metrics = []v1alpha1.Metric{{Name: "throughput", Peak: "fp64", Expectation: &v1alpha1.Expectation{MinFractionOfPeak: "0.8"}}}
	stream.Name, stream.Spec.Suites, stream.Spec.Image, stream.Spec.CostSeconds = "stream", []string{"quick"}, "i", 10
	p := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "h200", UID: "p", CreationTimestamp: metav1.NewTime(noon)}}
	p.Spec = v1alpha1.ValidationPolicySpec{AllNodes: true, Suite: "quick", ValidForSeconds: new(int64(604800)), OverdueSeconds: 86400, Suspend: true,
		Schedule: "0 2 * * *", Retry: v1alpha1.Retry{AfterSeconds: 3600}, Run: v1alpha1.RunTemplate{MaxConcurrentNodes: new(intstr.FromString("50%"))}}
	in := Input{Policy: p, Benchmarks: []v1alpha1.Benchmark{gemm, stream}}
	for i := range nodes {
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node-", i), UID: types.UID(fmt.Sprint("uid-", i)), ResourceVersion: "1",
			CreationTimestamp: metav1.NewTime(noon.Add(-time.Hour))}}
		n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}

// Nodes are measured in the first window, renewed within each week, and never outside of windows.
func TestWhatAPolicyWillCost(t *testing.T) {
	in := fleet(10)
	in.Nodes[9].Spec.Unschedulable = true
	f := New(in, noon, noon.Add(28*24*time.Hour))
	if f.Nodes.Selected != 10 || f.Nodes.Due != 10 || len(f.Benchmarks) != 2 || f.Benchmarks[1].Nodes != 10 || f.Cut {
		t.Errorf("%+v, benchmarks %+v", f.Nodes, f.Benchmarks)
	}
	first, measured := f.Runs[0], map[string]int{}
	if want := time.Date(2026, 3, 3, 2, 0, 0, 0, time.UTC); !first.At.Equal(want) || len(first.Nodes) != 9 || first.Reason != v1alpha1.ReasonNeverValidated {
		t.Errorf("the first run is %+v, want one at %s", first, want)
	}
	// Half of nine nodes at once is four, so in three turns of 100 s; nine nodes have eight GPUs for 90 s.
	if took := first.Ends.Sub(first.At); took != 300*time.Second || math.Abs(first.DeviceHours["nvidia.com/gpu"]-9*8*90/3600.) > 1e-9 || math.Abs(first.NodeHours-9*100/3600.) > 1e-9 {
		t.Errorf("it takes %s, %v and %v hours", took, first.DeviceHours, first.NodeHours)
	}
	for _, run := range f.Runs {
		if h := run.At.UTC().Hour(); h != 2 && !(h == 3 && run.At.Minute() == 0) {
			t.Errorf("a run at %s, outside the window", run.At)
		}
		for _, n := range run.Nodes {
			measured[n]++
		}
	}
	for i := range 9 {
		if n := measured[in.Nodes[i].Name]; n < 4 || n > 6 {
			t.Errorf("%s is measured %d times in four weeks of which each needs a pass", in.Nodes[i].Name, n)
		}
	}
	if len(measured) != 9 || len(f.Lacks) != 2 || f.Lacks[0].Reason != ReasonNoProfile || len(f.Lacks[0].Nodes) != 10 || f.Lacks[1].Reason != v1alpha1.ReasonNodeCordoned {
		t.Errorf("%d nodes are measured; lacks %+v", len(measured), f.Lacks)
	}
	if !in.Policy.Spec.Suspend || len(in.Policy.Status.Conditions) > 0 || len(in.Nodes[0].Annotations) > 0 {
		t.Error("the forecast has changed what it was given")
	}
}

// A policy that asks for what is not there is told so, and nothing more.
func TestAPolicyThatCannotBeEnforced(t *testing.T) {
	in := fleet(2)
	in.Policy.Spec.Suite = "quik"
	f := New(in, noon, noon.Add(time.Hour))
	if f.Invalid != "no Benchmark lists the suite \"quik\": choose one that `kubectl assay suites` shows" || len(f.Runs)+len(f.Lacks) > 0 {
		t.Errorf("%+v", f)
	}
}

// A gated node is measured at once, and let in.
func TestAGateOpens(t *testing.T) {
	in := fleet(1)
	in.Policy.Spec.Gate = &v1alpha1.Gate{Taint: v1alpha1.GateTaint{Key: v1alpha1.DefaultGateKey}, TimeoutSeconds: 3600}
	in.Nodes[0].Spec.Taints = []corev1.Taint{{Key: v1alpha1.DefaultGateKey, Effect: corev1.TaintEffectNoSchedule}}
	f := New(in, noon, noon.Add(12*24*time.Hour))
	if f.Nodes.Gated != 1 || len(f.Runs) < 2 || f.Runs[0].At.Sub(noon) > time.Minute || f.Runs[1].At.Hour() != 2 {
		t.Errorf("%+v, runs %+v", f.Nodes, f.Runs)
	}
	if len(in.Nodes[0].Spec.Taints) != 1 {
		t.Error("the forecast has opened the gate")
	}
}

// BenchmarkForecast is what four weeks of 5,000 nodes cost.
func BenchmarkForecast(b *testing.B) {
	in := fleet(5000)
	for b.Loop() {
		if f := New(in, noon, noon.Add(28*24*time.Hour)); f.Cut {
			b.Fatal("not all runs were foreseen")
		}
	}
}

// A budget spreads the first measurements over days, and no day costs more.
func TestABudgetSpreadsWhatIsDue(t *testing.T) {
	in := fleet(10)
	in.Policy.Spec.GPUSecondsPerDay = new(int64(3 * 8 * 90)) // three nodes
	f := New(in, noon, noon.Add(10*24*time.Hour))
	byDay := map[string]float64{}
	for _, r := range f.Runs {
		byDay[r.At.Format(time.DateOnly)] += 3600 * r.DeviceHours["nvidia.com/gpu"]
	}
	for day, seconds := range byDay {
		if seconds > 3*8*90+1 {
			t.Errorf("%s costs %.0f GPU-seconds", day, seconds)
		}
	}
	if first := f.Runs[0]; len(first.Nodes) != 3 || f.Budget == nil || f.MostWaiting != 7 || f.WaitingUntil == nil {
		t.Errorf("the first run has %d nodes, the budget is %+v, %d wait until %v", len(first.Nodes), f.Budget, f.MostWaiting, f.WaitingUntil)
	}
}
