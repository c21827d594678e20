package runner

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/internal/measure/result"
)

func one(name, unit string, better result.Better, value float64, samples int32) []result.Measurement {
	return []result.Measurement{{Name: name, Unit: unit, Better: better, Parts: []result.Part{{At: "node", Value: value, Samples: samples}}}}
}

// took is processor time as it is asked for, one value after the other.
func took(times ...time.Duration) func() time.Duration {
	return func() time.Duration {
		t := times[0]
		times = times[1:]
		return t
	}
}

// step is the state of the node at one sample.
type step struct {
	phase phase
	files map[string]string
}

func TestSources(t *testing.T) {
	const cpu, cpuinfo = "sys/devices/system/cpu/", "proc/cpuinfo"
	const hwmon, powercap = "sys/class/hwmon/", "sys/class/powercap/intel-rapl:"
	for name, test := range map[string]struct {
		source func(root string) []source
		steps  []step
		want   []result.Measurement
	}{
		"CPU clock by cpufreq: mean and least, middle of the run only": {
			newSensors,
			[]step{
				{atEdge, map[string]string{cpu + "cpu0/cpufreq/scaling_cur_freq": "800000\n", cpu + "cpu1/cpufreq/scaling_cur_freq": "800000\n"}},
				{during, map[string]string{cpu + "cpu0/cpufreq/scaling_cur_freq": "3000000\n", cpu + "cpu1/cpufreq/scaling_cur_freq": "2000000\n"}},
				{during, map[string]string{cpu + "cpu0/cpufreq/scaling_cur_freq": "3200000\n"}},
				{atEdge, nil},
			},
			append(one("cpuFrequency", "MHz", result.BetterHigher, 2550, 2), one("cpuFrequencyMin", "MHz", result.BetterHigher, 2000, 2)...),
		},
		"CPU clock by cpuinfo, a run too short for its middle": {
			newSensors,
			[]step{
				{atEdge, map[string]string{cpuinfo: "processor\t: 0\ncpu MHz\t\t: 2100.5\nprocessor\t: 1\ncpu MHz\t\t: 1900.5\n"}},
				{atEdge, nil},
			},
			append(one("cpuFrequency", "MHz", result.BetterHigher, 2000, 2), one("cpuFrequencyMin", "MHz", result.BetterHigher, 1900, 2)...),
		},
		"CPU clock not offered": {newSensors, []step{{during, nil}}, nil},
		"CPU temperature: the hottest of the processor's sensors": {
			newSensors,
			[]step{
				{during, map[string]string{
					hwmon + "hwmon0/name": "nvme\n", hwmon + "hwmon0/temp1_input": "99000\n",
					hwmon + "hwmon1/name": "coretemp\n", hwmon + "hwmon1/temp1_input": "61000\n", hwmon + "hwmon1/temp2_input": "64500\n",
				}},
				{during, map[string]string{hwmon + "hwmon1/temp2_input": "71000\n"}},
				{during, map[string]string{hwmon + "hwmon1/temp2_input": "garbage"}},
			},
			one("cpuTemperature", "C", result.BetterLower, 71, 3),
		},
		"CPU power by energy counters, one of which starts again": {
			newSensors,
			[]step{
				{atEdge, map[string]string{
					powercap + "0/name": "package-0\n", powercap + "0/max_energy_range_uj": "1000000000\n", powercap + "0/energy_uj": "500000000\n",
					powercap + "1/name": "package-1\n", powercap + "1/max_energy_range_uj": "1000000000\n", powercap + "1/energy_uj": "950000000\n",
					powercap + "2/name": "psys\n", powercap + "2/max_energy_range_uj": "1000000000\n", powercap + "2/energy_uj": "1\n",
				}},
				{during, map[string]string{powercap + "0/energy_uj": "600000000\n", powercap + "1/energy_uj": "50000000\n"}},
				{atEdge, map[string]string{powercap + "0/energy_uj": "601000000\n"}},
			},
			one("cpuPower", "W", result.BetterLower, 200, 1),
		},
		"CPU power that only root may read": {
			newSensors,
			[]step{{during, map[string]string{powercap + "0/name": "package-0\n", powercap + "0/max_energy_range_uj": "1000\n"}}, {during, nil}},
			nil,
		},
		"power of the machine": {
			newSensors,
			[]step{{during, map[string]string{hwmon + "hwmon0/name": "power_meter\n", hwmon + "hwmon0/power1_average": "1850000000\n"}}},
			one("nodePower", "W", result.BetterLower, 1850, 1),
		},
		"load at begin and end": {
			func(root string) []source { return []source{&load{root: root}} },
			[]step{
				{atEdge, map[string]string{"proc/loadavg": "0.50 0.40 0.30 1/100 4242\n"}}, {during, map[string]string{"proc/loadavg": "9 9 9\n"}},
				{atEdge, map[string]string{"proc/loadavg": "63.98 20 10 1/100 4242\n"}},
			},
			[]result.Measurement{{Name: "loadAverage", Unit: "processes", Better: result.BetterLower, Parts: []result.Part{{At: "begin", Value: 0.5}, {At: "end", Value: 63.98}}}},
		},
		"others took 60 s of two processors' 400, 20 of it a hypervisor": {
			func(root string) []source { return []source{&others{root: root, own: took(0, 300*time.Second)}} },
			[]step{
				{atEdge, map[string]string{"proc/stat": "cpu  0 0 0 100 0 0 0 0 0 0\ncpu0 0 0 0 50 0 0 0 0 0 0\ncpu1 0 0 0 50 0 0 0 0 0 0\nctxt 1\n"}},
				{during, nil},
				{atEdge, map[string]string{"proc/stat": "cpu  20000 10000 3000 3100 1000 500 500 2000 0 0\ncpu0 0 0 0 50 0 0 0 0 0 0\ncpu1 0 0 0 50 0 0 0 0 0 0\nctxt 1\n"}},
			},
			append(one("cpuOthers", "fraction", result.BetterLower, 0.15, 0), one("cpuSteal", "fraction", result.BetterLower, 0.05, 0)...),
		},
		"nobody else took any": {
			func(root string) []source { return []source{&others{root: root, own: took(0, 201*time.Second)}} },
			[]step{
				{atEdge, map[string]string{"proc/stat": "cpu  0 0 0 0 0 0 0 7\ncpu0 0 0 0 0 0 0 0 0\n"}},
				{atEdge, map[string]string{"proc/stat": "cpu  20000 0 0 20000 0 0 0 7\ncpu0 0 0 0 0 0 0 0 0\n"}},
			},
			one("cpuOthers", "fraction", result.BetterLower, 0, 0),
		},
		"too short to tell who took what": {
			func(root string) []source { return []source{&others{root: root, own: took(0, 0)}} },
			[]step{
				{atEdge, map[string]string{"proc/stat": "cpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n"}},
				{atEdge, map[string]string{"proc/stat": "cpu  90 0 0 90 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n"}},
			},
			nil,
		},
		"a kernel that says nothing of it": {
			func(root string) []source { return []source{&others{root: root, own: took(0, 0)}} },
			[]step{{atEdge, map[string]string{"proc/stat": "cpu  0 0 x\n"}}, {atEdge, nil}},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			writeTree(t, root, test.steps[0].files)
			s := sampler{sources: test.source(root)}
			at := time.Unix(1000, 0)
			for _, step := range test.steps {
				writeTree(t, root, step.files)
				for _, source := range s.sources {
					source.sample(step.phase, at)
				}
				at = at.Add(time.Second)
			}
			if diff := cmp.Diff(test.want, s.telemetry()); diff != "" {
				t.Errorf("telemetry (-want +got):\n%s", diff)
			}
		})
	}
}

