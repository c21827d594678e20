package run

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
)

// passedBefore is what is known of a node whose triad reached 10 GB/s five times.
func passedBefore(name string) *v1alpha1.NodeValidation {
	v := &v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{NodeUID: types.UID("uid-" + name)}}
	v.Name, v.UID = name, types.UID("validation-of-"+name)
	h := v1alpha1.PassHistory{Configuration: "c", Metrics: []v1alpha1.MetricHistory{{Metric: "triad", Unit: "GB/s",
		Parts: []v1alpha1.PartHistory{{At: "node", Baseline: "10", Passes: 5, Recent: "10 10 10 10 10"}}}}}
	for day := range 5 {
		h.Runs = append(h.Runs, v1alpha1.PassingRun{RunUID: types.UID(fmt.Sprint("run-", day)), Time: metav1.NewTime(begin.AddDate(0, 0, day-9))})
	}
	v.Benchmarks = []v1alpha1.BenchmarkHistory{{Name: "stream", Verdict: v1alpha1.VerdictPass, Passes: []v1alpha1.PassHistory{h}}}
	return v
}

// TestManyHistoriesAreReadInPieces: of a large fleet, each node is judged by its history, and the pass keeps none. One that was written
// since the cache showed it is read again, by itself.
func TestManyHistoriesAreReadInPieces(t *testing.T) {
	var names []string
	for i := range historiesAtOnce + 40 {
		names = append(names, fmt.Sprintf("node-%03d", i))
	}
	j := newJudgedRun(t, "9.2", names...)
	const written = "node-007"
	var live []client.Object
	for _, name := range names {
		v := passedBefore(name)
		trimmed := &v1alpha1.NodeValidation{Fingerprint: v.Fingerprint}
		trimmed.Name, trimmed.UID = name, assess.TrimmedUID
		if name == written {
			if err := j.Create(t.Context(), trimmed.DeepCopy()); err != nil {
				t.Fatal(err)
			}
			v.OffenceCount = 1
		}
		trimmed.ResourceVersion, v.ResourceVersion = "7", fmt.Sprint(7+v.OffenceCount)
		j.in.Validations[name], live = trimmed, append(live, v)
	}
	j.r.Live = fake.NewClientBuilder().WithScheme(j.scheme).WithObjects(live...).Build()
	p := &pass{run: j.in.Run, memory: j.r.memories.of(j.in.Run.UID), in: j.in, pin: &pin{stored: true}}
	out, err := j.r.assess(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range out.Nodes {
		if n.Result.Verdict != v1alpha1.VerdictFail {
			t.Errorf("%s, which is 8%% slower than it was, is found to %s", n.About, n.Result.Verdict)
		}
	}
	if sum := out.Report(assess.Written{}).Status.Summary; sum.Passed > 0 || sum.Failed == 0 {
		t.Errorf("not all nodes were judged by their histories: %+v", *sum)
	}
	for _, name := range names {
		if whole := !assess.Trimmed(p.in.Validations[name]); whole != (name == written) {
			t.Errorf("the pass keeps the history of %s: %t", name, whole)
		}
	}
}
