package message

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

func init() {
	scale := quantity.NewScale("GB/s", 3610, 4232.8)
	time := quantity.NewScale("us", 2.4, 2.2)
	short := ShortOfPeak(75.05, 4810, 88, scale)
	reading := Reading("gpu3", []string{"GPU-4bce0f1d"}, "hbmTriad", 3610, scale, short, BesideFleet(-17.6, 4380, scale))
	passed := Reading("gpu0", nil, "hbmTriad", 4370, scale, OfPeak(90.9, 4810, scale), HealthyReach(4370, scale))
	noPeak := ProfilesLackPeak([]string{"h200"}, "hbmBandwidth", "gpu")
	none := CountIsZero("reachablePeers", "gpu")
	samples = append(samples,
		sample{"NotMeasuredYet", NotMeasuredYet()},
		sample{"Reading", reading},
		sample{"Reading", passed},
		sample{"Reading", Reading("", nil, "energy", 1200, quantity.NewScale("J", 1200))},
		sample{"Expected", Expected(v1alpha1.Higher, 4232.8, scale)},
		sample{"Expected", Expected(v1alpha1.Lower, 2.2, time)},
		sample{"OfPeak", OfPeak(75.05, 4810, scale)},
		sample{"ShortOfPeak", short},
		sample{"ShortOfPeak", ShortOfPeak(87.96, 4810, 88, scale)},
		sample{"ShortOfReached", ShortOfReached(96.4, 4440, 98, scale)},
		sample{"ShortOfEfficiency", ShortOfEfficiency(61.7, 70, "1node", 125.3, quantity.NewScale("ns/day", 125.3))},
		sample{"NoSizes", NoSizes("simulationRate")},
		sample{"NotASize", NotASize()},
		sample{"NothingToGrow", NothingToGrow("1gpu", 0, quantity.NewScale("TFLOP/s", 0))},
		sample{"OneSize", OneSize("nbody", "1gpu", 8)},
		sample{"OtherImage", OtherImage()},
		sample{"NoValue", NoValue("simulationRate")},
		sample{"AtSize", AtSize(1, ProgramExited(1, "mpirun: a rank ended"))},
		sample{"AtSize", AtSize(2, ProgramExited(1, "mpirun: a rank ended"))},
		sample{"NothingReachedKnown", NothingReachedKnown("gpuMemoryBandwidth")},
		sample{"HealthyReach", HealthyReach(4370, scale)},
		sample{"NotJudged", NotJudged("hbmTriad", "gpu", "its peak", noPeak)},
		sample{"NotJudged", NotJudged("triad", "", "its history", TooFewPasses(1, 3))},
		sample{"NoPeakNamed", NoPeakNamed()},
		sample{"NoProfile", NoProfile("hbmBandwidth")},
		sample{"ProfilesLackPeak", noPeak},
		sample{"ProfilesLackPeak", ProfilesLackPeak([]string{"epyc", "h200"}, "pcie", "nic")},
		sample{"PeakUnitDiffers", PeakUnitDiffers("ddr", "epyc", "W", "GB/s")},
		sample{"PeakNotPositive", PeakNotPositive("ddr", "epyc", "0")},
		sample{"TooFewParts", TooFewParts("gpu", "H200", 2, 3)},
		sample{"TooFewParts", TooFewParts("", "", 0, 3)},
		sample{"TooFewParts", TooFewParts("gpu", "H200", 5, 3)},
		sample{"TooFewParts", TooFewParts("socket", "", 1, 3)},
		sample{"MedianIsZero", MedianIsZero()},
		sample{"NotANumber", NotANumber("min", "1e999")},
		sample{"NotReported", NotReported("hbmTriad", "")},
		sample{"NotReported", NotReported("writeBandwidth", CountUnconfirmed("reachablePeers", "gpu"))},
		sample{"NothingToMeasure", NothingToMeasure("writeBandwidth", none)},
		sample{"CountIsZero", none},
		sample{"CountContradictsProfile", CountContradictsProfile("reachablePeers", "gpu", "h200", "nvlinkPerDirection")},
		sample{"CountUnconfirmed", CountUnconfirmed("reachablePeers", "gpu")},
		sample{"UnitDiffers", UnitDiffers("hbmTriad", "Gb/s", "GB/s")},
		sample{"ValueUnreadable", ValueUnreadable("hbmTriad", "gpu0", "nan")},
		sample{"CheckFailed", CheckFailed("devicesUsable", "no GPU can be used, and this container was given some: driver too old")},
		sample{"CheckFailed", CheckFailed("dataIntegrity", "3 of 8 words differ")},
		sample{"ProgramFailed", ProgramFailed("exit code 1")},
		sample{"WithMore", WithMore(reading, 0)},
		sample{"WithMore", WithMore(reading, 1)},
		sample{"WithMore", WithMore(reading, 7)},
		sample{"AwaitsFleet", AwaitsFleet(passed)},
		sample{"AwaitsFleet", AwaitsFleet("")},
		sample{"MetExpectations", MetExpectations(passed, 0)},
		sample{"MetExpectations", MetExpectations("", 1)},
		sample{"MetExpectations", MetExpectations(passed, 2)},
	)
}
