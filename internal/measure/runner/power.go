package runner

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/stat"
)

// rapl samples the power of the processors from their energy counters.
type rapl struct {
	zones []*raplZone
	watts series
	at    time.Time
}

// raplZone is one processor package. Its counter starts again from 0 past its range.
type raplZone struct {
	counter     string
	rangeMicroJ float64
	last        float64
}

func newRAPL(root string) *rapl {
	r := &rapl{}
	for _, zone := range glob(root, "sys/class/powercap/intel-rapl:*") {
		name, err := os.ReadFile(filepath.Join(zone, "name"))
		if err != nil || !strings.HasPrefix(string(name), "package-") {
			continue // a part of a package, or the whole board, which would count twice
		}
		limit, ok := readNumber(filepath.Join(zone, "max_energy_range_uj"))
		if !ok {
			continue
		}
		r.zones = append(r.zones, &raplZone{counter: filepath.Join(zone, "energy_uj"), rangeMicroJ: limit, last: -1})
	}
	return r
}

// sample adds the mean power since the sample before. The stretch that ends after the program counts as its edge.
func (r *rapl) sample(p phase, at time.Time) {
	seconds := at.Sub(r.at).Seconds()
	r.at = at
	total, complete := 0.0, len(r.zones) > 0
	for _, zone := range r.zones {
		joules, ok := zone.advance()
		total, complete = total+joules, complete && ok
	}
	if complete && seconds > 0 {
		r.watts.add(p, total/seconds)
	}
}

// advance is the energy in joules since the last call; not ok for the first, or when the counter cannot be read.
func (z *raplZone) advance() (joules float64, ok bool) {
	last := z.last
	value, readable := readNumber(z.counter)
	if !readable {
		z.last = -1
		return 0, false
	}
	z.last = value
	if last < 0 {
		return 0, false
	}
	if value < last {
		value += z.rangeMicroJ
	}
	return (value - last) / 1e6, value >= last
}

func (r *rapl) telemetry() []result.Measurement {
	return measurement("cpuPower", "W", result.BetterLower, r.watts.part(result.NodePart, stat.Median)...)
}

// nodePower samples the machine's own power meter (ACPI), which few machines have.
type nodePower struct {
	hwmon string
	watts series
}

func (n *nodePower) sample(p phase, _ time.Time) {
	for _, chip := range glob(n.hwmon, "hwmon*") {
		name, err := os.ReadFile(filepath.Join(chip, "name"))
		if err != nil || strings.TrimSpace(string(name)) != "power_meter" {
			continue
		}
		if microwatts, ok := readNumber(filepath.Join(chip, "power1_average")); ok {
			n.watts.add(p, microwatts/1e6)
			return
		}
	}
}

func (n *nodePower) telemetry() []result.Measurement {
	return measurement("nodePower", "W", result.BetterLower, n.watts.part(result.NodePart, stat.Median)...)
}
