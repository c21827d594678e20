package message

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// NotMeasuredYet: a benchmark has no attempt that ended.
func NotMeasuredYet() string { return "not measured yet" }

// Reading says what one part reached, and how that compares. uuids are those of the GPUs that the part names, which is what a
// technician looks for.
func Reading(part string, uuids []string, metric string, value float64, s quantity.Scale, comparisons ...string) string {
	text := partWith(part, uuids) + " " + metric + " " + s.Format(value)
	return quantity.Clip(because(text, strings.Join(comparisons, "; ")), Longest)
}

// Expected is the comparison with a fixed bound, or the end of one with a bound that follows from other measurements.
func Expected(better v1alpha1.Direction, bound float64, s quantity.Scale) string {
	if better == v1alpha1.Lower {
		return "expected at most " + s.Format(bound)
	}
	return "expected at least " + s.Format(bound)
}

// OfPeak compares with the most that the hardware can do.
func OfPeak(percent, peak float64, s quantity.Scale) string {
	return fmt.Sprintf("%s of peak %s", quantity.Percent(percent), s.Format(peak))
}

// ShortOfPeak compares with the share of the peak that is expected.
func ShortOfPeak(percent, peak, expected float64, s quantity.Scale) string {
	return fmt.Sprintf("%s of peak %s, expected at least %s", quantity.PercentBeside(percent, expected), s.Format(peak),
		quantity.PercentBeside(expected, percent))
}

// ShortOfReached compares with the share of what healthy hardware reaches that is expected.
func ShortOfReached(percent, reached, expected float64, s quantity.Scale) string {
	return fmt.Sprintf("%s of the %s that healthy hardware reaches, expected at least %s", quantity.PercentBeside(percent, expected),
		s.Format(reached), quantity.PercentBeside(expected, percent))
}

// ShortOfEfficiency compares with what a metric would reach if it grew with the size, from the smallest one on.
func ShortOfEfficiency(percent, expected float64, smallest string, value float64, s quantity.Scale) string {
	return fmt.Sprintf("parallel efficiency %s against %s at %s, expected at least %s", quantity.PercentBeside(percent, expected), s.Format(value), smallest,
		quantity.PercentBeside(expected, percent))
}

// NoSizes: a metric that has to be efficient was not measured at any size.
func NoSizes(metric string) string {
	return fmt.Sprintf("%s has no part that is a size (1gpu, 2gpu, 4ranks, 2nodes), so that its efficiency is not known: let the program report it at each size", metric)
}

// NotASize says why a part is on no curve; the end of a sentence.
func NotASize() string { return "its name is no size" }

// NothingToGrow says why nothing can be expected of greater sizes; the end of a sentence.
func NothingToGrow(smallest string, value float64, s quantity.Scale) string {
	return fmt.Sprintf("%s at %s leaves nothing to compare with", s.Format(value), smallest)
}

// OneSize says why the efficiency of a metric is not known, though several GPUs were measured.
func OneSize(metric, at string, gpus int) string {
	return fmt.Sprintf("%s was measured at %s only, of %d GPUs: efficiency takes two sizes. Let the program measure fewer GPUs too, or leave out minEfficiency", metric, at, gpus)
}

// OtherImage is for a size that is no part of its group's curve, because the image's tag was moved between two sizes.
func OtherImage() string {
	return "measured with another image than the whole group, because its tag names another one now: name the image by digest"
}

// NoValue is for a size at which a program ran well and reported nothing of a metric.
func NoValue(metric string) string { return "the program did not report " + metric }

// AtSize says at how many nodes of a group something was found.
func AtSize(nodes int, found string) string {
	return fmt.Sprintf("with %s: %s", nodesCounted(int32(nodes)), found)
}

// NothingReachedKnown says why a value is not compared with what healthy hardware reaches; the end of a sentence.
func NothingReachedKnown(peak string) string {
	return fmt.Sprintf("its HardwareProfile does not set `reached` for peak %s", peak)
}

// HealthyReach says what healthy hardware reaches, where there is no fleet to compare with.
func HealthyReach(reached float64, s quantity.Scale) string {
	return "healthy parts reach " + s.Format(reached)
}

// NotJudged: a rule had too little data to judge a metric of a kind of part. against is what it compares with.
func NotJudged(metric, kind, against, why string) string {
	return fmt.Sprintf("%s of %s was not judged against %s: %s", metric, partName(kind), against, why)
}

// NoPeakNamed explains why there is no peak.
func NoPeakNamed() string { return "the metric names no peak" }

// NoProfile explains why there is no peak.
func NoProfile(peak string) string { return "no HardwareProfile of this node has peak " + peak }

