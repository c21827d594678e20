package controllers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestABreakerThatCloses: while most of those measured fail alike nobody is tainted or told to be unfit; once enough others have passed,
// those that failed are.
func TestABreakerThatCloses(t *testing.T) {
	t.Parallel()
	l := newLab(t, 8)
	l.plays = func(node, _ string, _ int) program {
		if strings.Contains("abc", node) {
			return program{rate: 50}
		}
		return map[bool]program{true: {}, false: {takes: 50 * time.Second}}[node == "d"]
	}
	l.run(tainting, func(r *v1alpha1.ValidationRun) {
		r.Spec.Confirmations, r.Spec.OnFailure.MaxTaintedNodes = new(int32(0)), percent("100%")
	})
	l.until("half of them are measured", func() bool { return l.get().Status.Progress == "4/8" && len(l.pods()) == 4 })
	same(t, "node a while three of four fail", untouched, l.standing("a"))
	same(t, "node d, which passed", fit, l.standing("d"))
	if row := l.message(l.get(), "a"); strings.Contains(row, "not tainted") {
		t.Errorf("the breaker is the run's to tell, and not that of each row: %q", row)
	}
	l.finish()
	for _, short := range []string{"a", "b", "c"} {
		same(t, "node "+short+", one of three of eight", unfit, l.standing(short))
	}
}

// TestABreakerThatIsOpenConvictsNobody: a node that an earlier run convicted, and that now holds that rule, is told nothing new while so
// many fail alike that the measurement is more suspect than the nodes.
func TestABreakerThatIsOpenConvictsNobody(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	other := l.benchmark(l.name + "-other")
	l.create(other)
	once := func(r *v1alpha1.ValidationRun) { r.Spec.Confirmations = new(int32(0)) }
	l.plays = always(program{rate: 50})
	l.run(once, l.alone("a"))
	l.finish()
	same(t, "what convicted node a", l.name, l.validation("a").Convictions[0].Benchmark)
	said := messageOf(l.getNode("a"))
	again := l.next("-again", once, tainting, named(nil, l.name, other.Name), func(r *v1alpha1.ValidationRun) {
		r.Spec.NodeNames = []string{l.node("a"), l.node("b"), l.node("c"), l.node("d")}
	})
	again.plays = func(_, benchmark string, _ int) program {
		if benchmark == other.Name {
			return program{rate: 50}
		}
		return program{}
	}
	same(t, "the end", "True/BreakerOpen", state(again.finish())[v1alpha1.ConditionFinished])
	for _, short := range []string{"a", "b", "c", "d"} {
		same(t, "what node "+short+" is convicted of", 0, len(l.validation(short).Convictions))
	}
	same(t, "what node a says", said, messageOf(l.getNode("a")))
	same(t, "node b", untouched, l.standing("b"))
	last := l.next("-last", once, l.alone("a"), named(nil, l.name))
	last.finish()
	same(t, "node a, which holds all that it was ever convicted of", fit, l.standing("a"))
}
