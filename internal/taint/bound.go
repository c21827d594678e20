package taint

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Bounds of our own, so that what is known of a node fits into one object, which etcd takes up to 1.5 MiB. One ring has at most half of
// what all have, or one benchmark with many parts would wipe out all others.
const (
	maxRingParts = 2048
	maxRingBytes = maxNodeBytes / 2
	maxNodeBytes = 512 << 10
	bytesPerPart = 60 // of JSON beside its texts, as for a run and a device
)

// boundPasses forgets rings, the one measured longest ago first, until those of all benchmarks fit into one object.
func boundPasses(nv *v1alpha1.NodeValidation) {
	size := 0
	for i := range nv.Benchmarks {
		for k := range nv.Benchmarks[i].Passes {
			size += sizeOf(&nv.Benchmarks[i].Passes[k])
		}
	}
	for size > maxNodeBytes {
		var oldest *v1alpha1.BenchmarkHistory
		for i := range nv.Benchmarks {
			if h := &nv.Benchmarks[i]; len(h.Passes) > 0 && (oldest == nil || byNewestRun(h.Passes[0], oldest.Passes[0]) < 0) {
				oldest = h
			}
		}
		size -= sizeOf(&oldest.Passes[0])
		oldest.Passes = slices.Delete(oldest.Passes, 0, 1)
	}
}

// boundRing drops parts of the metrics that have most, until the ring is as small as one may be.
func boundRing(h *v1alpha1.PassHistory) {
	for most := maxRingParts; ; most /= 2 {
		shareParts(h, most)
		if sizeOf(h) <= maxRingBytes || most == 0 {
			return
		}
	}
}

// shareParts leaves so many parts to the metrics of a ring: what small ones do not need, large ones have.
func shareParts(h *v1alpha1.PassHistory, left int) {
	metrics := make([]*v1alpha1.MetricHistory, len(h.Metrics))
	for i := range metrics {
		metrics[i] = &h.Metrics[i]
	}
	slices.SortStableFunc(metrics, func(a, b *v1alpha1.MetricHistory) int { return cmp.Compare(len(a.Parts), len(b.Parts)) })
	for i, m := range metrics {
		share := min(len(m.Parts), left/(len(metrics)-i))
		m.Parts, left = slices.Clip(m.Parts[:share]), left-share
	}
	h.Metrics = slices.DeleteFunc(h.Metrics, func(m v1alpha1.MetricHistory) bool { return len(m.Parts) == 0 })
}

// sizeOf a ring: about as many bytes as its JSON has.
func sizeOf(h *v1alpha1.PassHistory) (bytes int) {
	for i := range h.Runs {
		bytes += len(h.Runs[i].RunUID) + len(h.Runs[i].Driver) + len(h.Runs[i].Kernel) + bytesPerPart
	}
	for i := range h.Devices {
		bytes += len(h.Devices[i].UUID) + len(h.Devices[i].Product) + bytesPerPart
	}
	for _, m := range h.Metrics {
		for i := range m.Parts {
			bytes += len(m.Parts[i].At) + len(m.Parts[i].Identity) + len(m.Parts[i].Recent) + bytesPerPart
		}
	}
	return bytes
}
