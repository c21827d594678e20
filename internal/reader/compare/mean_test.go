package compare

import (
	"math"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestMeansTurnTheRatiosSoThatMoreIsBetter(t *testing.T) {
	e := func(percent float64) *Estimate { return &Estimate{Percent: percent} }
	rows := []Row{
		{Benchmark: "x", Metric: "speed", Better: v1alpha1.Higher, Headline: true, Outcome: Better, Estimate: e(21)},
		{Benchmark: "x", Metric: "time", Better: v1alpha1.Lower, Headline: true, Outcome: Same, Estimate: e(0)},
		{Benchmark: "x", Metric: "temperature", Better: v1alpha1.Lower, Outcome: Worse, Estimate: e(50)}, // no headline
		{Benchmark: "y", Metric: "time", Better: v1alpha1.Lower, Outcome: Worse, Estimate: e(25)},
		{Benchmark: "z", Metric: "time", Better: v1alpha1.Lower, Outcome: NotComparable},
	}
	each, overall := means(rows)
	if len(each) != 2 || math.Abs(each[0].Percent-10) > 1e-9 || math.Abs(each[1].Percent+20) > 1e-9 {
		t.Fatalf("%+v", each)
	}
	if want := 100 * (math.Sqrt(1.1*0.8) - 1); math.Abs(overall.Percent-want) > 1e-9 || overall.Better != 1 || overall.Worse != 1 || overall.Same != 1 {
		t.Errorf("%+v, want %v%%", overall, want)
	}
}
