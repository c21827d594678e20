package fleet

import (
	"fmt"
	"math"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
)

var metric = v1alpha1.Metric{Name: "fp64", Unit: "TFLOP/s", Headline: true}

func attemptOf(values []float64) *v1alpha1.Attempt {
	a := &v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass, Measurements: []v1alpha1.Measurement{{Name: metric.Name, Unit: metric.Unit}}}
	for i, v := range values {
		a.Measurements[0].Parts = append(a.Measurements[0].Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", i), Value: v1alpha1.Decimal(fmt.Sprint(v))})
	}
	return a
}

func TestPlacesAreLearntFromMostNodesOnly(t *testing.T) {
	of := func(nodes ...[]float64) *slots {
		l := levels{better: v1alpha1.Higher}
		for _, values := range nodes {
			d := DigestAttempt([]v1alpha1.Metric{metric}, attemptOf(values))
			l.nodes = append(l.nodes, nodeLevel{&d.groups[0], &d, d.residuals})
		}
		return l.newSlots(0.01)
	}
	off, fine := []float64{100, 100, 100, 80}, []float64{100, 100, 100, 100}
	for name, tt := range map[string]struct {
		slots *slots
		want  float64
	}{
		"all four":             {of(off, off, off, off), -0.2},
		"three of four":        {of(off, off, off, fine), -0.2},
		"half":                 {of(off, off, fine, fine), 0},
		"three, all there are": {of(off, off, off), 0},
		"another number of parts counts for nothing": {of(off, off, off, []float64{100, 100, 80}), 0},
	} {
		if got := tt.slots.of("gpu3"); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%s: gpu3 is off by %v, want %v", name, got, tt.want)
		}
		if got := tt.slots.of("gpu0"); got != 0 {
			t.Errorf("%s: gpu0 is off by %v", name, got)
		}
	}
}

// TestAPlaceThatIsAheadWidensNoBound: where one place is faster in most nodes, the others vary as little as they do without it.
func TestAPlaceThatIsAheadWidensNoBound(t *testing.T) {
	spread := func(place float64) float64 {
		l := levels{better: v1alpha1.Higher}
		for k := range 8 {
			d := DigestAttempt([]v1alpha1.Metric{metric}, attemptOf([]float64{100, 101, 99, place + 0.1*float64(k)}))
			l.nodes = append(l.nodes, nodeLevel{&d.groups[0], &d, d.residuals})
		}
		return math.Sqrt(l.learn(bounds.Noise{Part: 0.01}).Variance)
	}
	if like, ahead := spread(100), spread(110); ahead > 1.5*like {
		t.Errorf("parts vary by %.4f, and by %.4f where one place is 10%% ahead", like, ahead)
	}
}
