package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/history"
	"github.com/assay-dev/assay/internal/reader/report"
)

// why lists the taint, each rule that was broken with its numbers, what could not be measured, and what warns.
func (c *knownCase) why() []string {
	var all, warnings []string
	if v := c.validation; v != nil && v.Quarantine != nil {
		q := v.Quarantine
		all = append(all, explainTaint(q.Key, q.Value, string(q.Effect), q.Run.Name, q.Since.Time))
	}
	for i := range c.result.Benchmarks {
		b := &c.result.Benchmarks[i]
		found := false
		for j := range b.Findings {
			switch f := &b.Findings[j]; {
			case failing(f):
				found = true
				all = append(all, c.rule(b, f)...)
			case f.Verdict == v1alpha1.VerdictWarning:
				warnings = append(warnings, message.Warned(b.Name, f.Message, 0))
			}
		}
		if !found && b.Verdict != v1alpha1.VerdictPass && b.Verdict != "" {
			all = append(all, explainBenchmark(b.Name, b.Verdict, b.Reason, b.Message))
		}
	}
	all = append(all, c.convictions()...)
	if len(c.result.Benchmarks) == 0 && c.row != nil && c.row.Verdict != v1alpha1.VerdictPass {
		all = append(all, c.row.Message)
	}
	if c.row != nil && c.row.Note != "" {
		all = append(all, c.row.Note)
	}
	all = append(all, warnings...)
	return append(all, c.drifts()...)
}

// rule that was broken, and beside it what the part had before: what is typical, and the bound, is in the message.
func (c *knownCase) rule(b *v1alpha1.BenchmarkResult, f *v1alpha1.Finding) []string {
	lines := []string{fmt.Sprintf("%s, rule %s: %s", b.Name, f.Rule, f.Message)}
	var numbers []string
	if s := c.seriesOf(b.Name, f.Metric, f.At); s != nil {
		numbers = append(numbers, pastOf(s))
	}
	for i := range b.Curves {
		if curve := &b.Curves[i]; curve.Metric == f.Metric {
			numbers = append(numbers, report.CurveInWords(curve))
		}
	}
	if len(numbers) > 0 {
		lines = append(lines, indent+strings.Join(numbers, "; "))
	}
	return lines
}

// indent of what belongs to the line above.
const indent = "  "

// seriesOf a part, as it is called now.
func (c *knownCase) seriesOf(benchmark, metric, at string) *history.Series {
	var newest *history.Series
	for i := range c.history.Series {
		s := &c.history.Series[i]
		if s.Benchmark == benchmark && s.Metric == metric && s.At == at && (newest == nil || s.Last().Time.After(newest.Last().Time)) {
			newest = s
		}
	}
	return newest
}

func pastOf(s *history.Series) string {
	baseline := ""
	if s.Baseline != nil {
		baseline = quantity.Format(*s.Baseline, s.Unit)
	}
	return explainPast(s.Sparkline(), len(s.Points), s.Points[0].Time, baseline)
}

// convictions of earlier runs: those of the newest one are its findings.
func (c *knownCase) convictions() []string {
	if c.validation == nil {
		return nil
	}
	var all []string
	for i := range c.validation.Convictions {
		v := &c.validation.Convictions[i]
		if v.Run.UID == c.newest.Run.UID && c.found(v) {
			continue
		}
		all = append(all, explainConviction(v))
	}
	return all
}

// found says whether the newest run's findings tell of a conviction.
func (c *knownCase) found(v *v1alpha1.Conviction) bool {
	return slices.ContainsFunc(c.result.Benchmarks, func(b v1alpha1.BenchmarkResult) bool {
		return b.Name == v.Benchmark && slices.ContainsFunc(b.Findings, func(f v1alpha1.Finding) bool { return f.Rule == v.Rule && f.Metric == v.Metric })
	})
}

// drifts are the warnings that the node's past gives.
func (c *knownCase) drifts() []string {
	if c.validation == nil {
		return nil
	}
	var all []string
	for i := range c.validation.Benchmarks {
		b := &c.validation.Benchmarks[i]
		for _, w := range b.Warnings {
			all = append(all, message.Warned(b.Name, w.Message, 0))
		}
	}
	return all
}
