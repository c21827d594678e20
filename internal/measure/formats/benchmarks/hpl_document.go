package benchmarks

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// complete requires a whole report that agrees with itself.
func (r *hplReport) complete() error {
	finished, passed, failed, skipped := r.counts[hplAll], r.counts["completed and passed"], r.counts["completed and failed"], r.counts[hplSkipped]
	switch {
	case len(r.runs) == 0 && skipped > 0:
		return result.Bad("HPL skipped all %d tests because of illegal input values: correct HPL.dat (sizes, P x Q)", skipped)
	case len(r.runs) == 0:
		return result.Bad("no HPL result line (WR... N NB P Q Time Gflops) in it: HPL did not finish a test, or this is another program's output")
	}
	wrong := int64(0)
	for _, run := range r.runs {
		if !run.verified {
			return result.Bad("the result for N %d has no residual line: the report is cut off, or HPL ran with its check disabled (threshold below 0)", run.n)
		}
		if run.failed {
			wrong++
		}
	}
	if len(r.counts) < 4 || r.ended == 0 {
		return result.Bad("the end of the report is missing (\"Finished ... tests\", \"End of Tests.\"): HPL was interrupted or its output cut off")
	}
	if passed+failed != int64(len(r.runs)) || failed != wrong || finished != passed+failed+skipped {
		return result.Bad("the report says %d finished, %d passed, %d failed and %d skipped, but %d results are in it, %d of them failed: lines are missing or forged",
			finished, passed, failed, skipped, len(r.runs), wrong)
	}
	return nil
}

// document reports the best of the runs, as HPL's Rmax is the best of them. Its samples are the runs of the same size and
// grid, as what another size reached says nothing about noise.
func (r *hplReport) document() error {
	best := slices.MaxFunc(r.runs, func(a, b hplRun) int { return cmp.Compare(a.gflops, b.gflops) })
	var rates []float64
	for _, run := range r.runs {
		if run.n == best.n && run.nb == best.nb && run.p == best.p && run.q == best.q {
			rates = append(rates, run.gflops)
		}
	}
	passed := fmt.Sprintf("scaled residual %.6g: PASSED", r.residual)
	r.Checks = []result.Check{{Name: "residual", OK: r.wrong == "", Message: cmp.Or(r.wrong, passed)}}
	for name, n := range map[string]int64{"N": best.n, "NB": best.nb, "P": best.p, "Q": best.q} {
		r.AddCount(name, n)
	}
	r.AddNode("hpl", "GFLOP/s", result.BetterHigher, result.Part{Value: best.gflops, Samples: int32(len(rates)), Spread: logs.Spread(rates)})
	r.AddNode("hplTime", "s", result.BetterLower, result.Part{Value: best.time(), Samples: 1})
	if skipped := r.counts[hplSkipped]; skipped > 0 {
		r.Notes = []string{fmt.Sprintf("HPL skipped %d tests because of illegal input values", skipped)}
	}
	return nil
}

// plausible requires that the rate follows from size and time, which HPL prints with two decimals: a digit lost to another
// process writing at the same time would otherwise pass for a result.
func (run hplRun) plausible() error {
	if run.seconds < 0 {
		return result.Bad("an HPL result took %v s: a time cannot be negative", run.seconds)
	}
	if run.seconds < 0.05 {
		return nil // too short for two decimals to mean anything
	}
	expected := hplFlops(float64(run.n)) / run.seconds / 1e9
	tolerance := 0.02 + 0.006/run.seconds
	if math.Abs(run.gflops-expected) > tolerance*expected {
		return result.Bad("an HPL result says %v GFLOP/s, but N %d in %v s makes %.6g: the line is garbled", run.gflops, run.n, run.seconds, expected)
	}
	return nil
}

// hplFlops is how many operations HPL counts for order n: 2/3 n^3 + 3/2 n^2.
func hplFlops(n float64) float64 { return (2.0/3*n + 1.5) * n * n }

// time in seconds: as printed, or as it follows from the rate where two decimals say too little.
func (run hplRun) time() float64 {
	if run.seconds < 1 {
		return hplFlops(float64(run.n)) / run.gflops / 1e9
	}
	return run.seconds
}
