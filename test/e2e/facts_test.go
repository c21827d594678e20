//go:build e2e

package e2e_test

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// testFacts: the real inventory reports what the node's kubelet and this machine say of themselves.
func testFacts(t *testing.T) {
	run := newRun("facts", []string{"node-1"}, "inventory-host")
	create(t, run)
	finish(t, run)
	checkSummary(t, run, passed("node-1"))

	found := map[string]string{}
	for _, b := range resultsOf(t, run)["node-1"].Benchmarks {
		for _, a := range b.Attempts {
			for _, f := range a.Facts {
				if f.At == "" {
					found[f.Name] = f.Value
				}
			}
		}
	}
	want := map[string]string{
		"kernel":  getNode(t, "node-1").Status.NodeInfo.KernelVersion,
		"threads": strconv.Itoa(runtime.NumCPU()),
	}
	if diff := cmp.Diff(want, map[string]string{"kernel": found["kernel"], "threads": found["threads"]}); diff != "" {
		t.Errorf("facts of the node (-want +got):\n%s\nall: %v", diff, found)
	}
	if v := validationOf(t, "node-1"); v.Verdict != v1alpha1.VerdictPass {
		t.Errorf("NodeValidation: verdict %s", v.Verdict)
	}
}
