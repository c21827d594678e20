package explain

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/history"
	"github.com/assay-dev/assay/internal/reader/report"
)

// why lists the taint, each fault with its cause, numbers and action, what could not be measured, and what warns.
func (c *knownCase) why() []string {
	all := c.carried()
	for _, f := range cause.Of(c.result) {
		all = append(all, c.fault(&f, c.broken(&f))...)
	}
	for b := range list.Each(c.result.Benchmarks) {
		if b.Verdict != v1alpha1.VerdictPass && b.Verdict != "" && !slices.ContainsFunc(b.Findings, func(f v1alpha1.Finding) bool { return failing(&f) }) {
			text := b.Name + ": " + string(b.Verdict)
			if b.Reason != "" && b.Reason != string(b.Verdict) {
				text += " (" + b.Reason + ")"
			}
			all = append(all, message.Because(text, b.Message))
		}
		if b.Verdict == v1alpha1.VerdictError {
			all = append(all, c.alike(b.Name+" ends so", func(o *v1alpha1.BenchmarkResult) bool { return o.Name == b.Name && o.Reason == b.Reason })...)
		}
	}
	all = append(all, c.convictions()...)
	if len(c.result.Benchmarks) == 0 && c.row.Name != "" && c.row.Verdict != v1alpha1.VerdictPass {
		all = append(all, c.row.Message)
	}
	if c.row.Note != "" {
		all = append(all, c.row.Note)
	}
	return append(all, c.warnings()...)
}

// carried says which taint the node carries, or its devices; none: neither does.
func (c *knownCase) carried() []string {
	q := c.validation.Quarantine
	if q == nil {
		return nil
	}
	taint := (&corev1.Taint{Key: q.Key, Value: q.Value, Effect: q.Effect}).ToString()
	if o := cause.OutOfServiceOn(c.validation, c.result); o != nil {
		by := fmt.Sprintf("by the device taint %s; the node's other devices may be used", taint)
		if c.Live != nil && c.Live.Annotations[v1alpha1.AnnotationQuarantine] == "" {
			by = "somebody has removed the annotation assay.dev/quarantine of the node, so that they are in service again until a run fails the node once more"
		}
		return []string{o.Says(), indent + by}
	}
	return []string{fmt.Sprintf("tainted %s by run %s since %s", taint, q.Run.Name, message.Day(q.Since.Time))}
}

// fault is one paragraph: the cause, the numbers, who else has the same, and what to do.
func (c *knownCase) fault(f *cause.Fault, numbers []string) []string {
	told := f.Told(c.Node)
	lines := []string{told.Message}
	if hardware := told.Hardware(); hardware != "" {
		numbers = append(numbers, hardware)
	}
	for _, line := range append(numbers, f.Advice()) {
		lines = append(lines, indent+line)
	}
	return lines
}

// broken is what a fault broke, with what its part had before, and the other nodes that broke the same rule.
func (c *knownCase) broken(f *cause.Fault) []string {
	lines, worst := f.Findings(), f.Broken[0]
	if s := c.seriesOf(worst.Benchmark, worst.Metric, worst.At); s != nil {
		lines[0] += "; " + pastOf(s)
	}
	lines = append(lines, c.curves(worst)...)
	return append(lines, c.alike(cause.Named(worst.Benchmark, worst.Metric, "")+" fails", func(o *v1alpha1.BenchmarkResult) bool {
		return o.Name == worst.Benchmark && slices.ContainsFunc(o.Findings, func(of v1alpha1.Finding) bool {
			return failing(&of) && of.Metric == worst.Metric && of.Rule == worst.Rule
		})
	})...)
}

// curves of a metric that was measured at several sizes.
func (c *knownCase) curves(b cause.Broken) (all []string) {
	for of := range list.Each(c.result.Benchmarks) {
		for curve := range list.Each(of.Curves) {
			if of.Name == b.Benchmark && curve.Metric == b.Metric {
				shown := report.NewCurve(*curve)
				all = append(all, shown.InWords())
			}
		}
	}
	return all
}

// indent of what belongs to the line above.
const indent = "  "

// seriesOf a part, as it is called now.
func (c *knownCase) seriesOf(benchmark, metric, at string) *history.Series {
	var newest *history.Series
	for s := range list.Each(c.history.Series) {
		if s.Benchmark == benchmark && s.Metric == metric && s.At == at && (newest == nil || s.Last().Time.After(newest.Last().Time)) {
			newest = s
		}
	}
	return newest
}

func pastOf(s *history.Series) string {
	text := fmt.Sprintf("its own %s since %s: %s", message.Several(len(s.Points), "value"), message.Day(s.Points[0].Time), s.Sparkline())
	if s.Baseline != nil {
		text += ", baseline " + quantity.Format(*s.Baseline, s.Unit)
	}
	return text
}

// convictions of earlier runs: those of the newest one are its findings. No more is known of them than the rule and its numbers.
func (c *knownCase) convictions() (all []string) {
	for v := range list.Each(c.validation.Convictions) {
		if v.Run.UID == c.newest.Run.UID && c.found(v) {
			continue
		}
		finding := v1alpha1.Finding{Metric: v.Metric, At: v.At, Rule: v.Rule, Verdict: v1alpha1.VerdictFail, RuleNumbers: v.RuleNumbers}
		known := v1alpha1.ValidationResult{Benchmarks: []v1alpha1.BenchmarkResult{{Name: v.Benchmark, Findings: []v1alpha1.Finding{finding}}}}
		text := message.Because(cause.Named(v.Benchmark, v.Metric, v.At), cause.InNumbers(&v.RuleNumbers))
		text = fmt.Sprintf("%s, %s in run %s on %s; no later run has refuted that", text, term.Says(v.Rule), v.Run.Name, message.Day(v.MeasuredAt.Time))
		for _, f := range cause.Of(&known) {
			all = append(all, c.fault(&f, []string{text})...)
		}
	}
	return all
}

// found says whether the newest run's findings tell of a conviction.
func (c *knownCase) found(v *v1alpha1.Conviction) bool {
	return slices.ContainsFunc(c.result.Benchmarks, func(b v1alpha1.BenchmarkResult) bool {
		return b.Name == v.Benchmark && slices.ContainsFunc(b.Findings, func(f v1alpha1.Finding) bool { return f.Rule == v.Rule && f.Metric == v.Metric })
	})
}

// warnings of the newest run, and those that the node's past gives.
func (c *knownCase) warnings() (all []string) {
	for b := range list.Each(c.result.Benchmarks) {
		for f := range list.Each(b.Findings) {
			if f.Verdict == v1alpha1.VerdictWarning {
				all = append(all, message.Warned(b.Name, f.Message, 0))
			}
		}
	}
	for b := range list.Each(c.validation.Benchmarks) {
		for _, w := range b.Warnings {
			all = append(all, message.Warned(b.Name, w.Message, 0))
		}
	}
	return all
}
