package result

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// judge gives an attempt the verdict of the document's checks. Wrong data counts in any case. A measurement that was disturbed, or is not
// the one that was asked for, is none.
func (d *Document) judge(attempt *v1alpha1.Attempt) {
	failed := d.FailedChecks()
	if len(failed) == 0 {
		return
	}
	named := func(name string) int {
		return slices.IndexFunc(failed, func(c Check) bool { return c.Name == name })
	}
	disturbed, smaller := named(v1alpha1.CheckUndisturbed), named(v1alpha1.CheckComparable)
	ofData := slices.DeleteFunc(slices.Clone(failed), func(c Check) bool {
		return c.Name == v1alpha1.CheckUndisturbed || c.Name == v1alpha1.CheckComparable
	})
	switch {
	case len(ofData) > 0:
		attempt.Verdict, attempt.Reason, attempt.Message = v1alpha1.VerdictFail, v1alpha1.ReasonWrongData, wrongDataMessage(ofData)
	case disturbed >= 0:
		attempt.Verdict, attempt.Reason = v1alpha1.VerdictError, v1alpha1.ReasonDisturbed
		attempt.Message = clean(message.Disturbed(failed[disturbed].Message), maxMessage)
	case smaller >= 0:
		attempt.Verdict, attempt.Reason = v1alpha1.VerdictError, v1alpha1.ReasonNotComparable
		attempt.Message = clean(message.NotComparable(failed[smaller].Message), maxMessage)
	}
}
