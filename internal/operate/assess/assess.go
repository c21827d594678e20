// Package assess decides what one pass over a run makes of what was read: which attempts ended pods and MPIJobs left, how good every
// node, set and pair is, what is to be stored, started and deleted, and what the run's status says. It is pure: Run turns one Input
// into one Output, and Output.Report turns what came of the writes into the status.
package assess

import (
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// Run assesses what was read. It fails only where a person has to correct the run or its catalogue (ErrInvalid).
func Run(in observe.Input) (Output, error) {
	observed, err := observe.Observe(in)
	if err != nil {
		return Output{}, err
	}
	judged := judge.Judge(collect.Unmeasured(collect.Collect(observed)))
	for {
		more, some := judge.Impossible(judged)
		if !some {
			return output(next(judged)), nil
		}
		judged = judge.Judge(more)
	}
}
