package verdict

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Alike are the attempts that may be compared with each other: those of the configuration that was measured last, and those that
// measured nothing. Another image that fails confirms nothing of the first.
func Alike(attempts []v1alpha1.Attempt) []v1alpha1.Attempt {
	last := -1
	for i := range attempts {
		if wasMeasured(&attempts[i]) {
			last = i
		}
	}
	other := func(a v1alpha1.Attempt) bool {
		return wasMeasured(&a) && a.Configuration != attempts[last].Configuration
	}
	if last < 0 || !slices.ContainsFunc(attempts, other) {
		return attempts
	}
	return slices.DeleteFunc(slices.Clone(attempts), other)
}

func wasMeasured(a *v1alpha1.Attempt) bool {
	return a.Verdict == v1alpha1.VerdictPass || a.Verdict == v1alpha1.VerdictFail
}
