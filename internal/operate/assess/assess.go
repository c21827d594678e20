// Package assess decides what one pass over a run makes of what was read: which attempts ended pods and MPIJobs left, how good every
// node, set and pair is, what is to be stored, started and deleted, and what the run's status says. It is pure: Run turns one Input
// into one Output, and Output.Report turns what came of the writes into the status.
package assess

import "slices"

// Run assesses what was read, or says what else it has to be given. It fails only where a person has to correct the run or its catalogue (ErrInvalid).
func Run(in Input) (Output, error) {
	observed, err := observe(in)
	if err != nil {
		return Output{}, err
	}
	collected := collect(observed)
	judged := judge(collected)
	for len(judged.lacking) == 0 {
		more, lacking, some := collectImpossible(judged)
		if len(lacking) > 0 {
			return lacks(lacking), nil
		}
		if !some {
			break
		}
		judged = judge(more)
	}
	if len(judged.lacking) > 0 {
		return lacks(judged.lacking), nil
	}
	return output(next(judged)), nil
}

// lacks says whose history it takes to judge them.
func lacks(names []string) Output {
	return Output{Lacking: slices.Compact(slices.Sorted(slices.Values(names)))}
}
