package tracetest

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/quantity"
)

// checkConvictions: a node is unfit by what the catalogue asks, or by what a run asks that was allowed to taint it, and by nothing that a newer
// measurement refutes.
func (w *world) checkConvictions(n *corev1.Node, v *v1alpha1.NodeValidation) {
	proved := v.Proof != nil && v.Proof.Verdict == v1alpha1.VerdictFail // while a breaker is open, that is all
	if n.Labels[v1alpha1.LabelVerdict] == "failed" && len(v.Convictions) == 0 && !proved {
		w.wrong("node %s is labelled as failed, and nothing has proved that, nor convicts it", n.Name)
	}
	for i := range v.Convictions {
		c := &v.Convictions[i]
		r := w.runOf(c)
		if r == nil || r.pin == nil {
			w.wrong("node %s is convicted by run %s, which never measured", n.Name, c.Run.Name)
			continue
		}
		if f := r.object.Spec.OnFailure; !r.asksAsTheCatalogue(c) && (v.Quarantine == nil || f == nil || f.Taint == nil) {
			w.wrong("node %s is convicted of %s/%s/%s with limit %q, which only run %s asks for, and that has not tainted it", n.Name, c.Benchmark, c.Metric, c.Rule, c.Limit, c.Run.Name)
		}
		if by := w.provedSince(n, c); by != "" {
			w.wrong("node %s is convicted of %s/%s/%s (%s, bound %s) by run %s, and run %s has measured since that it is not so", n.Name, c.Benchmark, c.Metric, c.Rule,
				c.Value, c.Bound, c.Run.Name, by)
		}
	}
}

func (w *world) runOf(c *v1alpha1.Conviction) *run {
	for _, r := range w.runs {
		if r.object.UID == c.Run.UID {
			return r
		}
	}
	return nil
}

// asksAsTheCatalogue: the catalogue that the run was started with has the limit, and the run measured as it says. How many devices there are to
// be, and whether data and facts are right, has no limit that a run could set.
func (r *run) asksAsTheCatalogue(c *v1alpha1.Conviction) bool {
	if c.Rule == term.Devices {
		return true
	}
	ref := slices.IndexFunc(r.object.Spec.Benchmarks, func(b v1alpha1.BenchmarkRef) bool { return b.Name == c.Benchmark })
	if ref >= 0 && len(r.object.Spec.Benchmarks[ref].Parameters) > 0 {
		return false
	}
	if c.Rule == term.DataCheck || strings.HasPrefix(c.Rule, "Fact") && c.Rule != "FractionOfPeak" || c.Limit == "" {
		return true
	}
	for _, b := range r.pin.Objects() {
		for _, m := range b.Spec.Metrics {
			if e := m.Expectation; b.Name == c.Benchmark && m.Name == c.Metric && e != nil {
				return slices.Contains([]string{string(e.Min), string(e.Max), string(e.MaxFleetDeviation), string(e.MaxRegression), string(e.MinFractionOfPeak),
					string(e.MinFractionOfReached), string(e.MinEfficiency)}, string(c.Limit))
			}
		}
	}
	return false
}

// provedSince names a run that measured the node later, in the same configuration, passed it, and met the bound that convicted by every part
// in every attempt.
func (w *world) provedSince(n *corev1.Node, c *v1alpha1.Conviction) string {
	for _, v := range w.results {
		if v.Group != nil || v.Node.UID != n.UID || v.Run.UID == c.Run.UID {
			continue
		}
		for _, b := range v.Benchmarks {
			if b.Name == c.Benchmark && b.Verdict == v1alpha1.VerdictPass && len(b.Attempts) > 0 &&
				!slices.ContainsFunc(b.Attempts, func(a v1alpha1.Attempt) bool { return !provesOtherwise(&a, c) }) {
				return v.Run.Name
			}
		}
	}
	return ""
}

func provesOtherwise(a *v1alpha1.Attempt, c *v1alpha1.Conviction) bool {
	bound, ok := quantity.ParseDecimal(c.Bound)
	broke, known := quantity.ParseDecimal(c.Value)
	if !ok || !known || a.LaunchTime == nil || !a.LaunchTime.After(c.MeasuredAt.Time) || a.Configuration != c.Configuration || attempt.Disturbed(a) {
		return false
	}
	parts := int32(0)
	for _, m := range a.Measurements {
		if m.Name != c.Metric {
			continue
		}
		for _, p := range m.Parts {
			value, ok := quantity.ParseDecimal(p.Value)
			if m.Unit != c.Unit || !ok || broke < bound && value < bound || broke > bound && value > bound {
				return false
			}
			parts++
		}
	}
	return parts > 0 && parts >= c.Parts
}
