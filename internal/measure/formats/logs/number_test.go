package logs

import (
	"math"
	"testing"
)

func FuzzParseNumber(f *testing.F) {
	for _, text := range []string{"1", "-1.5e3", ".5", "1e309", "nan", "0x1p3", "1_000", "1,5", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := Number(text)
		if err == nil && (math.IsNaN(value) || math.IsInf(value, 0)) {
			t.Fatalf("%q became %v", text, value)
		}
	})
}
