package main

import (
	"math"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/stat"
)

// Of four parts whose common level nothing is known of, one is best told by its distance from the mean of the others.
func TestWeighIsTheContrastWithTheOthers(t *testing.T) {
	const variance = 0.04
	covariance := make([][]float64, 4)
	for i := range covariance {
		covariance[i] = slices.Repeat([]float64{unknown}, 4)
		covariance[i][i] += variance
	}
	sigma := math.Sqrt(variance * (1 + 1./3))
	for i, got := range weigh(covariance, []float64{1, 0, 0, 0}) {
		want := -1. / 3 / sigma
		if i == 0 {
			want = 1 / sigma
		}
		if math.Abs(got/want-1) > 1e-3 {
			t.Errorf("weight %d: %.4f, want %.4f", i, got, want)
		}
	}
}

func TestTheOracleFindsAsMuchAsTheVarianceAllows(t *testing.T) {
	l := testLab(t)
	f := faultsOf([]goal{{fault: "one GPU, fp64", size: 0.05}})[0]
	alone := setup{nodes: 1, gpus: 4}
	o := newOracle(l, alone, &f, false)
	sigma := math.Sqrt((o.part*o.part + o.own/oracleAttempts) * (1 + 1./3))
	want := math.Erfc((stat.NormalCritical(oracleMistakes/4)-f.size/sigma)/math.Sqrt2) / 2
	got := o.recall(4000, 1).share()
	if math.Abs(got-want) > 0.03 {
		t.Errorf("found %.3f, by the formula %.3f", got, want)
	}
	if found := recallOf(l, alone, []fault{f}, 400, 1)[cell{alone, f.name, f.size}].found; found.share() > got+0.03 {
		t.Errorf("verdicts found %d of %d, and the oracle %.3f", found.yes, found.all, got)
	}
}
