package message

import "github.com/assay-dev/assay/internal/quantity"

func init() {
	triad := Shifted{"hbmTriad", -5.02, -5.31, -4.8}
	driver := Update{"driver", "580.1", "580.2", 32}
	updated := Shift(triad, 32, 32, nil, []Update{driver})
	samples = append(samples,
		sample{"Shift", updated},
		sample{"Shift", Shift(triad, 30, 32, []Shifted{{"hbmCopy", -4.9, -5, -4.8}, {"hbmDot", 2, 1.9, 2.1}}, []Update{driver, {"kernel", "5.15.0-105", "5.15.0-107", 3}})},
		sample{"Shift", Shift(Shifted{"fp64", 3, 3, 3}, 4, 5, nil, nil)},
		sample{"Populations", Populations("hbmTriad", "gpu", 4310, 4380, 8, 24, quantity.NewScale("GB/s", 4310, 4380))},
		sample{"Populations", Populations("latency", "", 12, 10, 4, 4, quantity.NewScale("us", 10, 12))},
		sample{"WithWarning", WithWarning("32 nodes: 32 passed", updated, 1)},
		sample{"WithWarning", WithWarning("1 node: 1 passed", "a part drifts", 0)},
	)
}
