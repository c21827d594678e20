package runner

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/measure/result"
)

// source is something that can be sampled. What the node does not offer is silently absent.
type source interface {
	// sample reads the source once.
	sample(p phase, at time.Time)
	// telemetry sums up what was sampled.
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
	hwmon := filepath.Join(root, "sys/class/hwmon")
	s.sources = []source{
		&cpuClock{root: root}, &cpuTemperature{hwmon: hwmon}, newRAPL(root), &nodePower{hwmon: hwmon}, &load{root: root},
		&others{root: root, own: ownProcessorTime}, newKernelLog(root), s.gpus,
	}
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
			timer := time.NewTimer(pause)
			select {
			case <-s.halt:
				timer.Stop()
				return
			case <-timer.C:
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
	return all
}

// devices are the GPUs seen, for programs that do not say which they used.
func (s *sampler) devices() []result.Device { return s.gpus.devices() }
