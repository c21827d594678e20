package cause_test

import (
	"math/rand/v2"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
)

// failed is a result of one benchmark with these findings, and one attempt.
func failed(a v1alpha1.Attempt, findings ...v1alpha1.Finding) *v1alpha1.ValidationResult {
	a.Number, a.Verdict = 1, v1alpha1.VerdictPass
	for i := range findings {
		if findings[i].Verdict == "" {
			findings[i].Verdict = v1alpha1.VerdictFail
		}
	}
	return &v1alpha1.ValidationResult{Benchmarks: []v1alpha1.BenchmarkResult{{Name: "b", Verdict: v1alpha1.VerdictFail, Findings: findings, Attempts: []v1alpha1.Attempt{a}}}}
}

func measured(name, unit string, parts ...v1alpha1.PartValue) v1alpha1.Measurement {
	return v1alpha1.Measurement{Name: name, Unit: unit, Parts: parts}
}

// perGPU is what gpu1 had, between two others alike.
func perGPU(name, unit string, others, own v1alpha1.Decimal) v1alpha1.Measurement {
	return measured(name, unit, v1alpha1.PartValue{At: "gpu0", Value: others}, v1alpha1.PartValue{At: "gpu1", Value: own}, v1alpha1.PartValue{At: "gpu2", Value: others})
}

