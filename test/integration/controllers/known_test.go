package controllers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestOneNodeIsComparedWithTheCluster: a run of one new node, as a gate starts it, is judged by what the other nodes reached when they
// last passed. One that failed has no say.
func TestOneNodeIsComparedWithTheCluster(t *testing.T) {
	l := newLab(t, 5)
	l.knownMaxAge = time.Hour
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(t.Context(), keyOf(l.name), b))
	b.Spec.Metrics[0].Expectation = &v1alpha1.Expectation{MaxFleetDeviation: "0.05"}
	l.must(api.Update(t.Context(), b))
	rates := map[string]float64{"e": 50, "slow": 70}
	l.plays = func(node, _ string, _ int) program { return quick(program{rate: rates[node]}) }
	l.manage()
	l.run()
	l.see("finished", l.finished)
	same(t, "verdict of node e", v1alpha1.VerdictFail, l.result("e").Verdict)

	of := func(short string) *lab {
		l.addNode(short)
		one := l.next("-"+short, func(r *v1alpha1.ValidationRun) {
			r.Spec.Selector, r.Spec.NodeNames = nil, []string{l.node(short)}
		})
		one.plays = l.plays
		one.see("finished", one.finished)
		return one
	}
	slow := of("slow").result("slow")
	same(t, "verdict of a slow node", v1alpha1.VerdictFail, slow.Verdict)
	if want := "30% below 4 other nodes (typical 100 GB/s; from their last passing run"; !strings.Contains(slow.Message, want) {
		t.Errorf("the message is %q, it is to say %q", slow.Message, want)
	}
	healthy := of("healthy").result("healthy")
	same(t, "verdict of a healthy node", v1alpha1.VerdictPass, healthy.Verdict)
	same(t, "deviation from the known fleet", v1alpha1.Decimal("0"), healthy.Benchmarks[0].Headline[0].FleetDeviationPercent)
}
