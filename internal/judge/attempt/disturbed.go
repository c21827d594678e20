package attempt

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
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
	disturbed = list.Where(attempts, func(a v1alpha1.Attempt) bool { return Disturbed(&a) })
	if len(disturbed) == 0 {
		return attempts, nil
	}
	return list.Where(attempts, func(a v1alpha1.Attempt) bool { return !Disturbed(&a) }), disturbed
}

// mostOthers of the processors' time may be taken by others: about what the least loss is that fails a processor.
const mostOthers = 0.03

// Crowded says whether others took so much of the processors' time while the attempt was made that it may be why it lost that share of what is expected, and if so, what the
// attempt is: no evidence.
func Crowded(a *v1alpha1.Attempt, lost float64) (disturbed v1alpha1.Attempt, crowded bool) {
	sampled := Sampled(a, "cpuOthers")
	if sampled == nil || sampled.Unit != "fraction" || len(sampled.Parts) != 1 || !Measured(*a) {
		return *a, false
	}
	share, ok := quantity.ParseDecimal(sampled.Parts[0].Value)
	if !ok || share < mostOthers || lost > explainedBy(share) {
		return *a, false
	}
	disturbed = *a
	disturbed.Verdict, disturbed.Reason = v1alpha1.VerdictError, v1alpha1.ReasonDisturbed
	disturbed.Message = fmt.Sprintf("slow while others took %s of the processors' time", quantity.Percent(100*share))
	return disturbed, true
}

// explainedBy is the greatest loss that others explain who took that share of the processors' time. A program that waits for the slowest of its threads loses more than
// the share, where one processor has most of it: half, beside one thread on each processor that the two share, as a scheduler is fair. Eight times the
// share is that for one busy processor of eight; beyond half, others have to take it all.
func explainedBy(share float64) float64 { return max(share, min(8*share, 0.5)) }