// What findings say themselves, and causes outside of GPUs, of which there are no recordings.
func TestCausesOfFindings(t *testing.T) {
	unlike := func(fact string) v1alpha1.Finding {
		return v1alpha1.Finding{Metric: fact, Rule: "FactUniform", Verdict: v1alpha1.VerdictWarning}
	}
	facts := func(all ...v1alpha1.Fact) v1alpha1.Attempt { return v1alpha1.Attempt{Facts: all} }
	dgemm := v1alpha1.Attempt{Measurements: []v1alpha1.Measurement{measured("dgemm", "GFLOP/s", v1alpha1.PartValue{At: "node", Value: "900"})}}
	triad := v1alpha1.Attempt{Measurements: []v1alpha1.Measurement{measured("triad", "GB/s", v1alpha1.PartValue{At: "node", Value: "90"})}}
	for name, tt := range map[string]struct {
		result *v1alpha1.ValidationResult
		kind   cause.Kind
		sure   bool
		says   string
	}{
		"a healthy node": {failed(v1alpha1.Attempt{}, unlike("driver")), "", false, ""},
		"a slow processor whose governor differs": {failed(dgemm, v1alpha1.Finding{Metric: "dgemm", At: "node", Rule: "FleetDeviation"}, unlike("cpuGovernor"), unlike("driver")),
			cause.Setting, false, "n probably has a wrong setting or version: unlike most nodes of its kind in cpuGovernor"},
		"a slow processor of which nothing differs": {failed(dgemm, v1alpha1.Finding{Metric: "dgemm", At: "node", Rule: "FleetDeviation"}, unlike("driver")), cause.NotKnown, false, "n is slow, and the cause is not known"},
		"slow memory with slower modules": {failed(triad, v1alpha1.Finding{Metric: "triad", At: "node", Rule: "FleetDeviation"}, unlike("memorySpeedMTs"), unlike("memoryGiB")),
			cause.Setting, false, "n probably has a wrong setting or version: unlike most nodes of its kind in memorySpeedMTs and memoryGiB"},
		"slow with most nodes": {failed(v1alpha1.Attempt{}, v1alpha1.Finding{Metric: "bandwidth", Rule: "Blame"}), cause.Adapter, false, "n is probably slow on the network: with most others"},
		"slow with most nodes, and its card lacks lanes": {failed(facts(v1alpha1.Fact{Name: "nicLinksReduced", Value: "1"}), v1alpha1.Finding{Metric: "bandwidth", Rule: "Blame"}),
			cause.Adapter, true, "n is slow on the network: PCIe lanes are lost at 1 of its network cards"},
		"a port is down": {failed(facts(v1alpha1.Fact{Name: "rdmaPortsActive", Value: "7"}), v1alpha1.Finding{Metric: "bandwidth", Rule: "Blame"}, unlike("rdmaPortsActive")),
			cause.Adapter, true, "n is slow on the network: 7 of its ports are active, unlike most nodes of its kind"},
		"an unusable device":   {failed(v1alpha1.Attempt{}, v1alpha1.Finding{Metric: "devicesUsable", Rule: "DataCheck"}), cause.Unusable, true, "n has devices that no program can use"},
		"wrong data":           {failed(v1alpha1.Attempt{}, v1alpha1.Finding{Metric: "residual", At: "gpu1", Rule: "DataCheck"}), cause.WrongData, true, "gpu1 computes or stores wrong data"},
		"errors of the memory": {failed(v1alpha1.Attempt{}, v1alpha1.Finding{Metric: "eccUncorrected", Rule: "DataCheck"}), cause.Memory, true, "n has bad memory"},
		"a slow GPU whose memory could not be repaired": {failed(facts(v1alpha1.Fact{Name: "rowRemapFailed", At: "gpu1", Value: "true"}), v1alpha1.Finding{Metric: "hbmTriad", At: "gpu1", Rule: "FleetDeviation"}),
			cause.Memory, true, "gpu1 has bad memory: its rowRemapFailed is true"},
		"a GPU whose clock is the same in every number format": {failed(v1alpha1.Attempt{Measurements: []v1alpha1.Measurement{perGPU("fp32", "TFLOP/s", "51", "42")},
			Telemetry: []v1alpha1.Measurement{perGPU("fp64Clock", "MHz", "1980", "1500"), perGPU("fp64Power", "W", "700", "600"),
				perGPU("fp32Clock", "MHz", "1900", "1500"), perGPU("fp32Power", "W", "690", "580")}}, v1alpha1.Finding{Metric: "fp32", At: "gpu1", Rule: "FleetDeviation"}),
			cause.ClockLock, false, "gpu1 probably runs at a locked clock: at 1.5 GHz and 580 W, the others at 1.9 GHz and 690 W; the same clock in every number format, where others differ"},
		"a hot GPU of a program that measures temperatures": {failed(v1alpha1.Attempt{Measurements: []v1alpha1.Measurement{perGPU("rate", "TFLOP/s", "51", "42"),
			perGPU("smClock", "MHz", "1750", "1400"), perGPU("temperature", "C", "57", "88")}}, v1alpha1.Finding{Metric: "rate", At: "gpu1", Rule: "FleetDeviation"}),
			cause.Heat, false, "gpu1 probably throttles from heat: at 1.4 GHz and 88 C, the others at 1.75 GHz and 57 C"},
		"a GPU too few":          {failed(v1alpha1.Attempt{}, v1alpha1.Finding{Metric: "devices", Rule: "DevicesMissing"}), cause.DevicesMissing, true, "n lacks devices"},
		"nothing was reported":   {failed(v1alpha1.Attempt{}, v1alpha1.Finding{Metric: "fp64", Rule: "Missing", Verdict: v1alpha1.VerdictMissing}), cause.NoOutput, true, "n has a program that did not report what is expected"},
		"a fact that fails":      {failed(v1alpha1.Attempt{}, v1alpha1.Finding{Metric: "smt", Rule: "FactEqual"}), cause.Setting, true, "n has a wrong setting or version"},
		"a fabric that is down":  {failed(v1alpha1.Attempt{}, v1alpha1.Finding{Metric: "fabricDown", At: "gpu2", Rule: "FactEqual"}), cause.Fabric, true, "gpu2 has a slow or broken NVLink fabric"},
		"a message and no value": {failed(v1alpha1.Attempt{}, v1alpha1.Finding{Metric: "x", At: "gpu2", Rule: "Min", Message: "slow"}), cause.NotKnown, false, "gpu2 is slow, and the cause is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			all := cause.Of(tt.result)
			if tt.kind == "" {
				if len(all) > 0 {
					t.Errorf("got %+v", all)
				}
				return
			}
			if len(all) != 1 || all[0].Kind != tt.kind || all[0].Sure != tt.sure || all[0].Says("n") != tt.says {
				t.Errorf("%d faults, the first is %+v\n%s", len(all), all[0], all[0].Says("n"))
			}
		})
	}
}

