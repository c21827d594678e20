package message

import (
	"fmt"
	"math"
	"strings"

	"github.com/assay-dev/assay/internal/quantity"
)

// Shifted is a metric in which most nodes changed alike: by so many percent in the middle, and from least to most among them.
type Shifted struct {
	Metric              string
	Median, Least, Most float64
}

// Update is software that another version was found of, on so many nodes.
type Update struct {
	What, From, To string
	Nodes          int
}

// Shift says that most nodes changed alike against their own earlier passes, and what of them changed since. others are metrics of the same
// benchmark that did so too.
func Shift(s Shifted, nodes, of int, others []Shifted, updates []Update) string {
	text := fmt.Sprintf("%d of %d nodes changed alike: %s is %s %s their earlier passing runs", nodes, of, s.Metric,
		quantity.Percent(math.Abs(s.Median)), side(s.Median))
	if least, most := quantity.SignedPercent(s.Least), quantity.SignedPercent(s.Most); least != most {
		text += fmt.Sprintf(" (from %s to %s)", least, most)
	}
	if len(others) > 0 {
		changes := make([]string, len(others))
		for i, o := range others {
			changes[i] = o.Metric + " " + quantity.SignedPercent(o.Median)
		}
		text += ", and " + names(changes)
	}
	if len(updates) == 0 {
		return text + "; neither driver nor kernel changed since: look at what else they share, such as firmware, power limits and cooling"
	}
	changes := make([]string, len(updates))
	for i, u := range updates {
		changes[i] = fmt.Sprintf("%s %s -> %s on %d of %d nodes", u.What, u.From, u.To, u.Nodes, of)
	}
	return text + "; since then: " + strings.Join(changes, ", ") + "; check whether this is the cause, and whether the change was intended"
}

// Populations says that like nodes reach one of two levels.
func Populations(metric, kind string, worse, better float64, worseNodes, betterNodes int, s quantity.Scale) string {
	percent := 100 * math.Abs(worse-better) / math.Abs(better)
	return fmt.Sprintf("%s of %s: %s and %d reach %s, %s %s: these look like two kinds of hardware or settings; "+
		"each node is compared with its own kind; make them alike (power limit, memory, slot), or give each kind a run of its own",
		metric, partName(kind), reach(betterNodes, s.Format(better)), worseNodes, s.Format(worse), quantity.Percent(percent), moreOrLess(worse-better))
}

func reach(nodes int, level string) string {
	if nodes == 1 {
		return "1 node reaches " + level
	}
	return fmt.Sprintf("%d nodes reach %s", nodes, level)
}

// WithWarning adds the first warning about a run, and how many others there are, to how it ended.
func WithWarning(text, first string, others int) string {
	text += "; warning: " + first
	if others == 0 {
		return text
	}
	return fmt.Sprintf("%s (and %s)", text, several(others, "more warning"))
}

// moreOrLess says on which side of another level one is.
func moreOrLess(difference float64) string {
	if difference < 0 {
		return "lower"
	}
	return "higher"
}
