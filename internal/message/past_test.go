package message

import (
	"time"

	"github.com/assay-dev/assay/internal/quantity"
)

func init() {
	scale, since := quantity.NewScale("GB/s", 4310, 4360), time.Date(2026, 10, 2, 8, 0, 0, 0, time.UTC)
	samples = append(samples,
		sample{"OffBaseline", OffBaseline(-1.2, 4360, 5, since, -0.5, scale)},
		sample{"OffBaseline", OffBaseline(2.04, 4360, 5, since, 2, scale)},
		sample{"OffRecentPasses", OffRecentPasses(-1.2, 4360, 10, -0.5, scale)},
		sample{"Drifts", Drifts(-0.9, 4360, 4, since, false, scale)},
		sample{"Drifts", Drifts(-0.9, 4360, 1, since, true, scale)},
		sample{"DriftsBy", DriftsBy(0.21, since)},
		sample{"Warned", Warned("hbm", DriftsBy(0.2, since), 0)},
		sample{"Warned", Warned("hbm", DriftsBy(0.2, since), 2)},
		sample{"Unstable", Unstable("gpu3", []string{"GPU-4bce"}, []string{"hbmTriad"}, 3, 10, since)},
		sample{"Unstable", Unstable("", nil, []string{"dgemm", "triad"}, 4, 10, since)},
		sample{"TooFewPasses", TooFewPasses(1, 3)},
	)
}
