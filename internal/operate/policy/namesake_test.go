package policy

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestARunOfTheSameNameMeasuresTheNode: the run that passed the node was deleted, and one of the same name measures it now.
func TestARunOfTheSameNameMeasuresTheNode(t *testing.T) {
	for _, name := range []string{"other", "nightly"} {
		w := newWorld(t)
		for _, line := range []string{"benchmark gemm", "nodes 1", "node new gate=assay.dev/unvalidated", "policy gpu gate=assay.dev/unvalidated"} {
			w.incident(line)()
		}
		n := w.node("new")
		run := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Suite: "quick"}}
		run.Name, run.UID, run.CreationTimestamp = "nightly", types.UID("first"), metav1.Time{Time: w.now}
		w.record(&worldRun{ValidationRun: run, nodes: []*worldNode{n}}, n)
		again := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Suite: "quick", NodeNames: []string{"new"}}}
		again.Name, again.UID, again.CreationTimestamp = name, types.UID("second"), metav1.Time{Time: w.now}
		again.Status.StartTime = &metav1.Time{Time: w.now}
		s := w.snapshot(w.policies[0])
		s.Runs = append(s.Runs, again)
		plan := Next(s, w.now.Add(time.Minute))
		if len(plan.Open) > 0 {
			t.Errorf("the gate opens while run %s (uid second) measures the node", name)
		}
	}
}
