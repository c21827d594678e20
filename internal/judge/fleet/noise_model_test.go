package fleet

import (
	"math"
	"testing"

	"github.com/assay-dev/assay/internal/judge/bounds"
)

func TestOfRun(t *testing.T) {
	tests := map[string]struct {
		claimed, seen, freedom float64
		want                   bounds.Spread
	}{
		"three parts that scatter by chance hardly change the claim": {1, 0, 3, bounds.Spread{Variance: 60. / 63, Freedom: 63}},
		"a large fleet teaches its own":                              {1, 4, 1e6, bounds.Spread{Variance: 4, Freedom: 1e6 + 60}},
		"two parts at half speed make no noise a hundredfold":        {1, 6400, 1.5, bounds.Spread{Variance: 1.238, Freedom: 61.5}},
		"nothing seen leaves the claim":                              {1, 0, 0, bounds.Spread{Variance: 1, Freedom: 60}},
		"counts are exact":                                           {0, 1, 7, bounds.Spread{Variance: 0, Freedom: 67}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := bounds.OfRun(tt.claimed, tt.seen, tt.freedom)
			if math.Abs(got.Variance-tt.want.Variance) > 1e-3 || math.Abs(got.Freedom-tt.want.Freedom) > 1 {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

// Three comparisons share one chance to convict by mistake. Where other nodes tell little of a part, the bound within its node stays about where
// it is when the node is alone.
func TestNodesThatDifferHardlyWidenTheBoundWithinANode(t *testing.T) {
	own := func(others int, between float64) float64 {
		claimed := bounds.Noise{Run: 0.0003, Part: 0.0013, Node: between}
		p := &Peers{Own: make([]float64, 4), Others: LikeParts{Nodes: others, Parts: 4 * others}, claimed: claimed,
			Within: bounds.OfLike(claimed.Once(), 0, 0, nil), among: bounds.OfLike(between*between, 0, 0, nil)}
		p.Explain(1, bounds.MeanOf(3))
		return p.explainsOwn
	}
	alone := own(0, 0.003)
	if wider := own(8, 0.003) / alone; wider < 1 || wider > 1.04 {
		t.Errorf("beside nodes that differ by 0.3%%: %.3f times as wide", wider)
	}
	if wider := own(8, 0.0005) / alone; wider < 1.03 || wider > 1.09 {
		t.Errorf("beside nodes that differ by 0.05%%: %.3f times as wide", wider)
	}
	for _, differ := range []bool{false, true} {
		p := &Peers{Own: make([]float64, 4), Others: LikeParts{Nodes: 3, Parts: 12}}
		if a, b, c := p.shares(differ); a+b+c != 1 {
			t.Errorf("the shares %v, %v and %v make %v", a, b, c, a+b+c)
		}
	}
}
