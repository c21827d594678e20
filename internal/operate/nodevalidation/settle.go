package nodevalidation

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// forgetOldest leaves the ring's first run. A pass that no full baseline has seen is gone with it.
func (p *partRing) forgetOldest(runs []v1alpha1.PassingRun) {
	whole, gone := p.whole(), p.values[0] != ""
	p.values = p.values[1:]
	if gone && p.passes < past.BaselinePasses {
		p.passes--
		p.settle(runs, whole)
	}
}

// settle takes the baseline from the ring for as long as that is whole, so that the order in which runs are judged makes no difference.
func (p *partRing) settle(runs []v1alpha1.PassingRun, whole bool) {
	if !whole {
		return
	}
	var first []float64
	for i, v := range p.values {
		value, ok := quantity.ParseDecimal(v)
		if !ok || len(first) == past.BaselinePasses {
			continue
		}
		if len(first) == 0 {
			p.since = runs[i].Time
		}
		first = append(first, value)
	}
	p.baseline = quantity.Decimal(stat.Median(first), baselineDigits)
}

// history is the ring as the API has it. What the newest run measured comes first, and stays where there is too much.
func (r *ring) history() v1alpha1.PassHistory {
	h := v1alpha1.PassHistory{Configuration: r.configuration, Runs: abbreviate(r.runs), Devices: r.devices}
	ids := part.NewIdentities(r.devices)
	for _, m := range r.metrics {
		mh := v1alpha1.MetricHistory{Metric: m.name, Unit: m.unit}
		for _, p := range m.parts {
			first := slices.IndexFunc(p.values, func(v v1alpha1.Decimal) bool { return v != "" })
			if first < 0 {
				continue
			}
			part := v1alpha1.PartHistory{At: p.at, Baseline: p.baseline, Passes: int32(p.passes), Since: p.since, Recent: past.RecentOf(p.values[first:])}
			if p.values[len(p.values)-1] == "" || ids.Of(p.at) != p.id {
				part.Identity = p.id
			}
			if len(part.Identity) <= maxIdentity {
				mh.Parts = append(mh.Parts, part)
			}
		}
		slices.SortFunc(mh.Parts, func(a, b v1alpha1.PartHistory) int {
			return cmp.Or(cmp.Compare(a.Identity, b.Identity), cmp.Compare(a.At, b.At))
		})
		if mh.Parts = mh.Parts[:min(len(mh.Parts), maxParts)]; len(mh.Parts) > 0 {
			h.Metrics = append(h.Metrics, mh)
		}
	}
	slices.SortFunc(h.Metrics, func(a, b v1alpha1.MetricHistory) int { return cmp.Compare(a.Metric, b.Metric) })
	h.Metrics = h.Metrics[:min(len(h.Metrics), maxMetrics)]
	shareSince(&h)
	boundRing(&h)
	return h
}

// shareSince writes the time at which most parts began once, not at each of them.
func shareSince(h *v1alpha1.PassHistory) {
	var parts []*v1alpha1.PartHistory
	for m := range list.Each(h.Metrics) {
		parts = slices.AppendSeq(parts, list.Each(m.Parts))
	}
	for _, p := range parts {
		if h.Since.IsZero() || p.Since.Before(&h.Since) {
			h.Since = p.Since
		}
	}
	for _, p := range parts {
		if p.Since.Equal(&h.Since) {
			p.Since = metav1.Time{}
		}
	}
}
