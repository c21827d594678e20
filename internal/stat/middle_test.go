package stat

import (
	"math/rand/v2"
	"testing"
)

// TestMiddle: it is the median, whatever order and ties the values have.
func TestMiddle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		values := make([]float64, r.IntN(12))
		for i := range values {
			values[i] = float64(r.IntN(8)) / 3
		}
		want := Median(values)
		if got := Middle(values); got != want {
			t.Fatalf("the middle of %v is %v, want %v", values, got, want)
		}
	}
}
