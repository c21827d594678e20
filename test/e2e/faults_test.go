//go:build e2e

package e2e_test

import (
	"context"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// testFaults runs what can go wrong in lanes: each lane has nodes of its own, and its tests follow each other.
func testFaults(t *testing.T) {
	before := allMarks(t)
	t.Run("lanes", func(t *testing.T) {
		lane(t, "node-1", map[string]func(*testing.T, string){
			"a run deleted in mid-run leaves nothing": testDeleted,
			"the deadline ends a run":                 testDeadline,
		})
	})
	for name, was := range before {
		checkMarks(t, name, was)
	}
}

func lane(t *testing.T, node string, tests map[string]func(*testing.T, string)) {
	t.Run(node, func(t *testing.T) {
		t.Parallel()
		for name, test := range tests {
			t.Run(name, func(t *testing.T) { test(t, node) })
		}
	})
}

func testDeleted(t *testing.T, node string) {
	run := tainting(lasting(newRun("deleted", []string{node}, "slow-rate"), 600), 1)
	create(t, run)
	running(t, run)
	kubectl(t, "delete", "validationrun", run.Name, "--timeout=30s")
	if left := podsOf(t, run); len(left) > 0 {
		t.Errorf("the run is gone and has %d pods", len(left))
	}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(run), run); !apierrors.IsNotFound(err) {
		t.Errorf("the run is still there: %v", err)
	}
	eventually(t, 20*time.Second, "the results to be collected", func(context.Context) (bool, string) {
		return len(resultsOf(t, run)) == 0, "there are some"
	})
}

func testDeadline(t *testing.T, node string) {
	run := withDeadline(lasting(newRun("deadline", []string{node}, "slow-rate"), 600), 5)
	create(t, run)
	finish(t, run, 30*time.Second)
	checkSummary(t, run, ended(v1alpha1.VerdictInconclusive, v1alpha1.ReasonDeadlineExceeded, each([]string{node}, "Missing/DeadlineExceeded")))
	checkMessage(t, run, node, "activeDeadlineSeconds (5)")
	c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished)
	if end := c.LastTransitionTime.Sub(run.Status.StartTime.Time); end < 5*time.Second || end > 20*time.Second {
		t.Errorf("finished after %s", end)
	}
}