func TestKernelLogCountsXidErrorsSinceTheStart(t *testing.T) {
	const before = "6,1,1,-;NVRM: Xid (PCI:0000:3b:00): 31, pid=1\n"
	for name, test := range map[string]struct {
		after string
		want  []result.Part
	}{
		"none": {"6,2,2,-;usb 1-1: new device\n", []result.Part{{At: "node"}}},
		"two of one kind, one of another": {
			"6,2,2,-;NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\nNVRM: Xid (PCI:0000:3b:00): 79, again\nNVRM: Xid (PCI:0000:18:00): 48, pid=7, DBE\n",
			[]result.Part{{At: "0000:18:00 xid48", Value: 1}, {At: "0000:3b:00 xid79", Value: 2}},
		},
		"a forged address": {"NVRM: Xid (PCI:\x1b[2J): 79, x\n", []result.Part{{At: "node"}}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			writeTree(t, root, map[string]string{"dev/kmsg": before})
			log := newKernelLog(root)
			writeTree(t, root, map[string]string{"dev/kmsg": before + test.after})
			log.sample(during, time.Now())
			want := []result.Measurement{{Name: "xidErrors", Unit: "count", Better: result.BetterLower, Parts: test.want}}
			if diff := cmp.Diff(want, log.telemetry()); diff != "" {
				t.Errorf("telemetry (-want +got):\n%s", diff)
			}
		})
	}
	if got := newKernelLog(t.TempDir()).telemetry(); got != nil {
		t.Errorf("a log that cannot be read gives %v", got)
	}
}

