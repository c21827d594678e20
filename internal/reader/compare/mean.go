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
	averaged := list.Those(rows, func(r *Row) bool { return r.averaged(headlines) })
	if len(averaged) == 0 {
		return nil, nil
	}
	var all []Mean
	var overall Mean
	logs := 0.0
	for _, of := range list.Groups(averaged, func(r *Row) string { return r.Benchmark }) {
		m := Mean{Benchmark: of[0].Benchmark}
		log := 0.0
		for _, r := range of {
			log += gain(r)
			m.count(r.Outcome)
			overall.count(r.Outcome)
		}
		log /= float64(len(of))
		m.Percent = percentOf(log)
		logs += log
		all = append(all, m)
	}
	overall.Percent = percentOf(logs / float64(len(all)))
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
