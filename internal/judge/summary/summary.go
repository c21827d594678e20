// Package summary sums up what nodes came to: the verdict of a run, the range of its headline metrics, and a status that fits into its bound.
package summary

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// Summarise sums up the headline metrics of one benchmark over the nodes of a run, in the metrics' order. A metric that
// no node reported is left out.
func Summarise(metrics []v1alpha1.Metric, benchmark string, nodes [][]v1alpha1.HeadlineValue) []v1alpha1.BenchmarkSummary {
	headlines := list.Where(metrics, func(m v1alpha1.Metric) bool { return m.Headline })
	return list.Some(headlines, func(m v1alpha1.Metric) (v1alpha1.BenchmarkSummary, bool) { return summarise(&m, benchmark, nodes) })
}

func summarise(m *v1alpha1.Metric, benchmark string, nodes [][]v1alpha1.HeadlineValue) (v1alpha1.BenchmarkSummary, bool) {
	var values []float64
	least, greatest := 0.0, math.Inf(1) // peak that all nodes leave possible
	for _, node := range nodes {
		for h := range list.Each(node) {
			factor, convertible := quantity.Factor(h.Unit, m.Unit)
			v, ok := quantity.ParseDecimal(h.Value)
			if h.Benchmark != benchmark || h.Metric != m.Name || !ok || !convertible {
				continue
			}
			values = append(values, v*factor)
			low, high := peaksOf(m.Better, v*factor, h.PercentOfPeak)
			least, greatest = max(least, low), min(greatest, high)
		}
	}
	if len(values) == 0 {
		return v1alpha1.BenchmarkSummary{}, false
	}
	slices.Sort(values)
	median := stat.SortedMedian(values)
	s := v1alpha1.BenchmarkSummary{
		Name: benchmark, Metric: m.Name, Unit: m.Unit, Nodes: int32(min(len(values), math.MaxInt32)),
		Median: quantity.Decimal(median, quantity.ShownDigits), Min: quantity.Decimal(values[0], quantity.ShownDigits), Max: quantity.Decimal(values[len(values)-1], quantity.ShownDigits),
		P5: quantity.Decimal(stat.Quantile(values, 0.05), quantity.ShownDigits), P95: quantity.Decimal(stat.Quantile(values, 0.95), quantity.ShownDigits),
	}
	if least > greatest {
		return s, true // nodes whose profiles differ agree on none, and then the fleet's median is a share of nothing
	}
	share, peak := median, least/2+greatest/2
	if m.Better == v1alpha1.Lower {
		share, peak = peak, median
	}
	if p, ok := bounds.Ratio(100*share, peak); ok {
		s.PercentOfPeak = quantity.DecimalPercent(p)
	}
	return s, true
}

// peaksOf are the least and the greatest peak that a node's rounded percentage of it leaves possible; where it says nothing, there is none.
func peaksOf(better v1alpha1.Direction, value float64, percent v1alpha1.Decimal) (low, high float64) {
	p, ok := quantity.ParseDecimal(percent)
	const half = 0.0501 // of the last digit that DecimalPercent keeps
	switch {
	case !ok || p <= half || value <= 0:
		return math.Inf(1), 0
	case better == v1alpha1.Lower:
		return value * (p - half) / 100, value * (p + half) / 100
	}
	return 100 * value / (p + half), 100 * value / (p - half)
}

// Cut is what ends a run before it has measured everything.
type Cut int

const (
	// CutByDeadline is a run of a cluster whose activeDeadlineSeconds have passed.
	CutByDeadline Cut = iota
	// CutOnHost is a run of a single host whose --deadline has passed.
	CutOnHost
	// CutByUser is a run of a single host whose user has had enough.
	CutByUser
)

// cutShort says that it was, where nodes failed, and where none did.
var cutShort = map[Cut]struct{ failed, otherwise, reason string }{
	CutByDeadline: {"the deadline passed before every node was measured",
		"activeDeadlineSeconds passed before every node was measured: raise it, or see what delayed the nodes", v1alpha1.ReasonDeadlineExceeded},
	CutOnHost: {"--deadline passed before everything was measured", "--deadline passed before everything was measured: raise it", v1alpha1.ReasonDeadlineExceeded},
	CutByUser: {"the run was interrupted before everything was measured", "the run was interrupted before everything was measured", v1alpha1.ReasonInterrupted},
}

// Reason is why something was not measured.
func (c Cut) Reason() string { return cutShort[c].reason }

// RunFacts are what the verdict of a run depends on.
type RunFacts struct {
	// Summary counts the run's nodes.
	Summary v1alpha1.RunSummary
	// BreakerOpen: the breaker stopped tainting; BreakerMessage says why.
	BreakerOpen    bool
	BreakerMessage string
	// DeadlineExceeded: activeDeadlineSeconds passed while nodes were still to be measured. It stays true when those are
	// written off as Missing.
	DeadlineExceeded bool
	// Cut is what that deadline is.
	Cut Cut
	// Findings about links and sets of nodes, which no single node is to blame for; Finding is the first one's message.
	Findings int
	Finding  string
	// WorstNode and WorstMessage of the node with the worst verdict.
	WorstNode, WorstMessage string
}

// Run gives the verdict of a run. What stopped the tainting comes before what failed, and that before what could not be
// measured: no later line may hide an earlier one. A run that measured nothing never passes.
func Run(in RunFacts) (v v1alpha1.Verdict, reason, text string) {
	s := in.Summary
	unfinished := s.Pending + s.Running
	isCutShort := in.DeadlineExceeded && unfinished+s.Errored > 0
	switch {
	case in.BreakerOpen:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonBreakerOpen, in.summary(in.BreakerMessage)
	case unfinished > 0 && !in.DeadlineExceeded:
		return v1alpha1.VerdictPending, v1alpha1.ReasonRunning, in.summary("")
	case s.Failed > 0 && isCutShort:
		return v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, in.summary(cutShort[in.Cut].failed)
	case s.Failed > 0:
		return v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, in.summary("")
	case in.Findings > 0:
		return v1alpha1.VerdictFail, v1alpha1.ReasonGroupsFailed, in.summary(message.WithMore(in.Finding, in.Findings-1))
	case isCutShort:
		return v1alpha1.VerdictInconclusive, in.Cut.Reason(), in.summary(cutShort[in.Cut].otherwise)
	case s.Nodes == 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonNoMatchingNodes, "no node matches: check selector and nodeNames"
	case s.Errored > 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonInconclusive, in.summary("")
	case s.NotJudged > 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged, in.summary("")
	case s.Passed == 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonInconclusive, in.summary("every node was skipped, so nothing is proved")
	default:
		return v1alpha1.VerdictPass, v1alpha1.ReasonPassed, in.summary("")
	}
}

// summary joins what decided about a run, its counts that are not zero, and the worst node where its message explains the verdict.
func (in RunFacts) summary(cause string) string {
	s := in.Summary
	text := message.Because(message.Several(s.Nodes, "node"),
		message.Counts([]string{"failed", "could not be measured", "could not be judged", "skipped", "passed", "running", "pending", "tainted"},
			s.Failed, s.Errored, s.NotJudged, s.Skipped, s.Passed, s.Running, s.Pending, s.Tainted))
	if cause != "" {
		text = cause + "; " + text
	}
	if in.WorstNode != "" && (s.Failed+s.Errored+s.NotJudged > 0 || s.Skipped > 0 && s.Passed == 0) {
		text += "; worst: " + message.Because(in.WorstNode, in.WorstMessage)
	}
	return quantity.Clip(text, message.Longest)
}
