package message

import (
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/quantity"
)

// CompareTitle heads a comparison in Markdown.
func CompareTitle(a, b string) string { return fmt.Sprintf("Comparison of %s with %s", b, a) }

// CompareSide says what one side is: its name, what it measured, in how many runs, and when. Zero times are not known.
func CompareSide(letter, name string, nodes, groups, runs int, from, to time.Time) string {
	what := several(nodes, "node")
	if groups > 0 {
		what += ", " + several(groups, "group")
	}
	text := fmt.Sprintf("%s: %s (%s, %s", letter, name, what, several(runs, "run"))
	if !from.IsZero() {
		text += ", " + from.Format("2006-01-02 15:04") + " to " + to.Format("2006-01-02 15:04") + " UTC"
	}
	return text + ")"
}

// CompareLeftOut counts the attempts of a side that do not count.
func CompareLeftOut(letter string, wrong, disturbed, unmeasured int) string {
	return letter + ": " + attemptsLeftOut(wrong, disturbed, unmeasured)
}

// CompareUnpaired counts the nodes that have parts which the other side lacks.
func CompareUnpaired(letter, other string, nodes int) string {
	have := "have"
	if nodes == 1 {
		have = "has"
	}
	return fmt.Sprintf("%s: %s %s parts that are not in %s: what is compared in pairs leaves them out", letter, several(nodes, "node"), have, other)
}

