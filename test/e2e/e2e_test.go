//go:build e2e

package e2e_test

import "testing"

// TestEndToEnd: what takes all nodes follows each other; beside it, nodes that come later are validated and fail, which mostly waits. At the end,
// everything has settled.
func TestEndToEnd(t *testing.T) {
	var prometheus server
	t.Run("prometheus", func(sub *testing.T) { prometheus.start(sub, t) }) // it sees all that follows
	t.Run("lanes", func(t *testing.T) {
		t.Run("fleet", testAllNodes)
		t.Run(newcomer, testNewcomer)
		t.Run("karpenter", testKarpenter) // on nodes of its own
	})
	t.Run("monitored", prometheus.check)
	t.Run("settled", testSettled)
}

// testAllNodes begins with what is measured for its speed, which run.sh runs alone: beside everything else, a network of 100 Mbit/s read 7 MB/s once.
func testAllNodes(t *testing.T) {
	t.Parallel()
	t.Run("measured", testMeasured)
	t.Run("network", testNetwork)
	t.Run("groups", testGroups)
	t.Run("operator", testOperator)
	t.Run("faults", testFaults)
}

// testNewcomer: a node that joins later, by a kubelet of its own, on which nobody else runs anything.
func testNewcomer(t *testing.T) {
	t.Parallel()
	testGate(t)
	join(t)
	lane(t, newcomer,
		scenario{"a node whose kubelet dies while its program runs on", testCutOff},
		scenario{"a node that loses its power in mid-run", testPoweredOff},
	)
}
