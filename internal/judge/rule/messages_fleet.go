package rule

import (
	"fmt"
	"math"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// beside compares with the median of like parts; deviation is in percent of it.
func beside(deviation, median float64, with fleet.LikeParts, s quantity.Scale) string {
	switch {
	case with.Own > 0:
		return fmt.Sprintf("%s %s (%s)", off(deviation), ownPeers(with), typicalOf(with, median, s))
	case deviation == 0:
		return "typical of the fleet"
	}
	return fmt.Sprintf("%s typical %s", off(deviation), s.Format(median))
}

func typicalOf(with fleet.LikeParts, median float64, s quantity.Scale) string {
	if with.Place == 0 {
		return "typical " + s.Format(median)
	}
	percent := 100 * with.Place
	return fmt.Sprintf("typical %s at its place, which is %s %s the others in most nodes", s.Format(median), quantity.Percent(math.Abs(percent)), message.Side(percent))
}

// offPeers compares with like parts, and with the bound that follows from them.
func offPeers(deviation, median float64, with fleet.LikeParts, bound float64, s quantity.Scale) string {
	least := boundIs(bound, s)
	if with.Own > 0 {
		return fmt.Sprintf("%s, %s", beside(deviation, median, with, s), least)
	}
	details := typicalOf(with, median, s)
	if with.Parts != with.Nodes {
		details = countedParts(with.Kind, with.Parts) + ", " + details
	}
	return fmt.Sprintf("%s %s (%s%s), %s", off(deviation), message.Several(with.Nodes, "other "+member(with)), details, remembered(with), least)
}

// allParts names the like parts of a node, at least two, together.
func allParts(kind string, n int) string {
	if n == 2 {
		return "both " + partNoun(kind) + "s"
	}
	return "all " + countedParts(kind, n)
}

// off says how far a value is from what it is compared with, which follows.
func off(deviation float64) string {
	if deviation == 0 {
		return "like"
	}
	return quantity.Percent(math.Abs(deviation)) + " " + message.Side(deviation)
}

func ownPeers(with fleet.LikeParts) string {
	if with.Own == 1 {
		return "its node's other " + partNoun(with.Kind)
	}
	return "its node's other " + countedParts(with.Kind, with.Own)
}

// remembered says which of the nodes were not measured now, and since when they are known.
func remembered(with fleet.LikeParts) string {
	which, from := "", "from their last passing run, the oldest on "
	switch with.Known {
	case 0:
		return ""
	case 1:
		from = "from its last passing run, on "
	}
	if with.Known != with.Nodes {
		which = fmt.Sprintf("%d of these %ss ", with.Known, member(with))
	}
	return "; " + which + from + message.Day(with.Oldest)
}

func member(with fleet.LikeParts) string {
	if with.Groups {
		return "group"
	}
	return "node"
}

// partNouns are what people call the parts of a node.
var partNouns = map[string]string{"gpu": "GPU", "gpu->gpu": "link", "gpu<->gpu": "link", "gpu-gpu": "link", "socket": "socket",
	"numa": "NUMA domain", "nic": "NIC", "core": "core"}

func partNoun(kind string) string {
	if noun := partNouns[kind]; noun != "" {
		return noun
	}
	return "part"
}

func countedParts(kind string, n int) string { return message.Several(n, partNoun(kind)) }

// NothingJudged says that a headline metric has expectations, but too little is known to judge it by any of them. lacks are sentences that say what
// each one lacked. fleet: it is to be compared with others; peak is the one that it is to be compared with, if any.
func NothingJudged(reading string, lacks []string, fleet bool, peak string, better v1alpha1.Direction) string {
	how := "set `min`"
	if better == v1alpha1.Lower {
		how = "set `max`"
	}
	if peak != "" {
		how = "give its HardwareProfile the peak " + peak + ", or " + how
	}
	if fleet {
		how = "measure more nodes like this one in one run, or " + how
	}
	return message.Ending(fmt.Sprintf("%s, but there is nothing to judge it by: %s", reading, strings.Join(lacks, "; ")), "; to have it judged, "+how)
}
