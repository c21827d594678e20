// Package assess decides what one pass over a run makes of what was read: which attempts ended pods and MPIJobs left, how good every
// node, set and pair is, what is to be stored, started and deleted, and what the run's status says. It is pure: Run turns one Input
// into one Output, and Output.Report turns what came of the writes into the status.
package assess

// Run assesses what was read. It fails only where a person has to correct the run or its catalogue (ErrInvalid).
func Run(in Input) (Output, error) {
	s, err := observe(in)
	if err != nil {
		return Output{}, err
	}
	s.collect()
	s.cutOff()
	s.collectUnmeasured()
	s.judge()
	for s.collectImpossible() {
		s.judge()
	}
	s.judgeBreaker()
	s.next()
	return s.output(), nil
}

// collectImpossible ends what is due and cannot be started. Then everything is to be judged anew.
func (s *state) collectImpossible() (some bool) {
	some = s.collectMissing()
	return s.collectUnstartable() || some
}
