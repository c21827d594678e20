//go:build e2e

package e2e_test

import (
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// testClaimed: a node that has its GPUs by a DRA driver is measured by claims: not while others claim one, and each GPU by its name.
func testClaimed(t *testing.T, node string) {
	t.Cleanup(func() { _, _ = try("clusterctl", "--name", clusterName, "dra", "stop", node) })
	offerGPUs(t, "--slow", slowGPU)
	holder := claimGPUs(t, "holder", oneGPU)
	works(t, holder)
	skip := newRun("claimed-by-others", []string{node}, "gpu-rate")
	skip.Spec.BusyNodes = v1alpha1.BusySkip
	create(t, skip)
	finish(t, skip)
	checkSummary(t, skip, inconclusive(each([]string{node}, "Skipped/NodeBusy")))
	checkMessage(t, skip, node, "pod default/"+holder.Name+" holds 1 nvidia.com/gpu")
	end(t, holder)

	slow := tainting(newRun("claimed-slow", []string{node}, "gpu-rate"), 1)
	create(t, slow)
	finish(t, slow)
	checkSummary(t, slow, ended(v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, each([]string{node}, "Fail/BelowExpectation")))
	checkMessage(t, slow, node, "gpu3 rate 20 GB/s: bound 30 GB/s")

	offerGPUs(t) // repaired
	proof := newRun("claimed-repaired", []string{node}, "gpu-rate")
	create(t, proof)
	finish(t, proof)
	checkSummary(t, proof, passed(node))
	var left resourceapi.ResourceClaimList
	if err := api.List(t.Context(), &left, client.InNamespace(benchmarkNamespace)); err != nil || len(left.Items) > 0 {
		t.Errorf("%d claims are left, %v", len(left.Items), err)
	}
}
