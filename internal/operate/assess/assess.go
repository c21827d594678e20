// Package assess decides what one pass over a run makes of what was read: which attempts ended pods and MPIJobs left, how good every
// node, set and pair is, what is to be stored, started and deleted, and what the run's status says. It is pure: Run turns one Input
// into one Output, and Output.Report turns what came of the writes into the status.
package assess

// Run assesses what was read. It fails only where a person has to correct the run or its catalogue (ErrInvalid).
func Run(in Input) (Output, error) {
	observed, err := observe(in)
	if err != nil {
		return Output{}, err
	}
	judged := judge(collectUnmeasured(collect(observed)))
	for {
		more, some := collectImpossible(judged)
		if !some {
			return output(next(judged)), nil
		}
		judged = judge(more)
	}
}
