package compare

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// means of the rows by benchmark, and of the benchmarks, each of which counts once however many metrics it has. Only headline metrics count,
// in benchmarks that have any: the others are often the same seen once more, or a condition such as a temperature.
func means(rows []Row) ([]Mean, *Mean) {
	headlines := headlined(rows)
	var all []Mean
	var overall Mean
	for r := range list.Each(rows) {
		if !r.averaged(headlines) {
			continue
		}
		if last := len(all) - 1; last < 0 || all[last].Benchmark != r.Benchmark {
			all = append(all, Mean{Benchmark: r.Benchmark})
		}
		m := &all[len(all)-1]
		m.Percent += gain(r) // the sum, until all are there
		m.count(r.Outcome)
	}
	for m := range list.Each(all) {
		log := m.Percent / float64(m.Rows)
		m.Percent = percentOf(log)
		overall.Percent += log
		overall.Rows += m.Rows
		overall.Better += m.Better
		overall.Worse += m.Worse
		overall.Same += m.Same
	}
	if len(all) == 0 {
		return nil, nil
	}
	overall.Percent = percentOf(overall.Percent / float64(len(all)))
	return all, &overall
}

// headlined benchmarks have headline metrics.
func headlined(rows []Row) map[string]bool {
	all := map[string]bool{}
	for i := range rows {
		all[rows[i].Benchmark] = all[rows[i].Benchmark] || rows[i].Headline
	}
	return all
}

// averaged says whether the mean of its benchmark counts a row.
func (r *Row) averaged(headlines map[string]bool) bool {
	return r.Estimate != nil && r.Better != "" && !r.Unlisted && !r.NotInA && (r.Headline || !headlines[r.Benchmark])
}

// gain is the logarithm of the ratio by which B is better.
func gain(r *Row) float64 {
	log := math.Log1p(r.Estimate.Percent / 100)
	if r.Better == v1alpha1.Lower {
		return -log
	}
	return log
}

func (m *Mean) count(o Outcome) {
	m.Rows++
	switch o {
	case Better:
		m.Better++
	case Worse:
		m.Worse++
	default:
		m.Same++
	}
}
