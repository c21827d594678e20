package pack

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestPackedParts: parts come back as they were, however each was sampled.
func TestPackedParts(t *testing.T) {
	part := func(value, spread v1alpha1.Decimal, samples int32) v1alpha1.PartValue {
		return v1alpha1.PartValue{Value: value, Spread: spread, Samples: samples}
	}
	for sentence, parts := range map[string][]v1alpha1.PartValue{
		"none":                    {},
		"one without a number":    {{}},
		"all alike":               {part("1", "0.1", 3), part("2", "0.2", 3), part("3", "0.3", 3)},
		"spreads here and there":  {part("1", "", 3), part("2", "0.2", 3), part("3", "", 3), part("", "0.5", 3)},
		"each as often as it can": {part("1", "0.1", math.MinInt32), part("2", "0.2", math.MaxInt32), part("3", "", -1), part("4", "", 0)},
		"texts":                   {part("NaN", "?", 1), part("", "", 1), part("1.", "-0", 2)},
	} {
		packed := string(appendParts(nil, parts))
		got, rest := body{&layout{parts: len(parts)}, packed + "after"}.unpack()
		if diff := cmp.Diff(parts, got); diff != "" || rest != "after" {
			t.Errorf("%s: %q is left (-before +after):\n%s", sentence, rest, diff)
		}
	}
}

// TestPartsThatWereSampledAlike: what is sampled beside a program has no spread, and takes no more bytes than its values.
func TestPartsThatWereSampledAlike(t *testing.T) {
	parts := make([]v1alpha1.PartValue, 40)
	for i := range parts {
		parts[i] = v1alpha1.PartValue{Value: "700.1", Samples: 20}
	}
	if n := len(appendParts(nil, parts)); n > 45 {
		t.Errorf("40 parts with the same value take %d bytes, expected at most 45", n)
	}
}
