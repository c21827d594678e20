package message

import (
	"fmt"

	"github.com/assay-dev/assay/internal/quantity"
)

// What many measurements say together: of a fleet, and of a part that was measured again.

// FailedAlikeUntainted: most of the nodes failed by the same rule, "benchmark/metric/rule", in a run that taints nobody.
func FailedAlikeUntainted(alike, measured int, failure string) string {
	return fmt.Sprintf("%d of %d measured nodes failed alike (%s), so none of them is called unfit: the Benchmark's expectations, the "+
		"HardwareProfile or what was last updated (driver, image) is more likely at fault than %d nodes at once; correct it, then start another ValidationRun",
		alike, measured, failure, alike)
}

// Suspect: a part is measured again. It was suspect in so many of the measurements so far, of which there are at most so many.
func Suspect(found string, suspect, measured, most int) string {
	times := fmt.Sprintf("suspect in %d of %s", suspect, several(measured, "measurement"))
	if measured == 1 {
		times = "suspect"
	}
	return quantity.Clip(fmt.Sprintf("%s, so it is measured again (at most %d more): %s", times, most-measured, found), Longest)
}

// ReRunAwaitsFleet: a part was suspect, and what was measured again passed all that can be judged now.
func ReRunAwaitsFleet(found, again string) string {
	return quantity.Clip("suspect at first: "+found+"; measured again: "+again, Longest)
}

// Convicted: the mean of so many measurements fails, and it was suspect in so many of them.
func Convicted(failed string, measurements, suspect int) string {
	switch {
	case measurements < 2:
		return failed
	case suspect < measurements:
		return ending(failed, fmt.Sprintf("; confirmed: mean of %d measurements, suspect in %d of them", measurements, suspect))
	}
	return ending(failed, fmt.Sprintf("; confirmed: mean of %d measurements", measurements))
}

// Cleared: a part was suspect, and other measurements did not confirm it. Both numbers are told, so that a part that comes and goes is
// not forgotten.
func Cleared(found string, suspect, measurements int, again string) string {
	return fmt.Sprintf("suspect in only %d of %d measurements, so it is cleared: %s; measured last: %s", suspect, measurements,
		quantity.Clip(found, Longest*2/3), quantity.Clip(again, Longest/4))
}

// NotBeyondDoubt: a part was suspect, and the mean of all measurements is not beyond the bound that would convict it.
func NotBeyondDoubt(found string, suspect, measurements int, mean, bound float64, s quantity.Scale) string {
	return fmt.Sprintf("suspect in %d of %d measurements, but not proved slow: the mean, %s, is still within the limit of %s; worst measurement: %s",
		suspect, measurements, s.Format(mean), s.Format(bound), quantity.Clip(found, Longest*2/3))
}

// CouldNotConfirm: it could not be measured again, so the suspicion proves nothing. reason is that of the re-run's end.
func CouldNotConfirm(found, reason, reRun string) string {
	return fmt.Sprintf("suspect, and not confirmed, because the re-run was not measured (%s): %s; first measurement: %s",
		reason, quantity.Clip(reRun, Longest/3), quantity.Clip(found, Longest/3))
}

// SuspectIsGone: not all of so many measurements have the part that was suspect.
func SuspectIsGone(found string, measurements int) string {
	return ending("suspect, and not confirmed, because this part is missing from some of the "+several(measurements, "measurement")+": "+
		quantity.Clip(found, Longest*2/3), "; find out why the program left it out")
}

// NoOutlier: a measurement on its own found a part short, and all of them together point to none.
func NoOutlier(found string, measurements int) string {
	return ending("suspect, and not confirmed, because the mean of "+several(measurements, "measurement")+" points to no part: "+
		quantity.Clip(found, Longest*2/3), "; check whether the program gives two parts the same name")
}

// WrongDataAgain: data was wrong, and is checked once more.
func WrongDataAgain(failed string) string {
	return quantity.Clip("measuring once more to see whether it is permanent: "+failed, Longest)
}
