package history

import (
	"cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// addKnown adds what is kept of runs whose results are gone, and what is known of the parts. Without a history, that is the newest values.
func (b *builder) addKnown(v *v1alpha1.NodeValidation, h *v1alpha1.NodeHistory) {
	for state := range list.Each(v.Benchmarks) {
		of := h.Benchmark(state.Name)
		if of == nil {
			of = &v1alpha1.BenchmarkHistory{Name: state.Name, Entries: state.History}
		}
		for h := range list.Each(of.Passes) {
			b.addRing(of, h)
		}
		for e := range list.Each(of.Entries) {
			b.addEntry(of, e)
		}
		for w := range list.Each(state.Warnings) {
			b.warn(of.Name, w)
		}
	}
}

// addRing adds what each part reached in passing runs.
func (b *builder) addRing(of *v1alpha1.BenchmarkHistory, h *v1alpha1.PassHistory) {
	ids := part.NewIdentities(h.Devices)
	for m := range list.Each(h.Metrics) {
		for p := range list.Each(m.Parts) {
			id := cmp.Or(p.Identity, ids.Of(p.At))
			s, factor := b.of(key{of.Name, h.Configuration, m.Metric, id, m.Unit})
			if s.At == "" {
				s.At = p.At
				if p.Identity == "" {
					s.UUIDs = part.UUIDs(p.At, h.Devices)
				}
			}
			s.Passes = int(p.Passes)
			if baseline, ok := quantity.ParseDecimal(p.Baseline); ok {
				s.Baseline = new(baseline * factor)
			}
			if since := past.Since(h, p); !since.IsZero() {
				s.Since = new(since.UTC())
			}
			b.addRecent(of, s, h, p, factor)
		}
	}
}

func (b *builder) addRecent(of *v1alpha1.BenchmarkHistory, s *Series, h *v1alpha1.PassHistory, p *v1alpha1.PartHistory, factor float64) {
	recent := past.Recent(p)
	first := len(h.Runs) - len(recent)
	for i, text := range recent {
		value, ok := quantity.ParseDecimal(text)
		if !ok || first+i < 0 {
			continue
		}
		r := &h.Runs[first+i]
		if b.kept[runBenchmark{r.RunUID, of.Name}] {
			continue
		}
		p := Point{Time: r.Time.UTC(), RunUID: string(r.RunUID), Value: value * factor, Verdict: v1alpha1.VerdictPass}
		if e := list.First(of.Entries, func(e *v1alpha1.HistoryEntry) bool { return e.RunUID == r.RunUID }); e != nil {
			p.Run = e.Run
		}
		s.Points = append(s.Points, p)
	}
}

// addEntry adds the worst part's values of a run of which nothing else is kept: one that failed.
func (b *builder) addEntry(of *v1alpha1.BenchmarkHistory, e *v1alpha1.HistoryEntry) {
	if e.Verdict == v1alpha1.VerdictPass || b.kept[runBenchmark{e.RunUID, of.Name}] {
		return
	}
	for _, v := range e.Values {
		value, ok := quantity.ParseDecimal(v.Value)
		if !ok {
			continue
		}
		s, factor := b.of(key{of.Name, e.Configuration, v.Metric, worstPart, v.Unit})
		s.Points = append(s.Points, Point{Time: e.Time.UTC(), Run: e.Run, RunUID: string(e.RunUID), Value: value * factor, Verdict: e.Verdict})
	}
}

// worstPart is the identity of values of which it is not kept whose they are.
const worstPart = "\x00"

// warn of parts by the name that the operator calls them.
func (b *builder) warn(benchmark string, w *v1alpha1.Finding) {
	for _, s := range b.series {
		if s.Benchmark == benchmark && s.Metric == w.Metric && s.At == w.At {
			s.Warnings = append(s.Warnings, w.Message)
		}
	}
}