// ProfilesLackPeak explains why there is no peak.
func ProfilesLackPeak(profiles []string, peak, kind string) string {
	have := "HardwareProfile " + strings.Join(profiles, ", ") + " of this node has"
	if len(profiles) > 1 {
		have = "HardwareProfiles " + names(profiles) + " of this node have"
	}
	return fmt.Sprintf("%s no peak %s for %s", have, peak, partName(kind))
}

// PeakUnitDiffers explains why there is no peak.
func PeakUnitDiffers(peak, profile, unit, metricUnit string) string {
	return fmt.Sprintf("peak %s of HardwareProfile %s is in %s, the metric in %s; correct one of them", peak, profile, unit, metricUnit)
}

// PeakNotPositive explains why there is no peak.
func PeakNotPositive(peak, profile, value string) string {
	return fmt.Sprintf("peak %s of HardwareProfile %s is %q, which is not a positive number", peak, profile, value)
}

// TooFewParts explains why there is no fleet to compare with; the end of a sentence. others are the parts like it; hardware is empty where
// nothing is known of it.
func TooFewParts(kind, hardware string, others, needed int) string {
	like := partName(kind)
	if hardware != "" {
		like += ", " + hardware
	}
	there := "are " + several(others, "other part")
	switch others {
	case 0:
		there = "is no other part"
	case 1:
		there = "is 1 other part"
	}
	of := ""
	if others >= needed { // but on too few nodes
		of = "of so many other nodes "
	}
	return fmt.Sprintf("there %s like it (%s) in this run or on nodes that passed recently, and %d %sare needed", there, like, needed, of)
}

// MedianIsZero explains why a deviation cannot be told.
func MedianIsZero() string {
	return "the median is 0, so a deviation in percent means nothing; set min or max instead"
}

// NotANumber: a field of a Benchmark cannot be read.
func NotANumber(field, text string) string {
	return fmt.Sprintf("%s is %q, which is not a number that can be compared with", field, text)
}

// NotReported: the program left out a metric that is expected of it.
func NotReported(metric, why string) string {
	return because("the program did not report "+metric+", which the Benchmark expects", why)
}

// NothingToMeasure: a metric is rightly absent.
func NothingToMeasure(metric, why string) string { return metric + " was not measured: " + why }

// CountIsZero explains why a metric is absent: what it is measured on is not there.
func CountIsZero(count, kind string) string {
	return fmt.Sprintf("%s is 0 at every %s", count, partName(kind))
}

// CountContradictsProfile explains why an absent metric is missed.
func CountContradictsProfile(count, kind, profile, peak string) string {
	return fmt.Sprintf("%s, although HardwareProfile %s has the peak %s", CountIsZero(count, kind), profile, peak)
}

// CountUnconfirmed explains why an absent metric is missed.
func CountUnconfirmed(count, kind string) string {
	return CountIsZero(count, kind) + ", and no HardwareProfile of this node says whether that is right"
}

// UnitDiffers: the program and the Benchmark do not agree on the unit of a metric.
func UnitDiffers(metric, reported, wanted string) string {
	return fmt.Sprintf("%s is reported in %q, but the Benchmark has it in %q: correct one of them", metric, reported, wanted)
}

// ValueUnreadable: a part's value is no number.
func ValueUnreadable(metric, part, text string) string {
	return fmt.Sprintf("%s of %s is %q, which is not a number that can be judged", metric, partName(part), quantity.Clip(text, 40))
}

// CheckFailed: the program found wrong data, or devices that it cannot use.
func CheckFailed(check, detail string) string {
	if check == "devicesUsable" {
		return because("the devices could not be used: check "+check+" failed", detail)
	}
	return because("wrong data: check "+check+" failed", detail)
}

// ProgramFailed: the program says that its result is wrong, without naming a check.
func ProgramFailed(detail string) string {
	return because("wrong data: the program reported a failure", detail)
}

// WithMore is the worst finding, with how many others there are.
func WithMore(worst string, others int) string {
	if others == 0 {
		return quantity.Clip(worst, Longest)
	}
	return ending(worst, fmt.Sprintf(" (and %s)", several(others, "more finding")))
}

// AwaitsFleet: all that can be judged now is fine.
func AwaitsFleet(reading string) string {
	return ending(orMeasured(reading), "; to be compared with the fleet once all nodes are measured")
}

// MetExpectations of an attempt that passed. unjudged rules had too little data.
func MetExpectations(reading string, unjudged int) string {
	if reading == "" {
		reading = "measured; no rule objected"
	}
	if unjudged == 0 {
		return reading
	}
	return ending(reading, fmt.Sprintf("; %s had too little data", several(unjudged, "rule")))
}

func orMeasured(reading string) string {
	if reading == "" {
		return "measured"
	}
	return reading
}
