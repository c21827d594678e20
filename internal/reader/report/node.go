package report

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

func benchmarksOf(r *v1alpha1.ValidationResult) []Benchmark {
	var all []Benchmark
	for b := range list.Each(r.Benchmarks) {
		found := Benchmark{Name: b.Name, Verdict: b.Verdict, Reason: b.Reason, Message: b.Message, Attempts: len(b.Attempts), Curves: list.Map(b.Curves, NewCurve)}
		for h := range list.Each(b.Headline) {
			found.Metrics = append(found.Metrics, metricOf(h).asJudged(b.Findings).withPower(b.Attempts))
		}
		for _, f := range b.Findings {
			if objectsToFact(&f) {
				found.Facts = append(found.Facts, Fact{Name: f.Metric, At: f.At, Rule: f.Rule, Verdict: f.Verdict, Message: f.Message,
					Value: quantity.Known(f.Value), Bound: quantity.Known(f.Bound)})
			}
		}
		all = append(all, found)
	}
	return all
}

// objectsToFact: the finding is about a fact that is not as it should be. Of findings that warn, those of a run are about nothing else.
func objectsToFact(f *v1alpha1.Finding) bool {
	return f.Verdict == v1alpha1.VerdictWarning || f.Verdict == v1alpha1.VerdictFail && fact.FactRules[f.Rule]
}

// NewCurve as it is shown.
func NewCurve(c v1alpha1.Curve) Curve {
	return Curve{Metric: c.Metric, Of: c.Of, Unit: c.Unit, Scaling: c.Scaling, Points: list.Map(c.Points, func(p v1alpha1.CurvePoint) CurvePoint {
		return CurvePoint{Size: p.Size, Value: quantity.Known(p.Value), Efficiency: quantity.Known(p.Efficiency), Message: p.Message}
	})}
}

func metricOf(h *v1alpha1.HeadlineValue) Metric {
	return Metric{
		Name: h.Metric, At: h.At, Value: quantity.Known(h.Value), Unit: h.Unit, Typical: quantity.Known(h.Typical), Bound: quantity.Known(h.Expected),
		PercentOfPeak: quantity.Known(h.PercentOfPeak), DeviationPercent: quantity.Known(h.FleetDeviationPercent), Verdict: h.Verdict,
		FindsFromPercent: quantity.Known(h.FindsFromPercent), FindsBy: h.FindsBy,
	}
}

// asJudged is a metric that failed, with the numbers of the finding that its message is about: the worst comes first.
func (m Metric) asJudged(findings []v1alpha1.Finding) Metric {
	i := slices.IndexFunc(findings, func(f v1alpha1.Finding) bool {
		return f.Metric == m.Name && f.Verdict == v1alpha1.VerdictFail && f.Value != "" && f.Bound != ""
	})
	if i < 0 || m.Verdict != v1alpha1.VerdictFail {
		return m
	}
	f := &findings[i]
	if f.At != m.At { // of several parts together, or of another one
		m.At, m.PercentOfPeak, m.DeviationPercent = f.At, nil, nil
	}
	m.Value, m.Bound = quantity.Known(f.Value), quantity.Known(f.Bound)
	if typical := quantity.Known(f.Typical); typical != nil {
		m.Typical = typical
	}
	if m.Typical != nil && *m.Typical != 0 {
		m.DeviationPercent = quantity.Known(quantity.DecimalPercent(100 * (*m.Value - *m.Typical) / math.Abs(*m.Typical)))
	}
	return m
}

// withRow adds what the run's own table knows of a node: it is written last, and it is all there is of a node that was
// never measured.
func withRow(n Node, row *v1alpha1.NodeRow) Node {
	n.Name, n.Verdict, n.Note, n.Tainted = row.Name, row.Verdict, row.Note, row.Tainted
	if n.Message == "" || row.Reason != n.Reason {
		n.Reason, n.Message = row.Reason, row.Message
	}
	if len(n.Benchmarks) == 0 {
		n.Benchmarks = benchmarksOfRow(row)
	}
	return n
}

func benchmarksOfRow(row *v1alpha1.NodeRow) []Benchmark {
	var all []Benchmark
	for h := range list.Each(row.Metrics) {
		if last := len(all) - 1; last < 0 || all[last].Name != h.Benchmark {
			all = append(all, Benchmark{Name: h.Benchmark})
		}
		b := &all[len(all)-1]
		b.Metrics = append(b.Metrics, metricOf(h))
		b.Verdict = verdict.Worst(b.Verdict, h.Verdict)
	}
	return all
}

func withTaint(n Node, v *v1alpha1.NodeValidation, r *v1alpha1.ValidationResult) Node {
	if q := v.Quarantine; q != nil {
		n.Taint, n.TaintedBy = (&corev1.Taint{Key: q.Key, Value: q.Value, Effect: q.Effect}).ToString(), q.Run.Name
		n.OutOfService = cause.OutOfServiceOn(v, r)
	}
	return n
}
