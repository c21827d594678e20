package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/list"
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

// sensor of the node: for each sample it reads some values, none where the node has no such thing, and its figures are of them.
type sensor struct {
	read    func(at time.Time) []float64
	figures []figure
}

// figure of the values of one sample, and over all samples.
type figure struct {
	result.Measurement

	of, over func([]float64) float64
	samples  series
}

func newSensors(root string) []source {
	hwmon, power := filepath.Join(root, "sys/class/hwmon"), newRAPL(root)
	chips := []string{"coretemp", "k10temp", "zenpower"} // the processors' own
	return []source{
		&sensor{func(time.Time) []float64 { return cpuClocks(root) }, []figure{
			{Measurement: measurement("cpuFrequency", "MHz", result.BetterHigher), of: stat.Mean, over: stat.Median},
			{Measurement: measurement("cpuFrequencyMin", "MHz", result.BetterHigher), of: slices.Min[[]float64], over: stat.Median},
		}},
		&sensor{func(time.Time) []float64 { return readChips(hwmon, chips, "temp*_input", 1e3) }, []figure{
			{Measurement: measurement("cpuTemperature", "C", result.BetterLower), of: slices.Max[[]float64], over: slices.Max[[]float64]},
		}},
		&sensor{power.watts, []figure{{Measurement: measurement("cpuPower", "W", result.BetterLower), of: stat.Mean, over: stat.Median}}},
		&sensor{ // the machine's own power meter (ACPI), which few machines have
			func(time.Time) []float64 { return readChips(hwmon, []string{"power_meter"}, "power1_average", 1e6) },
			[]figure{{Measurement: measurement("nodePower", "W", result.BetterLower), of: func(meters []float64) float64 { return meters[0] }, over: stat.Median}},
		},
	}
}

func (s *sensor) sample(p phase, at time.Time) {
	values := s.read(at)
	for f := range list.Each(s.figures) {
		if len(values) > 0 {
			f.samples.add(p, f.of(values))
		}
	}
}

func (s *sensor) telemetry() (all []result.Measurement) {
	for f := range list.Each(s.figures) {
		f.Parts = f.samples.part(result.NodePart, f.over)
		all = append(all, f.Measurement)
	}
	return all
}

// readChips reads the inputs of the chips of these names, in so many parts of a unit.
func readChips(hwmon string, names []string, inputs string, parts float64) (values []float64) {
	for _, chip := range glob(hwmon, "hwmon*") {
		if !slices.Contains(names, readText(chip, "name")) {
			continue
		}
		for _, input := range glob(chip, inputs) {
			if value, ok := readNumber(input); ok {
				values = append(values, value/parts)
			}
		}
	}
	return values
}

// cpuClocks are those of all cores in MHz, from cpufreq where there is a driver, else from /proc/cpuinfo.
func cpuClocks(root string) (clocks []float64) {
	for _, path := range glob(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq") {
		if kilohertz, ok := readNumber(path); ok {
			clocks = append(clocks, kilohertz/1e3)
		}
	}
	if len(clocks) > 0 {
		return clocks
	}
	for line := range strings.Lines(readText(root, "proc/cpuinfo")) {
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
	return []result.Measurement{measurement("loadAverage", "processes", result.BetterLower,
		result.Part{At: "begin", Value: quantity.Round(l.edges[0], sensorDigits)}, result.Part{At: "end", Value: quantity.Round(l.edges[1], sensorDigits)})}
}
