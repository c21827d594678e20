package policy

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/utils/ptr"
)

// BenchmarkNext is a pass over 10,000 nodes with 14 benchmarks, of which one node has changed: what an event of a node costs.
func BenchmarkNext(b *testing.B) {
	for name, due := range map[string]bool{"one node changed": false, "all nodes due": true} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b)
			for i := range 14 {
				w.incident(fmt.Sprintf("benchmark b%d cost=60s", i))()
			}
			w.incident("nodes 10000")()
			w.incident("policy gpu validFor=7d gate=assay.dev/unvalidated schedule=\"0 2 * * *\"")()
			w.nodes[17].Labels[labelDriverTest] = "570.20"
			if due {
				w.policies[0].Spec.ValidForSeconds = ptr.To(int64(1200))
			}
			s := w.snapshot(w.policies[0])
			plan := Next(s, w.now)
			w.policies[0].Status = plan.Status
			b.ReportAllocs()
			for b.Loop() {
				plan = Next(s, w.now.Add(time.Minute))
			}
			b.ReportMetric(float64(plan.Status.Nodes.Due), "due")
		})
	}
}
