//go:build e2e

package e2e_test

import "testing"

// TestEndToEnd fixes the order: what is measured for its speed shares the machine with nothing else.
func TestEndToEnd(t *testing.T) {
	t.Run("measured", testMeasured)
	t.Run("network", testNetwork)
	var prometheus server
	t.Run("prometheus", func(sub *testing.T) { prometheus.start(sub, t) }) // it sees all that follows
	t.Run("groups", testGroups)
	t.Run("fleet", testFleet)
	t.Run("faults", testFaults)
	t.Run("monitored", prometheus.check)
	t.Run("settled", testSettled)
}