// Two things that are wrong are two faults; what several metrics and benchmarks say of one is one.
func TestFaultsAreToldApart(t *testing.T) {
	value := func(at, v string) v1alpha1.PartValue { return v1alpha1.PartValue{At: at, Value: v1alpha1.Decimal(v)} }
	r := failed(v1alpha1.Attempt{
		Devices: []v1alpha1.Device{{Index: 0, UUID: "GPU-a"}, {Index: 1, UUID: "GPU-b"}, {Index: 2, UUID: "GPU-c"}},
		Measurements: []v1alpha1.Measurement{measured("fp32", "TFLOP/s", value("gpu0", "51"), value("gpu1", "40"), value("gpu2", "51")),
			measured("hbmTriad", "GB/s", value("gpu0", "4400"), value("gpu1", "4400"), value("gpu2", "4000"))},
		Telemetry: []v1alpha1.Measurement{measured("smClock", "MHz", value("gpu0", "1980"), value("gpu1", "1500"), value("gpu2", "1980")),
			measured("memoryClock", "MHz", value("gpu0", "3201"), value("gpu1", "3201"), value("gpu2", "3201")),
			measured("gpuThrottled", "fraction", value("gpu1 hwThermal", "0.9"))},
	}, v1alpha1.Finding{Metric: "fp32", At: "gpu1", Rule: "FleetDeviation"}, v1alpha1.Finding{Metric: "hbmTriad", At: "gpu2", Rule: "FleetDeviation"},
		v1alpha1.Finding{Metric: "fp32", At: "gpu1", Rule: "Min"}, v1alpha1.Finding{Metric: "allReduceBusBandwidth", At: "8GiB", Rule: "Min"})
	all := cause.Of(r)
	if len(all) != 2 || all[0].Kind != cause.Heat || all[1].Kind != cause.Memory || len(all[0].Broken) != 3 { // the collective waits for the hot one
		t.Fatalf("got %+v", all)
	}
	if want := "gpu1 (GPU-b) throttles from heat: at 1.5 GHz, the others at 1.98 GHz; slowed by heat (hwThermal) 90% of the time"; all[0].Says("n") != want {
		t.Errorf("got %s", all[0].Says("n"))
	}
	r.Benchmarks[0].Attempts[0].Telemetry = nil
	if all = cause.Of(r); len(all) != 3 || all[2].Kind != cause.NotKnown { // it may wait for either
		t.Errorf("got %+v", all)
	}
	r.Benchmarks[0].Findings = append(r.Benchmarks[0].Findings[:1], r.Benchmarks[0].Findings[3])
	if all = cause.Of(r); len(all) != 1 || all[0].At != "gpu1" || len(all[0].Broken) != 2 {
		t.Errorf("got %+v", all)
	}
}

// A slow pair is a link only where both of its GPUs are fine with others: with two GPUs, or where one of them is slow with all, it may be either.
func TestALinkIsToldFromItsGPUs(t *testing.T) {
	for name, tt := range map[string]struct {
		pairs []string
		slow  []string
		want  cause.Kind
	}{
		"two GPUs":                   {[]string{"gpu0->gpu1", "gpu1->gpu0"}, []string{"gpu0->gpu1"}, cause.NotKnown},
		"one is slow with all":       {[]string{"gpu0->gpu1", "gpu0->gpu2", "gpu1->gpu2"}, []string{"gpu0->gpu1", "gpu0->gpu2"}, cause.NotKnown},
		"both are fine with a third": {[]string{"gpu0->gpu1", "gpu0->gpu2", "gpu1->gpu2"}, []string{"gpu0->gpu1"}, cause.Link},
	} {
		t.Run(name, func(t *testing.T) {
			m := measured("writeBandwidth", "GB/s")
			for _, at := range tt.pairs {
				m.Parts = append(m.Parts, v1alpha1.PartValue{At: at, Value: "300"})
			}
			var findings []v1alpha1.Finding
			for _, at := range tt.slow {
				findings = append(findings, v1alpha1.Finding{Metric: "writeBandwidth", At: at, Rule: "Min"})
			}
			all := cause.Of(failed(v1alpha1.Attempt{Measurements: []v1alpha1.Measurement{m}}, findings...))
			if len(all) != len(tt.slow) || all[0].Kind != tt.want {
				t.Errorf("got %+v", all)
			}
		})
	}
}

