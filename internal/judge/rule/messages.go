package rule

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

const medianIsZero = "the median is 0, so a deviation in percent means nothing; set min or max instead"

// gpuBeside says how a GPU fared beside the others of its node: "gpu2 at 1.4 GHz, 698 W and 83 C, the other 3 GPUs at 1.75 GHz, 671 W
// and 57 C". gpu is empty where the sentence has named it already; others is 0 for a lone GPU. What is known of one side alone is left out of the other.
func gpuBeside(gpu string, this, median gpuState, others int) string {
	var here, there []string
	for i, unit := range stateUnits {
		scale := quantity.NewScale(unit, max(this[i], median[i]))
		if this[i] > 0 {
			here = append(here, scale.Format(math.Round(this[i])))
		}
		if this[i] > 0 && median[i] > 0 {
			there = append(there, scale.Format(math.Round(median[i])))
		}
	}
	text := strings.TrimSpace(gpu + " at " + message.List(here))
	switch {
	case len(there) == 0:
		return text
	case others == 1:
		return text + ", the other GPU at " + message.List(there)
	}
	return fmt.Sprintf("%s, the other %d GPUs at %s", text, others, message.List(there))
}

// gpuThrottled says what held a GPU's clock down, and in what share of the samples. reason is the driver's name for it.
func gpuThrottled(reason string, share float64) string {
	words := map[string]string{"swPowerCap": "power-capped", "swThermal": "slowed by heat (swThermal)", "hwThermal": "slowed by heat (hwThermal)",
		"hwPowerBrake": "slowed by the server's power supply (hwPowerBrake)", "syncBoost": "slowed to the pace of another GPU (syncBoost)"}[reason]
	if words == "" {
		words = "slowed (" + reason + ")"
	}
	return fmt.Sprintf("%s %s of the time", words, quantity.Percent(100*share))
}

// NotMeasuredYet says that a benchmark has no attempt that ended.
const NotMeasuredYet = "not measured yet"

// boundIs names the bound that a value breaks; on which side of it the value is, the reader sees.
func boundIs(bound float64, s quantity.Scale) string { return "bound " + s.Format(bound) }

// tooFewParts explains why there is no fleet to compare with; the end of a sentence. others are the parts like it; hardware is empty where
// nothing is known of it.
func tooFewParts(kind, hardware string, others, needed int) string {
	like := message.PartName(kind)
	like = message.With(like, ", ", hardware)
	there := "are " + message.Several(others, "other part")
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

func countIsZero(count, kind string) string {
	return fmt.Sprintf("%s is 0 at every %s", count, message.PartName(kind))
}

// AwaitsFleet says that all that can be judged now is fine.
func AwaitsFleet(reading string) string {
	return message.Ending(cmp.Or(reading, "measured"), "; to be compared with the fleet once all nodes are measured")
}

// MetExpectations of an attempt that passed. unjudged rules had too little data.
func MetExpectations(reading string, unjudged int) string {
	reading = cmp.Or(reading, "measured; no rule objected")
	if unjudged == 0 {
		return reading
	}
	return message.Ending(reading, fmt.Sprintf("; %s had too little data", message.Several(unjudged, "rule")))
}
