package controllers_test

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// expect gives the lab's Benchmark another expectation.
func (l *lab) expect(e v1alpha1.Expectation) {
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(l.t.Context(), keyOf(l.name), b))
	b.Spec.Metrics[0].Expectation = &e
	l.must(api.Update(l.t.Context(), b))
}

// named lets a run measure these benchmarks, with an expectation of its own unless that is nil.
func named(e *v1alpha1.Expectation, benchmarks ...string) func(*v1alpha1.ValidationRun) {
	return func(r *v1alpha1.ValidationRun) {
		r.Spec.Benchmarks = nil
		for _, b := range benchmarks {
			ref := v1alpha1.BenchmarkRef{Name: b}
			if e != nil {
				ref.Expectations = []v1alpha1.ExpectationOverride{{Metric: "rate", Expectation: *e}}
			}
			r.Spec.Benchmarks = append(r.Spec.Benchmarks, ref)
		}
	}
}

// TestConvictedNodesAcquitNobody: nodes that are equally slow are like each other, and slow all the same.
func TestConvictedNodesAcquitNobody(t *testing.T) {
	t.Parallel()
	l := newLab(t, 10)
	l.expect(v1alpha1.Expectation{MaxFleetDeviation: "0.05"})
	slow := func(n, _ string, _ int) program {
		if n == "a" || n == "b" || n == "c" || n == "d" {
			return program{rate: 50}
		}
		return program{}
	}
	l.plays = slow
	l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.OnFailure.MaxTaintedNodes = percent("100%") })
	l.finish()
	same(t, "a convicted", unfit, l.standing("a"))
	again := l.next("-again", func(r *v1alpha1.ValidationRun) {
		r.Spec.NodeSelector, r.Spec.NodeNames = nil, []string{l.node("a"), l.node("b"), l.node("c"), l.node("d")}
	})
	again.plays = slow
	again.finish()
	same(t, "a, equally slow, beside the other convicted", unfit, l.standing("a"))
}

// TestAWeakerRunShieldsNobody: a run that asks for nothing, and ends first, does not keep an older one from convicting.
func TestAWeakerRunShieldsNobody(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	free := l.holdBack("b")
	l.plays = on("a", program{rate: 50})
	l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.OnFailure.MaxTaintedNodes = percent("100%") })
	l.until("a is measured", func() bool { return l.get().Status.Progress == "1/2" && len(l.pods()) == 0 })
	weak := l.next("-weak", l.alone("a"), named(&v1alpha1.Expectation{Max: "1000"}, l.name))
	weak.plays = l.plays
	weak.finish()
	free()
	l.finish()
	same(t, "a, at 50 of 90", unfit, l.standing("a"))
}

// TestTheRestOfARunMakesNoDifference: what a run proved by one benchmark counts, although another one erred, in either order of judging.
func TestTheRestOfARunMakesNoDifference(t *testing.T) {
	t.Parallel()
	var ends []string
	for _, olderFirst := range []bool{true, false} {
		l := newLab(t, 2)
		l.create(l.benchmark(l.name + "-y"))
		free := l.holdBack("b")
		l.plays = on("a", program{rate: 50})
		l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.OnFailure.MaxTaintedNodes = percent("100%") })
		l.until("node a is measured", func() bool { return l.get().Status.Progress == "1/2" && len(l.pods()) == 0 })
		if olderFirst {
			free()
			l.finish()
		}
		newer := l.next("-newer", tainting, l.alone("a"), named(nil, l.name, l.name+"-y"))
		newer.plays = func(_, b string, _ int) program {
			if b == l.name+"-y" {
				return program{exit: 1, message: "garbage"}
			}
			return program{rate: 100}
		}
		newer.finish()
		if !olderFirst {
			free()
			l.finish()
		}
		ends = append(ends, strings.Join(taints(l.getNode("a")), " "))
	}
	same(t, "the node's taints in two orders", []string{"", ""}, ends)
}

// TestWhoRefutesSpeaks: the run of the newest proof may be over; condition and label follow the last conviction all the same.
func TestWhoRefutesSpeaks(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	y := l.benchmark(l.name + "-y")
	l.create(y)
	l.plays = on("a", program{rate: 50})
	l.run(tainting, l.alone("a"))
	l.finish()
	same(t, "a convicted", unfit, l.standing("a"))
	free := l.holdBack("b")
	// It measures the node, and is kept from saying so until another run has passed it by another benchmark.
	c := l.next("-c", func(r *v1alpha1.ValidationRun) {
		r.Spec.NodeSelector, r.Spec.NodeNames = nil, []string{l.node("a")}
	})
	c.hand = &hand{}
	c.restart()
	deny := true
	c.hand.before = func(_ int, w write, _ runtime.Object) error {
		if deny && w == "update NodeValidation" || deny && w == "update Node" {
			return apierrors.NewServiceUnavailable("for a while")
		}
		return nil
	}
	c.tolerate = func(error) bool { return true }
	c.until("measured", func() bool { return c.result("a") != nil && c.result("a").Verdict == v1alpha1.VerdictPass })
	b := l.next("-b", l.alone("a"), named(nil, y.Name))
	b.finish()
	deny = false
	c.finish()
	free()
	same(t, "convictions", 0, len(l.validation("a").Convictions))
	same(t, "node a", fit, l.standing("a"))
}

