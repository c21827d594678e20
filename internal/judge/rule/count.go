package rule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/quantity"
)

// speaksForItself says whether a metric counts which other devices each device reaches, and needs nothing to be compared with: either all
// reach all, so that there is no more to reach, or there is nothing to count and a profile says that this is right. A metric that depends on
// it says that it counts devices, and nothing else of which there might be as many: it is measured on each pair.
func (r *Set) speaksForItself(m *v1alpha1.Metric, a *v1alpha1.Attempt, peaks peak.Peaks) bool {
	count := attempt.Measurement(a, m.Name)
	if count == nil || len(count.Parts) == 0 {
		return false
	}
	counts, absent, pairs, devices := false, true, false, devicesOf(a)
	for i := range r.metrics {
		d := &r.metrics[i]
		if d.DependsOn != m.Name {
			continue
		}
		_, excused := nothingToMeasure(d, a, peaks)
		counts, absent = true, absent && excused
		pairs = pairs || onEachPair(attempt.Measurement(a, d.Name), devices)
	}
	return counts && (absent || pairs && devices > 1 && len(count.Parts) == devices && isEverywhere(count, devices-1))
}

// devicesOf an attempt: those that the program saw, or as many as its node offered if these are more. What a program does not see is not excused.
func devicesOf(a *v1alpha1.Attempt) int {
	if a.Machine == nil {
		return len(a.Devices)
	}
	text, _, _ := strings.Cut(a.Machine.Devices, " ") // "8 x NVIDIA-H200"
	offered, _ := strconv.Atoi(text)
	return max(offered, len(a.Devices))
}

// onEachPair says whether a metric was measured on all pairs of devices, in one direction at least.
func onEachPair(m *v1alpha1.Measurement, devices int) bool {
	if m == nil {
		return false
	}
	pairs := map[[2]string]bool{}
	for i := range m.Parts {
		if from, to, ok := strings.Cut(m.Parts[i].At, "->"); ok {
			from = strings.TrimSuffix(from, "<") // of both directions at once
			pairs[[2]string{min(from, to), max(from, to)}] = true
		}
	}
	return len(pairs) == devices*(devices-1)/2
}

// isEverywhere says whether a measurement is n at every part.
func isEverywhere(m *v1alpha1.Measurement, n int) bool {
	return !slices.ContainsFunc(m.Parts, func(p v1alpha1.PartValue) bool {
		v, ok := quantity.ParseDecimal(p.Value)
		return !ok || v != float64(n)
	})
}

// nothingToMeasure says whether a metric may be absent because what it is measured on is not there: the program counted 0 of it, and the node offers
// a single device, which has no other to be linked with, or by its profiles the hardware has none. why also says what speaks against that; empty where
// the metric depends on nothing.
func nothingToMeasure(m *v1alpha1.Metric, a *v1alpha1.Attempt, peaks peak.Peaks) (why string, excused bool) {
	count := attempt.Measurement(a, m.DependsOn)
	if m.DependsOn == "" || count == nil || len(count.Parts) == 0 || !isEverywhere(count, 0) {
		return "", false
	}
	kind := part.Kind(count.Parts[0].At)
	if devicesOf(a) == 1 && len(count.Parts) == 1 {
		return countIsZero(m.DependsOn, kind) + ", which is the only one", true
	}
	switch profile := peaks.Giving(m.Peak); {
	case profile != "":
		return fmt.Sprintf("%s, although HardwareProfile %s has the peak %s", countIsZero(m.DependsOn, kind), profile, m.Peak), false
	case !peaks.Describe(kind):
		return countIsZero(m.DependsOn, kind) + ", and no HardwareProfile of this node says whether that is right", false
	}
	return countIsZero(m.DependsOn, kind), true
}
