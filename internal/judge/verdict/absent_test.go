package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/test/testdata"
)

// TestNoGPUReachesAnother: p2p passes on hardware whose GPUs do not reach each other by design, and on no other. It then reports
// reachablePeers, and of the links nothing.
func TestNoGPUReachesAnother(t *testing.T) {
	cpu := &v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{{Name: "memoryBandwidth", At: "node", Value: "1", Unit: "GB/s", Source: "s"}}}}
	reached := func(each ...string) v1alpha1.Measurement {
		m := v1alpha1.Measurement{Name: "reachablePeers", Unit: "count", Better: v1alpha1.Higher}
		for i, n := range each {
			m.Parts = append(m.Parts, v1alpha1.PartValue{At: "gpu" + string(rune('0'+i)), Value: v1alpha1.Decimal(n)})
		}
		return m
	}
	none := reached("0", "0", "0", "0")
	override := []v1alpha1.ExpectationOverride{{Metric: "writeBandwidth", Expectation: v1alpha1.Expectation{Min: "10"}}}
	tests := map[string]struct {
		peaks     peak.Peaks
		measured  []v1alpha1.Measurement
		overrides []v1alpha1.ExpectationOverride
		want      v1alpha1.Verdict
		message   string
	}{
		"an L4 has no links":                    {peak.Of(testdata.Profile("l4")), []v1alpha1.Measurement{none}, nil, v1alpha1.VerdictPass, "reachablePeers"},
		"a T4 with a profile of its processors": {peak.Of(cpu, testdata.Profile("t4")), []v1alpha1.Measurement{none}, nil, v1alpha1.VerdictPass, "reachablePeers"},
		"an H200 has NVLink": {peak.Of(testdata.Profile("h200")), []v1alpha1.Measurement{none}, nil, v1alpha1.VerdictMissing,
			"the program did not report writeBandwidth, which the Benchmark expects: reachablePeers is 0 at every gpu, although HardwareProfile h200 has the peak nvlinkPerDirection"},
		"an unknown GPU may have NVLink": {peak.Peaks{}, []v1alpha1.Measurement{none}, nil, v1alpha1.VerdictMissing,
			"no HardwareProfile of this node says whether that is right"},
		"a profile of the processors tells nothing of GPUs": {peak.Of(cpu), []v1alpha1.Measurement{none}, nil, v1alpha1.VerdictMissing,
			"no HardwareProfile of this node says whether that is right"},
		"peers that are reached have a bandwidth": {peak.Of(testdata.Profile("l4")), []v1alpha1.Measurement{reached("3", "3", "3", "3")}, nil,
			v1alpha1.VerdictMissing, "the program did not report writeBandwidth, which the Benchmark expects (and "},
		"no word of peers at all": {peak.Of(testdata.Profile("l4")), nil, nil, v1alpha1.VerdictMissing, "the program did not report writeBandwidth, which the Benchmark expects (and "},
		"what a run expects is expected": {peak.Of(testdata.Profile("l4")), []v1alpha1.Measurement{none}, override, v1alpha1.VerdictMissing,
			"the program did not report writeBandwidth, which the Benchmark expects"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			metrics, err := expect.Effective(testdata.Benchmark("p2p"), tt.overrides)
			if err != nil {
				t.Fatal(err)
			}
			a := withDevices(attemptOf(tt.measured...), "GPU", 4)
			j := judgeIn(fleetOf("p2p", metrics, []*v1alpha1.Attempt{a}, true), a, rule.Given{Peaks: tt.peaks})
			if j.Verdict != tt.want || !strings.Contains(j.Message, tt.message) {
				t.Errorf("%s: %s\nwant %s: %s", j.Verdict, j.Message, tt.want, tt.message)
			}
		})
	}
}

// TestALonePairOfGPUs: nothing can be compared with a node's two GPUs, and p2p judges them by what they count themselves.
func TestALonePairOfGPUs(t *testing.T) {
	metrics, err := expect.Effective(testdata.Benchmark("p2p"), nil)
	if err != nil {
		t.Fatal(err)
	}
	links := func(name, value string) v1alpha1.Measurement {
		return measuredAt(name, "GB/s", "gpu0->gpu1", value, "gpu1->gpu0", value)
	}
	peers := func(first, second string) v1alpha1.Measurement {
		return measuredAt("reachablePeers", "count", "gpu0", first, "gpu1", second)
	}
	all := []v1alpha1.Measurement{links("writeBandwidth", "395"), links("readBandwidth", "393"),
		measuredAt("bidirectionalBandwidth", "GB/s", "gpu0<->gpu1", "760")}
	tests := map[string]struct {
		profile  string
		measured []v1alpha1.Measurement
		want     v1alpha1.Verdict
	}{
		"each H200 reaches the other":  {"h200", append(all, peers("1", "1")), v1alpha1.VerdictPass},
		"one H200 does not":            {"h200", append(all, peers("1", "0")), v1alpha1.VerdictInconclusive},
		"L4s do not, which is right":   {"l4", []v1alpha1.Measurement{peers("0", "0")}, v1alpha1.VerdictPass},
		"H200s do not, which is wrong": {"h200", []v1alpha1.Measurement{peers("0", "0")}, v1alpha1.VerdictMissing},
		"one GPU was not counted":      {"h200", append(all, measuredAt("reachablePeers", "count", "gpu0", "1")), v1alpha1.VerdictInconclusive},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := withDevices(attemptOf(tt.measured...), "GPU", 2)
			j := judgeIn(fleetOf("p2p", metrics, []*v1alpha1.Attempt{a}, true), a, rule.Given{Peaks: peak.Of(testdata.Profile(tt.profile))})
			if j.Verdict != tt.want {
				t.Errorf("%s: %s\nwant %s", j.Verdict, j.Message, tt.want)
			}
		})
	}
}

