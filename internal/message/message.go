// Package message is what sentences share: lists, counts, the names of parts, and the few sentences that packages have in common which do
// not know each other. A sentence of one speaker stands beside it.
package message

import (
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/quantity"
)

// Longest is the tightest bound of the API on a message, in bytes: one text fits wherever it is shown.
const Longest = 1024

// Because appends what explains a sentence, where that is known.
func Because(sentence, why string) string { return With(sentence, ": ", why) }

// With appends more to a text, behind what joins them, where there is more.
func With(text, joint, more string) string {
	if more == "" {
		return text
	}
	return text + joint + more
}

// Several writes "1 re-run" and "2 re-runs".
func Several[N int | int32](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Counts lists what there is any of, each with its word: "3 passed, 1 failed".
func Counts[N int | int32](words []string, counts ...N) string {
	var some []string
	for i, n := range counts {
		if n > 0 {
			some = append(some, fmt.Sprintf("%d %s", n, words[i]))
		}
	}
	return strings.Join(some, ", ")
}

// Ending clips a sentence so that its end, which says what follows from it, fits as well.
func Ending(sentence, end string) string {
	return quantity.Clip(sentence, Longest-len(end)) + end
}

// mostNames in one sentence.
const mostNames = 8

// Names lists nodes, links or places: "a, b and 12 more".
func Names(all []string) string {
	return AndMore(all, mostNames, len(all))
}

// List writes "a, b and c".
func List(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// PartName of a part, or of a kind of part; a part without a name is the node.
func PartName(part string) string {
	if part == "" {
		return "node"
	}
	return part
}

// PartWith the UUIDs of its GPUs, which is what a technician looks for.
func PartWith(part string, uuids []string) string {
	if len(uuids) == 0 {
		return PartName(part)
	}
	return PartName(part) + " (" + strings.Join(uuids, ", ") + ")"
}

// Reading says what a part reached, and how that compares.
func Reading(part, metric, value string, comparisons ...string) string {
	return quantity.Clip(Because(part+" "+metric+" "+value, strings.Join(comparisons, "; ")), Longest)
}

// Side says on which side of a reference a value with this deviation from it lies.
func Side(deviation float64) string {
	if deviation < 0 {
		return "below"
	}
	return "above"
}

// More stands for the details that there is no room for.
func More(nodes int) string { return fmt.Sprintf("and %d more", nodes) }

// Duration writes 94 s as 1m34s and 2 hours as 2h.
func Duration(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Nodes lists a few names, and counts the others of many.
func Nodes(all []string) string {
	if len(all) > 4 {
		return fmt.Sprintf("%s and %d others", strings.Join(all[:3], ", "), len(all)-3)
	}
	return strings.Join(all, ", ")
}

// AndMore is the first names, most of them at the most, and how many more there are of all.
func AndMore(names []string, most, all int) string {
	named := names[:min(len(names), most)]
	text := strings.Join(named, ", ")
	if more := all - len(named); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Day of a time, as people write it.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Warned is for a node that fails by none of its warnings; others is how many more there are.
func Warned(benchmark, warning string, others int) string {
	if others == 0 {
		return fmt.Sprintf("%s warns: %s", benchmark, warning)
	}
	return fmt.Sprintf("%s warns: %s (and %s)", benchmark, warning, Several(others, "more warning"))
}

// NodeLeaving is the reason for a node with a taint by which an autoscaler announces that it removes the node.
func NodeLeaving(taint string) string {
	return fmt.Sprintf("an autoscaler is removing the node: it put taint %s there", taint)
}

// At writes a time as the API does.
func At(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// WithMore is the worst finding, with how many others there are.
func WithMore(worst string, others int) string {
	if others == 0 {
		return quantity.Clip(worst, Longest)
	}
	return Ending(worst, fmt.Sprintf(" (and %s)", Several(others, "more finding")))
}

// What keeps a node from being measured, and a failure from being confirmed.

// NodeLacksLabels is for a benchmark that the node cannot run, whatever happens.
func NodeLacksLabels(benchmark, selector string) string {
	return fmt.Sprintf("benchmark %s needs a node with labels %s", benchmark, selector)
}

// NodeLacksDevices is for a node with fewer allocatable devices than a benchmark needs.
func NodeLacksDevices(benchmark, resource string, needed, offered int64) string {
	return fmt.Sprintf("benchmark %s needs %d %s, and the node offers %d: check its device plugin", benchmark, needed, resource, offered)
}

// SelectorUnreadable is for a selector that the API server accepted and nothing can match.
func SelectorUnreadable(field string, cause error) string {
	return fmt.Sprintf("%s cannot be read: %s", field, cause)
}

// What a run asks for and cannot have.

// SuiteUnknown is for a suite that no Benchmark lists.
func SuiteUnknown(suite string) string {
	return fmt.Sprintf("no Benchmark lists the suite %q: choose one that `kubectl assay suites` shows", suite)
}
