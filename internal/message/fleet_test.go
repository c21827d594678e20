package message

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

func init() {
	scale := quantity.NewScale("GB/s", 3610, 4161)
	latency := quantity.NewScale("us", 2.4, 2.2)
	then := time.Date(2026, 11, 19, 22, 0, 0, 0, time.UTC)
	own := Peers{Kind: "gpu", Own: 7}
	fleet := Peers{Kind: "gpu", Nodes: 31, Parts: 248}
	known := func(nodes, known int) Peers {
		return Peers{Kind: "gpu->gpu", Nodes: nodes, Parts: 12 * nodes, Known: known, Oldest: then}
	}
	beyond := func(with Peers) string { return OffPeers(-17.6, 4380, with, v1alpha1.Higher, 4161, scale) }
	samples = append(samples,
		sample{"BesideFleet", BesideFleet(-17.6, 4380, scale)},
		sample{"BesideFleet", BesideFleet(0, 4380, scale)},
		sample{"Beside", Beside(-17.6, 4380, fleet, scale)},
		sample{"Beside", Beside(-17.6, 4380, own, scale)},
		sample{"Beside", Beside(0, 4380, Peers{Kind: "socket", Own: 1}, scale)},
		sample{"Beside", Beside(-8, 4200, Peers{Kind: "gpu", Own: 7, Place: -0.041}, scale)},
		sample{"OffPeers", beyond(fleet)},
		sample{"OffPeers", beyond(own)},
		sample{"OffPeers", beyond(known(31, 12))},
		sample{"OffPeers", beyond(known(31, 31))},
		sample{"OffPeers", beyond(known(1, 1))},
		sample{"OffPeers", OffPeers(20, 2, Peers{Nodes: 3, Parts: 3, Groups: true}, v1alpha1.Lower, 2.2, latency)},
		sample{"LevelReading", LevelReading("gpu", 8, "hbmTriad", 3610, scale, beyond(fleet))},
		sample{"LevelReading", LevelReading("64KiB", 2, "latency", 2.4, latency, OffPeers(20, 2, Peers{Kind: "64KiB", Nodes: 3, Parts: 6}, v1alpha1.Lower, 2.2, latency))},
		sample{"NothingJudged", NothingJudged("gpu2 hbmTriad 3.61 TB/s", []string{NotJudged("hbmTriad", "gpu", "the fleet", TooFewParts("gpu", "H200", 2, 3)),
			NotJudged("hbmTriad", "gpu", "its peak", NoProfile("hbmBandwidth"))}, true, "hbmBandwidth", v1alpha1.Higher)},
		sample{"NothingJudged", NothingJudged("gpu0 busBandwidth 42 GB/s", []string{NotJudged("busBandwidth", "gpu", "min", NotANumber("min", "many"))}, false, "", v1alpha1.Higher)},
		sample{"BoundJudgesNothing", BoundJudgesNothing("Min")},
		sample{"NothingJudged", NothingJudged("latency 2.4 us", []string{NotJudged("latency", "", "the fleet", TooFewParts("", "", 0, 3))}, true, "", v1alpha1.Lower)},
	)
}
