package result

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// ofMeasurement are the checks that are not about data, with what an attempt is that only they refuse; those that explain others first.
var ofMeasurement = []struct {
	check, reason string
	say           func(why string) string
}{
	{v1alpha1.CheckFinished, v1alpha1.ReasonInterrupted, interrupted},
	{v1alpha1.CheckUndisturbed, v1alpha1.ReasonDisturbed, disturbed},
	{v1alpha1.CheckComparable, v1alpha1.ReasonNotComparable, notComparable},
	{v1alpha1.CheckCompleted, v1alpha1.ReasonProgramFailed, notCompleted},
	{v1alpha1.CheckMeasured, v1alpha1.ReasonProgramFailed, notCompleted},
}

// judge gives an attempt the verdict of the document's checks. A program that was stopped proves nothing, whatever its checks say. Else wrong
// data counts in any case. A measurement that was disturbed or broken off, or is not the one that was asked for, is none.
func (d *Document) judge(attempt *v1alpha1.Attempt) {
	failed := d.FailedChecks()
	ofData := slices.DeleteFunc(slices.Clone(failed), func(c Check) bool { return !v1alpha1.IsDataCheck(c.Name) })
	interrupted := slices.ContainsFunc(failed, func(c Check) bool { return c.Name == v1alpha1.CheckFinished })
	if len(ofData) > 0 && !interrupted {
		attempt.Verdict, attempt.Reason, attempt.Message = v1alpha1.VerdictFail, v1alpha1.ReasonOfCheck(ofData[0].Name), wrongDataMessage(ofData)
		return
	}
	for _, m := range ofMeasurement {
		if i := slices.IndexFunc(failed, func(c Check) bool { return c.Name == m.check }); i >= 0 {
			attempt.Verdict, attempt.Reason, attempt.Message = v1alpha1.VerdictError, m.reason, Clean(m.say(failed[i].Message), maxMessage)
			return
		}
	}
}

// disturbed is for an attempt beside which something else used the devices; who is what the program saw of it.
func disturbed(who string) string {
	return message.Because("something else used the devices while they were measured", who)
}

// notComparable is for an attempt that measured something smaller than it was to; what says how much, and what holds the memory.
func notComparable(what string) string {
	return message.Because("less was measured than asked for, so it cannot be compared", what)
}

// interrupted is for an attempt whose program a signal stopped; why is what the program says of it.
func interrupted(why string) string { return message.Because("a signal stopped the program", why) }

func notCompleted(why string) string {
	return message.Because("the program could not measure everything", why)
}
