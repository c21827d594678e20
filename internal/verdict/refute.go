package verdict

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Evidence is what a run that passed a benchmark brings against the convictions of an earlier one.
type Evidence struct {
	// Decision on the benchmark.
	Decision Decision
	// Metrics with the expectations it was judged by.
	Metrics []v1alpha1.Metric
	// Configuration measured.
	Configuration string
	// Parameters: the run set parameters of the benchmark itself. Overridden: metrics of which it set the expectation.
	Parameters bool
	Overridden []string
}

// AsCatalogued says whether the run judged a metric just as the Benchmark asks: an administrator vouches for these terms, also where
// they changed since. Terms that a run sets count only where they are as hard as those that convicted.
func (e Evidence) AsCatalogued(metric string) bool {
	return !e.Parameters && !slices.Contains(e.Overridden, metric)
}

// Refutes says whether the rule that convicted was judged again and held, under the same terms or harder ones; if not, owed says what
// is missing.
func (e Evidence) Refutes(c *v1alpha1.Conviction) (ok bool, owed string) {
	what := c.Rule
	if c.Metric != "" {
		what += " of " + c.Metric
	}
	i := slices.IndexFunc(e.Decision.Terms.Held, func(t Term) bool { return t.Metric == c.Metric && t.Rule == c.Rule })
	if i < 0 {
		return false, Clip(fmt.Sprintf("%s was not judged in this run%s", what, colon(e.unjudged(c))), maxMessage)
	}
	value, measured := e.valueAt(c)
	if c.At != "" && c.Bound != "" && !measured {
		return false, fmt.Sprintf("%s was not measured at %s in this run", c.Metric, c.At)
	}
	if c.AsCatalogued && e.AsCatalogued(c.Metric) {
		return true, ""
	}
	if c.Configuration != e.Configuration {
		return false, fmt.Sprintf("this run measured %s with another image or other parameters: run it with those that convicted, or as the Benchmark has them", c.Benchmark)
	}
	limit := e.Decision.Terms.Held[i].Limit
	if AsStrict(c.Rule, limit, c.Limit) || c.Bound != "" && Holds(value, c.Bound, c.Rule, e.better(c.Metric)) {
		return true, ""
	}
	return false, fmt.Sprintf("this run asked for less: %s %s, convicted by %s", what, limit, c.Limit)
}

// unjudged says why a rule had no verdict.
func (e Evidence) unjudged(c *v1alpha1.Conviction) string {
	for _, f := range e.Decision.Findings {
		if f.Metric == c.Metric && f.Rule == c.Rule {
			return f.Message
		}
	}
	return ""
}

func (e Evidence) valueAt(c *v1alpha1.Conviction) (v1alpha1.Decimal, bool) {
	i := slices.IndexFunc(e.Metrics, func(m v1alpha1.Metric) bool { return m.Name == c.Metric })
	if i < 0 {
		return "", false
	}
	return e.Decision.At(&e.Metrics[i], c.At)
}

func (e Evidence) better(metric string) v1alpha1.Direction {
	for i := range e.Metrics {
		if e.Metrics[i].Name == metric {
			return e.Metrics[i].Better
		}
	}
	return v1alpha1.Higher
}
