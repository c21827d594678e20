package attempt

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// mostOthers of the processors' time may be taken by others: about what the least loss is that fails a processor.
const mostOthers = 0.03

// Crowded says whether others took much of the processors' time while the attempt was made, and if so, what it is where it was slow: no evidence.
func Crowded(a *v1alpha1.Attempt) (disturbed v1alpha1.Attempt, crowded bool) {
	sampled := Sampled(a, "cpuOthers")
	if sampled == nil || sampled.Unit != "fraction" || len(sampled.Parts) != 1 || !Measured(*a) {
		return *a, false
	}
	share, ok := quantity.ParseDecimal(sampled.Parts[0].Value)
	if !ok || share < mostOthers {
		return *a, false
	}
	disturbed = *a
	disturbed.Verdict, disturbed.Reason = v1alpha1.VerdictError, v1alpha1.ReasonDisturbed
	disturbed.Message = fmt.Sprintf("slow while others took %s of the processors' time", quantity.Percent(100*share))
	return disturbed, true
}
