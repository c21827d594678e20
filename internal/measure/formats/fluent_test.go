package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/testdata"
)

func TestParseFluentReadsTimersAndRatings(t *testing.T) {
	reads(t, parseTool(t, v1alpha1.FormatFluent, testdata.Output("fluent-documented.txt")), "2022 R2",
		map[string]any{"iterations": json.Number("100"), "ranks": json.Number("96")},
		map[string]float64{"iterationTime s": 0.24913, "rating runs/day": 3468.07, "continuityResidual 1": 0.0012726})
	reads(t, parseTool(t, v1alpha1.FormatFluent, testdata.Output("fluent-benchmark-documented.txt")), "", nil,
		map[string]float64{"iterationTime s": 0.24913, "rating runs/day": 3468.1})
}

// Timers that users of Fluent have published.
func TestParseFluentReadsRealTimers(t *testing.T) {
	for timer, want := range map[string]float64{
		"Performance Timer for 27 iterations on 6 compute nodes\n  Average wall-clock time per iteration:              1.543 sec\n  Total wall-clock time:                             41.665 sec":                           41.665 / 27,
		"        Performance Timer for 130 iterations on 48 compute nodes\n        Average wall-clock time per iteration:                0.049 sec\n        Total wall-clock time:                                6.320 sec": 6.32 / 130,
	} {
		if got := parseTool(t, v1alpha1.FormatFluent, timer).Measurements[0].Parts[0].Value; got != want {
			t.Errorf("%v s per iteration, want %v", got, want)
		}
	}
}

func TestParseFluentTellsOfDivergence(t *testing.T) {
	log := testdata.Output("fluent-documented.txt")
	diverged := swap(t, log, "> /parallel", "Divergence detected in AMG solver: pressure correction\n> /parallel")
	says(t, parseTool(t, v1alpha1.FormatFluent, diverged), "convergence", "divergence 1 times")
	blown := swap(t, log, "   100  1.2726e-03", "   100  nan")
	says(t, parseTool(t, v1alpha1.FormatFluent, blown), "convergence", "continuity is not a finite number")
}

func TestParseFluentRefuses(t *testing.T) {
	log, script := testdata.Output("fluent-documented.txt"), testdata.Output("fluent-benchmark-documented.txt")
	refuses(t, v1alpha1.FormatFluent, map[string][2]string{
		"another program's output":         {testdata.Output("stream.txt"), "neither"},
		"a crash":                          {swap(t, log, "> /parallel", "Error at host: floating point exception\n> /parallel"), "floating point exception"},
		"a mistake in the journal":         {swap(t, log, "> /parallel", "Error: eval: unbound variable\n> /parallel"), "unbound variable"},
		"a timer cut off":                  {log[:strings.Index(log, "Total wall-clock")], "lacks"},
		"a number cut off":                 {log[:strings.Index(log, "24.913")+4], "lacks"},
		"two timers":                       {log + "Performance Timer for 100 iterations on 96 compute nodes\n", "2 performance timers"},
		"two logs":                         {log + log, "second of its kind"},
		"a digit of the average lost":      {swap(t, log, "0.249 sec", "0.49 sec"), "garbled"},
		"a digit of the total lost":        {swap(t, log, "24.913", "4.913"), "garbled"},
		"a digit of the iterations lost":   {swap(t, log, "for 100 iter", "for 10 iter"), "garbled"},
		"a time that is none":              {swap(t, log, "24.913", "inf"), "not a finite number"},
		"a script's output without rating": {swap(t, script, "Solver rating = 3468.1\n", ""), "one is missing"},
		"a script's output cut off":        {script[:strings.Index(script, "3468.1")+3], "whole"},
	})
}
