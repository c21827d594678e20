package assess

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/pack"
)

// TestARunCostsWhatItsAttemptsDid: whichever process counts, in whichever pass, and however often the run was suspended.
func TestARunCostsWhatItsAttemptsDid(t *testing.T) {
	in := soloRun("a", "b")
	in.Tasks[0].Benchmark.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	for _, n := range in.Nodes {
		n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
	}
	cost := func() *v1alpha1.Cost {
		out, err := assessed(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range out.Nodes {
			in.Results = append(in.Results, pack.New().Pack(w.Result))
		}
		status := out.Report(Written{}).Status
		in.Run.Status, in.Memory, in.Pods = status, nil, nil
		return status.Cost
	}
	group := &v1alpha1.ValidationResult{Group: &v1alpha1.GroupReference{}, Benchmarks: []v1alpha1.BenchmarkResult{{Attempts: []v1alpha1.Attempt{
		{Number: 1, Cost: &v1alpha1.Cost{GPUSeconds: 16, Joules: 5}}, {Number: 2}, {Number: 3, Cost: &v1alpha1.Cost{GPUSeconds: 16}}}}}}
	if got, want := group.Cost(), (v1alpha1.Cost{GPUSeconds: 32, Joules: 5}); got != want {
		t.Errorf("a group's attempts cost %+v, want %+v", got, want)
	}
	if got := cost(); got != nil {
		t.Errorf("nothing was measured, and it cost %+v", got)
	}
	want := &v1alpha1.Cost{GPUSeconds: 80} // 10 seconds
	addPod(&in, "a", 1, ended(measuredAt(t, 10), 0))
	for _, pass := range []struct {
		sentence string
		change   func(*observe.Input)
	}{
		{"as its attempt is collected", func(*observe.Input) {}},
		{"in the next pass", func(*observe.Input) {}},
		{"while it is suspended", func(in *observe.Input) { in.Run.Spec.Suspend = true }},
		{"as it goes on", func(in *observe.Input) { in.Run.Spec.Suspend = false }},
		{"by a status that says something else", func(in *observe.Input) { in.Run.Status.Cost = &v1alpha1.Cost{GPUSeconds: 1} }},
	} {
		pass.change(&in)
		if diff := cmp.Diff(want, cost()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pass.sentence, diff)
		}
	}
}
