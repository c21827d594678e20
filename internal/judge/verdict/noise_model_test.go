package verdict

import (
	"math"
	"testing"
)

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
		t.Errorf("beside nodes that differ by 0.3%%: %.3f times as wide", wider)
	}
	if wider := own(8, 0.0005) / alone; wider < 1.03 || wider > 1.07 {
		t.Errorf("beside nodes that differ by 0.05%%: %.3f times as wide", wider)
	}
	for _, differ := range []bool{false, true} {
		p := &peers{own: make([]float64, 4), nodes: 3, parts: 12}
		if a, b, c := p.shares(differ); a+b+c != 1 {
			t.Errorf("the shares %v, %v and %v make %v", a, b, c, a+b+c)
		}
	}
}