// TestALoneGPU: gpuquick measures what takes one GPU. The rest is no more missing than p2p and collectives are, which such a node skips.
func TestALoneGPU(t *testing.T) {
	metrics, err := expect.Effective(testdata.Benchmark("gpuquick"), nil)
	if err != nil {
		t.Fatal(err)
	}
	alone := func(peers string) []v1alpha1.Measurement {
		values := map[string]string{"reachablePeers": peers, "hbmTriad": "4390", "hostToDeviceBandwidth": "55.4", "deviceToHostBandwidth": "55.3", "fp64": "54", "fp32": "51", "fp16": "720"}
		var measured []v1alpha1.Measurement
		for i := range metrics {
			if v := values[metrics[i].Name]; v != "" {
				measured = append(measured, measuredAt(metrics[i].Name, metrics[i].Unit, "gpu0", v))
			}
		}
		return measured
	}
	tests := map[string]struct {
		devices  int
		measured []v1alpha1.Measurement
		want     v1alpha1.Verdict
	}{
		"a node's only GPU":                       {1, alone("0"), v1alpha1.VerdictPass},
		"the only one of two that can be seen":    {1, alone("0"), v1alpha1.VerdictMissing},
		"a GPU that says that it reaches another": {1, alone("1"), v1alpha1.VerdictMissing},
		"one of two":       {2, alone("0"), v1alpha1.VerdictMissing},
		"no word of peers": {1, slices.DeleteFunc(alone("0"), func(m v1alpha1.Measurement) bool { return m.Name == "reachablePeers" }), v1alpha1.VerdictMissing},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := withDevices(attemptOf(tt.measured...), "NVIDIA H200", tt.devices)
			a.Machine = &v1alpha1.Machine{Devices: "1 x NVIDIA-H200"}
			if strings.HasSuffix(name, "can be seen") {
				a.Machine.Devices = "2 x NVIDIA-H200"
			}
			j := judgeIn(fleetOf("gpuquick", metrics, []*v1alpha1.Attempt{a}, true), a, rule.Given{Peaks: peak.Of(testdata.Profile("h200"))})
			if j.Verdict != tt.want {
				t.Errorf("%s: %s\nwant %s", j.Verdict, j.Message, tt.want)
			}
		})
	}
}

// TestACountOfSomethingElse: what a site counts may be as many as the other GPUs by chance.
func TestACountOfSomethingElse(t *testing.T) {
	metrics := []v1alpha1.Metric{
		{Name: "activeLinks", Unit: "count", Better: v1alpha1.Higher, Headline: true, Expectation: &v1alpha1.Expectation{MaxFleetDeviation: "0"}},
		{Name: "linkBandwidth", Unit: "GB/s", Better: v1alpha1.Higher, DependsOn: "activeLinks"},
	}
	a := withDevices(attemptOf(measuredAt("activeLinks", "count", "gpu0", "1", "gpu1", "1"), measuredAt("linkBandwidth", "GB/s", "gpu0", "25", "gpu1", "25")), "GPU", 2)
	j := judgeIn(fleetOf("links", metrics, []*v1alpha1.Attempt{a}, true), a, rule.Given{})
	if j.Verdict != v1alpha1.VerdictInconclusive {
		t.Errorf("one link of 18 on each of two GPUs: %s: %s", j.Verdict, j.Message)
	}
}

func measuredAt(name, unit string, atValue ...string) v1alpha1.Measurement {
	m := v1alpha1.Measurement{Name: name, Unit: unit, Better: v1alpha1.Higher}
	for i := 0; i < len(atValue); i += 2 {
		m.Parts = append(m.Parts, v1alpha1.PartValue{At: atValue[i], Value: v1alpha1.Decimal(atValue[i+1])})
	}
	return m
}
