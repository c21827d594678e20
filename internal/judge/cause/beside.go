package cause

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/stat"
)

// beside is a quantity of the suspect GPU, and of those of its node that are no suspects. Where the node is, it is the median of all.
type beside struct {
	unit        string
	value       float64 // NaN: not known
	others      []float64
	step        float64 // that a sensor can tell
	least, most float64
}

// read a quantity from the first of these names that the attempt has in this unit.
func (s *suspect) read(unit string, names ...string) beside {
	b := beside{unit: unit, value: math.NaN(), step: steps[unit]}
	for _, name := range names {
		m := attempt.Reading(s.attempt, name, unit)
		if m == nil {
			continue
		}
		var all []float64
		for at, v := range attempt.Numbers(m) {
			switch place := part.Read(at); {
			case place.Kind != "gpu" || len(place.GPUs) != 1 || v <= 0:
			case s.gpu() == "":
				all = append(all, v)
			case place.GPUs[0] == s.place.GPUs[0]:
				b.value = v
			case !s.slow[slowGPU{s.domain, place.GPUs[0]}]:
				b.others = append(b.others, v)
			}
		}
		if len(all) > 0 {
			b.value = stat.Median(all)
		}
		break
	}
	if len(b.others) > 0 {
		b.least, b.most = slices.Min(b.others), slices.Max(b.others)
	}
	return b
}

func (b beside) compared() bool { return !math.IsNaN(b.value) && len(b.others) > 0 }

// lower than each of the others, by more than the sensor's step.
func (b beside) lower() bool { return b.compared() && b.value < b.least-b.step }

// beyond the highest of the others by more than they are apart: slots of a machine are not cooled alike.
func (b beside) beyond() bool { return b.compared() && b.value > b.most+max(b.most-b.least, b.step) }

// middle of the others.
func (b beside) middle() float64 { return stat.Median(b.others) }

// lost is by how much the value is below the median of the others, as a fraction.
func (b beside) lost() float64 { return 1 - b.value/b.middle() }
