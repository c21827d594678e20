package message

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/quantity"
)

// PageTitle names a page after its runs.
func PageTitle(runs []string) string {
	if len(runs) == 1 {
		return "Validation run " + runs[0]
	}
	return fmt.Sprintf("%d validation runs: %s", len(runs), PageList(runs[:min(len(runs), 3)], len(runs)-3))
}

// PageList is names, and how many more there are.
func PageList(names []string, more int) string {
	text := strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// PageGoesOn says that a page of a run in progress is soon out of date.
func PageGoesOn(run string) string {
	return fmt.Sprintf("The run is still in progress: everything here may change. kubectl assay watch %s follows it.", run)
}

// PageRepair says what to do about nodes that failed.
func PageRepair(nodes string, tainted bool) string {
	text := fmt.Sprintf("Repair or replace %s, then validate again.", nodes)
	if tainted {
		text += " A pass lifts the taint."
	}
	return text
}

// PageFindings says what to do about what no single node is to blame for.
func PageFindings() string {
	return "Check what connects the nodes named below; each of them may be fine by itself."
}

// PageUnmeasured says what to do about nodes that could not be measured.
func PageUnmeasured(nodes int) string {
	if nodes == 1 {
		return "1 node could not be measured. Its message says why; nothing is proved about it."
	}
	return fmt.Sprintf("%d nodes could not be measured. Their messages say why; nothing is proved about them.", nodes)
}

// PageNotJudged says what to do about nodes that nothing could be compared with.
func PageNotJudged(nodes int) string {
	return fmt.Sprintf("%s could not be judged: there was nothing to compare with. Add a hardware profile, or validate more nodes of the same kind together.", nodesCounted(int32(nodes)))
}

// PageNothingToDo is for a run that passed.
func PageNothingToDo() string { return "Nothing to do: every node proved itself fit." }

// PageTaint says which taint a node carries, and by which run.
func PageTaint(taint, by string) string {
	text := "tainted " + taint
	if by != "" {
		text += " by run " + by
	}
	return text
}

// PageMoreNodes stands for nodes that are not explained one by one.
func PageMoreNodes(nodes int) string {
	return fmt.Sprintf("and %s more: see the table of nodes", nodesCounted(int32(nodes)))
}

// PageMoreFindings stands for findings that are not explained one by one.
func PageMoreFindings(findings int, run string) string {
	return fmt.Sprintf("and %s more: kubectl assay report %s has all of them", several(findings, "finding"), run)
}

// PageIncomplete says that not all numbers of all nodes are on the page, and where they are.
func PageIncomplete(shown, nodes int, run string) string {
	return fmt.Sprintf("To keep this page small, it has every number of the %d worst of %s. The others are only in the table, the charts and the summaries. kubectl assay export %s has every number of all of them.",
		shown, nodesCounted(int32(nodes)), run)
}

// PagePacked stands for numbers that are unpacked when somebody wants to see them.
func PagePacked() string {
	return "These numbers are packed, to keep the page small. A browser with JavaScript shows them here."
}

// PageMetric says what a chart's marks are.
func PageMetric(benchmark, part string) string {
	return fmt.Sprintf("%s; each mark is one %s", benchmark, part)
}

// PageMetricAt says what a chart's marks are where each node has one value of that size.
func PageMetricAt(benchmark, size string) string {
	return fmt.Sprintf("%s at %s; each mark is one node", benchmark, size)
}

// PageInUnit adds the unit of a chart; empty: a count.
func PageInUnit(text, unit string) string {
	if unit == "" || unit == "1" {
		return text
	}
	return text + ", in " + unit
}

// PageInOrder says what the horizontal axis is.
func PageInOrder(nodes int) string {
	return nodesCounted(int32(nodes)) + ", by name"
}

// PageMedian, PageExpected and PagePeak are the key of a chart.
func PageMedian(value string) string { return "median " + value }

// PageExpected is the bound that decided.
func PageExpected(value string, lower bool) string {
	if lower {
		return "expected at most " + value
	}
	return "expected at least " + value
}

// PagePeak is what the hardware can do at most, and what share of it the median is.
func PagePeak(value, share string) string {
	return fmt.Sprintf("peak %s; the median is %s of it", value, share)
}

// PageBeyond says that a line of the key does not fit into its chart.
func PageBeyond(text string) string { return text + " (outside the chart)" }

// PageChart says what there is to see in a chart, to those who cannot.
func PageChart(metric string, parts, nodes int, least, most, median string, failed int) string {
	text := fmt.Sprintf("%s, %d values on %s: %s to %s, median %s", metric, parts, nodesCounted(int32(nodes)), least, most, median)
	switch failed {
	case 0:
		return text + ". None failed."
	default:
		return text + fmt.Sprintf(". %d failed.", failed)
	}
}

// PageWrongData stands where a part has no value.
func PageWrongData(part string) string { return part + ": wrong data" }

// PageMatrix says what there is to see in a map of pairs.
func PageMatrix(metric string, slow int) string {
	if slow == 0 {
		return metric + " by pair; no link failed"
	}
	return fmt.Sprintf("%s by pair; %s failed", metric, several(slow, "link"))
}

// PageMedianOf says that a map is of several nodes.
func PageMedianOf(nodes int) string { return "median of " + nodesCounted(int32(nodes)) }

// PagePairs says what a map of nodes is of.
func PagePairs(benchmark string, nodes int) string {
	return fmt.Sprintf("%s; pairs of %s", benchmark, nodesCounted(int32(nodes)))
}

// PageBySize says what the horizontal axis of a graph is.
func PageBySize(by string) string {
	switch by {
	case "bytes":
		return "by size of the message"
	case "time":
		return "over the time of the run, in seconds"
	default:
		return "by number of " + by + "s"
	}
}

// PageFromTo gives the ends of a curve. efficiency in percent is that of the last; 0: not known.
func PageFromTo(first, from, last, to string, efficiency float64) string {
	text := fmt.Sprintf("%s: %s, %s: %s", first, from, last, to)
	if efficiency > 0 {
		text += ", efficiency " + quantity.Percent(efficiency)
	}
	return text
}

// PageCurveHoles says which sizes of a curve were not measured.
func PageCurveHoles(sizes []string) string { return "; not measured: " + strings.Join(sizes, ", ") }

// PageGraph says what there is to see in a graph.
func PageGraph(benchmark string, curves int, first, last string) string {
	return fmt.Sprintf("%s: %s from %s to %s; their ends are listed below", benchmark, several(curves, "curve"), first, last)
}

// PageDuring says what the horizontal axis of telemetry is.
func PageDuring(benchmarks int) string {
	if benchmarks == 1 {
		return "during one benchmark"
	}
	return fmt.Sprintf("during %d measurements", benchmarks)
}

// PageSensed says what there is to see in a chart of telemetry.
func PageSensed(what, least, most string) string {
	return fmt.Sprintf("%s while the benchmarks ran: %s to %s", what, least, most)
}

// PageStripsNote explains the charts of the fleet.
func PageStripsNote() string {
	return "Nodes are sorted by name from left to right, each with its parts. A cross marks a part that failed. The bars on the right show how many parts reached which value."
}

// PageHeatNote explains the maps.
func PageHeatNote() string {
	return "Senders are on the left, receivers at the top. Darker is slower. A thick frame marks a link that failed."
}

// PageCurvesNote explains the graphs.
func PageCurvesNote() string {
	return "Each point is the median over the nodes. A dotted line is where a curve would be if it grew with the number."
}

// PageTelemetryNote explains the charts of telemetry.
func PageTelemetryNote() string {
	return "What was sampled while the programs ran. It helps to explain values and is not judged. Squares are nodes that failed."
}

// PageMetricsNote explains the table of all metrics.
func PageMetricsNote() string {
	return "Over all parts of all nodes. A part counts with the mean of its measurements."
}

// PageComparison names a page after its two sides.
func PageComparison(a, b string) string { return fmt.Sprintf("%s compared with %s", b, a) }

// PageOutcomes counts what came of the metrics of two sides. Unknown ones of A could not be compared.
type PageOutcomes struct{ Better, Worse, Differs, Same, Unknown int }

// PageOverall is the result of a comparison.
func PageOverall(b, a string, n PageOutcomes) string {
	var all []string
	for _, c := range []struct {
		n    int
		what string
	}{{n.Better, "better"}, {n.Worse, "worse"}, {n.Differs, "different"}, {n.Same, "the same within noise"}} {
		if c.n > 0 {
			all = append(all, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	tested := n.Better + n.Worse + n.Differs + n.Same
	text := fmt.Sprintf("%s against %s: %s compared, %s.", b, a, several(tested, "metric"), strings.Join(all, ", "))
	if n.Same == tested {
		text = fmt.Sprintf("%s against %s: no difference that noise does not explain, in %s.", b, a, several(tested, "metric"))
	}
	if n.Unknown > 0 {
		text += fmt.Sprintf(" %s of A could not be compared.", several(n.Unknown, "metric"))
	}
	return text
}

// PageHeadlines is the mean over the headline metrics, where one of them differs.
func PageHeadlines(percent string, differ bool) string {
	if !differ {
		return "No headline metric differs."
	}
	return fmt.Sprintf("The headline metrics: %s on average (more is better).", percent)
}

// PageMeansNote explains the table of benchmarks.
func PageMeansNote() string {
	return "The geometric mean of the headline metrics of each benchmark. The other metrics are in the table below."
}

// PageNothingToCompare is for sides that have no metric in common.
func PageNothingToCompare() string {
	return "Nothing could be compared: no metric has enough values on both sides. Compare runs of the same benchmarks."
}

// PageComparisonNote explains the table of a comparison.
func PageComparisonNote(confidence string) string {
	return fmt.Sprintf("A and B are medians. The bar is the interval of the difference with %s confidence, the dot its estimate.", confidence)
}

// PageUnlistedNote explains the table of the metrics that no Benchmark lists.
func PageUnlistedNote() string {
	return "No Benchmark lists these metrics: they are recorded, and never judged. Their P is corrected for their own number."
}
