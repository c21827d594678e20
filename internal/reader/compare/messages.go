package compare

import (
	"fmt"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// compareNotInA marks what is told of the parts that A lacks.
func compareNotInA(what string) string { return what + " (not in A)" }

// compareOtherConfiguration says that the sides ran a benchmark otherwise, and in which respects; none: that is not known.
func compareOtherConfiguration(changed []string) string {
	what := "another image, command or environment"
	if len(changed) > 0 {
		what = "another " + message.Names(changed)
	}
	return "A and B ran with " + what + ": --across-configurations compares them all the same"
}

// compareUnpaired counts the nodes that have parts which the other side lacks.
func compareUnpaired(letter, other string, nodes int) string {
	have := "have"
	if nodes == 1 {
		have = "has"
	}
	return fmt.Sprintf("%s: %s %s parts that are not in %s: what is compared in pairs leaves them out", letter, message.Several(nodes, "node"), have,
		other)
}

// AttemptsLeftOut says how many attempts a comparison does without, and why.
func AttemptsLeftOut(wrong, disturbed, unmeasured int) string {
	return "attempts left out: " + message.Counts([]string{"with wrong data", "disturbed", "without a measurement"}, wrong, disturbed, unmeasured)
}

// compareOthers names the metrics that came out so, beside those of the mean.
func compareOthers(rows []string, outcome string) string {
	verb := "are"
	if len(rows) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s %s %s: %s", message.Several(len(rows), "other metric"), verb, outcome, message.Names(rows))
}

// By how much B is better, in words: "worse by 1.5%".
func By(percent float64) string {
	if percent < 0 {
		return "worse by " + quantity.Percent(-percent)
	}
	return "better by " + quantity.Percent(percent)
}

func betterBy(percent float64) string {
	if percent < 0 {
		return quantity.Percent(-percent) + " worse"
	}
	return quantity.Percent(percent) + " better"
}

// NothingTested says that there was nothing to compare.
const NothingTested = "no metric can be compared: the reasons are above, or in the field why of -o json"
