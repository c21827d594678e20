package policy

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// TestAnotherFabric costs the passes of groups, and none of single nodes.
func TestAnotherFabric(t *testing.T) {
	const said, shown = "profile pool resource=rdma/hca", "set a b offersRDMA=8"
	for sentence, c := range map[string]struct {
		before, after string
		want          validity.Standing
	}{
		"nothing changes":                    {"", "", validity.Passed},
		"a fabric is said":                   {"", said, validity.Changed},
		"the same is said again":             {said, said, validity.Passed},
		"another interface is said":          {said, said + " interface=bond0", validity.Changed},
		"nothing is said any more":           {said + " interface=bond0", "profile pool", validity.Changed},
		"devices are shown":                  {"", shown, validity.Changed},
		"more devices are shown":             {shown, "set a b offersRDMA=9", validity.Passed},
		"their plugin starts anew":           {shown, "set a b offersRDMA=0", validity.Passed},
		"what is shown is said, and no more": {shown, said, validity.Passed},
	} {
		w := newWorld(t)
		for _, line := range []string{"benchmark single", "benchmark pairs group=2", "policy gpu", "node b", "node a"} {
			w.incident(line)()
		}
		n, p := w.node("a"), w.policy("gpu")
		say := func(line string) {
			if line != "" {
				w.incident(line)()
			}
		}
		say(c.before)
		run := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Suite: "quick"}}
		run.UID, run.CreationTimestamp = "run", metav1.Time{Time: w.now}
		w.record(&worldRun{ValidationRun: run, nodes: []*worldNode{n, w.node("b")}}, n)
		w.judged(p, n) // what is remembered must not outlive the change
		w.now = w.now.Add(time.Second)
		say(c.after)
		for benchmark, want := range map[string]validity.Standing{"single": validity.Passed, "pairs": c.want} {
			if got := w.judged(p, n)[benchmark]; got != want {
				t.Errorf("%s: %s stands at %d, want %d", sentence, benchmark, got, want)
			}
		}
	}
}

// judged is how a node stands by each benchmark, after a pass that may remember the one before.
func (w *world) judged(p *worldPolicy, n *worldNode) map[string]validity.Standing {
	s := w.snapshot(p)
	t := validity.New(p.ValidationPolicy, s.Benchmarks, s.Profiles, nil, w.now)
	p.memory.Begin(t)
	all := map[string]validity.Standing{}
	for i := range s.Benchmarks {
		alone := validity.New(p.ValidationPolicy, s.Benchmarks[i:i+1], s.Profiles, nil, w.now).Judge(validity.Node{Object: n.Node, Validation: n.validation})
		if all[s.Benchmarks[i].Object.Name] = validity.Passed; !alone.Holds() {
			all[s.Benchmarks[i].Object.Name] = alone.Standing
		}
	}
	if whole := p.memory.Judge(t, s.Nodes[len(s.Nodes)-1].subject()); (whole.State == validity.Valid) != (all["pairs"] == validity.Passed && all["single"] == validity.Passed) {
		w.t.Errorf("the node is in state %d, and its benchmarks stand at %v", whole.State, all)
	}
	p.memory.End()
	return all
}
