package assess

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/pack"
)

// A node has passed; another one, interrupted, loses a device, so that the fleet becomes another one in the middle of a pass. What the first one reached before was
// not read then: its stored verdict stands.
func TestAStoredVerdictStandsWhileTheFleetChanges(t *testing.T) {
	in := soloRun("a", "b")
	in.Tasks[0].Metrics = []v1alpha1.Metric{bandwidth(v1alpha1.Expectation{Min: "50"})}
	in.Tasks[0].Remembered = in.Tasks[0].Metrics
	in.Tasks[0].Benchmark.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	offers := func(i int, count string) {
		node := in.Nodes[i].DeepCopy()
		node.Status.Capacity = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
		node.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(count)}
		in.Nodes = slices.Clone(in.Nodes)
		in.Nodes[i] = node
	}
	offers(0, "8")
	offers(1, "8")
	for i, first := range []v1alpha1.Attempt{
		{Number: 1, Verdict: v1alpha1.VerdictPass, Configuration: "c", Measurements: []v1alpha1.Measurement{{Name: "bandwidth", Unit: "GB/s",
			Parts: []v1alpha1.PartValue{{At: "node", Value: "100"}}}}},
		{Number: 1, Verdict: v1alpha1.VerdictError, Configuration: "c", Reason: v1alpha1.ReasonInterrupted},
	} {
		r := &v1alpha1.ValidationResult{Verdict: v1alpha1.VerdictPending}
		node := in.Nodes[i]
		r.Name, r.Run.UID, r.Node = v1alpha1.ResultName(in.Run, node.Name), in.Run.UID, v1alpha1.ObjectReference{Name: node.Name, UID: node.UID}
		r.Benchmarks = []v1alpha1.BenchmarkResult{{Name: "stream", Verdict: v1alpha1.VerdictPending, Attempts: []v1alpha1.Attempt{first}}}
		in.Results = append(in.Results, pack.Plain(r))
	}
	in.Memory, in.Validations = &observe.Memory{}, map[string]*v1alpha1.NodeValidation{
		"a": {Fingerprint: v1alpha1.Fingerprint{NodeUID: in.Nodes[0].UID}, NodeHistory: &v1alpha1.HistoryReference{UID: "h"}}}
	passed := false
	for pass := range 6 {
		if pass == 1 {
			offers(1, "7")
		}
		c, err := Collect(in)
		if err != nil {
			t.Fatal(err)
		}
		needed, given := judge.NeedsPast(c), map[string]*v1alpha1.NodeHistory{}
		for _, name := range slices.Concat(needed.Remembered, needed.Together) {
			given[name] = nil
		}
		out := Run(c.Given(given))
		for _, w := range out.Nodes {
			if w.Result.Node.Name == "a" {
				if passed = passed || w.Result.Verdict == v1alpha1.VerdictPass; w.Result.Verdict != v1alpha1.VerdictPass {
					t.Errorf("pass %d: node a, which has passed, is stored as %s", pass, w.Result.Verdict)
				}
			}
			i := slices.IndexFunc(in.Results, func(p *pack.Result) bool { return p.Head.Node.Name == w.Result.Node.Name })
			in.Results = slices.Clone(in.Results)
			in.Results[i] = pack.Plain(w.Result)
		}
		in.ShortSince, in.Now = out.ShortSince, in.Now.Add(61*time.Second)
	}
	if !passed {
		t.Error("node a never passes")
	}
}
