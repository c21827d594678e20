//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// poolPatience is how long nothing may change of a pool while Karpenter and Assay work on it, where nothing real is measured: what takes longer hangs.
const poolPatience = 2 * time.Minute

// ofPool waits like eventually, but with poolPatience. If that is not enough, it tells what the pool's nodes, policy and runs say.
func ofPool(t *testing.T, pool, what string, check func(context.Context) (done bool, state string)) {
	t.Helper()
	if state, done := within(t, poolPatience, check); !done {
		t.Fatalf("nothing changed for %s while waiting for %s: %s\n%s", poolPatience, what, state, describePool(t, pool))
	}
}

// describePool tells what a pool's nodes, policy and runs say, one line each.
func describePool(t *testing.T, pool string) string {
	t.Helper()
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, "  "+fmt.Sprintf(format, args...)) }
	var nodes corev1.NodeList
	if err := api.List(t.Context(), &nodes, client.MatchingLabels{nodePoolLabel: pool}); err != nil {
		say("listing nodes: %v", err)
	}
	for _, n := range nodes.Items {
		say("node %s: taints %v, allocatable %v, deleted: %v", n.Name, n.Spec.Taints, n.Status.Allocatable, n.DeletionTimestamp != nil)
		for _, c := range n.Status.Conditions {
			say("node %s: %s=%s (%s): %s", n.Name, c.Type, c.Status, c.Reason, c.Message)
		}
	}
	policy := &v1alpha1.ValidationPolicy{}
	if err := api.Get(t.Context(), types.NamespacedName{Name: pool}, policy); err != nil {
		say("reading the policy: %v", err)
	}
	for _, c := range policy.Status.Conditions {
		say("policy %s: %s=%s (%s): %s", pool, c.Type, c.Status, c.Reason, c.Message)
	}
	for _, a := range policy.Status.Attention {
		say("policy %s: node %s: %s: %s", pool, a.Name, a.Reason, a.Message)
	}
	var runs v1alpha1.ValidationRunList
	if err := api.List(t.Context(), &runs, client.MatchingLabels{v1alpha1.LabelPolicy: pool}); err != nil {
		say("listing runs: %v", err)
	}
	for _, r := range runs.Items {
		say("run %s: %s", r.Name, r.Status.Progress)
		for _, row := range r.Status.Nodes {
			say("run %s: node %s: %s/%s: %s", r.Name, row.Name, row.Verdict, row.Reason, row.Message)
		}
	}
	return strings.Join(lines, "\n")
}
