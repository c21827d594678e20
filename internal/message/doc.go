// Package message holds every sentence that users read: one function for each, which says what happened, the number, what was
// expected, and what to do next. It decides nothing. All of them are in testdata/messages.golden.
package message

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/quantity"
)

// Longest is the tightest bound of the API on a message, in bytes: one text fits wherever it is shown.
const Longest = 1024

// because appends what explains a sentence, where that is known.
func because(sentence, why string) string {
	if why == "" {
		return sentence
	}
	return sentence + ": " + why
}

// several writes "1 re-run" and "2 re-runs".
func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ending clips a sentence so that its end, which says what follows from it, fits as well.
func ending(sentence, end string) string {
	return quantity.Clip(sentence, Longest-len(end)) + end
}

// mostNames in one sentence.
const mostNames = 8

// names lists nodes, links or places: "a, b and 12 more".
func names(all []string) string {
	if len(all) <= mostNames {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:mostNames], ", "), len(all)-mostNames)
}

// partName of a part, or of a kind of part; a part without a name is the node.
func partName(part string) string {
	if part == "" {
		return "node"
	}
	return part
}

// partWith the UUIDs of its GPUs, which is what a technician looks for.
func partWith(part string, uuids []string) string {
	if len(uuids) == 0 {
		return partName(part)
	}
	return partName(part) + " (" + strings.Join(uuids, ", ") + ")"
}

// side says on which side of a reference a value with this deviation from it lies.
func side(deviation float64) string {
	if deviation < 0 {
		return "below"
	}
	return "above"
}
