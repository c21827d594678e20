package verdict

import (
	"math"
	"testing"
)

// Upper quantiles of Student's t as computed by R's qt(p, df, lower.tail = FALSE) and printed in tables.
func TestTail(t *testing.T) {
	tests := []struct{ p, freedom, want float64 }{
		{0.025, 30, 2.0423}, {0.005, 60, 2.6603}, {0.0005, 60, 3.4602}, {0.025, 120, 1.9799}, {0.0005, 120, 3.3735}, {1e-4, math.Inf(1), 3.7190}, {1e-6, math.Inf(1), 4.7534},
	}
	for _, tt := range tests {
		if got := tail(tt.p, tt.freedom); math.Abs(got-tt.want) > 1e-3*tt.want {
			t.Errorf("t exceeded with probability %v at %v degrees of freedom: %.4f, want %.4f", tt.p, tt.freedom, got, tt.want)
		}
	}
}

// Far out the table ends: there the density, integrated numerically, must give the probability back.
func TestTailFarOut(t *testing.T) {
	for _, freedom := range []float64{60, 61.1, 80, 200} {
		for _, p := range []float64{1e-3, 1e-5, 1e-7, 1e-8} {
			if got := exceeds(tail(p, freedom), freedom); math.Abs(got/p-1) > 0.02 {
				t.Errorf("%v degrees of freedom: %v instead of %v", freedom, got, p)
			}
		}
	}
}

// exceeds is the probability that Student's t is above x, by Simpson's rule over the density with x = 1/u.
func exceeds(x, freedom float64) float64 {
	a, _ := math.Lgamma((freedom + 1) / 2)
	b, _ := math.Lgamma(freedom / 2)
	scale := math.Exp(a-b) / math.Sqrt(freedom*math.Pi)
	density := func(u float64) float64 {
		if u == 0 {
			return 0
		}
		return scale * math.Pow(1+1/(u*u*freedom), -(freedom+1)/2) / (u * u)
	}
	const steps = 20000
	sum, width := 0.0, 1/x/steps
	for i := 0; i <= steps; i++ {
		weight := 2.0 + 2*float64(i%2)
		if i == 0 || i == steps {
			weight = 1
		}
		sum += weight * density(float64(i)*width)
	}
	return sum * width / 3
}

func TestShrink(t *testing.T) {
	tests := map[string]struct {
		claimed, seen, freedom float64
		want                   spread
	}{
		"three parts that scatter by chance hardly change the claim": {1, 0, 3, spread{60 / 61.11, 61.11}},
		"a large fleet teaches its own":                              {1, 4, 1e6, spread{4, 370060}},
		"nothing seen leaves the claim":                              {1, 0, 0, spread{1, 60}},
		"counts are exact":                                           {0, 1, 7, spread{0, 62.59}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := shrink(tt.claimed, tt.seen, tt.freedom)
			if math.Abs(got.variance-tt.want.variance) > 1e-3 || math.Abs(got.freedom-tt.want.freedom) > 1 {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

// Three comparisons share one chance to convict by mistake. Where other nodes tell little of a part, the bound within its node stays about where
// it is when the node is alone.
func TestNodesThatDifferHardlyWidenTheBoundWithinANode(t *testing.T) {
	own := func(others int, between float64) float64 {
		claimed := noise{run: 0.0003, part: 0.0013, node: between}
		p := &peers{own: make([]float64, 4), nodes: others, parts: 4 * others, claimed: claimed, evidence: MeanOf(3),
			within: shrink(claimed.once(), 0, 0), among: shrink(between*between, 0, 0)}
		p.explain(1)
		return p.explainsOwn
	}
	alone := own(0, 0.003)
	if wider := own(8, 0.003) / alone; wider < 1 || wider > 1.03 {
		t.Errorf("beside nodes that differ by 0.3 %%: %.3f times as wide", wider)
	}
	if wider := own(8, 0.0005) / alone; wider < 1.03 || wider > 1.07 {
		t.Errorf("beside nodes that differ by 0.05 %%: %.3f times as wide", wider)
	}
	for _, differ := range []bool{false, true} {
		p := &peers{own: make([]float64, 4), nodes: 3, parts: 12}
		if a, b, c := p.shares(differ); a+b+c != 1 {
			t.Errorf("the shares %v, %v and %v make %v", a, b, c, a+b+c)
		}
	}
}
