//go:build e2e

package e2e_test

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// overFabric runs entries of the catalogue over two nodes, with short messages: their network is limited. What a limited network lets through at
// first makes one direction faster than the other, by more than mpibench tolerates, so that is left to the other tests of pairs.
func overFabric(name string, on []string, benchmarks ...string) *v1alpha1.ValidationRun {
	run := newRun(name, on, benchmarks...)
	for i := range run.Spec.Benchmarks {
		run.Spec.Benchmarks[i].Parameters = []v1alpha1.ParameterValue{{Name: "bytes", Value: "131072"}, {Name: "seconds", Value: "1"}}
	}
	run.Spec.Benchmarks[0].Expectations = []v1alpha1.ExpectationOverride{{Metric: "bandwidth",
		Expectation: v1alpha1.Expectation{MaxFleetDeviation: "0.3", MinFractionOfPeak: "0.5"}}}
	return run
}

// testFabric: two nodes are too few to be compared. Without a word of their fabric nothing judges them; then the rate that it has.
func testFabric(t *testing.T) {
	for _, n := range nodes[:2] {
		limitNetwork(t, "--node", n, "--rate", "100mbit")
	}
	clusterctl(t, "net", "restore", "--node", "node-4") // its slow link
	for _, n := range nodes[2:] {
		limitNetwork(t, "--node", n, "--rate", "25mbit")
	}
	unjudged := overFabric("no-fabric", nodes[:2], "mpibench", "mpibench-all")
	create(t, unjudged)
	finish(t, unjudged)
	checkSummary(t, unjudged, ended(v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged, each(nodes[:2], "Inconclusive/NotJudged")))
	checkMessage(t, unjudged, nodes[0], "portRate")

	profile := &v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: "pool"}, Spec: v1alpha1.HardwareProfileSpec{
		AllNodes: true,
		Fabric:   &v1alpha1.Fabric{Interface: "eth0"},
		Peaks:    []v1alpha1.Peak{{Name: "portRate", Value: "0.0125", Unit: "GB/s", Source: "100 Mbit/s, as the test limits it"}},
	}}
	if err := api.Create(t.Context(), profile); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Delete(context.Background(), profile) })

	fast := overFabric("fast-fabric", nodes[:2], "mpibench", "mpibench-all")
	slow := overFabric("slow-fabric", nodes[2:], "mpibench")
	create(t, fast)
	create(t, slow)
	finish(t, fast)
	checkSummary(t, fast, passed(nodes[:2]...))
	for _, b := range validationOf(t, nodes[0]).Benchmarks {
		if len(b.History) == 0 {
			t.Fatalf("%s has no history", b.Name)
		}
		if newest := b.History[len(b.History)-1]; newest.RunUID == fast.UID && (newest.Machine == nil || !strings.HasPrefix(newest.Machine.Fabric, "eth0 #")) {
			t.Errorf("%s passed on %+v, want the fabric in it", b.Name, newest.Machine)
		}
	}

	finish(t, slow)
	checkSummary(t, slow, ended(v1alpha1.VerdictFail, v1alpha1.ReasonGroupsFailed, each(nodes[2:], "Error/Suspect")))
	checkMessage(t, slow, nodes[2], "bandwidth", "bound ")
	if f := slow.Status.Findings; len(f) != 1 || f[0].Kind != "Suspects" || strings.Join(f[0].Members, " ") != "node-3 node-4" {
		t.Errorf("findings %+v, want node-3 and node-4 as suspects", f)
	}
	nothingOfJobs(t)
}
