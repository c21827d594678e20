package controllers_test

import (
	"testing"

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
		r.Spec.Selector, r.Spec.NodeNames = nil, []string{l.node("a")}
	})
	c.hand = &hand{}
	c.restart()
	deny := true
	c.hand.before = func(_ int, w write, _ runtime.Object) error {
		if deny && w == "update NodeValidation" || deny && w == "patch Node" {
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

// TestTheCatalogueClearsOwnTerms: a node that a run tainted by a bound of its own alone is cleared by the next pass as the Benchmark asks, and not
// by what asks for less still.
func TestTheCatalogueClearsOwnTerms(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 92})
	l.run(tainting, named(&v1alpha1.Expectation{Min: "95"}, l.name))
	l.finish()
	same(t, "node a, at 92 of 95", unfit, l.standing("a"))
	for _, c := range []struct {
		name, want string
		change     func(*v1alpha1.ValidationRun)
	}{{"-less", unfit, named(&v1alpha1.Expectation{Min: "10"}, l.name)}, {"-catalogued", fit, named(nil, l.name)}} {
		again := l.next(c.name, c.change)
		again.plays = always(program{rate: 92})
		again.finish()
		same(t, "node a after a run, "+c.name, c.want, l.standing("a"))
	}
}
