package assess

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// The MPI Operator restarts in round 2, after a good round 1. It may be back for round 3: only what waited for it is given up.
func TestASilentOperatorCostsOneRound(t *testing.T) {
	s := pairScope(120, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.1"}))
	for _, n := range s.nodes {
		n.facts = plan.Facts{Exists: true, Ready: true}
	}
	judged := judge(collect(s))
	for _, g := range inOrder(judged.groups) {
		if g.due {
			s.add(s.group(0, g.nodes), g.round, parts{"": 100})
		}
	}
	judged = judge(collect(s))
	jobs := 0
	for i, g := range inOrder(judged.groups) {
		if !g.due {
			continue
		}
		if jobs < maxJobsBehind {
			jobs++
			of := s.group(0, g.nodes)
			of.jobs = []*observedJob{{name: fmt.Sprintf("job-%d", i), uid: types.UID(fmt.Sprintf("job-%d", i)), attempt: int32(len(g.attempts())) + 1, round: g.round,
				facts: workload.JobFacts{Created: s.now.Add(-70 * time.Second), Workers: 2, Nodes: g.names(), Timeout: time.Minute}}}
		}
	}
	// what Run does
	judged = judge(collect(s))
	for {
		more, some := collectImpossible(judged)
		if !some {
			break
		}
		judged = judge(more)
	}
	rounds := map[int32]int{}
	for _, g := range judged.groups {
		for _, a := range g.attempts() {
			if a.Reason == v1alpha1.ReasonMPIOperatorSilent {
				rounds[a.Round]++
			}
		}
	}
	if rounds[2] == 0 {
		t.Error("nothing of round 2 was given up: this test tests nothing")
	}
	if rounds[3]+rounds[4] > 0 {
		t.Errorf("given up by round: %v; no MPIJob was ever made for the rounds after the second", rounds)
	}
}
