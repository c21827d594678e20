package controllers_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

// TestADisturbedNodeProvesNothing: somebody uses the devices of a convicted node, which looks fast. It is measured three times, its taint
// stays, and nothing of that is remembered; then it is left alone, and free.
func TestADisturbedNodeProvesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(tainting)
	l.finish()
	same(t, "node a, slow", unfit, l.standing("a"))

	second := l.next("-disturbed", tainting)
	second.plays = always(program{rate: 100, disturbed: "pid 77 (python) used gpu0 at 40%"})
	run := second.finish()
	b := second.result("a").Benchmarks[0]
	same(t, "attempts", 3, len(b.Attempts))
	same(t, "its row", "Error/Disturbed", string(b.Verdict)+"/"+b.Reason)
	if want := "pid 77 (python) used gpu0 at 40%"; !strings.Contains(b.Message, want) || !strings.Contains(run.Status.Nodes[0].Message, want) {
		t.Errorf("nobody is told who it was: %s; %s", b.Message, run.Status.Nodes[0].Message)
	}
	same(t, "node a, disturbed", unfit, second.standing("a"))
	v := second.validation("a")
	same(t, "convictions", 1, len(v.Convictions))
	same(t, "history", 1, len(v.Benchmarks[0].History))

	third := second.next("-calm", tainting)
	third.plays = func(_, _ string, attempt int) program {
		if attempt == 1 {
			return program{rate: 50, disturbed: "pid 77 (python) used gpu0 at 40%"}
		}
		return program{}
	}
	third.finish()
	same(t, "node a, left alone", fit, third.standing("a"))
	same(t, "attempts, of which the first was disturbed", 2, len(third.result("a").Benchmarks[0].Attempts))
}

// TestFactsConvict: a node whose fact is none of what most nodes have is tainted, by one attempt. Alone, it is freed once it has what they
// had.
func TestFactsConvict(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(t.Context(), keyOf(l.name), b))
	b.Spec.Facts = []v1alpha1.FactExpectation{{Name: "vbios", Uniform: true}}
	l.must(api.Update(t.Context(), b))
	vbios := func(version string) program {
		return program{facts: []result.Fact{{Name: "vbios", At: "gpu0", Value: version}}}
	}
	l.plays = func(node, _ string, _ int) program {
		if node == "b" {
			return vbios("96.00.A5")
		}
		return vbios("96.00.B1")
	}
	l.run(tainting)
	l.finish()
	same(t, "node a", fit, l.standing("a"))
	same(t, "node b", unfit, l.standing("b"))
	row := l.result("b").Benchmarks[0]
	same(t, "attempts of b", 1, len(row.Attempts))
	same(t, "what is said of b", "vbios of gpu0 is 96.00.A5 (on 1 of 3 nodes of its kind), and 96.00.B1 on 2", row.Message)
	same(t, "its facts are kept", []v1alpha1.Fact{{Name: "vbios", At: "gpu0", Value: "96.00.A5"}}, row.Attempts[0].Facts)
	c := l.validation("b").Convictions
	if len(c) != 1 || c[0].Rule != "FactUniform" || c[0].Metric != "vbios" || c[0].Expected != "96.00.B1" {
		t.Fatalf("convictions of b: %+v", c)
	}
	for _, round := range []struct{ name, version, want string }{{"-same", "96.00.A5", unfit}, {"-mended", "96.00.B1", fit}} {
		l = l.next(round.name, l.alone("b"))
		l.plays = always(vbios(round.version))
		l.finish()
		same(t, "node b, alone, with "+round.version, round.want, l.standing("b"))
	}
}
