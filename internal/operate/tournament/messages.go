package tournament

import (
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/summary"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	mendTransport    = "say in fabric of a HardwareProfile how pods reach it, and look for NET/IB in the launcher's log"
	tournamentGoesOn = "the tournament of pairs is still running"
)

// alikeIn says why the nodes of a group get their devices in the same way.
func alikeIn(class string) string {
	from := "DRA class " + class
	if class == "" {
		from = "a device plugin"
	}
	return "its devices come from " + from + ", and the workers of an MPIJob are alike"
}

// noPartner says which kind of node is missing among the members of a tournament.
func noPartner(n *Node, members []*Node) string {
	const none = "there is no other node to measure this one with"
	switch sameFabric := list.Count(members, func(o *Node) bool { return o.Fabric == n.Fabric }); {
	case len(members) == 1:
		return none
	case sameFabric > 1:
		return none + "; " + alikeIn(n.Class)
	case n.Fabric == "":
		return none + " over the pod network; the others have a fabric"
	}
	return none + " over the same fabric (" + n.Fabric + ")"
}

func withOthers(others, found string) string { return "with " + others + ": " + found }

// notMeasuredInTime is for a node that was not measured before the run was cut short, at its deadline of so many seconds or before. waited says
// what kept it; empty: nothing that is known.
func notMeasuredInTime(by summary.Cut, waited string, seconds int64) string {
	alone := fmt.Sprintf("not measured within activeDeadlineSeconds (%d): raise it, or measure more nodes at once", seconds)
	then := fmt.Sprintf("activeDeadlineSeconds (%d) passed first: remove what delayed the node, or raise it", seconds)
	switch by {
	case summary.CutByUser:
		alone, then = "not measured: the run was interrupted", "then the run was interrupted"
	case summary.CutOnHost:
		deadline := message.Duration(time.Duration(seconds) * time.Second)
		alone, then = fmt.Sprintf("not measured within --deadline (%s): raise it", deadline), fmt.Sprintf("--deadline (%s) passed first: raise it", deadline)
	}
	if waited == "" {
		return alone
	}
	return waited + "; " + then
}

// AttemptCountsNot is why an attempt follows one that was disturbed, or measured too little.
func AttemptCountsNot(attempt int32, reason string) string {
	return fmt.Sprintf("attempt %d does not count (%s)", attempt, reason)
}

// mostDifferences in one sentence.
const mostDifferences = 3

// alsoDiffers adds to what a node failed by how it differs from most nodes of its kind: one of these facts may be why.
func alsoDiffers(failed string, differences []fact.Difference) string {
	var told []string
	for _, d := range differences[:min(len(differences), mostDifferences)] {
		where := ""
		switch {
		case len(d.Parts) > 1:
			where = fmt.Sprintf(" of %s and %s:", d.Parts[0], message.Several(len(d.Parts)-1, "more part"))
		case d.Parts[0] != "":
			where = " of " + d.Parts[0] + ":"
		}
		told = append(told, fmt.Sprintf("%s%s %s (%d of %d have %s)", d.Fact, where, d.Value, d.Having, d.Nodes, d.Most))
	}
	text := "it also differs in " + strings.Join(told, ", ")
	if more := len(differences) - mostDifferences; more > 0 {
		text += fmt.Sprintf(" and %s", message.Several(more, "more fact"))
	}
	return message.Ending(failed, "; "+quantity.Clip(text, message.Longest/2))
}

// noPartnerWorked is for a node that could not be measured with any partner; last is what went wrong with the last.
func noPartnerWorked(partners int, with, last string) string {
	if partners == 1 {
		return fmt.Sprintf("could not be measured with its only partner, %s: %s", with, last)
	}
	return fmt.Sprintf("could not be measured with any of %d partners; with %s: %s", partners, with, last)
}

// Measurements of several nodes together.

// sizeDue says why some nodes of a group are measured apart from the others.
func sizeDue(nodes, of int) string {
	return fmt.Sprintf("%d of %d nodes, for the scaling curve", nodes, of)
}

func slowGroup(nodes, found string) string { return fmt.Sprintf("nodes %s together: %s", nodes, found) }

func slowWithOthers(others, found string) string {
	return fmt.Sprintf("slow together with %s, and which node or link is to blame cannot be told: %s", others, found)
}
