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
func passedBefore(name string) (*v1alpha1.NodeValidation, *v1alpha1.NodeHistory) {
	node, history := types.UID("uid-"+name), types.UID("history-of-"+name)
	v := &v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{NodeUID: node}, NodeHistory: &v1alpha1.HistoryReference{UID: history, Generation: 1}}
	v.Name, v.UID = name, types.UID("validation-of-"+name)
	h := v1alpha1.PassHistory{Configuration: "c", Metrics: []v1alpha1.MetricHistory{{Metric: "triad", Unit: "GB/s",
		Parts: []v1alpha1.PartHistory{{At: "node", Baseline: "10", Passes: 5, Recent: []v1alpha1.PassingValue{"10", "10", "10", "10", "10"}}}}}}
	for day := range 5 {
		h.Runs = append(h.Runs, v1alpha1.PassingRun{RunUID: types.UID(fmt.Sprint("run-", day)), Time: metav1.NewTime(begin.AddDate(0, 0, day-9))})
	}
	v.Benchmarks = []v1alpha1.BenchmarkState{{Name: "stream", Verdict: v1alpha1.VerdictPass}}
	past := &v1alpha1.NodeHistory{NodeUID: node, Benchmarks: []v1alpha1.BenchmarkHistory{{Name: "stream", Passes: []v1alpha1.PassHistory{h}}}}
	past.Name, past.UID = name, history
	return v, past
}

// TestManyHistoriesAreReadInPages: of a large fleet, each node is judged by its history, some at a time.
func TestManyHistoriesAreReadInPages(t *testing.T) {
	var names []string
	for i := range historiesAtOnce + 40 {
		names = append(names, fmt.Sprintf("node-%03d", i))
	}
	j := newJudgedRun(t, "9.2", names...)
	var live []client.Object
	for _, name := range names {
		v, h := passedBefore(name)
		v.ResourceVersion = "7"
		j.in.Validations[name], live = v, append(live, h)
	}
	j.r.Live = fake.NewClientBuilder().WithScheme(j.Scheme()).WithObjects(live...).Build()
	j.r.own = j.r.objects()
	p := &pass{run: j.in.Run, memory: j.r.memoryOf(j.in.Run), in: j.in, pin: &pin{stored: true}}
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
}
