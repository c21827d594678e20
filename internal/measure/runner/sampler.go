package runner

import (
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/quantity"
)

// source is something that can be sampled. What the node does not offer is silently absent.
type source interface {
	// sample reads the source once.
	sample(p phase, at time.Time)
	// telemetry sums up what was sampled. A measurement without parts is none.
	telemetry() []result.Measurement
}

// firstSample is how soon after the program's start the middle of the run is first sampled: soon enough for a run of a
// second, late enough for the program to be at work.
const firstSample = 200 * time.Millisecond

// sampler samples all sources before, beside and after the program.
type sampler struct {
	interval time.Duration
	sources  []source
	gpus     *gpus
	halt     chan struct{}
	stopped  sync.WaitGroup
}

// newSampler takes the first sample, so that counters have their base before the program starts.
func newSampler(root string, interval time.Duration, processes *processes) *sampler {
	s := &sampler{interval: interval, gpus: newGPUs(processes), halt: make(chan struct{})}
	s.sources = append(newSensors(root), &load{root: root}, &others{root: root, own: ownProcessorTime}, newKernelLog(root), s.gpus)
	s.sample(atEdge)
	return s
}

func (s *sampler) sample(p phase) {
	for _, source := range s.sources {
		source.sample(p, time.Now())
	}
}

// start samples the middle of the run: soon at first, then ever less often until the interval is reached. It never takes
// more than a tenth of the time, so that slow sensors do not disturb what is measured.
func (s *sampler) start() {
	s.stopped.Go(func() {
		pause := min(firstSample, s.interval)
		for {
			select {
			case <-s.halt:
				return
			case <-time.After(pause):
			}
			began := time.Now()
			s.sample(during)
			pause = max(min(2*pause, s.interval), 10*time.Since(began))
		}
	})
}

// stop ends the sampling and takes the last sample.
func (s *sampler) stop() {
	close(s.halt)
	s.stopped.Wait()
	s.sample(atEdge)
}

func (s *sampler) telemetry() []result.Measurement {
	var all []result.Measurement
	for _, source := range s.sources {
		all = append(all, source.telemetry()...)
	}
	return list.Where(all, func(m result.Measurement) bool { return len(m.Parts) > 0 })
}

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

// sensorDigits are more than any sensor has, and keep the envelope small.
const sensorDigits = 4

// part summarises a series. No part: no samples.
func (s *series) part(at string, summarise func([]float64) float64) []result.Part {
	samples := s.middle
	if len(samples) == 0 {
		samples = s.edge
	}
	if len(samples) == 0 {
		return nil
	}
	return []result.Part{{At: at, Value: quantity.Round(summarise(samples), sensorDigits), Samples: int32(len(samples))}}
}

func measurement(name, unit string, better result.Better, parts ...result.Part) result.Measurement {
	return result.Measurement{Name: name, Unit: unit, Better: better, Parts: parts}
}
