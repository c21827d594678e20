package controllers_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// curveLab has four nodes and the benchmark NAME-curve, which measures one, two and all of them.
func curveLab(t *testing.T) *lab {
	l := newGroupLab(t, 4)
	b := l.groupBenchmark("-curve", intstr.FromString(v1alpha1.GroupSizeAll), v1alpha1.Metric{Name: "hpl", Unit: "GFLOP/s", Headline: true,
		Scaling: v1alpha1.ScalingWeak, Expectation: &v1alpha1.Expectation{Min: "0", MinEfficiency: "0.8"}})
	b.Spec.Group.Sizes = []int32{2, 1, 8}
	l.create(b)
	return l
}

// curve of the whole group: "size efficiency" of each point, rounded.
func (l *lab) curve() []string {
	out := []string{}
	for _, c := range l.groupResults()["abcd"].Benchmarks[0].Curves {
		for _, p := range c.Points {
			out = append(out, fmt.Sprintf("%d %.3s", p.Size, p.Efficiency))
		}
	}
	return out
}

// TestGroupCurve: each size is a job of its own, and the whole group's result has the curve.
func TestGroupCurve(t *testing.T) {
	t.Parallel()
	t.Run("straight", func(t *testing.T) {
		t.Parallel()
		l := curveLab(t)
		l.run(by("-curve"), tainting)
		run := l.finish()
		same(t, "the conditions", passed, state(run))
		same(t, "the rows", all("abcd", "Pass/Passed"), l.rowsOf(run))
		same(t, "sizes of the curve", 3, len(l.curve()))
		groups := map[string]string{}
		for nodes, r := range l.groupResults() {
			groups[nodes] = fmt.Sprintf("%s %s", r.Verdict, r.Benchmarks[0].Headline[0].At)
		}
		same(t, "the groups", map[string]string{"a": "Pass 1node", "ab": "Pass 2nodes", "abcd": "Pass 4nodes"}, groups)
		l.checkNoJobLeft()
		checkFinished(t, run)
	})
	t.Run("bent", func(t *testing.T) {
		t.Parallel()
		l := curveLab(t)
		l.mpi.fabric.nodes = map[string]float64{"d": 0.5}
		l.run(by("-curve"), tainting)
		run := l.finish()
		same(t, "the findings", []string{"Set a,b,c,d"}, l.findings(run))
		contains(t, "the finding", run.Status.Findings[0].Message, "4nodes hpl", "parallel efficiency", "at 1node, bound 80%", "confirmed")
		same(t, "the rows", all("abcd", "Error/Suspect"), l.rowsOf(run))
		same(t, "tainted", []string{}, l.tainted())
		if got := l.curve(); len(got) != 3 || !strings.HasPrefix(got[2], "4 0.") || strings.HasPrefix(got[2], "4 0.9") {
			t.Errorf("curve %v, want it to bend at 4 nodes", got)
		}
		l.checkNoJobLeft()
	})
}