func TestGPUAnswers(t *testing.T) {
	const first = "0, GPU-aa, NVIDIA H200, 33, 125.30, 1980, 3201, 2, 0x0000000000000000\n"
	const second = "1, GPU-bb, NVIDIA\aH200, [N/A], [Not Supported], 1200, [Unknown Error], [N/A], 0x0000000000000064\n"
	g := newGPUs(nil)
	g.read(atEdge, []byte(first))
	g.read(during, []byte("0, GPU-aa, NVIDIA H200, 61, 690.10, 1830, 3201, 3, 0x0000000000000004\n"+second))
	g.read(during, []byte("Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost\n-1, x, y, 1, 1, 1, 1, 1, 0x0\n"+
		"0, GPU-aa, NVIDIA H200, 64, 710.30, 1710, 3201, 3, 0x0000000000000028\n1, GPU-bb, NVIDIA H200, 50, nan, inf, 3201, [N/A], [N/A]\n"))
	parts := func(values ...result.Part) []result.Part { return values }
	want := []result.Measurement{
		{Name: "gpuTemperature", Unit: "C", Better: result.BetterLower, Parts: parts(result.Part{At: "gpu0", Value: 64, Samples: 2}, result.Part{At: "gpu1", Value: 50, Samples: 1})},
		{Name: "gpuPower", Unit: "W", Better: result.BetterLower, Parts: parts(result.Part{At: "gpu0", Value: 700.2, Samples: 2})},
		{Name: "gpuSmClock", Unit: "MHz", Better: result.BetterHigher, Parts: parts(result.Part{At: "gpu0", Value: 1770, Samples: 2}, result.Part{At: "gpu1", Value: 1200, Samples: 1})},
		{Name: "gpuMemClock", Unit: "MHz", Better: result.BetterHigher, Parts: parts(result.Part{At: "gpu0", Value: 3201, Samples: 2}, result.Part{At: "gpu1", Value: 3201, Samples: 1})},
		{Name: "gpuThrottled", Unit: "fraction", Better: result.BetterLower, Parts: parts(
			result.Part{At: "gpu0 swPowerCap", Value: 0.5, Samples: 2}, result.Part{At: "gpu0 hwSlowdown", Value: 0.5, Samples: 2},
			result.Part{At: "gpu0 swThermal", Value: 0.5, Samples: 2}, result.Part{At: "gpu1 swPowerCap", Value: 1, Samples: 1},
			result.Part{At: "gpu1 swThermal", Value: 1, Samples: 1}, result.Part{At: "gpu1 hwThermal", Value: 1, Samples: 1},
		)},
		{Name: "eccUncorrected", Unit: "count", Better: result.BetterLower, Parts: parts(result.Part{At: "gpu0", Value: 1})},
	}
	if diff := cmp.Diff(want, g.telemetry()); diff != "" {
		t.Errorf("telemetry (-want +got):\n%s", diff)
	}
	devices := []result.Device{{Index: 0, UUID: "GPU-aa", Product: "NVIDIA H200"}, {Index: 1, UUID: "GPU-bb", Product: "NVIDIA\uFFFDH200"}}
	if diff := cmp.Diff(devices, g.devices()); diff != "" {
		t.Errorf("devices (-want +got):\n%s", diff)
	}
}

