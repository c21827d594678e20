package history

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/report"
)

// historyOf a node among others: that which its NodeValidation names, or else the last.
func historyOf(v *v1alpha1.NodeValidation, all []v1alpha1.NodeHistory) (found *v1alpha1.NodeHistory) {
	for h := range list.Each(all) {
		if h.Name != v.Name || h.NodeUID != v.Fingerprint.NodeUID {
			continue
		}
		found = h
		if is := v.NodeHistory; is != nil && is.UID == h.UID && is.Generation == h.Generation {
			return h
		}
	}
	return found
}

type key struct{ benchmark, configuration, metric, identity, unit string }

type runBenchmark struct {
	run       types.UID
	benchmark string
}

type builder struct {
	node   string
	series map[key]*Series
	order  []key
	// kept are the runs whose own values are known.
	kept map[runBenchmark]bool
}

// of a part: its series, new where there is none, and what to multiply a value by.
func (b *builder) of(k key) (s *Series, factor float64) {
	unit := k.unit
	k.unit = ""
	if s = b.series[k]; s != nil {
		if f, ok := quantity.Factor(unit, s.Unit); ok {
			return s, f
		}
		k.unit = unit // in a unit that says something else, it is another series
		if s = b.series[k]; s != nil {
			return s, 1
		}
	}
	s = &Series{Benchmark: k.benchmark, Metric: k.metric, Unit: unit, Configuration: k.configuration}
	b.series[k] = s
	b.order = append(b.order, k)
	return s, 1
}

// addRun adds what its result has of the node.
func (b *builder) addRun(r *export.Run) {
	for v := range list.Each(r.Results) {
		if v.Group != nil || v.Node.Name != b.node {
			continue
		}
		for of, a := range export.Attempts(v) {
			b.addAttempt(r, of, a)
		}
	}
}

func (b *builder) addAttempt(r *export.Run, of *v1alpha1.BenchmarkResult, a *v1alpha1.Attempt) {
	ids := part.NewIdentities(a.Devices)
	for m := range export.Numbers(a.Measurements) {
		s, factor := b.of(key{of.Name, a.Configuration, m.Name, ids.Of(m.At), m.Unit})
		s.At, s.UUIDs = m.At, part.UUIDs(m.At, a.Devices)
		s.Points = append(s.Points, Point{Time: timeOf(r, a), Cluster: r.Cluster, Run: r.Run.Name, RunUID: string(r.Run.UID),
			Attempt: int(a.Number), Value: m.Value * factor, Verdict: of.Verdict, Broken: broken(of, m.Name, m.At)})
		b.kept[runBenchmark{r.Run.UID, of.Name}] = true
	}
}

// broken says whether a rule that fails a benchmark names a part of a metric, or the node as a whole.
func broken(of *v1alpha1.BenchmarkResult, metric, at string) bool {
	return slices.ContainsFunc(of.Findings, func(f v1alpha1.Finding) bool {
		return (f.Verdict == v1alpha1.VerdictFail || f.Verdict == v1alpha1.VerdictMissing) &&
			(f.Metric == metric || f.Metric == "") && (f.At == at || f.At == "")
	})
}

// timeOf an attempt: as the node's history dates it, or else when the run was created.
func timeOf(r *export.Run, a *v1alpha1.Attempt) time.Time {
	return cmp.Or(a.LaunchTime, a.StartTime, a.EndTime, &r.Run.CreationTimestamp).UTC()
}

// finish puts the series in order, and their points.
func (b *builder) finish() History {
	h := History{Schema: Schema, Node: b.node, Series: []Series{}}
	for _, k := range b.order {
		s := b.series[k]
		if len(s.Points) == 0 {
			continue
		}
		slices.SortStableFunc(s.Points, func(x, y Point) int { return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.Attempt, y.Attempt)) })
		h.Series = append(h.Series, *s)
	}
	slices.SortStableFunc(h.Series, func(x, y Series) int {
		return cmp.Or(cmp.Compare(x.Benchmark, y.Benchmark), cmp.Compare(x.Metric, y.Metric), report.CompareNatural(x.At, y.At),
			x.Last().Time.Compare(y.Last().Time))
	})
	return h
}
