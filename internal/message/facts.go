package message

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/quantity"
)

// factIs says what a fact is, and where. uuids are those of the one GPU that it is about.
func factIs(fact string, parts, uuids []string, value string) string {
	where := ""
	switch {
	case len(uuids) > 0:
		where = " of " + partWith(parts[0], uuids)
	case len(parts) > 0 && parts[0] != "":
		where = " of " + names(parts)
	}
	return fmt.Sprintf("%s%s is %s", fact, where, value)
}

// FactDiffers is for a fact that is not what the Benchmark expects.
func FactDiffers(fact string, parts, uuids []string, value, expected string) string {
	return factIs(fact, parts, uuids, value) + ", expected " + expected
}

// FactBelow is for a fact that is less than the Benchmark expects, or no number.
func FactBelow(fact string, parts, uuids []string, value, least string, isNumber bool) string {
	if !isNumber {
		value += ", which is not a number"
	}
	return factIs(fact, parts, uuids, value) + ", expected at least " + least
}

// FactNotReported is for a fact that must have a value.
func FactNotReported(fact string) string {
	return "the program did not report " + fact + ", which the Benchmark expects"
}

// FactNotUniform is for a fact that is another one on most nodes.
func FactNotUniform(fact string, parts, uuids []string, value, most string, having, others, nodes int) string {
	return fmt.Sprintf("%s (on %d of %d nodes of its kind), and %s on %d", factIs(fact, parts, uuids, value), having, nodes, most, others)
}

// FactNotCompared is for a fact that a node was convicted by, in a run that cannot compare it. expected is what most nodes had then; nodes
// are those of the run that could tell, as they do not stand convicted of it.
func FactNotCompared(fact, part, value, expected string, nodes, needed int) string {
	why := fmt.Sprintf("to compare it anew takes %d nodes of its kind that are not convicted of it, and this run has %d", needed, nodes)
	if nodes >= needed {
		why = fmt.Sprintf("the %d nodes of its kind in this run that are not convicted of it have no value that most of them share", nodes)
	}
	return fmt.Sprintf("%s; when it was convicted, most nodes had %s; %s", factIs(fact, []string{part}, nil, value), expected, why)
}

// ReportMoreFacts is the last line about the facts that a benchmark objects to, where there are very many.
func ReportMoreFacts(benchmark string, more int) string {
	return fmt.Sprintf("%s: %s: see -o json", benchmark, several(more, "more fact"))
}

// AndAlso adds a fact to what else a node failed by.
func AndAlso(failed, fact string) string {
	return ending(failed, "; also, "+quantity.Clip(fact, Longest/3))
}

// Difference is a fact that most nodes have otherwise: Having of Nodes have Most.
type Difference struct {
	Fact          string
	Parts         []string
	Value, Most   string
	Having, Nodes int
}

// mostDifferences in one sentence.
const mostDifferences = 3

// AlsoDiffers adds to what a node failed by how it differs from most nodes of its kind: one of these facts may be why.
func AlsoDiffers(failed string, differences []Difference) string {
	var told []string
	for _, d := range differences[:min(len(differences), mostDifferences)] {
		where := ""
		switch {
		case len(d.Parts) > 1:
			where = fmt.Sprintf(" of %s and %s:", d.Parts[0], several(len(d.Parts)-1, "more part"))
		case d.Parts[0] != "":
			where = " of " + d.Parts[0] + ":"
		}
		told = append(told, fmt.Sprintf("%s%s %s (%d of %d have %s)", d.Fact, where, d.Value, d.Having, d.Nodes, d.Most))
	}
	text := "it also differs in " + strings.Join(told, ", ")
	if more := len(differences) - mostDifferences; more > 0 {
		text += fmt.Sprintf(" and %s", several(more, "more fact"))
	}
	return ending(failed, "; "+quantity.Clip(text, Longest/2))
}
