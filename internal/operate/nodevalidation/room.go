package nodevalidation

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
)

// Programs name parts and checks as they like. So the rules that an entry holds, and what a run convicts of, have bounds of bytes and number that no
// program can use up for others.
const (
	maxHeldBytes       = 16 << 10
	maxKindBytes       = 1 << 10 // of one rule
	maxConvictionBytes = 192 << 10
	maxOfOneRun        = 16 // convictions by one benchmark
)

// mostHeld are the rules that an entry has room for, and how many more there are: those by which the node stands convicted first, then that the
// data was right as a whole, then what the Benchmark asks. Data checks have names of the program's own.
func mostHeld(held []v1alpha1.HeldRule, convicted []v1alpha1.Conviction) (kept []v1alpha1.HeldRule, more int32) {
	rank := func(r *v1alpha1.HeldRule) int {
		switch {
		case slices.ContainsFunc(convicted, func(c v1alpha1.Conviction) bool { return c.Metric == r.Metric && c.Rule == r.Rule }):
			return 0
		case r.Rule == term.DataCheck && r.Metric == "":
			return 1
		case r.Rule != term.DataCheck:
			return 2
		}
		return 3
	}
	if len(held) <= maxHeld && list.Sum(held, sizeOfHeld) <= maxHeldBytes {
		return held, 0
	}
	kept = slices.Clone(held)
	slices.SortStableFunc(kept, func(a, b v1alpha1.HeldRule) int { return rank(&a) - rank(&b) })
	size := 0
	for i := range kept {
		kept[i].Kinds = fewKinds(kept[i].Kinds)
		if size += sizeOfHeld(&kept[i]); i == maxHeld || size > maxHeldBytes {
			return kept[:i], int32(len(held) - i)
		}
	}
	return kept, 0
}

// fewKinds for which there is room. A kind that is left out is judged by the worst of all.
func fewKinds(kinds []v1alpha1.HeldValue) []v1alpha1.HeldValue {
	size := 0
	for i := range kinds {
		if size += bytesPerValue + quoted(kinds[i].Kind) + len(kinds[i].Value); size > maxKindBytes {
			return slices.Clip(kinds[:i])
		}
	}
	return kinds
}

// Listed are the convictions of one run that are kept: the first by each benchmark, the worst of which comes first, and how many more there are.
func Listed(own []v1alpha1.Conviction) []v1alpha1.Conviction {
	last, counts := map[string]int{}, map[string]int{}
	var kept []v1alpha1.Conviction
	for _, c := range own {
		if counts[c.Benchmark]++; counts[c.Benchmark] > maxOfOneRun {
			kept[last[c.Benchmark]].More++
			continue
		}
		kept, last[c.Benchmark] = append(kept, c), len(kept)
	}
	return kept
}

// newestConvictions are those that there is room for. None is left out for an older one.
func newestConvictions(all []v1alpha1.Conviction) []v1alpha1.Conviction {
	if len(all) <= maxConvictions && list.Sum(all, sizeOfConviction) <= maxConvictionBytes {
		return all
	}
	slices.SortStableFunc(all, func(a, b v1alpha1.Conviction) int { return inOrder(b.MeasuredAt, b.Run.UID, a.MeasuredAt, a.Run.UID) })
	size := 0
	for i := range all {
		if size += sizeOfConviction(&all[i]); i == maxConvictions || size > maxConvictionBytes {
			return all[:i]
		}
	}
	return all
}

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
