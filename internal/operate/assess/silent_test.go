package assess

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// The MPI Operator restarts in round 2, after a good round 1. It may be back for round 3: only what waited for it is given up.
func TestASilentOperatorCostsOneRound(t *testing.T) {
	s := pairScope(120, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.1"}))
	for _, n := range s.Nodes {
		n.Facts = plan.Facts{Exists: true, Ready: true}
	}
	judged := judge.Judge(collect.Collect(s))
	for _, g := range observe.InOrder(judged.Groups) {
		if g.Due {
			addTo(s, groupOfNodes(s, g.Nodes), g.Round, parts{"": 100})
		}
	}
	judged = judge.Judge(collect.Collect(s))
	jobs := 0
	for i, g := range observe.InOrder(judged.Groups) {
		if !g.Due {
			continue
		}
		if jobs < judge.MaxJobsBehind {
			jobs++
			of := groupOfNodes(s, g.Nodes)
			of.Jobs = []*observe.ObservedJob{{Name: fmt.Sprintf("job-%d", i), UID: types.UID(fmt.Sprintf("job-%d", i)), Attempt: int32(len(g.Attempts())) + 1, Round: g.Round,
				Facts: workload.JobFacts{Created: s.Now.Add(-70 * time.Second), Workers: 2, Nodes: g.Names(), Timeout: time.Minute}}}
		}
	}
	// what Run does
	judged = judge.Judge(collect.Collect(s))
	for {
		more, some := judge.Impossible(judged)
		if !some {
			break
		}
		judged = judge.Judge(more)
	}
	rounds := map[int32]int{}
	for _, g := range judged.Groups {
		for _, a := range g.Attempts() {
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