// TestTheFutureIsNoPast: later passes do not enter the history that an older measurement is judged by.
func TestTheFutureIsNoPast(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.expect(v1alpha1.Expectation{MaxRegression: "0.05"})
	free := l.holdBack("b")
	l.plays = on("a", program{rate: 80})
	l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.Confirmations = new(int32(0)) })
	l.until("node a is measured", func() bool { return l.get().Status.Progress == "1/2" && len(l.pods()) == 0 })
	before := l.result("a").Verdict
	for _, n := range []string{"-1", "-2", "-3"} {
		l.next(n, l.alone("a")).finish()
	}
	l.pass()
	l.pass()
	same(t, "the stored verdict of the older run", before, l.result("a").Verdict)
	free()
	l.finish()
	same(t, "the stored verdict of the older run at its end", before, l.result("a").Verdict)
}

// TestASofterConvictionReplacesNone: failing by an easier bound, and then passing it, proves nothing of the harder one.
func TestASofterConvictionReplacesNone(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(tainting)
	l.finish()
	w := l.next("-w", named(&v1alpha1.Expectation{Min: "60"}, l.name))
	w.plays = always(program{rate: 55})
	w.finish()
	v := l.next("-v", named(&v1alpha1.Expectation{Min: "60"}, l.name))
	v.plays = always(program{rate: 65})
	v.finish()
	same(t, "never proved the Benchmark's 90", unfit, l.standing("a"))
}

// TestTheCatalogueMayAskForLess: a node that a run convicted by a bound of its own is not cleared by the easier one of the Benchmark.
func TestTheCatalogueMayAskForLess(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 80})
	l.run(tainting, named(&v1alpha1.Expectation{Min: "95"}, l.name))
	l.finish()
	same(t, "node a, at 80 of 95", unfit, l.standing("a"))
	for _, c := range []struct {
		name, want string
		rate       float64
	}{{"-less", unfit, 92}, {"-enough", fit, 96}} {
		again := l.next(c.name, named(nil, l.name))
		again.plays = always(program{rate: c.rate})
		again.finish()
		same(t, "node a after a run as catalogued, "+c.name, c.want, l.standing("a"))
	}
}

// TestAnotherImageMayRefute: a conviction by a run's own bound is not for ever where the image was updated.
func TestAnotherImageMayRefute(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 80})
	l.run(tainting, named(&v1alpha1.Expectation{Min: "95"}, l.name))
	l.finish()
	for _, c := range []struct {
		name string
		e    *v1alpha1.Expectation
	}{{"-cat", nil}, {"-hard", &v1alpha1.Expectation{Min: "99"}}} {
		again := l.next(c.name, named(c.e, l.name))
		again.plays = always(program{rate: 100, image: "registry.example/rate@sha256:2"})
		again.finish()
	}
	same(t, "everything was proved again at 100", fit, l.standing("a"))
}

// TestARunAgreesWithItself: nodes that were skipped come back, and the median of the fleet moves.
func TestARunAgreesWithItself(t *testing.T) {
	t.Parallel()
	l := newLab(t, 7)
	l.expect(v1alpha1.Expectation{MaxFleetDeviation: "0.05"})
	y := l.benchmark(l.name + "-y")
	y.Spec.TimeoutSeconds = 7200
	y.Spec.CostSeconds = 3600
	l.create(y)
	for _, n := range []string{"e", "f", "g"} {
		l.setCordon(n, true)
	}
	rates := map[string]float64{"a": 80, "b": 100, "c": 100, "d": 99, "e": 80, "f": 80, "g": 80}
	l.plays = func(n, b string, _ int) program {
		if b == y.Name {
			if n == "d" {
				return program{takes: time.Hour}
			}
			return program{}
		}
		return program{rate: rates[n]}
	}
	l.run(tainting, named(nil, l.name, y.Name), func(r *v1alpha1.ValidationRun) {
		r.Spec.OnFailure.MaxTaintedNodes = percent("100%")
	})
	l.until("a is tainted", func() bool { return l.standing("a") == unfit })
	for _, n := range []string{"e", "f", "g"} {
		l.setCordon(n, false)
	}
	l.finish()
	same(t, "result and taint agree", l.result("a").Verdict == v1alpha1.VerdictFail, len(l.validation("a").Convictions) > 0)
}

func (l *lab) setCordon(short string, yes bool) {
	n := l.getNode(short)
	n.Spec.Unschedulable = yes
	l.must(api.Update(l.t.Context(), n))
}
