package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// readText of a file of /sys or /proc; empty: it cannot be read.
func readText(elements ...string) string {
	data, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// readNumber reads a file that holds one number, as most of /sys does.
func readNumber(elements ...string) (float64, bool) {
	value, err := strconv.ParseInt(readText(elements...), 10, 64)
	return float64(value), err == nil
}

// glob is filepath.Glob without its error, which concerns the pattern only.
func glob(elements ...string) []string {
	paths, _ := filepath.Glob(filepath.Join(elements...))
	return paths
}

// cpuClock samples the clock of all cores: their mean, and the slowest of them.
type cpuClock struct {
	root        string
	mean, least series
}

func (c *cpuClock) sample(p phase, _ time.Time) {
	clocks := c.clocks()
	if len(clocks) == 0 {
		return
	}
	c.mean.add(p, stat.Mean(clocks))
	c.least.add(p, slices.Min(clocks))
}

// clocks in MHz, from cpufreq where there is a driver, else from /proc/cpuinfo.
func (c *cpuClock) clocks() []float64 {
	var clocks []float64
	for _, path := range glob(c.root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq") {
		if kilohertz, ok := readNumber(path); ok {
			clocks = append(clocks, kilohertz/1e3)
		}
	}
	if len(clocks) > 0 {
		return clocks
	}
	for line := range strings.Lines(readText(c.root, "proc/cpuinfo")) {
		name, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) != "cpu MHz" {
			continue
		}
		if clock, ok := sensorNumber(value); ok {
			clocks = append(clocks, clock)
		}
	}
	return clocks
}

func (c *cpuClock) telemetry() []result.Measurement {
	return append(
		measurement("cpuFrequency", "MHz", result.BetterHigher, c.mean.part(result.NodePart, stat.Median)...),
		measurement("cpuFrequencyMin", "MHz", result.BetterHigher, c.least.part(result.NodePart, stat.Median)...)...)
}

// cpuTemperature samples the hottest of the processor's own sensors.
type cpuTemperature struct {
	hwmon   string
	hottest series
}

func (c *cpuTemperature) sample(p phase, _ time.Time) {
	hottest, found := 0.0, false
	for _, chip := range glob(c.hwmon, "hwmon*") {
		if !slices.Contains([]string{"coretemp", "k10temp", "zenpower"}, readText(chip, "name")) {
			continue
		}
		for _, input := range glob(chip, "temp*_input") {
			if millidegrees, ok := readNumber(input); ok {
				hottest, found = max(hottest, millidegrees/1e3), true
			}
		}
	}
	if found {
		c.hottest.add(p, hottest)
	}
}

func (c *cpuTemperature) telemetry() []result.Measurement {
	return measurement("cpuTemperature", "C", result.BetterLower, c.hottest.part(result.NodePart, slices.Max[[]float64])...)
}

// load is how many processes wanted to run, at the beginning (others at work would show) and at the end.
type load struct {
	root  string
	edges []float64
}

func (l *load) sample(p phase, _ time.Time) {
	if p != atEdge {
		return
	}
	first, _, _ := strings.Cut(readText(l.root, "proc/loadavg"), " ")
	if value, ok := sensorNumber(first); ok {
		l.edges = append(l.edges, value)
	}
}

func (l *load) telemetry() []result.Measurement {
	if len(l.edges) != 2 {
		return nil
	}
	return measurement("loadAverage", "processes", result.BetterLower,
		result.Part{At: "begin", Value: quantity.Round(l.edges[0], sensorDigits)}, result.Part{At: "end", Value: quantity.Round(l.edges[1], sensorDigits)})
}

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
		if !strings.HasPrefix(readText(zone, "name"), "package-") {
			continue // a part of a package, or the whole board, which would count twice
		}
		if limit, ok := readNumber(zone, "max_energy_range_uj"); ok {
			r.zones = append(r.zones, &raplZone{counter: filepath.Join(zone, "energy_uj"), rangeMicroJ: limit, last: -1})
		}
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
		if readText(chip, "name") != "power_meter" {
			continue
		}
		if microwatts, ok := readNumber(chip, "power1_average"); ok {
			n.watts.add(p, microwatts/1e6)
			return
		}
	}
}

func (n *nodePower) telemetry() []result.Measurement {
	return measurement("nodePower", "W", result.BetterLower, n.watts.part(result.NodePart, stat.Median)...)
}