// Names and numbers come from programs: none of them stops a report.
func TestHostileRecordsAreRead(t *testing.T) {
	names := []string{"", "gpu", "gpu0", "gpu->", "gpu0->*", "gpu0->gpu0", "gpu0->gpu1->gpu2", "gpu99999999999", "->", "node", "numa0", "gpu0 hwThermal", " ", "\x1b[2J"}
	values := []v1alpha1.Decimal{"", "0", "-1", "1e99", "-1e-99", "NaN", "5", "true"}
	metrics := []struct{ name, unit string }{{"fp32", "TFLOP/s"}, {"hbmTriad", "GB/s"}, {"hostToDeviceBandwidth", "GB/s"}, {"writeBandwidth", "GB/s"},
		{"reachablePeers", "count"}, {"allReduceBusBandwidth", "GB/s"}, {"triad", "GB/s"}}
	rules := []string{"NodeDeviation", "FleetDeviation", "FractionOfReached", "Blame", "DataCheck", "FactUniform", "Missing", ""}
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(all []string) string { return all[r.IntN(len(all))] }
	parts := func() (all []v1alpha1.PartValue) {
		for range r.IntN(4) {
			all = append(all, v1alpha1.PartValue{At: pick(names), Value: values[r.IntN(len(values))], Spread: values[r.IntN(len(values))]})
		}
		return all
	}
	for range 20000 {
		metric := metrics[r.IntN(len(metrics))]
		a := v1alpha1.Attempt{Measurements: []v1alpha1.Measurement{measured(metric.name, metric.unit, parts()...)}, Devices: []v1alpha1.Device{{Index: int32(r.IntN(3) - 1), UUID: pick(names)}}}
		for _, q := range []struct{ name, unit string }{{"smClock", "MHz"}, {metric.name + "Clock", "MHz"}, {metric.name + "Power", "W"}, {"temperature", "C"}, {"memoryClock", "MHz"}, {"gpuThrottled", "fraction"}} {
			a.Telemetry = append(a.Telemetry, measured(q.name, q.unit, parts()...))
		}
		for _, fact := range []string{"pcieWidth", "pcieWidthMax", "pcieGeneration", "pcieGenerationMax", "nvlinksUp", "powerLimitW", "gpuNumaNode", "gpuSerial"} {
			a.Facts = append(a.Facts, v1alpha1.Fact{Name: fact, At: pick(names), Value: string(values[r.IntN(len(values))])})
		}
		var findings []v1alpha1.Finding
		for range 1 + r.IntN(3) {
			findings = append(findings, v1alpha1.Finding{Metric: metric.name, At: pick(names), Rule: pick(rules), RuleNumbers: v1alpha1.RuleNumbers{Unit: metric.unit,
				Value: values[r.IntN(len(values))], Typical: values[r.IntN(len(values))], Bound: values[r.IntN(len(values))], Limit: values[r.IntN(len(values))]}})
		}
		told := 0
		for _, f := range cause.Of(failed(a, findings...)) {
			told += len(f.Broken)
			if f.Says("n") == "" || len(f.Findings()) == 0 || f.Action() == "" {
				t.Fatalf("%+v says nothing", f)
			}
		}
		if told != len(findings) {
			t.Fatalf("%d of %d findings are told", told, len(findings))
		}
	}
}
