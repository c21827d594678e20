package verdict

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// apiDigits of a number that the API shows and nothing is computed from.
	apiDigits = 6
	// boundDigits of a number that a later measurement is compared with.
	boundDigits = 9
)

// reading says what was measured, what the rule that objected expected (the zero rule: none did), and how the value compares
// otherwise: "gpu3 (GPU-4bce) hbmTriad 3.61 TB/s: 75% of peak 4.814 TB/s, expected at least 88%; 17.6% below the fleet median of
// 4.38 TB/s".
func reading(s *subject, r rule, bound float64) string {
	scale := quantity.NewScale(s.metric.Unit, s.value, bound)
	var comparisons []string
	if r.compare != nil {
		comparisons = append(comparisons, r.compare(s, bound, scale))
	}
	if percent, ok := s.percentOfPeak(); ok && r.name != ruleFractionOfPeak {
		comparisons = append(comparisons, message.OfPeak(percent, s.peak.value, scale))
	}
	if d, with, ok := s.besides(); ok && r.name != ruleFleetDeviation {
		comparisons = append(comparisons, message.Beside(d, with.center, with.with, scale))
	} else if !ok && s.peak.reached > 0 {
		comparisons = append(comparisons, message.HealthyReach(s.peak.reached, scale))
	}
	if text := s.context(); text != "" && r.name != "" {
		comparisons = append(comparisons, text)
	}
	return message.Reading(s.at, uuids(s.place, s.devices), s.metric.Name, s.value, scale, comparisons...)
}

// uuids of the GPUs that a part names.
func uuids(p place, devices []v1alpha1.Device) []string {
	var all []string
	for _, index := range p.gpus {
		for i := range devices {
			if devices[i].Index == index && devices[i].UUID != "" {
				all = append(all, devices[i].UUID)
			}
		}
	}
	return all
}

// percentOfPeak is the share of the peak that the value reaches; for a metric that is better lower, of which the peak
// is the least possible, the share that the peak is of the value.
func (s *subject) percentOfPeak() (float64, bool) {
	if s.noPeak != "" {
		return 0, false
	}
	return s.percentOf(s.peak.value)
}

func (s *subject) percentOf(whole float64) (float64, bool) {
	if s.better() == v1alpha1.Lower {
		return ratio(100*whole, s.value)
	}
	return ratio(100*s.value, whole)
}

// fromFleet is the deviation from the median of other nodes in percent.
func (s *subject) fromFleet() (float64, bool) {
	if s.peers == nil || !s.peers.hasOthers() {
		return 0, false
	}
	return deviation(s.value, s.peers.center)
}

// besides is the deviation in percent from other nodes, or else from the other like parts of its own.
func (s *subject) besides() (percent float64, with comparison, ok bool) {
	switch {
	case s.peers == nil:
		return 0, comparison{}, false
	case s.peers.hasOthers():
		with = s.peers.whole()
	case s.peers.hasOwn():
		with = s.peers.amongOwn(s.value)
	}
	percent, ok = deviation(s.value, with.center)
	return percent, with, ok
}

// deviation of a value from a centre in percent of the centre's size.
func deviation(value, center float64) (float64, bool) {
	return ratio(100*(value-center), math.Abs(center))
}

// ratio is a / b, unless there is none.
func ratio(a, b float64) (float64, bool) {
	r := a / b
	if b == 0 || math.IsInf(r, 0) || math.IsNaN(r) {
		return 0, false
	}
	return r, true
}
