package nodevalidation

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// Bounds of the API.
const (
	maxMetrics  = 32
	maxParts    = 1024
	maxIdentity = 256
)

const (
	// valueDigits of a value in a ring, baselineDigits of a baseline.
	valueDigits    = 6
	baselineDigits = 9
)

// ring is a PassHistory in the making.
type ring struct {
	configuration string
	runs          []v1alpha1.PassingRun
	devices       []v1alpha1.Device
	metrics       []metricRing
}

type metricRing struct {
	name, unit string
	parts      []*partRing
	byID       map[string]*partRing // once somebody asks
}

// partRing has one value per run of the ring, empty where the run did not measure it.
type partRing struct {
	id, at   string
	baseline v1alpha1.Decimal
	passes   int
	since    metav1.Time
	values   []v1alpha1.Decimal
}

func ringOf(h *v1alpha1.PassHistory) *ring {
	r := &ring{configuration: h.Configuration, runs: past.SpellOut(h.Runs), devices: h.Devices}
	ids := part.NewIdentities(h.Devices)
	for _, m := range h.Metrics {
		mr := metricRing{name: m.Metric, unit: m.Unit}
		for _, p := range m.Parts {
			part := &partRing{id: p.Identity, at: p.At, baseline: p.Baseline, passes: int(p.Passes), since: metav1.NewTime(past.Since(h, &p)),
				values: make([]v1alpha1.Decimal, len(r.runs))}
			if part.id == "" {
				part.id = ids.Of(p.At)
			}
			recent := past.Recent(&p)
			copy(part.values[max(0, len(r.runs)-len(recent)):], recent)
			mr.parts = append(mr.parts, part)
		}
		r.metrics = append(r.metrics, mr)
	}
	return r
}

// remove a run that did not pass after all.
func (r *ring) remove(k int) {
	r.runs = slices.Delete(r.runs, k, k+1)
	r.eachPart(func(p *partRing) {
		whole, gone := p.whole(), p.values[k] != ""
		p.values = slices.Delete(p.values, k, k+1)
		if gone {
			p.passes--
		}
		p.settle(r.runs, whole)
	})
}

// insert a run at the place of its time.
func (r *ring) insert(run v1alpha1.PassingRun, a *v1alpha1.Attempt, metrics []v1alpha1.Metric) {
	ids := part.NewIdentities(a.Devices)
	r.put(run, a.Devices, func(k int) {
		for i := range metrics {
			r.measure(k, ids, &metrics[i], a)
		}
	})
}

// absorb the runs of another ring of the same configuration.
func (r *ring) absorb(other *ring) {
	for i, run := range other.runs {
		if slices.ContainsFunc(r.runs, func(o v1alpha1.PassingRun) bool { return o.RunUID == run.RunUID }) {
			continue
		}
		r.put(run, other.devices, func(k int) {
			for _, m := range other.metrics {
				mr := r.metric(&v1alpha1.Metric{Name: m.name, Unit: m.unit})
				factor, ok := quantity.Factor(m.unit, mr.unit)
				for _, p := range m.parts {
					if value, known := quantity.ParseDecimal(p.values[i]); ok && known {
						mr.reach(k, len(r.runs), p.id, p.at, value*factor)
					}
				}
			}
		})
	}
}

// put a run at the place of its time, with what fill says of it. One that is older than all of a full ring stays out of it.
func (r *ring) put(run v1alpha1.PassingRun, devices []v1alpha1.Device, fill func(k int)) {
	k := slices.IndexFunc(r.runs, func(o v1alpha1.PassingRun) bool { return later(o.Time, o.RunUID, run.Time, run.RunUID) })
	if k < 0 {
		k = len(r.runs)
	}
	if len(r.runs) == maxHistory && k == 0 {
		return
	}
	newest := k == len(r.runs)
	r.runs = slices.Insert(r.runs, k, run)
	wholes := map[*partRing]bool{}
	r.eachPart(func(p *partRing) {
		wholes[p] = p.whole()
		p.values = slices.Insert(p.values, k, "")
	})
	fill(k)
	if newest {
		r.devices = slices.Clone(firstOf(devices, maxDevices))
	}
	r.eachPart(func(p *partRing) {
		whole, known := wholes[p]
		p.settle(r.runs, whole || !known)
	})
	if len(r.runs) > maxHistory {
		r.runs = r.runs[1:]
		r.eachPart(func(p *partRing) { p.forgetOldest(r.runs) })
	}
}

// measure puts what the parts of a metric reached in run k into the ring.
func (r *ring) measure(k int, ids part.Identities, m *v1alpha1.Metric, a *v1alpha1.Attempt) {
	if attempt.Measurement(a, m.Name) == nil {
		return
	}
	mr := r.metric(m)
	for _, v := range attempt.Values(a, &v1alpha1.Metric{Name: m.Name, Unit: mr.unit}) {
		mr.reach(k, len(r.runs), ids.Of(v.At), v.At, v.Value)
	}
}

// reach a value in run k of so many. A program that names a part twice is not believed the second time.
func (m *metricRing) reach(k, runs int, id, at string, value float64) {
	if m.byID == nil {
		m.byID = make(map[string]*partRing, len(m.parts))
		for _, p := range m.parts {
			m.byID[p.id] = p
		}
	}
	p := m.byID[id]
	if p == nil {
		p = &partRing{id: id, values: make([]v1alpha1.Decimal, runs)}
		m.byID[id], m.parts = p, append(m.parts, p)
	}
	if p.values[k] != "" {
		return
	}
	p.values[k] = quantity.Decimal(value, valueDigits)
	p.passes++
	if !slices.ContainsFunc(p.values[k+1:], func(v v1alpha1.Decimal) bool { return v != "" }) {
		p.at = at
	}
}

// metric of the ring, new where it is not known, or known in a unit that says something else.
func (r *ring) metric(m *v1alpha1.Metric) *metricRing {
	i := slices.IndexFunc(r.metrics, func(mr metricRing) bool { return mr.name == m.Name })
	if i < 0 {
		r.metrics = append(r.metrics, metricRing{name: m.Name, unit: m.Unit})
		i = len(r.metrics) - 1
	} else if _, alike := quantity.Factor(m.Unit, r.metrics[i].unit); !alike {
		r.metrics[i] = metricRing{name: m.Name, unit: m.Unit}
	}
	return &r.metrics[i]
}

func (r *ring) eachPart(visit func(*partRing)) {
	for _, m := range r.metrics {
		for _, p := range m.parts {
			visit(p)
		}
	}
}

// whole: the ring still has all values of the part.
func (p *partRing) whole() bool {
	return list.Count(p.values, func(v v1alpha1.Decimal) bool { return v != "" }) == p.passes
}
