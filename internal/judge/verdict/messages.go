package verdict

import (
	"cmp"
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// AtSize says at how many nodes of a group something was found.
func AtSize(nodes int, found string) string {
	return fmt.Sprintf("with %s: %s", message.Several(nodes, "node"), found)
}

// worstBenchmark says what came of a node's worst benchmark; alike of all have the same verdict.
func worstBenchmark(benchmark, what string, v v1alpha1.Verdict, alike, all int) string {
	text := message.Because(benchmark, what)
	if alike < 2 {
		return quantity.Clip(text, message.Longest)
	}
	ended := cmp.Or(map[v1alpha1.Verdict]string{v1alpha1.VerdictPass: "passed", v1alpha1.VerdictFail: "failed", v1alpha1.VerdictMissing: "lack a measurement",
		v1alpha1.VerdictInconclusive: "could not be judged", v1alpha1.VerdictSkipped: "were skipped"}[v], "could not be measured")
	return message.Ending(text, fmt.Sprintf("; %d of %d benchmarks %s", alike, all, ended))
}

// What many measurements say together: of a fleet, and of a part that was measured again.

// suspect says that a part is measured again. It was suspect in so many of the measurements so far, of which there are at most so many.
func suspect(found string, suspect, measured, most int) string {
	times := fmt.Sprintf("suspect in %d of %s", suspect, message.Several(measured, "measurement"))
	if measured == 1 {
		times = "suspect"
	}
	return quantity.Clip(fmt.Sprintf("%s, so it is measured again (at most %d more): %s", times, most-measured, found), message.Longest)
}

// convicted says that the mean of so many measurements fails, and it was suspect in so many of them.
func convicted(failed string, measurements, suspect int) string {
	if measurements < 2 {
		return failed
	}
	confirmed := fmt.Sprintf("; confirmed: mean of %d measurements", measurements)
	if suspect < measurements {
		confirmed += fmt.Sprintf(", suspect in %d of them", suspect)
	}
	return message.Ending(failed, confirmed)
}
