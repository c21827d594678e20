package quarantine

import (
	"cmp"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	testclock "k8s.io/utils/clock/testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

var begin = hand.Begin

var unfit = hand.Unfit

var (
	startedRun, nodeOf, resultOf    = hand.StartedRun, hand.NodeOf, hand.ResultOf
	judgement, quarantined, tainted = hand.Judgement, hand.Quarantined, hand.Tainted
)

func keeperOf(h *hand.Cluster) *Keeper {
	clock := testclock.NewFakePassiveClock(begin)
	return &Keeper{Client: h, Live: h, Recorder: h.Events, Clock: clock, Policy: taint.Policy{MaxPercent: 100},
		Metrics: metrics.New(prometheus.NewRegistry()), Recent: recentwrites.New(clock), Taints: &sync.Mutex{}}
}

// acts are a pass over a run, as it begins to act on nodes, and what it finds.
type acts struct {
	*pass
	found map[string]assess.NodeWritten
	// stored are results as the cluster has them, where that is not as they were judged.
	stored map[string]*v1alpha1.ValidationResult
}

func passOf(t testing.TB, k *Keeper, run *v1alpha1.ValidationRun, nodes ...*corev1.Node) *acts {
	t.Helper()
	collected, err := assess.Collect(observe.Input{Run: run, Now: begin, Nodes: nodes, Memory: &observe.Memory{}})
	if err != nil {
		t.Fatal(err)
	}
	out := assess.Run(collected)
	a := &acts{found: map[string]assess.NodeWritten{}, stored: map[string]*v1alpha1.ValidationResult{}}
	var mu sync.Mutex
	a.pass = &pass{Keeper: k, Pass: Pass{Run: run, Now: begin, Nodes: nodes, Out: &out, Memory: &Memory{},
		Stored: func(r *v1alpha1.ValidationResult) (*v1alpha1.ValidationResult, bool) {
			return cmp.Or(a.stored[r.Name], r), true
		},
		Note: func(node string, change func(*assess.NodeWritten)) {
			mu.Lock()
			defer mu.Unlock()
			found := a.found[node]
			change(&found)
			a.found[node] = found
		}}}
	return a
}
