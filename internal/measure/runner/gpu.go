package runner

import (
	"bytes"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/stat"
)

const (
	// smiTimeout is the time one query may take: nvidia-smi hangs when a GPU does.
	smiTimeout = 10 * time.Second
	// maxGPUs bounds what is believed of a query's answer.
	maxGPUs = 64
)

// The throttle reasons had another name before driver 535; both are asked for until one is understood.
var reasonFields = []string{"clocks_throttle_reasons.active", "clocks_event_reasons.active"}

const queryFields = "index,uuid,name,temperature.gpu,power.draw,clocks.sm,clocks.mem,ecc.errors.uncorrected.volatile.total,"

// throttleReasons are the bits worth reporting. Idle and chosen clocks are ordinary life of a GPU. So is the power cap, but it
// explains the speed of whatever computes at it.
var throttleReasons = []struct {
	bit  uint64
	name string
}{
	{0x04, "swPowerCap"}, {0x08, "hwSlowdown"}, {0x10, "syncBoost"}, {0x20, "swThermal"}, {0x40, "hwThermal"}, {0x80, "hwPowerBrake"},
}

// gpus samples the GPUs by nvidia-smi, where the container has it.
type gpus struct {
	processes *processes
	program   string // empty: none, or it does not work here
	timeout   time.Duration
	reasons   []string
	seen      map[int32]*gpu
}

// gpu is one GPU and what was sampled of it.
type gpu struct {
	device                                result.Device
	temperature, power, smClock, memClock series
	throttled                             []series // by throttleReasons
	ecc                                   []float64
}

func newGPUs(processes *processes) *gpus {
	g := &gpus{processes: processes, timeout: smiTimeout, reasons: reasonFields, seen: map[int32]*gpu{}}
	if program, err := exec.LookPath("nvidia-smi"); err == nil {
		g.program = program
	}
	return g
}

func (g *gpus) sample(p phase, _ time.Time) {
	for g.program != "" && len(g.reasons) > 0 {
		output, err := g.query(queryFields + g.reasons[0])
		if err == nil {
			g.read(p, output)
			return
		}
		if !bytes.Contains(output, []byte("not a valid field")) {
			return // perhaps next time
		}
		g.reasons = g.reasons[1:]
	}
}

func (g *gpus) telemetry() []result.Measurement {
	var temperature, power, smClock, memClock, throttled, ecc []result.Part
	for _, index := range slices.Sorted(maps.Keys(g.seen)) {
		gpu, at := g.seen[index], fmt.Sprintf("gpu%d", index)
		temperature = append(temperature, gpu.temperature.part(at, slices.Max[[]float64])...)
		power = append(power, gpu.power.part(at, stat.Median)...)
		smClock = append(smClock, gpu.smClock.part(at, stat.Median)...)
		memClock = append(memClock, gpu.memClock.part(at, stat.Median)...)
		throttled = append(throttled, gpu.throttledParts(at)...)
		if n := len(gpu.ecc); n > 0 {
			ecc = append(ecc, result.Part{At: at, Value: max(gpu.ecc[n-1]-gpu.ecc[0], 0)})
		}
	}
	return []result.Measurement{
		measurement("gpuTemperature", "C", result.BetterLower, temperature...),
		measurement("gpuPower", "W", result.BetterLower, power...),
		measurement("gpuSmClock", "MHz", result.BetterHigher, smClock...),
		measurement("gpuMemClock", "MHz", result.BetterHigher, memClock...),
		measurement("gpuThrottled", "fraction", result.BetterLower, throttled...),
		measurement("eccUncorrected", "count", result.BetterLower, ecc...),
	}
}

// throttledParts has the fraction of samples in which each reason was seen.
func (g *gpu) throttledParts(at string) []result.Part {
	var parts []result.Part
	for i, reason := range throttleReasons {
		parts = append(parts, g.throttled[i].part(at+" "+reason.name, stat.Mean)...)
	}
	return list.Where(parts, func(p result.Part) bool { return p.Value > 0 })
}

// devices are the GPUs seen, for programs that do not say which they used.
func (g *gpus) devices() []result.Device {
	return list.Map(slices.Sorted(maps.Keys(g.seen)), func(index int32) result.Device { return g.seen[index].device })
}
