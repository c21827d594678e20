package pack

import (
	"encoding/binary"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// sampling is how a part was sampled: how often, and whether it has a spread. Mostly that is the same of many parts in a row, and is
// packed once for them.
type sampling struct {
	samples int32
	spread  bool
}

func samplingOf(p v1alpha1.PartValue) sampling { return sampling{p.Samples, p.Spread != ""} }

// append how the next n parts were sampled.
func (s sampling) append(to []byte, n int) []byte {
	packed := 2 * int64(s.samples)
	if s.spread {
		packed++
	}
	return binary.AppendVarint(binary.AppendUvarint(to, uint64(n)), packed)
}

// cutSampling returns how the next n parts were sampled, and what follows it.
func cutSampling(from string) (s sampling, n int, rest string) {
	count, used := uvarint(from)
	from = from[used:]
	packed, used := varint(from)
	return sampling{samples: int32(packed >> 1), spread: packed&1 == 1}, int(count), from[used:]
}

// appendParts packs the numbers of parts.
func appendParts(to []byte, parts []v1alpha1.PartValue) []byte {
	var values, spreads series
	for len(parts) > 0 {
		s := samplingOf(parts[0])
		n := slices.IndexFunc(parts, func(p v1alpha1.PartValue) bool { return samplingOf(p) != s })
		if n < 0 {
			n = len(parts)
		}
		to = s.append(to, n)
		for i := range parts[:n] {
			to = values.append(to, string(parts[i].Value))
			if s.spread {
				to = spreads.append(to, string(parts[i].Spread))
			}
		}
		parts = parts[n:]
	}
	return to
}

// unpack the numbers of all parts, and what follows them. Their texts are one.
func (b body) unpack() (parts []v1alpha1.PartValue, rest string) {
	parts = make([]v1alpha1.PartValue, b.parts)
	ends := make([][2]int, b.parts)
	texts := make([]byte, 0, 4*len(b.numbers))
	rest = b.numbers
	var values, spreads series
	var s sampling
	alike := 0 // parts still to come that were sampled so
	for i := range parts {
		if alike == 0 {
			s, alike, rest = cutSampling(rest)
		}
		alike--
		texts, rest = values.cut(texts, rest)
		ends[i][0] = len(texts)
		if s.spread {
			texts, rest = spreads.cut(texts, rest)
		}
		ends[i][1] = len(texts)
		parts[i].Samples = s.samples
	}
	all, first := v1alpha1.Decimal(texts), 0
	for i := range parts {
		parts[i].Value, parts[i].Spread = all[first:ends[i][0]], all[ends[i][0]:ends[i][1]]
		first = ends[i][1]
	}
	return parts, rest
}
