package nodes

import (
	"cmp"
	"math"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/reader/report"
	"github.com/assay-dev/assay/internal/stat"
)

// expired: the node's proof is older than one of its policies allows.
func (f *fleetOf) expired(row *fleetNode) bool {
	for _, p := range f.policies {
		if valid := p.Spec.ValidForSeconds; valid != nil && slices.Contains(row.Policies, p.Name) &&
			f.now.Sub(*row.ProvedAt) > time.Duration(*valid)*time.Second {
			return true
		}
	}
	return false
}

// rows of all nodes, those that need somebody first.
func (f *fleetOf) rows() []*fleetNode {
	medians := f.medians()
	var all []*fleetNode
	for _, n := range f.nodes {
		if n.Worst == nil {
			n.Worst = f.furthestBehind(n, medians)
		}
		n.values = nil
		all = append(all, n)
	}
	for _, p := range f.policies { // what they say about nodes that need attention says what happens next
		for row := range list.Each(p.Status.Attention) {
			if n := f.nodes[row.Name]; n != nil {
				n.Message = row.Message
			}
		}
	}
	slices.SortFunc(all, func(a, b *fleetNode) int {
		return cmp.Or(cmp.Compare(slices.Index(states, a.State), slices.Index(states, b.State)), cmp.Compare(closed(b.Gated), closed(a.Gated)),
			ptr.Deref(a.ProvedAt, time.Time{}).Compare(ptr.Deref(b.ProvedAt, time.Time{})), report.CompareNatural(a.Name, b.Name))
	})
	return all
}

// medians of what like nodes reached; of fewer than four there is none.
func (f *fleetOf) medians() map[valueOf]float64 {
	values := map[valueOf][]float64{}
	for _, n := range f.nodes {
		for _, v := range n.values {
			values[v.of] = append(values[v.of], v.value)
		}
	}
	medians := map[valueOf]float64{}
	for key, all := range values {
		if len(all) >= 4 {
			medians[key] = stat.Median(all)
		}
	}
	return medians
}

// furthestBehind is the judged metric by which a node is furthest behind what is typical; nil where it is behind by none.
func (f *fleetOf) furthestBehind(n *fleetNode, medians map[valueOf]float64) (worst *worstValue) {
	for _, v := range n.values {
		m, typical := f.metrics[[2]string{v.of.benchmark, v.of.metric}], medians[v.of]
		if m == nil || !judged(m) || typical <= 0 {
			continue
		}
		w := &worstValue{Benchmark: v.of.benchmark, Metric: v.of.metric, Unit: v.of.unit, Value: &v.value, Typical: &typical}
		if w.fallsBehind(typical, m.Better == v1alpha1.Lower); *w.BehindPercent > 0 {
			worst = worse(worst, w)
		}
	}
	return worst
}

// fallsBehind notes by how many percent of a reference the value is worse; lower is better, or else higher.
func (w *worstValue) fallsBehind(reference float64, lower bool) {
	behind := 100 * (1 - *w.Value/reference)
	if lower {
		behind = -behind
	}
	w.BehindPercent = new(math.Round(10*behind) / 10)
}

// worse of two values: the one that is further behind.
func worse(a, b *worstValue) *worstValue {
	if a == nil || ptr.Deref(b.BehindPercent, 0) > ptr.Deref(a.BehindPercent, 0) {
		return b
	}
	return a
}
