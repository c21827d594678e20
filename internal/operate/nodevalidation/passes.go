package nodevalidation

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/list"
)

// maxConfigurations is a bound of the API.
const maxConfigurations = 4

// Remembered says whether the values of a metric are kept in a node's history: of headlines, and of what is compared with others or with
// the past.
func Remembered(m *v1alpha1.Metric) bool {
	return m.Headline || m.Expectation != nil && (m.Expectation.MaxFleetDeviation != "" || m.Expectation.MaxRegression != "")
}

// unjudged: it was measured, and there was nothing to compare it with.
func unjudged(b *v1alpha1.BenchmarkResult) bool { return b.Reason == v1alpha1.ReasonNotJudged }

// provisional: it could not be judged, and none of the node's runs ever passed. Once one has, only passes tell what it was like.
func provisional(h *v1alpha1.BenchmarkHistory, b *v1alpha1.BenchmarkResult, run types.UID) bool {
	return unjudged(b) && !slices.ContainsFunc(h.Entries, func(e v1alpha1.HistoryEntry) bool { return e.Verdict == v1alpha1.VerdictPass && e.RunUID != run })
}

// recordPass puts what a benchmark's parts reached into the ring of its configuration, if it passed, or its past is provisional; one that failed
// leaves, and never enters. The value that counts is that of the last attempt: it is one measurement, as those of other runs are, and none that
// was chosen because it looked bad.
func recordPass(h *v1alpha1.BenchmarkHistory, b *v1alpha1.BenchmarkResult, run v1alpha1.PassingRun, metrics []v1alpha1.Metric) {
	a, passed := attempt.LastMeasured(b.Attempts), b.Verdict == v1alpha1.VerdictPass || provisional(h, b, run.RunUID)
	if a == nil || passed && len(metrics) == 0 {
		return
	}
	for i := range h.Passes {
		p := &h.Passes[i]
		k := slices.IndexFunc(p.Runs, func(r v1alpha1.PassingRun) bool { return r.RunUID == run.RunUID })
		switch {
		case k < 0:
		case passed && p.Configuration == a.Configuration && p.Runs[k].Time.Equal(&run.Time):
			return
		default:
			r := ringOf(p)
			r.remove(k)
			*p = r.history()
		}
	}
	if passed {
		i := slices.IndexFunc(h.Passes, func(p v1alpha1.PassHistory) bool { return p.Configuration == a.Configuration })
		if i < 0 {
			h.Passes = append(h.Passes, v1alpha1.PassHistory{Configuration: a.Configuration})
			i = len(h.Passes) - 1
		}
		r := ringOf(&h.Passes[i])
		r.insert(run, a, metrics)
		h.Passes[i] = r.history()
	}
	h.Passes = newestPasses(h.Passes)
}

// newestPasses are those of the configurations that passed last, in order of time.
func newestPasses(all []v1alpha1.PassHistory) []v1alpha1.PassHistory {
	all = dropped(all, func(p v1alpha1.PassHistory) bool { return len(p.Runs) == 0 })
	slices.SortFunc(all, byNewestRun)
	return all[max(0, len(all)-maxConfigurations):]
}

func byNewestRun(a, b v1alpha1.PassHistory) int {
	x, y := a.Runs[len(a.Runs)-1], b.Runs[len(b.Runs)-1]
	return inOrder(x.Time, x.RunUID, y.Time, y.RunUID)
}

// abbreviate leaves out what has not changed since the run before: it hardly ever has. past.SpellOut writes it out again.
func abbreviate(runs []v1alpha1.PassingRun) []v1alpha1.PassingRun {
	driver, kernel := "", ""
	for r := range list.Each(runs) {
		driver, r.Driver = changed(driver, r.Driver)
		kernel, r.Kernel = changed(kernel, r.Kernel)
	}
	return runs
}

// changed returns what holds from a run on, and what of it is new.
func changed(before, now string) (holds, news string) {
	if now == "" || now == before {
		return before, ""
	}
	return now, now
}
