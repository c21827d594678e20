package message

import (
	"fmt"

	"github.com/assay-dev/assay/internal/quantity"
)

// CompareByChance says that a difference proves nothing: p is the probability of it by chance, corrected for the number of rows.
func CompareByChance(p float64) string {
	return "chance explains the difference, if there is any: corrected p = " + quantity.Probability(p)
}

// CompareBelowNoise says that a difference is smaller than what a metric varies by from run to run.
func CompareBelowNoise(percent float64) string {
	return "the difference is within the noise from run to run, " + quantity.Percent(percent)
}

// CompareNoRatio says why values cannot be compared in percent.
func CompareNoRatio() string {
	return "some values are 0 or negative, so that there is no ratio: compare the values themselves"
}

// CompareNotInA marks what is told of the parts that A lacks.
func CompareNotInA(what string) string { return what + " (not in A)" }

// CompareFellToZero says how many parts of B read 0 where A has more.
func CompareFellToZero(parts int) string {
	return several(parts, "part") + " of B at 0, where A has more: look for what stopped, and measure again"
}

// CompareAllZero says that nothing differs where nothing has a ratio.
func CompareAllZero() string { return "every value of both sides is 0" }

// CompareTooFewNodes says that nothing tells how much nodes scatter.
func CompareTooFewNodes(enough int) string {
	return fmt.Sprintf("no Benchmark declares its noise, and fewer than %d nodes a side do not show it: measure more nodes", enough)
}

// CompareMissing says that one side has no value.
func CompareMissing(side string) string { return side + " has no value" }

// CompareMixedUnits says that the values of one side cannot be put together.
func CompareMixedUnits() string {
	return "one side measured it in units, or directions, that contradict each other"
}

// CompareOtherUnit says that the units of both sides cannot be converted.
func CompareOtherUnit(a, b string) string {
	return fmt.Sprintf("A is in %s and B in %s, and neither converts into the other", a, b)
}

// CompareOtherDirection says that the sides do not agree on which way is better.
func CompareOtherDirection() string { return "A and B do not agree on which way is better" }

// CompareOtherConfiguration says that the sides ran a benchmark otherwise, and in which respects; none: that is not known.
func CompareOtherConfiguration(changed []string) string {
	what := "another image, command or environment"
	if len(changed) > 0 {
		what = "another " + names(changed)
	}
	return "A and B ran with " + what + ": --across-configurations compares them all the same"
}
