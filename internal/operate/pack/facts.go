package pack

import (
	"encoding/binary"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// appendFacts packs those facts that differ from the known ones, which have the same names and parts: how many there are, and of each how
// many alike stand before it, and its value.
func appendFacts(to []byte, known, facts []v1alpha1.Fact) []byte {
	count, alike := uint64(0), 0
	var differing []byte
	for i := range facts {
		if facts[i].Value == known[i].Value {
			alike++
			continue
		}
		differing = appendMessage(binary.AppendUvarint(differing, uint64(alike)), facts[i].Value)
		count++
		alike = 0
	}
	return append(binary.AppendUvarint(to, count), differing...)
}

// cutFacts returns the facts that some packed ones begin with, and what follows them. They are the known ones themselves if none differs.
func cutFacts(from string, known []v1alpha1.Fact) (facts []v1alpha1.Fact, rest string) {
	count, used := uvarint(from)
	if rest = from[used:]; count == 0 {
		return known, rest
	}
	facts = slices.Clone(known)
	at := 0
	for range count {
		alike, used := uvarint(rest)
		at += int(alike)
		facts[at].Value, rest = cutMessage(rest[used:])
		at++
	}
	return facts, rest
}
