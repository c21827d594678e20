package assess

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/pack"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// measuredRun is a run of nodes that were measured by some benchmarks each, and where pairs is set in four rounds of pairs as well.
func measuredRun(nodes, benchmarks int, pairs bool) observe.Input {
	in := soloRun()
	in.Now = time.Unix(1_700_000_000, 0)
	task := in.Tasks[0]
	in.Tasks = nil
	for i := range benchmarks {
		in.Tasks = append(in.Tasks, renamed(task, fmt.Sprintf("solo-%02d", i)))
	}
	for i := range nodes {
		n := readyNode(fmt.Sprintf("node-%05d", i))
		in.Nodes = append(in.Nodes, n)
		in.Run.Spec.NodeNames = append(in.Run.Spec.NodeNames, n.Name)
		r := (&observe.ObservedNode{Name: n.Name}).NewResult(in.Run, string(n.UID))
		for _, t := range in.Tasks {
			r.Benchmarks = append(r.Benchmarks, measuredBy(t.Name(), 0, in.Now.Add(-50*time.Second)))
		}
		in.Results = append(in.Results, pack.Plain(r))
	}
	if pairs {
		t := renamed(task, "pairs")
		t.Benchmark.Spec.Scope, t.Benchmark.Spec.Group = v1alpha1.ScopeGroup, &v1alpha1.Group{}
		t.Benchmark.Spec.Group.Size.IntVal = 2
		in.Tasks, in.JobKind = append(in.Tasks, t), observe.JobKind{Known: true, Seen: true}
		for round := range 4 {
			for i := 0; i < nodes; i += 2 {
				in.Results = append(in.Results, pack.Plain(pairResult(in, round, i, (i+1+2*round)%nodes)))
			}
		}
	}
	return in
}

func pairResult(in observe.Input, round, i, j int) *v1alpha1.ValidationResult {
	a, b := in.Nodes[min(i, j)], in.Nodes[max(i, j)]
	refs := []v1alpha1.ObjectReference{{Name: a.Name, UID: a.UID}, {Name: b.Name, UID: b.UID}}
	r := (&observe.ObservedNode{}).NewResult(in.Run, "")
	r.Node = v1alpha1.ObjectReference{}
	r.Name, r.Group = tournament.ID(in.Run, "pairs", refs), &v1alpha1.GroupReference{Nodes: refs}
	r.Benchmarks = []v1alpha1.BenchmarkResult{measuredBy("pairs", int32(round+1), in.Now.Add(-20*time.Second))}
	return r
}

func renamed(t observe.Task, name string) observe.Task {
	t.Benchmark = t.Benchmark.DeepCopy()
	t.Benchmark.Name = name
	return t
}

func measuredBy(benchmark string, round int32, at time.Time) v1alpha1.BenchmarkResult {
	when := metav1.NewTime(at)
	return v1alpha1.BenchmarkResult{Name: benchmark, Verdict: v1alpha1.VerdictPending, Attempts: []v1alpha1.Attempt{{
		Number: 1, Round: round, Verdict: v1alpha1.VerdictPass, Pod: "p", LaunchTime: &when, StartTime: &when, EndTime: &when, Configuration: "c", ImageID: "i",
		Measurements: []v1alpha1.Measurement{{Name: "bandwidth", Unit: "GB/s", Better: v1alpha1.Higher, Parts: []v1alpha1.PartValue{{At: "node", Value: "100"}}}}}}}
}

// BenchmarkPass is what one pass decides over a fleet that was measured by eight benchmarks and in pairs, before and past its deadline.
func BenchmarkPass(b *testing.B) {
	for _, nodes := range []int{250, 1000} {
		for when, deadline := range map[string]int64{"before": 3600, "past": 40} {
			b.Run(fmt.Sprintf("nodes=%d/deadline=%s", nodes, when), func(b *testing.B) {
				in := measuredRun(nodes, 8, true)
				in.Run.Spec.ActiveDeadlineSeconds = new(deadline)
				for b.Loop() {
					if _, err := assessed(in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
