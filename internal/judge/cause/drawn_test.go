package cause_test

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/test/golden"
)

//go:embed testdata
var files embed.FS

var _ = golden.Keep(files)

// drawnRecord is a node with a few slow parts, of which sensors, driver and facts say this or that.
func drawnRecord(r *rand.Rand) *v1alpha1.ValidationResult {
	one := func(of ...string) string { return golden.One(r, of...) }
	gpus := 2 + r.IntN(3)
	gpu := func() string { return fmt.Sprintf("gpu%d", r.IntN(gpus)*r.IntN(2)) } // of two faults, often both are at the first
	quantity := func(name, unit string, of ...string) v1alpha1.Measurement {
		m := v1alpha1.Measurement{Name: name, Unit: unit}
		for i := range gpus {
			m.Parts = append(m.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", i), Value: v1alpha1.Decimal(one(of...)), Spread: v1alpha1.Decimal(one("", "", "0.01", "0.2"))})
		}
		return m
	}
	pairs := v1alpha1.Measurement{Name: "writeBandwidth", Unit: "GB/s"}
	for from := range gpus {
		for to := range gpus {
			if from != to {
				pairs.Parts = append(pairs.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d->gpu%d", from, to), Value: "300"})
			}
		}
	}
	a := v1alpha1.Attempt{Measurements: []v1alpha1.Measurement{quantity("fp32", "TFLOP/s", "51"), quantity("hbmTriad", "GB/s", "4400"), quantity("hostToDeviceBandwidth", "GB/s", "55"), pairs,
		measured("dgemm", "GFLOP/s", v1alpha1.PartValue{At: "node", Value: "900"}), measured("triad", "GB/s", v1alpha1.PartValue{At: "node", Value: "90"})}}
	a.Telemetry = []v1alpha1.Measurement{quantity("smClock", "MHz", "1980", "1980", "1980", "1965", "1935", "1500"), quantity("power", "W", "690", "690", "685", "500"),
		quantity("temperature", "C", "60", "61", "64", "88"), quantity("memoryClock", "MHz", "3201", "3201", "3201", "2800"),
		measured("gpuThrottled", "fraction", v1alpha1.PartValue{At: gpu() + " " + one("hwThermal", "swThermal", "swPowerCap", "hwPowerBrake"), Value: v1alpha1.Decimal(one("0.02", "0.3", "0.9"))},
			v1alpha1.PartValue{At: gpu() + " " + one("hwThermal", "swThermal", "swPowerCap"), Value: v1alpha1.Decimal(one("0.01", "0.3"))})}
	if r.IntN(2) == 0 { // the driver says nothing
		a.Telemetry = a.Telemetry[:min(len(a.Telemetry), 4)]
	}
	a.Telemetry = a.Telemetry[r.IntN(6)/5*r.IntN(len(a.Telemetry)+1):]
	if on, how := r.IntN(gpus+1)*r.IntN(2), r.IntN(4); r.IntN(2) == 0 { // a clock that is locked, or a power that is capped, is the same in every number format; on all GPUs, or one
		for i, format := range []string{"fp32", "fp64", "bf16"} {
			clock, power := measured(format+"Clock", "MHz"), measured(format+"Power", "W")
			for g := range gpus {
				mhz, watts := 1980-80*i-r.IntN(2)*15, 690-40*i
				if (g == on || on == gpus) && how == 0 {
					mhz, watts = 1600+r.IntN(2)*15, 520-30*i
				} else if g == on && how == 1 {
					mhz, watts = 1700-40*i, 500+r.IntN(2)*5
				}
				clock.Parts = append(clock.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", g), Value: v1alpha1.Decimal(fmt.Sprint(mhz))})
				power.Parts = append(power.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", g), Value: v1alpha1.Decimal(fmt.Sprint(watts))})
			}
			a.Telemetry = append(a.Telemetry, clock, power)
		}
	}
	for i := range gpus {
		a.Devices = append(a.Devices, v1alpha1.Device{Index: int32(i), UUID: fmt.Sprintf("GPU-%d", i)})
		fact := func(name string, of ...string) {
			if r.IntN(3) > 0 {
				a.Facts = append(a.Facts, v1alpha1.Fact{Name: name, At: fmt.Sprintf("gpu%d", i), Value: one(of...)})
			}
		}
		fact("pcieWidth", "16", "16", "16", "8", "4")
		fact("pcieWidthMax", "16")
		fact("pcieGeneration", "5", "5", "5", "4", "1")
		fact("pcieGenerationMax", "5")
		fact("nvlinksUp", "18", "18", "18", "17")
		fact("nvlinkGBps", "25", "25", "25", "12")
		fact("powerLimitW", "700", "700", "700", "700", "700", "600")
		fact("powerLimitDefaultW", "700")
		fact("smClockMaxMHz", "1980")
		fact("rowRemapFailed", "false", "false", "false", "false", "true")
		fact("fabricDegraded", "false", "false", "false", "true")
		fact("gpuNumaNode", fmt.Sprint(i*2/gpus))
		fact("gpuSerial", fmt.Sprintf("serial-%d", i))
	}
	if r.IntN(5) == 0 {
		a.Facts = append(a.Facts, v1alpha1.Fact{Name: "nicLinksReduced", Value: one("0", "1")}, v1alpha1.Fact{Name: "rdmaPortsActive", Value: "7"})
	}
	var findings []v1alpha1.Finding
	for range 1 + r.IntN(3) {
		value := func(at string, good string) v1alpha1.Finding {
			return v1alpha1.Finding{At: at, Rule: one("FleetDeviation", "FleetDeviation", "Min", "NodeDeviation"), RuleNumbers: v1alpha1.RuleNumbers{Value: v1alpha1.Decimal(one("25", "40", "48", "50")), Typical: v1alpha1.Decimal(good),
				Bound: "49", Limit: v1alpha1.Decimal(one("0.02", "0.02", "0.1")), Unit: "GB/s"}}
		}
		f, parts := v1alpha1.Finding{}, []string{gpu()}
		switch name := one("fp32", "fp32", "hbmTriad", "hbmTriad", "hostToDeviceBandwidth", "hostToDeviceBandwidth", "writeBandwidth", "writeBandwidth", "dgemm", "triad", "allReduceBusBandwidth", "bandwidth", "fact"); name {
		case "fact":
			f = v1alpha1.Finding{Metric: one("driver", "cpuGovernor", "pcieWidth", "eccUncorrected", "fabricDown"), At: one("", gpu()), Rule: one("FactEqual", "FactUniform", "DataCheck", "Missing", "DevicesMissing")}
		case "writeBandwidth":
			f, parts = value("", "50"), []string{one(gpu(), gpu()+"->*", "*->"+gpu(), "gpu0->gpu1", "gpu1->gpu0")}
			f.Metric = name
		case "dgemm", "triad", "allReduceBusBandwidth", "bandwidth":
			f, parts = value("", "50"), []string{map[string]string{"dgemm": "node", "triad": "node", "allReduceBusBandwidth": "8GiB"}[name]}
			if f.Metric = name; name == "bandwidth" {
				f.Rule = "Blame"
			}
		default:
			f = value("", "50")
			f.Metric = name
			if r.IntN(3) == 0 { // all GPUs
				parts = nil
				for i := range gpus {
					parts = append(parts, fmt.Sprintf("gpu%d", i))
				}
			}
		}
		for _, at := range parts {
			if f.Metric != "driver" {
				f.At = at
			}
			findings = append(findings, f)
		}
	}
	for _, name := range []string{"driver", "cpuGovernor", "biosVersion", "memorySpeedMTs", "rdmaPortsActive"} {
		if r.IntN(8) == 0 {
			findings = append(findings, v1alpha1.Finding{Metric: name, Rule: "FactUniform", Verdict: v1alpha1.VerdictWarning})
		}
	}
	result := failed(a, findings...)
	if b := &result.Benchmarks[0]; r.IntN(2) == 0 { // measured again
		b.Attempts = append(b.Attempts, b.Attempts[0])
	}
	return result
}

// TestDrawnRecords: what is said of nodes of which chance says what is slow, and what sensors and facts tell.
func TestDrawnRecords(t *testing.T) {
	golden.Sums(t, "records", 480, func(r *rand.Rand) string {
		result, out := drawnRecord(r), ""
		for _, f := range result.Benchmarks[0].Findings {
			out += fmt.Sprintf("%s of %s %s; ", f.Rule, f.Metric, f.At)
		}
		for _, f := range cause.Of(result) {
			out += fmt.Sprintf("\n%s at %q, sure %v, %v %s %s, by %s: %s", f.Kind, f.At, f.Sure, f.UUIDs, f.Serial, f.Slot, golden.Figures(f.Why), golden.Figures(f.Says("n")))
			for _, text := range f.Findings() {
				out += "\n  " + golden.Figures(text)
			}
		}
		return out
	})
}
