package verdict

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// MostDisturbed attempts of a benchmark are made before it is given up: what disturbs a node may be a matter of seconds.
const MostDisturbed = 3

// Disturbed: something else used the devices, left too little memory to measure what was asked for, or stopped the program. Such an attempt
// is no evidence of anything, good or bad; who disturbed it is all that it tells.
func Disturbed(a *v1alpha1.Attempt) bool {
	return a.Verdict == v1alpha1.VerdictError && slices.Contains(disturbances, a.Reason)
}

var disturbances = []string{v1alpha1.ReasonDisturbed, v1alpha1.ReasonNotComparable, v1alpha1.ReasonInterrupted}

// AwaitsMeasurement: none of the attempts brought anything, and another one will follow.
func AwaitsMeasurement(attempts []v1alpha1.Attempt) bool {
	calm, disturbed := apart(attempts)
	return len(calm) == 0 && len(disturbed) < MostDisturbed
}

// apart are the attempts that count, and those that were disturbed.
func apart(attempts []v1alpha1.Attempt) (calm, disturbed []v1alpha1.Attempt) {
	of := func(a v1alpha1.Attempt) bool { return Disturbed(&a) }
	if !slices.ContainsFunc(attempts, of) {
		return attempts, nil
	}
	for _, a := range attempts {
		if of(a) {
			disturbed = append(disturbed, a)
		} else {
			calm = append(calm, a)
		}
	}
	return calm, disturbed
}

// beside disturbed attempts, a decision by the others that asks for another attempt says so, or the benchmark is given up: no proof, no
// fail, but for data that was wrong.
func (f *Fleet) beside(disturbed, calm []v1alpha1.Attempt, d Decision, facts NodeFacts, confirmations int32) Decision {
	n := len(disturbed)
	if n == 0 || !d.NeedsAttempt {
		return d
	}
	last := disturbed[n-1]
	switch {
	case n >= MostDisturbed:
		d = f.decideCalm(append(calm, last), facts, confirmations)
		if len(calm) == 0 {
			d.Message = message.StaysDisturbed(last.Reason, last.Message, n)
		}
	case len(calm) == 0:
		d.Suspicion, d.Message = last.Message, message.MeasuredAgain(last.Message, n, MostDisturbed)
	}
	return d
}