func attemptsLeftOut(wrong, disturbed, unmeasured int) string {
	var counts []string
	for _, c := range []struct {
		n    int
		what string
	}{{wrong, "with wrong data"}, {disturbed, "disturbed"}, {unmeasured, "without a measurement"}} {
		if c.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return "attempts left out: " + strings.Join(counts, ", ")
}

// CompareUnfinished says that a run of a side goes on.
func CompareUnfinished(letter, run string) string {
	return fmt.Sprintf("%s: run %s is not over, and what it has still to measure may change this comparison", letter, run)
}

// CompareWhy says why some rows have no difference.
func CompareWhy(rows []string, why string) string { return names(rows) + ": " + why }

// CompareFewUnits says how many metrics rely on the noise that their Benchmarks declare.
func CompareFewUnits(rows int) string {
	return "too few nodes measured " + several(rows, "metric") + " to show how nodes scatter: the noise that the Benchmark declares stands in for it"
}

// CompareUnlisted counts the rows that the table leaves out.
func CompareUnlisted(rows int) string {
	return several(rows, "metric") + " more that the Benchmarks do not list: see -o wide"
}

// CompareTested says what significance means here.
func CompareTested(rows int) string {
	return fmt.Sprintf("~: noise explains the difference; P is corrected for %s (Holm); INTERVAL: 95%%, of each metric for itself", several(rows, "metric"))
}

// CompareMean says how much better a benchmark is on average.
func CompareMean(benchmark string, percent float64, rows int) string {
	return fmt.Sprintf("%s: B is %s, by the geometric mean of %s", benchmark, betterBy(percent), several(rows, "metric"))
}

// CompareOverall says how much better B is on average, each benchmark counted once, and what came of the metrics.
func CompareOverall(benchmarks int, percent float64, rows, better, worse, same int) string {
	return fmt.Sprintf("B is %s, by the geometric mean of %s with %s: %d better, %d worse, %d that noise explains", betterBy(percent),
		several(benchmarks, "benchmark"), several(rows, "headline metric"), better, worse, same)
}

// CompareAllSame says that no headline metric differs. That is no proof that they are equal.
func CompareAllSame(rows int) string {
	return several(rows, "headline metric") + " compared: no difference that noise does not explain"
}

// CompareOthers names the metrics that came out so, beside those of the mean.
func CompareOthers(rows []string, outcome string) string {
	verb := "are"
	if len(rows) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s %s %s: %s", several(len(rows), "other metric"), verb, outcome, names(rows))
}

func betterBy(percent float64) string {
	if percent < 0 {
		return quantity.Percent(-percent) + " worse"
	}
	return quantity.Percent(percent) + " better"
}

// CompareRegressed names the metrics that are worse by more than the threshold.
func CompareRegressed(rows []string, threshold float64) string {
	return fmt.Sprintf("worse by more than %s: %s", quantity.Percent(threshold), names(rows))
}

// CompareUnjudged names the metrics of A for which no one can say whether B is worse.
func CompareUnjudged(rows []string) string {
	return fmt.Sprintf("whether B is worse is not known of %s: the reasons are above, or in the field why of -o json", names(rows))
}

// CompareNothingTested says that there was nothing to compare.
func CompareNothingTested() string {
	return "no metric can be compared: the reasons are above, or in the field why of -o json"
}

// CompareNeedsSides says which two things can be compared.
func CompareNeedsSides(given, files int) string {
	return fmt.Sprintf("expected two sides, and got %s and %s: name two runs or two files, or split runs by --nodes-a and --nodes-b or by --before and --after",
		several(given, "name"), several(files, "file"))
}

// CompareOneWay says that nodes and times cannot be compared at once.
func CompareOneWay() string {
	return "nodes and times cannot be compared at once: leave out --before and --after, or the flags for nodes"
}

// CompareSameRun says that a run stands on both sides.
func CompareSameRun(run string) string {
	return fmt.Sprintf("run %s is on both sides: name another one, or split it by --nodes-a and --nodes-b", run)
}

// CompareEmptySide says that one side measured nothing that counts, and how many attempts do not.
func CompareEmptySide(side string, wrong, disturbed, unmeasured int) string {
	text := fmt.Sprintf("side %q has no measurement that counts", side)
	if wrong+disturbed+unmeasured > 0 {
		text += " (" + attemptsLeftOut(wrong, disturbed, unmeasured) + ")"
	}
	return text + ": choose runs, nodes or times with measurements, which kubectl assay report shows"
}

// CompareNothingCommon says that the sides measured different things.
func CompareNothingCommon(a string, inA []string, b string, inB []string) string {
	return fmt.Sprintf("%s and %s have no metric in common: %s measured %s, and %s measured %s", a, b, a, names(inA), b, names(inB))
}

// CompareNodeTwice says that a node is on both sides.
func CompareNodeTwice(node string) string {
	return fmt.Sprintf("node %s is on both sides: choose nodes for A and B that do not overlap", node)
}

// CompareNoSuchNodes says which names or patterns fit no node that was measured.
func CompareNoSuchNodes(patterns []string) string {
	return "no measured node is called " + names(patterns) + ": kubectl assay report shows the nodes of a run"
}

// CompareNoneSelected says that a selector fits no node of the cluster.
func CompareNoneSelected(side, selector string) string {
	return fmt.Sprintf("no node of the cluster has labels that fit --selector-%s %q", side, selector)
}

// CompareBadPattern says that a pattern cannot be read.
func CompareBadPattern(pattern string) string {
	return fmt.Sprintf("%q is no pattern of node names: write names, with * for any text and ? for one character", pattern)
}

// CompareNoTime says how a time is written.
func CompareNoTime(given string) string {
	return fmt.Sprintf("%q is no time: write a day in UTC, 2026-03-01, or a time, 2026-03-01T12:00:00Z", given)
}

// CompareTimesOverlap says that one time must come before the other.
func CompareTimesOverlap(before, after time.Time) string {
	return fmt.Sprintf("--before %s is later than --after %s, so that some measurements would be on both sides: exchange them",
		before.Format(time.RFC3339), after.Format(time.RFC3339))
}

// CompareBadThreshold says how a threshold is written.
func CompareBadThreshold(given string) string {
	return fmt.Sprintf("--threshold %q is no percentage from 0%% to 100%%: write 2%%", given)
}
