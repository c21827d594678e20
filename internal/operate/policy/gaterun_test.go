package policy

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// besideRun is what comes of node new, which is gated and has passed in somebody's run "nightly", some time after another run over it began.
func besideRun(t *testing.T, name string, later time.Duration, change func(*v1alpha1.ValidationRun)) Plan {
	w := newWorld(t)
	for _, line := range []string{"benchmark gemm", "nodes 1", "node new gate=assay.dev/unvalidated", "policy gpu gate=assay.dev/unvalidated"} {
		w.incident(line)()
	}
	n := w.node("new")
	before := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Suite: "quick"}}
	before.Name, before.UID, before.CreationTimestamp = "nightly", types.UID("first"), metav1.Time{Time: w.now}
	w.record(&worldRun{ValidationRun: before, nodes: []*worldNode{n}}, n)
	run := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Suite: "quick", NodeNames: []string{"new", "another"}}}
	run.Name, run.UID, run.CreationTimestamp = name, types.UID("second"), metav1.Time{Time: w.now}
	run.Status.StartTime = &metav1.Time{Time: w.now}
	change(run)
	s := w.snapshot(w.policies[0])
	s.Runs = append(s.Runs, run)
	return Next(s, w.now.Add(later))
}

// TestARunOfTheSameNameMeasuresTheNode: the run that passed the node was deleted, and one of the same name measures it now. The row of the node says so, and blames no
// other policy.
func TestARunOfTheSameNameMeasuresTheNode(t *testing.T) {
	for _, name := range []string{"other", "nightly"} {
		plan := besideRun(t, name, time.Minute, func(*v1alpha1.ValidationRun) {})
		if len(plan.Open) > 0 || len(plan.Status.Attention) != 1 {
			t.Fatalf("gates open while run %s (uid second) measures the node: %v; rows: %+v", name, plan.Open, plan.Status.Attention)
		}
		if row := plan.Status.Attention[0]; row.Reason != v1alpha1.ReasonGateClosed || !strings.Contains(row.Message, "run "+name) {
			t.Errorf("%s: %s", row.Reason, row.Message)
		}
	}
}

// TestARunThatIsDeletedKeepsNoNode: somebody deleted it a day ago, and all its pods with it. It is still there, as one on another node hangs in its driver, or nobody reaches
// that node, and Kubernetes waits for the pod, since the run was deleted in the foreground (Argo CD's default), or somebody else holds it.
func TestARunThatIsDeletedKeepsNoNode(t *testing.T) {
	for _, finalizer := range []string{v1alpha1.FinalizerCleanup, metav1.FinalizerDeleteDependents, "example.com/archive"} {
		plan := besideRun(t, "rack", 24*time.Hour, func(run *v1alpha1.ValidationRun) {
			run.Finalizers, run.DeletionTimestamp = []string{finalizer}, &metav1.Time{Time: run.CreationTimestamp.Add(time.Minute)}
		})
		if len(plan.Open) != 1 {
			t.Errorf("%s: the gate of a node with a valid pass does not open, and its row is %+v", finalizer, plan.Status.Attention)
		}
	}
}

// TestARunThatWasJustDeletedKeepsGatesClosed: it may have failed the node, and a pass of it wait for the API server to take that. The policy looks again when that is over.
func TestARunThatWasJustDeletedKeepsGatesClosed(t *testing.T) {
	finished := metav1.Condition{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue}
	for sentence, c := range map[string]struct {
		change func(*v1alpha1.ValidationRun)
		closed bool
	}{
		"as it measured":              {func(*v1alpha1.ValidationRun) {}, true},
		"before it had begun":         {func(r *v1alpha1.ValidationRun) { r.Status.StartTime = nil }, false},
		"when it was over":            {func(r *v1alpha1.ValidationRun) { r.Status.Conditions = []metav1.Condition{finished} }, false},
		"when it had passed the node": {func(r *v1alpha1.ValidationRun) { r.UID = "first" }, false},
	} {
		var deleted metav1.Time
		plan := besideRun(t, "rack", 2*time.Minute, func(run *v1alpha1.ValidationRun) {
			deleted = metav1.Time{Time: run.CreationTimestamp.Add(time.Minute)}
			run.DeletionTimestamp = &deleted
			c.change(run)
		})
		if closed := len(plan.Open) == 0; closed != c.closed {
			t.Errorf("%s: the gate stays closed: %v, want %v", sentence, closed, c.closed)
		}
		if c.closed && (plan.Again.IsZero() || plan.Again.After(deleted.Add(6*time.Minute))) {
			t.Errorf("%s: the policy looks again at %s, and the run was deleted at %s", sentence, plan.Again, deleted)
		}
	}
}

// TestARunThatStallsKeepsGatesClosed: it has begun, and something of it cannot be read; its pods are at work all the same. One that never began has none.
func TestARunThatStallsKeepsGatesClosed(t *testing.T) {
	for sentence, began := range map[string]bool{"begun": true, "never begun": false} {
		plan := besideRun(t, "rack", time.Minute, func(run *v1alpha1.ValidationRun) {
			run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonUnreadable}}
			if !began {
				run.Status.StartTime = nil
			}
		})
		if closed := len(plan.Open) == 0; closed != began {
			t.Errorf("%s: the gate stays closed: %v, want %v", sentence, closed, began)
		}
		if rows := plan.Status.Attention; began && (len(rows) != 1 || !strings.Contains(rows[0].Message, "run rack")) {
			t.Errorf("%s: the rows do not say what keeps the gate closed: %+v", sentence, rows)
		}
	}
}
