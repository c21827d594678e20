package nodevalidation

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// One ring has at most half of the room, or one benchmark with many parts would wipe out all others.
const (
	maxRingParts = 2048
	maxRingBytes = maxHistoryBytes / 2
	bytesPerPart = 60 // of JSON beside its texts, as for a run and a device
)

// boundRing drops parts of the metrics that have most, until the ring is as small as one may be.
func boundRing(h *v1alpha1.PassHistory) {
	for most := maxRingParts; ; most /= 2 {
		shareParts(h, most)
		if sizeOfRing(h) <= maxRingBytes || most == 0 {
			return
		}
	}
}

// shareParts leaves so many parts to the metrics of a ring: what small ones do not need, large ones have.
func shareParts(h *v1alpha1.PassHistory, left int) {
	metrics := slices.Collect(list.Each(h.Metrics))
	slices.SortStableFunc(metrics, func(a, b *v1alpha1.MetricHistory) int { return cmp.Compare(len(a.Parts), len(b.Parts)) })
	for i, m := range metrics {
		share := min(len(m.Parts), left/(len(metrics)-i))
		m.Parts, left = slices.Clip(m.Parts[:share]), left-share
	}
	h.Metrics = slices.DeleteFunc(h.Metrics, func(m v1alpha1.MetricHistory) bool { return len(m.Parts) == 0 })
}

// sizeOfRing is about as many bytes as its JSON has.
func sizeOfRing(h *v1alpha1.PassHistory) (bytes int) {
	for i := range h.Runs {
		bytes += len(h.Runs[i].RunUID) + quoted(h.Runs[i].Driver) + quoted(h.Runs[i].Kernel) + bytesPerPart
	}
	for i := range h.Devices {
		bytes += quoted(h.Devices[i].UUID) + quoted(h.Devices[i].Product) + bytesPerPart
	}
	for _, m := range h.Metrics {
		bytes += quoted(m.Metric) + quoted(m.Unit) + bytesPerPart
		for i := range m.Parts {
			bytes += quoted(m.Parts[i].At) + quoted(m.Parts[i].Identity) + len(m.Parts[i].Baseline) + bytesPerPart
			for _, v := range m.Parts[i].Recent {
				bytes += len(v) + 3
			}
		}
	}
	return bytes + bytesPerPart
}
