package attempt

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
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
	calm, disturbed := Apart(attempts)
	return len(calm) == 0 && len(disturbed) < MostDisturbed
}

// Apart are the attempts that count, and those that were disturbed.
func Apart(attempts []v1alpha1.Attempt) (calm, disturbed []v1alpha1.Attempt) {
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
