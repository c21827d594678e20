package run

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	testclock "k8s.io/utils/clock/testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

var begin = hand.Begin

var startedRun, nodeOf, resultOf = hand.StartedRun, hand.NodeOf, hand.ResultOf

func reconcilerOf(h *hand.Cluster) *Reconciler {
	r := &Reconciler{Client: h, Live: h, Recorder: h.Events, Clock: testclock.NewFakePassiveClock(begin), Policy: taint.Policy{MaxPercent: 100},
		Settings: workload.Settings{Namespace: "bench"}, Metrics: metrics.New(prometheus.NewRegistry())}
	r.once.Do(r.prepare)
	return r
}

// writerOf a pass over a run, as it begins to write.
func writerOf(t testing.TB, r *Reconciler, run *v1alpha1.ValidationRun, nodes ...*corev1.Node) *writer {
	t.Helper()
	p := &pass{run: run, memory: r.memoryOf(run), in: observe.Input{Run: run, Now: begin, Nodes: nodes}, pin: &pin{stored: true}}
	collected, err := assess.Collect(p.in)
	if err != nil {
		t.Fatal(err)
	}
	out := assess.Run(collected)
	return &writer{Reconciler: r, pass: p, out: &out, stored: map[string]*v1alpha1.ValidationResult{}, unstored: map[string]bool{},
		written: assess.Written{Nodes: map[string]assess.NodeWritten{}}}
}
