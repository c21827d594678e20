package fact

import (
	"fmt"

	"github.com/assay-dev/assay/internal/message"
)

// factIs says what a fact is, and where. uuids are those of the one GPU that it is about.
func factIs(fact string, parts, uuids []string, value string) string {
	where := ""
	switch {
	case len(uuids) > 0:
		where = " of " + message.PartWith(parts[0], uuids)
	case len(parts) > 0 && parts[0] != "":
		where = " of " + message.Names(parts)
	}
	return fmt.Sprintf("%s%s is %s", fact, where, value)
}

// factBelow is for a fact that is less than the Benchmark expects, or no number.
func factBelow(fact string, parts, uuids []string, value, least string, isNumber bool) string {
	if !isNumber {
		value += ", which is not a number"
	}
	return factIs(fact, parts, uuids, value) + ", expected at least " + least
}

// factNotCompared is for a fact that a node was convicted by, in a run that cannot compare it. expected is what most nodes had then; nodes
// are those of the run that could tell, as they do not stand convicted of it.
func factNotCompared(fact, part, value, expected string, nodes int) string {
	why := fmt.Sprintf("to compare it anew takes %d nodes of its kind that are not convicted of it, and this run has %d", minUniform, nodes)
	if nodes >= minUniform {
		why = fmt.Sprintf("the %d nodes of its kind in this run that are not convicted of it have no value that most of them share", nodes)
	}
	return fmt.Sprintf("%s; when it was convicted, most nodes had %s; %s", factIs(fact, []string{part}, nil, value), expected, why)
}

// Difference is a fact that most nodes have otherwise: Having of Nodes have Most.
type Difference struct {
	Fact          string
	Parts         []string
	Value, Most   string
	Having, Nodes int
}
