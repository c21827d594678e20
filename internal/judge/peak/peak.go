// Package peak knows the limits of a node's hardware, as profiles and its own inventory have them.
package peak

import (
	"fmt"
	"math"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Peaks are the theoretical limits of one node's hardware, and how many devices it has. The zero value knows none.
type Peaks struct {
	profiles []string // names, the most specific first; none: no profile is for this node
	byPart   map[[2]string]limit
	devices  map[string]count // by resource
	Fabric   *v1alpha1.Fabric // of the node, as its profiles have it; nil: none has
	accepted []v1alpha1.AcceptedLoss
}

// limit is a peak and the profile it is from.
type limit struct {
	v1alpha1.Peak
	profile string
}

// Giving names the profile that has a peak for any kind of part; empty for none.
func (p Peaks) Giving(name string) string {
	from := ""
	for key, l := range p.byPart {
		if key[0] == name && (from == "" || l.profile < from) {
			from = l.profile
		}
	}
	return from
}

// Accepted are the losses that an attempt at a metric is excused for; one without a time of its own comes after all.
func (p Peaks) Accepted(benchmark, metric string, launched *metav1.Time) []v1alpha1.AcceptedLoss {
	return list.Where(p.accepted, func(a v1alpha1.AcceptedLoss) bool {
		return a.Benchmark == benchmark && (a.Metric == "" || a.Metric == metric) && (launched == nil || !launched.Before(&a.Since))
	})
}

// Describe: the profiles have peaks of this kind of part.
func (p Peaks) Describe(kind string) bool {
	for key := range p.byPart {
		if key[1] == kind {
			return true
		}
	}
	return false
}

// Reference is a peak in a metric's unit.
type Reference struct {
	Value, Reached float64
	ClockMHz       float64 // at which value would be reached; 0: not known
}

// Find returns why there is no peak, as the end of a sentence.
func (p Peaks) Find(metric *v1alpha1.Metric, kind string) (Reference, string) {
	if metric.Peak == "" {
		return Reference{}, "the metric names no peak"
	}
	if p.profiles == nil {
		return Reference{}, "no HardwareProfile of this node has peak " + metric.Peak
	}
	peak, ok := p.byPart[[2]string{metric.Peak, kind}]
	if !ok {
		peak, ok = p.byPart[[2]string{metric.Peak, ""}]
	}
	if !ok {
		have := "HardwareProfile " + p.profiles[0] + " of this node has"
		if len(p.profiles) > 1 {
			have = "HardwareProfiles " + message.Names(p.profiles) + " of this node have"
		}
		return Reference{}, fmt.Sprintf("%s no peak %s for %s", have, metric.Peak, message.PartName(kind))
	}
	factor, ok := quantity.Factor(peak.Unit, metric.Unit)
	if !ok {
		return Reference{}, fmt.Sprintf("peak %s of HardwareProfile %s is in %s, the metric in %s; correct one of them", metric.Peak, peak.profile,
			peak.Unit, metric.Unit)
	}
	value, ok := quantity.ParseDecimal(peak.Value)
	if !ok || value <= 0 {
		return Reference{},
			fmt.Sprintf("peak %s of HardwareProfile %s is %q, which is not a positive number", metric.Peak, peak.profile, string(peak.Value))
	}
	reached, _ := quantity.ParseDecimal(peak.Reached)
	return Reference{Value: value * factor, Reached: max(0, reached) * factor, ClockMHz: float64(peak.ClockMHz)}, ""
}

// count of devices that a profile gives.
type count struct {
	devices int64
	profile string
}

// Devices of a resource that the node has by its profiles, and the profile that says so; empty: none does.
func (p Peaks) Devices(resource string) (devices int64, profile string) {
	c := p.devices[resource]
	return c.devices, c.profile
}

// Group are the peaks of several nodes together: arithmetic adds up over the nodes, a link is as fast as that of the
// slowest of them. A peak that one node lacks is not known for the group.
func Group(nodes []Peaks) Peaks {
	if len(nodes) == 0 || nodes[0].profiles == nil {
		return Peaks{}
	}
	out := Peaks{profiles: nodes[0].profiles, byPart: map[[2]string]limit{}}
	for key, first := range nodes[0].byPart {
		if peak, ok := groupPeak(nodes, key, first); ok {
			out.byPart[key] = peak
		}
	}
	return out
}

func groupPeak(nodes []Peaks, key [2]string, first limit) (limit, bool) {
	combine := math.Min
	switch {
	case strings.HasSuffix(first.Unit, "FLOP/s"):
		combine = func(a, b float64) float64 { return a + b }
	case quantity.IsTime(first.Unit):
		combine = math.Max // the longer one is the slower
	}
	value, reached, known := 0.0, 0.0, true
	for i, n := range nodes {
		peak, ok := n.byPart[key]
		factor, same := quantity.Factor(peak.Unit, first.Unit)
		v, isNumber := quantity.ParseDecimal(peak.Value)
		if !ok || !same || !isNumber {
			return limit{}, false
		}
		r, isNumber := quantity.ParseDecimal(peak.Reached)
		known = known && isNumber && r > 0
		if i == 0 {
			value, reached = v, r
			continue
		}
		value, reached = combine(value, v*factor), combine(reached, r*factor)
	}
	first.Value, first.Reached = quantity.Decimal(value, quantity.BoundDigits), ""
	if known {
		first.Reached = quantity.Decimal(reached, quantity.BoundDigits)
	}
	return first, true
}
