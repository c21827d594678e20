package message

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Peers are the like parts that a value is compared with: some of its own node, or all of other nodes.
type Peers struct {
	// Kind of the parts.
	Kind string
	// Own is how many others of the same node; 0: other nodes.
	Own int
	// Nodes and Parts of other nodes. Groups: each is a group of nodes.
	Nodes, Parts int
	Groups       bool
	// Place is by how much the part's place in a node is off in most nodes, as a fraction; 0: it is like the others.
	Place float64
	// Known is how many of those nodes were not measured in this run; Oldest is when the first of them was.
	Known  int
	Oldest time.Time
}

// BesideFleet compares with the median of like parts; deviation is in percent of it.
func BesideFleet(deviation, median float64, s quantity.Scale) string {
	if deviation == 0 {
		return "at the fleet median"
	}
	return fmt.Sprintf("%s %s the fleet median of %s", quantity.Percent(math.Abs(deviation)), side(deviation), s.Format(median))
}

// Beside compares with the median of like parts; deviation is in percent of it.
func Beside(deviation, median float64, with Peers, s quantity.Scale) string {
	if with.Own == 0 {
		return BesideFleet(deviation, median, s)
	}
	return fmt.Sprintf("%s %s (%s)", off(deviation), ownPeers(with), medianOf(with, median, s))
}

func medianOf(with Peers, median float64, s quantity.Scale) string {
	if with.Place == 0 {
		return "median " + s.Format(median)
	}
	percent := 100 * with.Place
	return fmt.Sprintf("median %s at its place, which is %s %s the others in most nodes", s.Format(median), quantity.Percent(math.Abs(percent)), side(percent))
}

// OffPeers compares with like parts, and with what that makes expected.
func OffPeers(deviation, median float64, with Peers, better v1alpha1.Direction, bound float64, s quantity.Scale) string {
	expected := Expected(better, bound, s)
	if with.Own > 0 {
		return fmt.Sprintf("%s, %s", Beside(deviation, median, with, s), expected)
	}
	what := "node"
	if with.Groups {
		what = "group"
	}
	details := medianOf(with, median, s)
	if with.Parts != with.Nodes {
		details = countedParts(with.Kind, with.Parts) + ", " + details
	}
	return fmt.Sprintf("%s %s (%s%s), %s", off(deviation), several(with.Nodes, "other "+what), details, remembered(with), expected)
}

// LevelReading says what most like parts of a node reach together, and how that compares.
func LevelReading(kind string, parts int, metric string, level float64, s quantity.Scale, comparison string) string {
	which := "all " + countedParts(kind, parts)
	if parts == 2 {
		which = "both " + partNoun(kind) + "s"
	}
	return quantity.Clip(fmt.Sprintf("%s %s %s (median): %s", which, metric, s.Format(level), comparison), Longest)
}

// off says how far a value is from what it is compared with, which follows.
func off(deviation float64) string {
	if deviation == 0 {
		return "like"
	}
	return quantity.Percent(math.Abs(deviation)) + " " + side(deviation)
}

func ownPeers(with Peers) string {
	if with.Own == 1 {
		return "its node's other " + partNoun(with.Kind)
	}
	return "its node's other " + countedParts(with.Kind, with.Own)
}

// remembered says which of the nodes were not measured now, and since when they are known.
func remembered(with Peers) string {
	since := with.Oldest.UTC().Format(time.DateOnly)
	switch {
	case with.Known == 0:
		return ""
	case with.Known == with.Nodes && with.Known == 1:
		return "; from its last passing run, on " + since
	case with.Known == with.Nodes:
		return "; from their last passing run, the oldest on " + since
	}
	what := "nodes"
	if with.Groups {
		what = "groups"
	}
	if with.Known == 1 {
		return fmt.Sprintf("; 1 of these %s from its last passing run, on %s", what, since)
	}
	return fmt.Sprintf("; %d of these %s from their last passing run, the oldest on %s", with.Known, what, since)
}

// partNouns are what people call the parts of a node.
var partNouns = map[string]string{"gpu": "GPU", "gpu->gpu": "link", "gpu<->gpu": "link", "gpu-gpu": "link", "socket": "socket", "numa": "NUMA domain", "nic": "NIC", "core": "core"}

func partNoun(kind string) string {
	if noun := partNouns[kind]; noun != "" {
		return noun
	}
	return "part"
}

// countedParts counts parts of a kind.
func countedParts(kind string, n int) string { return several(n, partNoun(kind)) }

// BoundJudgesNothing is for a bound of nothing.
func BoundJudgesNothing(rule string) string {
	return fmt.Sprintf("its bound (%s) is 0 or less, which every value meets", rule)
}

// NothingJudged: a headline metric has expectations, but too little is known to judge it by any of them. lacks are sentences that say what
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
	return ending(fmt.Sprintf("%s, but there is nothing to judge it by: %s", reading, strings.Join(lacks, "; ")), "; to have it judged, "+how)
}
