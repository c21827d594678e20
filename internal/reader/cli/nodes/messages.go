package nodes

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// nodesIn counts the nodes in a state; empty: no policy selects them.
func nodesIn(n int, state string) string {
	if state == "" {
		return fmt.Sprintf("%d of no policy", n)
	}
	return fmt.Sprintf("%d %s", n, state)
}

// outOfService says, below the nodes, of which single devices are out of service: the narrowest terminal has room for that.
func outOfService(rows []*fleetNode) (text string) {
	of := list.Where(rows, func(n *fleetNode) bool { return n.OutOfService != nil })
	if len(of) == 0 {
		return ""
	}
	is := list.Map(of, func(n *fleetNode) string { return n.OutOfService.Count() + " of " + n.Name })
	return "; out of service: " + message.Names(is) + " (kubectl assay explain NODE says why)"
}

// commandNeedsNode says that a command is about one node.
func commandNeedsNode(command string, given int) string {
	if given == 0 {
		return fmt.Sprintf("no node is named: %s NODE", command)
	}
	return fmt.Sprintf("too many arguments: %d were given, see %s --help", given, command)
}

// historyNothing says that no stored value is of what was asked for; metrics are those that there are.
func historyNothing(node, metric, at, benchmark string, metrics []string) string {
	text := "no value is stored for " + node
	for _, part := range []struct{ what, name string }{{"metric", metric}, {"part", at}, {"benchmark", benchmark}} {
		if part.name != "" {
			text += ", " + part.what + " " + part.name
		}
	}
	if len(metrics) == 0 {
		return text
	}
	return text + ": its metrics are " + message.Names(metrics)
}

// historyBaseline explains a baseline.
func historyBaseline(baseline string, passes int, frozen bool, since time.Time) string {
	if !frozen {
		return fmt.Sprintf("The baseline is %s, the median of %s since %s. It moves until there are 5.", baseline, passesCounted(passes),
			message.Day(since))
	}
	return fmt.Sprintf("The baseline is %s, the median of the first 5 passes since %s. It is frozen.", baseline, message.Day(since))
}

func passesCounted(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return fmt.Sprintf("%d passes", n)
}
