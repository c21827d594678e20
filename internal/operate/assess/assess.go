// Package assess decides what one pass over a run makes of what was read: which attempts ended pods and MPIJobs left, how good every
// node, set and pair is, what is to be stored, started and deleted, and what the run's status says. It is pure: Collect turns one Input into
// what was collected, Run turns that into one Output, and Output.Report turns what came of the writes into the status.
package assess

import (
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// Collect what was read. It fails only where a person has to correct the run or its catalogue (ErrInvalid).
func Collect(in observe.Input) (*collect.Collected, error) {
	observed, err := observe.Observe(in)
	if err != nil {
		return nil, err
	}
	return collect.Collect(observed), nil
}

// Run assesses what was collected, with the histories of nodes that judge.NeedsPast asks for.
func Run(c *collect.Collected) Output {
	judged := judge.Judge(c)
	for {
		more, some := judge.Impossible(judged)
		if !some {
			return output(next(judged))
		}
		judged = judge.Judge(more)
	}
}
