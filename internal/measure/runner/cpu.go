package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/stat"
)

// readNumber reads a file that holds one number, as most of /sys does.
func readNumber(path string) (float64, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	value, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return float64(value), err == nil
}

// glob is filepath.Glob without its error, which concerns the pattern only.
func glob(elements ...string) []string {
	paths, err := filepath.Glob(filepath.Join(elements...))
	if err != nil {
		return nil
	}
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
	sum := 0.0
	for _, clock := range clocks {
		sum += clock
	}
	c.mean.add(p, sum/float64(len(clocks)))
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
	data, err := os.ReadFile(filepath.Join(c.root, "proc/cpuinfo"))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
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
		name, err := os.ReadFile(filepath.Join(chip, "name"))
		if err != nil || !slices.Contains([]string{"coretemp", "k10temp", "zenpower"}, strings.TrimSpace(string(name))) {
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
	return measurement("cpuTemperature", "C", result.BetterLower, c.hottest.part(result.NodePart, greatest)...)
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
	data, err := os.ReadFile(filepath.Join(l.root, "proc/loadavg"))
	if err != nil {
		return
	}
	first, _, _ := strings.Cut(string(data), " ")
	if value, ok := sensorNumber(first); ok {
		l.edges = append(l.edges, value)
	}
}

func (l *load) telemetry() []result.Measurement {
	if len(l.edges) != 2 {
		return nil
	}
	return measurement("loadAverage", "processes", result.BetterLower,
		result.Part{At: "begin", Value: round4(l.edges[0])}, result.Part{At: "end", Value: round4(l.edges[1])})
}
