package runner

import (
	"slices"
	"strconv"

	"github.com/assay-dev/assay/internal/measure/result"
)

// phase of a sample: what was seen at the edges of a run (the node idle before and after) counts only when the run was
// too short for any sample in its middle.
type phase int

const (
	atEdge phase = iota
	during
)

// series is one sampled quantity.
type series struct {
	edge, middle []float64
}

func (s *series) add(p phase, value float64) {
	if p == during {
		s.middle = append(s.middle, value)
	} else {
		s.edge = append(s.edge, value)
	}
}

// samples are those of the middle, or the edges where there are none.
func (s *series) samples() []float64 {
	if len(s.middle) > 0 {
		return s.middle
	}
	return s.edge
}

// part summarises a series to four digits, which are more than any sensor has and keep the envelope small. No part: no
// samples.
func (s *series) part(at string, summarise func([]float64) float64) []result.Part {
	samples := s.samples()
	if len(samples) == 0 {
		return nil
	}
	return []result.Part{{At: at, Value: round4(summarise(samples)), Samples: int32(len(samples))}}
}

func greatest(samples []float64) float64 { return slices.Max(samples) }

func round4(value float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 4, 64), 64)
	if err != nil {
		return 0
	}
	return rounded
}

// measurement is nil when there are no parts.
func measurement(name, unit string, better result.Better, parts ...result.Part) []result.Measurement {
	if len(parts) == 0 {
		return nil
	}
	return []result.Measurement{{Name: name, Unit: unit, Better: better, Parts: parts}}
}
