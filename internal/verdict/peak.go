package verdict

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Peaks are the theoretical limits of one node's hardware. The zero value knows none.
type Peaks struct {
	profile string
	byPart  map[[2]string]v1alpha1.Peak // by name and kind of part
}

// SelectProfile finds the profile of a node with these labels: of those that match, the one with the most requirements,
// then the first by name. It is nil where none matches. A profile whose selector cannot be read is left out and
// reported in the error; the profile found among the others is still valid.
func SelectProfile(nodeLabels map[string]string, profiles []v1alpha1.HardwareProfile) (*v1alpha1.HardwareProfile, error) {
	var best *v1alpha1.HardwareProfile
	var errs []error
	for i := range profiles {
		p := &profiles[i]
		selector, err := metav1.LabelSelectorAsSelector(&p.Spec.NodeSelector)
		if err != nil {
			errs = append(errs, fmt.Errorf("reading nodeSelector of HardwareProfile %q: %w", p.Name, err))
			continue
		}
		if selector.Matches(labels.Set(nodeLabels)) && (best == nil || moreSpecific(p, best)) {
			best = p
		}
	}
	return best, errors.Join(errs...)
}

func moreSpecific(a, b *v1alpha1.HardwareProfile) bool {
	na, nb := requirements(a), requirements(b)
	return na > nb || na == nb && a.Name < b.Name
}

func requirements(p *v1alpha1.HardwareProfile) int {
	return len(p.Spec.NodeSelector.MatchLabels) + len(p.Spec.NodeSelector.MatchExpressions)
}

// NewPeaks takes the peaks of a profile; nil has none.
func NewPeaks(p *v1alpha1.HardwareProfile) Peaks {
	if p == nil {
		return Peaks{}
	}
	peaks := Peaks{profile: p.Name, byPart: make(map[[2]string]v1alpha1.Peak, len(p.Spec.Peaks))}
	for _, peak := range p.Spec.Peaks {
		peaks.byPart[[2]string{peak.Name, peak.At}] = peak
	}
	return peaks
}

// Lookup finds the peak of a metric at a part, in the metric's unit: that of the part's kind, else that of all parts.
// reached is what healthy hardware reaches, 0 where that is not known.
func (p Peaks) Lookup(metric v1alpha1.Metric, at string) (value, reached float64, source string, ok bool) {
	r, why := p.find(&metric, PartKind(at))
	return r.value, r.reached, r.source, why == ""
}

// reference is a peak in a metric's unit.
type reference struct {
	value, reached float64
	source         string
}

// find returns why there is no peak, in words that complete "not judged against peak: ".
func (p Peaks) find(metric *v1alpha1.Metric, kind string) (reference, string) {
	if metric.Peak == "" {
		return reference{}, "the metric names no peak"
	}
	if p.profile == "" {
		return reference{}, fmt.Sprintf("no HardwareProfile of this node has peak %s", metric.Peak)
	}
	peak, ok := p.byPart[[2]string{metric.Peak, kind}]
	if !ok {
		peak, ok = p.byPart[[2]string{metric.Peak, ""}]
	}
	if !ok {
		return reference{}, fmt.Sprintf("HardwareProfile %s of this node has no peak %s for %s", p.profile, metric.Peak, partName(kind))
	}
	factor, ok := conversion(peak.Unit, metric.Unit)
	if !ok {
		return reference{}, fmt.Sprintf("peak %s of HardwareProfile %s is in %s, the metric in %s", metric.Peak, p.profile, peak.Unit, metric.Unit)
	}
	value, ok := number(peak.Value)
	if !ok || value <= 0 {
		return reference{}, fmt.Sprintf("peak %s of HardwareProfile %s is %q, which is no positive number", metric.Peak, p.profile, peak.Value)
	}
	reached, _ := number(peak.Reached)
	return reference{value: value * factor, reached: max(0, reached) * factor, source: peak.Source}, ""
}