func TestTelemetryOfEightGPUsIsSmall(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	g := newGPUs(nil)
	for range 20 {
		var answer strings.Builder
		for i := range 8 {
			fmt.Fprintf(&answer, "%d, GPU-%032x, NVIDIA H200, %d, %.2f, %d, 3201, 0, 0x4\n", i, random.Uint64(), 40+random.IntN(30), 600+100*random.Float64(), 1600+random.IntN(300))
		}
		g.read(during, []byte(answer.String()))
	}
	e := result.Envelope{Version: 1, Outcome: result.OutcomeSkipped, Reason: "CannotRunHere", Start: time.Unix(0, 0).UTC(), End: time.Unix(9, 0).UTC()}
	without, err := result.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	e.Telemetry = g.telemetry()
	with, err := result.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	if size := len(with) - len(without); size > 600 {
		t.Errorf("%d bytes of telemetry in the termination message, want at most 600", size)
	}
}

// fakeSMI puts an nvidia-smi into PATH.
func fakeSMI(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestExecSamplesGPUs(t *testing.T) {
	const answer = `echo "0, GPU-aa, NVIDIA H200, 33, 125.30, 1980, 3201, 0, 0x0000000000000000"`
	temperature := []result.Part{{At: "gpu0", Value: 33}}
	for name, test := range map[string]struct {
		script string
		want   []result.Part
	}{
		"a driver of today": {answer, temperature},
		"a driver that only knows the new name of a field": {
			`case "$1" in *throttle*) echo 'Field "clocks_throttle_reasons.active" is not a valid field to query.'; exit 2;; esac; ` + answer, temperature,
		},
		"a driver that knows neither": {`echo 'Field "x" is not a valid field to query.'; exit 2`, nil},
		"no driver":                   {`echo "NVIDIA-SMI has failed"; exit 9`, nil},
		"garbage":                     {`head -c 10000 /dev/urandom`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			fakeSMI(t, test.script)
			got := runProgram(t, nil, []string{"print", "0", document}, nil)
			if got.envelope.Outcome != result.OutcomeMeasured {
				t.Fatalf("outcome %s: %s", got.envelope.Outcome, got.envelope.Message)
			}
			var parts []result.Part
			for _, m := range got.envelope.Telemetry {
				if m.Name == "gpuTemperature" {
					parts = m.Parts
				}
			}
			for i := range parts {
				parts[i].Samples = 0 // at either end, or as many between as the program's time allows
			}
			if diff := cmp.Diff(test.want, parts); diff != "" {
				t.Errorf("temperature (-want +got):\n%s", diff)
			}
			if (len(got.envelope.Document.Device) == 1) != (test.want != nil) {
				t.Errorf("devices %v", got.envelope.Document.Device)
			}
		})
	}
}

func TestGPUsThatDoNotAnswerAreAskedOnce(t *testing.T) {
	fakeSMI(t, "exec sleep 1000")
	processes := newProcesses()
	defer processes.close()
	g := newGPUs(processes)
	g.timeout = 50 * time.Millisecond
	began := time.Now()
	g.sample(atEdge, began)
	if g.program != "" || time.Since(began) > 30*time.Second {
		t.Errorf("after %v, %q would be asked again", time.Since(began), g.program)
	}
	s := sampler{sources: []source{g}}
	if got := s.telemetry(); got != nil {
		t.Errorf("telemetry %v", got)
	}
}
