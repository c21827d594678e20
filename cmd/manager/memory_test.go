package main

import (
	"math"
	"testing"
)

func TestSoftLimit(t *testing.T) {
	const mb = 1 << 20
	for sentence, c := range map[string]struct {
		live uint64
		most int64
		want int64
	}{
		"a small cluster":                  {20 * mb, math.MaxInt64, leastMemory},
		"a large one":                      {100 * mb, math.MaxInt64, 150 * mb},
		"never beyond GOMEMLIMIT":          {400 * mb, 460 * mb, 460 * mb},
		"a GOMEMLIMIT below what is usual": {20 * mb, 64 * mb, 64 * mb},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := softLimit(c.live, c.most); got != c.want {
				t.Errorf("%d bytes, want %d", got, c.want)
			}
		})
	}
}
