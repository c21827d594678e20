package message

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// CommandNeedsNode says that a command is about one node.
func CommandNeedsNode(command string, given int) string {
	if given == 0 {
		return fmt.Sprintf("no node is named: %s NODE", command)
	}
	return fmt.Sprintf("too many arguments: %d were given, see %s --help", given, command)
}

// CommandNoNode says that nothing is known of a node, in the files or else in the cluster.
func CommandNoNode(node string, files []string) string {
	if len(files) > 0 {
		return fmt.Sprintf("no run in %s measured a node %s: check the name", strings.Join(files, ", "), strconv.Quote(node))
	}
	return fmt.Sprintf("nothing is stored about node %s: check the name, or measure it with \"kubectl assay run --nodes\" and its name", strconv.Quote(node))
}

// CommandNodeOfClusters says that several machines are called so.
func CommandNodeOfClusters(node string, clusters []string) string {
	quoted := make([]string, len(clusters))
	for i, c := range clusters {
		quoted[i] = strconv.Quote(c)
	}
	return fmt.Sprintf("there is a node %s in several clusters, %s: write which one you mean, for example %s",
		strconv.Quote(node), names(quoted), strconv.Quote(clusters[0]+"/"+node))
}

// HistoryNothing says that no stored value is of what was asked for; metrics are those that there are.
func HistoryNothing(node, metric, at, benchmark string, metrics []string) string {
	text := "no value is stored for " + node
	for _, part := range []struct{ what, name string }{{"metric", metric}, {"part", at}, {"benchmark", benchmark}} {
		if part.name != "" {
			text += ", " + part.what + " " + part.name
		}
	}
	if len(metrics) == 0 {
		return text
	}
	return text + ": its metrics are " + names(metrics)
}

// HistoryWorstPart stands for the part where it is not kept which one it was.
func HistoryWorstPart() string { return "worst part" }

// HistoryYoungBaseline is a baseline that may still move.
func HistoryYoungBaseline(baseline string, passes int) string {
	return fmt.Sprintf("%s (of %d)", baseline, passes)
}

// HistoryOf heads the values of one part.
func HistoryOf(benchmark, metric, at, first, last string) string {
	return fmt.Sprintf("%s %s of %s, %s to %s", benchmark, metric, at, first, last)
}

// HistoryBaseline explains a baseline.
func HistoryBaseline(baseline string, passes int, frozen bool, since time.Time) string {
	if !frozen {
		return fmt.Sprintf("The baseline is %s, the median of %s since %s. It moves until there are 5.", baseline, passesCounted(passes), day(since))
	}
	return fmt.Sprintf("The baseline is %s, the median of the first 5 passes since %s. It is frozen.", baseline, day(since))
}

func passesCounted(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return fmt.Sprintf("%d passes", n)
}
