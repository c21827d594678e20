// Package applications reads the logs of applications that are run as
// benchmarks: GROMACS, LAMMPS, NAMD, WRF and Fluent.
package applications

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/formats/logs"
	"github.com/assay-dev/assay/internal/measure/result"
)

// fluentLog is what was read of a transcript of ANSYS Fluent, or of what its benchmark script writes.
type fluentLog struct {
	logs.Log

	timers               int
	iterations           int64   // 0: the timer is garbled
	average, total       float64 // s, of the performance timer; 0: not there
	rating, perIteration float64 // of the benchmark script; 0: not there
	open                 bool    // the last line is one of the benchmark script's
	diverged             int
	residual             *float64 // of continuity, the last one; nil: not there
}

// fluentDay is the seconds of a day: the rating is how many times a day the benchmark could be solved.
const fluentDay = 86400

// Fluent reads a transcript of ANSYS Fluent whose journal prints the performance timer (parallel timer usage), or the lines that
// Fluent's benchmark script writes. The timer's total has more digits than its average, so that it gives the time per iteration.
func Fluent(lines []string) (result.Document, error) {
	var f fluentLog
	lines = logs.Trimmed(lines)
	if n := len(lines); n > 0 {
		f.open = strings.HasPrefix(lines[n-1], "Solver rating") || strings.HasPrefix(lines[n-1], "Solver wall time per iteration")
	}
	return f.Read("fluent", lines, logs.Kinds{
		{Pattern: `^Error(?: at [A-Za-z0-9 ]{1,32})?: (.+)$`, Read: logs.Refuse("Fluent stopped with the error %s")},
		{Pattern: `\bFluent(?:\(R\))? (20[0-9]{2} R[0-9])\b`, Note: logs.Text(&f.Version)},
		{Begins: "Divergence detected in AMG solver", Note: logs.Tally(&f.diverged)},
		{Pattern: `^Performance Timer for(?: ([0-9]{1,12}) iterations on ([0-9]{1,9}) compute nodes?$)?`, Note: f.readTimer},
		{Pattern: `^Average wall-clock time per iteration:\s+(\S+) sec$`, Read: f.figure(&f.average)},
		{Pattern: `^Total wall-clock time:\s+(\S+) sec$`, Read: f.figure(&f.total)},
		{Pattern: `^Solver rating\s*=\s*(\S+)$`, Read: f.figure(&f.rating)},
		{Pattern: `^Solver wall time per iteration\s*=\s*(\S+)(?: [a-z]+)?$`, Read: f.figure(&f.perIteration)},
		{Pattern: `^[0-9]{1,12}\s+(\S+)\s.*\s[0-9]+:[0-9]{2}:[0-9]{2}\s+[0-9]+$`, Note: f.readResidual},
	}, f.complete, f.document)
}

func (f *fluentLog) readTimer(match []string) {
	f.timers++
	f.iterations, _ = strconv.ParseInt(match[1], 10, 64)
	f.Setting("iterations", "ranks")(match)
}

// figure of which there may be one.
func (f *fluentLog) figure(to *float64) func([]string) error {
	return func(match []string) error {
		if *to != 0 {
			return result.Bad("the line %s is the second of its kind: print the log of one run, with one timer", result.Quote(match[0]))
		}
		*to = f.Figure(logs.Positive, match[1], "reading %s of Fluent: %w", result.Quote(match[0]))
		return nil
	}
}

func (f *fluentLog) readResidual(match []string) {
	f.residual = new(f.Figure(logs.NumberOrNaN, match[1], "reading the residuals of Fluent: %w"))
}

func (f *fluentLog) complete() error {
	switch {
	case f.timers > 1:
		return result.Bad("there are %d performance timers in it: print one, at the end of the journal", f.timers)
	case f.timers == 0 && f.rating == 0 && f.perIteration == 0:
		return result.Bad("neither a performance timer nor a solver rating is in it: let the journal print /parallel/timer/usage, or this is another program's output")
	case f.timers == 0 && (f.rating == 0 || f.perIteration == 0):
		return result.Bad("of the solver rating and the solver wall time per iteration, one is missing: the output is cut off")
	case f.timers == 0 && f.open: // nothing else confirms these figures: a number at the very end may lack its last digits
		return result.Bad("the output ends with the solver's figures, so that nothing tells whether it is whole: print a line after them")
	case f.timers == 0:
	case f.iterations == 0 || f.average == 0 || f.total == 0:
		return result.Bad("the performance timer lacks its iterations, its average or its total: the output is cut off or garbled")
	case !logs.Agree(f.average, f.total/float64(f.iterations), 1e-3, 0.0006):
		return result.Bad("Fluent reports %v s per iteration, but %d iterations in %v s make %.6g s: the timer is garbled", f.average, f.iterations, f.total, f.total/float64(f.iterations))
	}
	return nil
}

func (f *fluentLog) document() error {
	iteration, rating := f.perIteration, f.rating
	if f.timers > 0 {
		iteration, rating = f.total/float64(f.iterations), fluentDay/f.total
	}
	f.AddNode("iterationTime", "s", result.BetterLower, result.Part{Value: iteration})
	f.AddNode("rating", "runs/day", result.BetterHigher, result.Part{Value: rating})
	switch {
	case f.diverged > 0:
		f.AddCheck("convergence", fmt.Sprintf("Fluent detected divergence %d times: the solution is wrong, so its speed means nothing", f.diverged))
	case f.residual == nil: // the benchmark script's lines tell nothing of it
	case math.IsNaN(*f.residual):
		f.AddCheck("convergence", notFinite("continuity"))
	default:
		f.AddNode("continuityResidual", "1", result.BetterLower, result.Part{Value: *f.residual})
		f.AddCheck("convergence", "")
	}
	return nil
}
