package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/pack"
	"github.com/assay-dev/assay/test/hand"
)

// judgedRun is a run over some nodes of which each was measured once, and what a pass over it comes to.
type judgedRun struct {
	*hand.Cluster
	r  *Reconciler
	in observe.Input
}

func newJudgedRun(t *testing.T, value v1alpha1.Decimal, nodes ...string) *judgedRun {
	t.Helper()
	b := v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Scope: v1alpha1.ScopeNode, TimeoutSeconds: 60, Metrics: []v1alpha1.Metric{
		{Name: "triad", Unit: "GB/s", Headline: true, Expectation: &v1alpha1.Expectation{Min: "9", MaxRegression: "0.05"}}}}}
	b.Name = "stream"
	run := startedRun()
	run.Spec.NodeNames, run.Spec.Confirmations, run.Spec.Benchmarks = nodes, new(int32(0)), []v1alpha1.BenchmarkRef{{Name: "stream"}}
	tasks, err := observe.Tasks(run, catalogue.Take([]v1alpha1.Benchmark{b}, nil))
	if err != nil {
		t.Fatal(err)
	}
	j := &judgedRun{Cluster: hand.New(t), in: observe.Input{Run: run, Now: begin, Tasks: tasks, Memory: &observe.Memory{}, Validations: map[string]*v1alpha1.NodeValidation{}}}
	for _, name := range nodes {
		node := nodeOf(name)
		if err := j.Create(t.Context(), node); err != nil {
			t.Fatal(err)
		}
		r := resultOf("r-"+name, name)
		a := &r.Benchmarks[0].Attempts[0]
		a.EndTime = &metav1.Time{Time: begin}
		a.Measurements = []v1alpha1.Measurement{{Name: "triad", Unit: "GB/s", Parts: []v1alpha1.PartValue{{At: "node", Value: value}}}}
		r.Verdict, r.Benchmarks[0].Verdict = v1alpha1.VerdictPending, v1alpha1.VerdictPending
		if err := j.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		j.in.Nodes, j.in.Results = append(j.in.Nodes, node), append(j.in.Results, pack.Plain(r))
	}
	j.Writes, j.r = nil, reconcilerOf(j.Cluster)
	return j
}

// pass over the run, as the controller makes it.
func (j *judgedRun) pass(t *testing.T, change func(*assess.Output)) assess.Written {
	t.Helper()
	for i, n := range j.in.Nodes {
		j.in.Nodes[i] = nodeOf(n.Name)
		if err := j.Get(t.Context(), client.ObjectKey{Name: n.Name}, j.in.Nodes[i]); err != nil {
			t.Fatal(err)
		}
		v, err := j.r.nodes.Validation(t.Context(), n.Name)
		if err != nil {
			t.Fatal(err)
		}
		if v != nil {
			j.in.Validations[n.Name] = v
		}
	}
	p := &pass{run: j.in.Run, memory: j.r.memoryOf(j.in.Run), in: j.in, pin: &pin{stored: true}}
	out, err := j.r.assess(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&out)
	}
	w := j.r.write(t.Context(), p, &out)
	if w.Err != nil {
		t.Fatal(w.Err)
	}
	for _, n := range out.Nodes {
		i := slices.IndexFunc(j.in.Results, func(p *pack.Result) bool { return p.Head.Name == n.Result.Name })
		stored := &v1alpha1.ValidationResult{}
		if err := j.Get(t.Context(), client.ObjectKeyFromObject(n.Result), stored); err != nil {
			t.Fatal(err)
		}
		j.in.Results[i] = pack.Plain(stored)
	}
	return w
}

// TestSettledNodesAreJudgedAnewTogether: when a breaker opens, the writes judge all settled nodes again, at the same time. The race detector
// looks on.
func TestSettledNodesAreJudgedAnewTogether(t *testing.T) {
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("node-%02d", i))
	}
	j := newJudgedRun(t, "10", names...)
	for range 3 {
		j.pass(t, nil)
	}
	if found := j.pass(t, nil).Nodes; len(found) > 0 {
		t.Fatalf("%d nodes are not settled", len(found))
	}
	if found := j.pass(t, func(out *assess.Output) { out.Breaker.Open = true }).Nodes; len(found) != len(names) {
		t.Errorf("%d of %d nodes are judged anew once the breaker is open", len(found), len(names))
	}
}

// TestANodeThatIsWarnedOfSettles: a warning asks for nothing to be done, so that the node costs no more passes, and its row keeps the warning.
func TestANodeThatIsWarnedOfSettles(t *testing.T) {
	j := newJudgedRun(t, "10", "a")
	v, past := passedBefore("a")
	h := &past.Benchmarks[0]
	for i := range 3 {
		at, run := metav1.NewTime(begin.AddDate(0, 0, i-9)), types.UID(fmt.Sprint("run-", i))
		h.Entries = append(h.Entries, v1alpha1.HistoryEntry{Verdict: v1alpha1.VerdictPass, Time: at, RunUID: run})
		h.Unconfirmed = append(h.Unconfirmed, v1alpha1.UnconfirmedParts{Time: at, RunUID: run, Parts: []v1alpha1.PartReference{{Metric: "triad", At: "node"}}})
	}
	if err := errors.Join(j.Create(t.Context(), v), j.Create(t.Context(), past)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		j.pass(t, nil)
	}
	found := j.pass(t, nil).Nodes["a"]
	if !strings.HasPrefix(found.Note, "stream warns: ") {
		t.Errorf("its row's note is %q, and does not warn", found.Note)
	}
	if found.Tainted != nil {
		t.Error("it is judged again in every pass")
	}
}
