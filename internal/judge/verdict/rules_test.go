package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
)

// said is what a test asserts of a judgement.
type said struct {
	Verdict v1alpha1.Verdict
	Reason  string
	Message string
	// Findings as "at rule verdict: message".
	Findings []string
}

func say(j rule.Outcome) said {
	s := said{Verdict: j.Verdict, Reason: j.Reason, Message: j.Message}
	for _, f := range j.Findings {
		s.Findings = append(s.Findings, f.At+" "+f.Rule+" "+string(f.Verdict)+": "+f.Message)
	}
	return s
}

func TestRules(t *testing.T) {
	type E = v1alpha1.Expectation
	fail := func(message string, findings ...string) said {
		return said{v1alpha1.VerdictFail, v1alpha1.ReasonBelowExpectation, message, findings}
	}
	pass := func(message string, findings ...string) said {
		return said{v1alpha1.VerdictPass, v1alpha1.ReasonPassed, message, findings}
	}
	notJudged := func(message string, findings ...string) said {
		return said{v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged, message, findings}
	}
	missing := func(message string, findings ...string) said {
		return said{v1alpha1.VerdictMissing, v1alpha1.ReasonMeasurementMissing, message, findings}
	}
	tests := map[string]struct {
		metric v1alpha1.Metric
		got    *v1alpha1.Attempt
		others []*v1alpha1.Attempt
		facts  rule.Given
		want   said
	}{
		"a GPU below its share of the peak is named with its UUID, and with the fleet's median": {
			metric: triad(expecting(E{MinFractionOfPeak: "0.88"})),
			got:    withDevices(onGPUs(triad(), 4380, 4380, 4380, 3610, 4380), "H200", 5),
			facts:  rule.Given{Peaks: h200()},
			want: fail("gpu3 (GPU-3) hbmTriad 3.61 TB/s: 75.1% of peak 4.81 TB/s, bound 4.233 TB/s (88%); 17.6% below its node's other 4 GPUs (typical 4.38 TB/s)",
				"gpu3 FractionOfPeak Fail: gpu3 (GPU-3) hbmTriad 3.61 TB/s: 75.1% of peak 4.81 TB/s, bound 4.233 TB/s (88%); 17.6% below its node's other 4 GPUs (typical 4.38 TB/s)"),
		},
		"a value equal to its share of the peak passes": {
			metric: triad(expecting(E{MinFractionOfPeak: "0.88"})),
			got:    onGPUs(triad(), 4232.8), facts: rule.Given{Peaks: h200()},
			want: pass("gpu0 hbmTriad 4.233 TB/s: 88% of peak 4.81 TB/s; healthy parts reach 4.37 TB/s"),
		},
		"a limit that binary numbers cannot hold convicts nobody who is equal to it": {
			metric: triad(expecting(E{MinFractionOfPeak: "0.77"})),
			got:    onGPUs(triad(), 3703.7), facts: rule.Given{Peaks: h200()},
			want: pass("gpu0 hbmTriad 3.704 TB/s: 77% of peak 4.81 TB/s; healthy parts reach 4.37 TB/s"),
		},
		"a value just below its limit is told apart from it in the message": {
			metric: triad(expecting(E{Min: "4232.8"})),
			got:    onGPUs(triad(), 4232.7),
			want: fail("gpu0 hbmTriad 4.2327 TB/s: bound 4.2328 TB/s",
				"gpu0 Min Fail: gpu0 hbmTriad 4.2327 TB/s: bound 4.2328 TB/s"),
		},
		"without a profile the peak is not guessed": {
			metric: triad(expecting(E{MinFractionOfPeak: "0.88"})),
			got:    onGPUs(triad(), 10, 10),
			want: notJudged("gpu0 hbmTriad 10 GB/s, but there is nothing to judge it by: hbmTriad of gpu was not judged against its peak: no HardwareProfile of this node has peak hbmBandwidth; to have it judged, give its HardwareProfile the peak hbmBandwidth, or set `min`",
				"gpu FractionOfPeak Skipped: hbmTriad of gpu was not judged against its peak: no HardwareProfile of this node has peak hbmBandwidth"),
		},
		"a profile without a peak for this kind of part is not guessed either": {
			metric: triad(expecting(E{MinFractionOfPeak: "0.88"})),
			got:    attemptOf(v1alpha1.Measurement{Name: "hbmTriad", Unit: "GB/s", Parts: []v1alpha1.PartValue{{At: "node", Value: "1"}}}),
			facts:  rule.Given{Peaks: h200()},
			want: notJudged("node hbmTriad 1 GB/s, but there is nothing to judge it by: hbmTriad of node was not judged against its peak: HardwareProfile h200 of this node has no peak hbmBandwidth for node; to have it judged, give its HardwareProfile the peak hbmBandwidth, or set `min`",
				"node FractionOfPeak Skipped: hbmTriad of node was not judged against its peak: HardwareProfile h200 of this node has no peak hbmBandwidth for node"),
		},
		"for a metric that is better lower, the peak is the least": {
			metric: latency(E{MinFractionOfPeak: "0.5"}),
			got:    onGPUs(latency(E{}), 1.6, 1.7), facts: rule.Given{Peaks: h200()},
			want: fail("gpu1 latency 1.7 us: 47.1% of peak 0.8 us, bound 1.6 us (50%)",
				"gpu1 FractionOfPeak Fail: gpu1 latency 1.7 us: 47.1% of peak 0.8 us, bound 1.6 us (50%)"),
		},
		"max convicts also where higher is better": {
			metric: triad(expecting(E{Max: "5000"})),
			got:    onGPUs(triad(), 5000, 5001),
			want: fail("gpu1 hbmTriad 5.001 TB/s: bound 5 TB/s",
				"gpu1 Max Fail: gpu1 hbmTriad 5.001 TB/s: bound 5 TB/s"),
		},
		"the worst part comes first and the others are counted": {
			metric: triad(expecting(E{Min: "100"})),
			got:    onGPUs(triad(), 90, 50, 80),
			want: fail("gpu1 hbmTriad 50 GB/s: bound 100 GB/s (and 2 more findings)",
				"gpu1 Min Fail: gpu1 hbmTriad 50 GB/s: bound 100 GB/s",
				"gpu2 Min Fail: gpu2 hbmTriad 80 GB/s: bound 100 GB/s",
				"gpu0 Min Fail: gpu0 hbmTriad 90 GB/s: bound 100 GB/s"),
		},
		"three like parts are no fleet": {
			metric: triad(expecting(E{MaxFleetDeviation: "0.05"})),
			got:    onGPUs(triad(), 100, 100, 10),
			want: notJudged("gpu2 hbmTriad 10 GB/s, but there is nothing to judge it by: hbmTriad of gpu was not judged against the fleet: there are 2 other parts like it (gpu) in this run or on nodes that passed recently, and 3 are needed; to have it judged, measure more nodes like this one in one run, or set `min`",
				"gpu FleetDeviation Skipped: hbmTriad of gpu was not judged against the fleet: there are 2 other parts like it (gpu) in this run or on nodes that passed recently, and 3 are needed"),
		},
		"like parts of three others are compared, however few the node has itself": {
			metric: triad(expecting(E{MaxFleetDeviation: "0.05"})),
			got:    onGPUs(triad(), 100, 90), others: []*v1alpha1.Attempt{onGPUs(triad(), 100, 100), onGPUs(triad(), 100, 100), onGPUs(triad(), 100, 100)},
			want: fail("gpu1 hbmTriad 90 GB/s: 10% below 3 other nodes (6 GPUs, typical 100 GB/s), bound 90.74 GB/s",
				"gpu1 FleetDeviation Fail: gpu1 hbmTriad 90 GB/s: 10% below 3 other nodes (6 GPUs, typical 100 GB/s), bound 90.74 GB/s"),
		},
		"a value at the edge of the fleet passes": {
			metric: triad(expecting(E{MaxFleetDeviation: "0.05"})),
			got:    onGPUs(triad(), 100, 95), others: []*v1alpha1.Attempt{onGPUs(triad(), 100, 100), onGPUs(triad(), 100, 100), onGPUs(triad(), 100, 100)},
			want: pass("gpu1 hbmTriad 95 GB/s: 5% below typical 100 GB/s"),
		},
		"a uniform fleet convicts nobody within the noise that the metric claims": {
			metric: triad(expecting(E{MaxFleetDeviation: "0"})),
			got:    onGPUs(triad(), 100, 93), others: []*v1alpha1.Attempt{onGPUs(triad(), 100, 100), onGPUs(triad(), 100, 100), onGPUs(triad(), 100, 100)},
			want: pass("gpu1 hbmTriad 93 GB/s: 7% below typical 100 GB/s"),
		},
		"a slow part in a uniform fleet is convicted past that noise": {
			metric: triad(expecting(E{MaxFleetDeviation: "0"})),
			got:    onGPUs(triad(), 100, 90), others: []*v1alpha1.Attempt{onGPUs(triad(), 100, 100), onGPUs(triad(), 100, 100), onGPUs(triad(), 100, 100)},
			want: fail("gpu1 hbmTriad 90 GB/s: 10% below 3 other nodes (6 GPUs, typical 100 GB/s), bound 90.74 GB/s",
				"gpu1 FleetDeviation Fail: gpu1 hbmTriad 90 GB/s: 10% below 3 other nodes (6 GPUs, typical 100 GB/s), bound 90.74 GB/s"),
		},
		"a higher latency than the fleet's is worse": {
			metric: latency(E{MaxFleetDeviation: "0.1"}),
			got:    onGPUs(latency(E{}), 2, 2, 2, 2.4, 1),
			want: fail("gpu3 latency 2.4 us: 20% above its node's other 4 GPUs (typical 2 us), bound 2.279 us",
				"gpu3 FleetDeviation Fail: gpu3 latency 2.4 us: 20% above its node's other 4 GPUs (typical 2 us), bound 2.279 us"),
		},
		"a fleet of zeros gives no share": {
			metric: triad(expecting(E{MaxFleetDeviation: "0.05"})),
			got:    onGPUs(triad(), 0, 0, 0, -1),
			want: notJudged("gpu3 hbmTriad -1 GB/s, but there is nothing to judge it by: hbmTriad of gpu was not judged against the fleet: the median is 0, so a deviation in percent means nothing; set min or max instead; to have it judged, measure more nodes like this one in one run, or set `min`",
				"gpu FleetDeviation Skipped: hbmTriad of gpu was not judged against the fleet: the median is 0, so a deviation in percent means nothing; set min or max instead"),
		},
		"half of a node's GPUs are slow beside most of the others": {
			metric: triad(expecting(E{MaxFleetDeviation: "0.05"})),
			got:    onGPUs(triad(), 50, 50, 100, 100),
			want: fail("gpu0 hbmTriad 50 GB/s: 50% below its node's other 3 GPUs (typical 100 GB/s), bound 82.7 GB/s (and 1 more finding)",
				"gpu0 FleetDeviation Fail: gpu0 hbmTriad 50 GB/s: 50% below its node's other 3 GPUs (typical 100 GB/s), bound 82.7 GB/s",
				"gpu1 FleetDeviation Fail: gpu1 hbmTriad 50 GB/s: 50% below its node's other 3 GPUs (typical 100 GB/s), bound 82.7 GB/s"),
		},
		"more than half of a node's GPUs hide each other, which is what fixed limits are for": {
			metric: triad(expecting(E{MaxFleetDeviation: "0.05", Min: "60"})),
			got:    onGPUs(triad(), 50, 50, 50, 100),
			want: fail("gpu0 hbmTriad 50 GB/s: bound 60 GB/s; like its node's other 3 GPUs (typical 50 GB/s) (and 2 more findings)",
				"gpu0 Min Fail: gpu0 hbmTriad 50 GB/s: bound 60 GB/s; like its node's other 3 GPUs (typical 50 GB/s)",
				"gpu1 Min Fail: gpu1 hbmTriad 50 GB/s: bound 60 GB/s; like its node's other 3 GPUs (typical 50 GB/s)",
				"gpu2 Min Fail: gpu2 hbmTriad 50 GB/s: bound 60 GB/s; like its node's other 3 GPUs (typical 50 GB/s)"),
		},
		"a node that is slow as a whole is told once, and its own slow GPU beside it": {
			metric: triad(expecting(E{MaxFleetDeviation: "0.05"})),
			got:    onGPUs(triad(), 80, 80, 60, 80),
			others: []*v1alpha1.Attempt{onGPUs(triad(), 100, 100, 100, 100), onGPUs(triad(), 100, 100, 100, 100), onGPUs(triad(), 100, 100, 100, 100)},
			want: fail("gpu2 hbmTriad 60 GB/s: 25% below its node's other 3 GPUs (typical 80 GB/s), bound 74.54 GB/s (and 1 more finding)",
				"gpu2 FleetDeviation Fail: gpu2 hbmTriad 60 GB/s: 25% below its node's other 3 GPUs (typical 80 GB/s), bound 74.54 GB/s",
				" NodeDeviation Fail: all 4 GPUs hbmTriad 80 GB/s (median): 20% below 3 other nodes (12 GPUs, typical 100 GB/s), bound 93.52 GB/s"),
		},
		"a node of which one GPU is slow is not slow as a whole": {
			metric: triad(expecting(E{MaxFleetDeviation: "0.05"})),
			got:    onGPUs(triad(), 100, 60),
			others: []*v1alpha1.Attempt{onGPUs(triad(), 100, 100), onGPUs(triad(), 100, 100), onGPUs(triad(), 100, 100)},
			want: fail("gpu1 hbmTriad 60 GB/s: 40% below 3 other nodes (6 GPUs, typical 100 GB/s), bound 89.75 GB/s",
				"gpu1 FleetDeviation Fail: gpu1 hbmTriad 60 GB/s: 40% below 3 other nodes (6 GPUs, typical 100 GB/s), bound 89.75 GB/s"),
		},
		"counts are compared exactly": {
			metric: triad(expecting(E{MaxFleetDeviation: "0"}), func(m *v1alpha1.Metric) { m.Unit, m.Noise = "count", v1alpha1.Noise{Run: "0", Part: "0", Node: "0"} }),
			got:    onGPUs(triad(func(m *v1alpha1.Metric) { m.Unit = "count" }), 1000, 1000, 999, 1000),
			want: fail("gpu2 hbmTriad 999: 0.1% below its node's other 3 GPUs (typical 1000), bound 1000",
				"gpu2 FleetDeviation Fail: gpu2 hbmTriad 999: 0.1% below its node's other 3 GPUs (typical 1000), bound 1000"),
		},
		"GPUs of another product are not like parts": {
			metric: triad(expecting(E{MaxFleetDeviation: "0.05"})),
			got:    withDevices(onGPUs(triad(), 50), "H100", 1),
			others: []*v1alpha1.Attempt{withDevices(onGPUs(triad(), 100, 100, 100, 100), "H200", 4)},
			want: notJudged("gpu0 (GPU-0) hbmTriad 50 GB/s, but there is nothing to judge it by: hbmTriad of gpu was not judged against the fleet: there is no other part like it (gpu, H100) in this run or on nodes that passed recently, and 3 are needed; to have it judged, measure more nodes like this one in one run, or set `min`",
				"gpu FleetDeviation Skipped: hbmTriad of gpu was not judged against the fleet: there is no other part like it (gpu, H100) in this run or on nodes that passed recently, and 3 are needed"),
		},
		"a node's own history convicts a slow decline": {
			metric: triad(expecting(E{MaxRegression: "0.02"}), steady),
			got:    onGPUs(triad(), 100, 97), facts: rule.Given{Past: pastBy(triad(), "100", "100.1", "99.9")},
			want: fail("gpu1 hbmTriad 97 GB/s: 3% below its own median of 100 GB/s (last 3 passes), bound 98 GB/s",
				"gpu1 Regression Fail: gpu1 hbmTriad 97 GB/s: 3% below its own median of 100 GB/s (last 3 passes), bound 98 GB/s"),
		},
		"two earlier results are no history, which has to begin somewhere": {
			metric: triad(expecting(E{MaxRegression: "0.02"})),
			got:    onGPUs(triad(), 1), facts: rule.Given{Past: pastBy(triad(), "100", "100")},
			want: pass("gpu0 hbmTriad 1 GB/s; 1 rule had too little data",
				"gpu Regression Skipped: hbmTriad of gpu was not judged against its history: it has 2 earlier passing results in this configuration, and a comparison needs 3"),
		},
		"a metric that is no headline has a history, too": {
			metric: triad(expecting(E{MaxRegression: "0.02"}), steady, func(m *v1alpha1.Metric) { m.Headline = false }),
			got:    onGPUs(triad(), 97), facts: rule.Given{Past: pastBy(triad(), "100", "100", "100")},
			want: fail("gpu0 hbmTriad 97 GB/s: 3% below its own median of 100 GB/s (last 3 passes), bound 98 GB/s",
				"gpu0 Regression Fail: gpu0 hbmTriad 97 GB/s: 3% below its own median of 100 GB/s (last 3 passes), bound 98 GB/s"),
		},
		"an expected metric that did not come is missing": {
			metric: triad(expecting(E{Min: "1"})), got: attemptOf(),
			want: missing("the program did not report hbmTriad, which the Benchmark expects",
				" Missing Missing: the program did not report hbmTriad, which the Benchmark expects"),
		},
		"a metric of which nothing is expected may stay away": {
			metric: triad(), got: attemptOf(),
			want: pass("measured; no rule objected"),
		},
		"a unit of another dimension is never compared": {
			metric: triad(expecting(E{Min: "1"})),
			got:    attemptOf(v1alpha1.Measurement{Name: "hbmTriad", Unit: "Gb/s", Parts: []v1alpha1.PartValue{{At: "gpu0", Value: "5"}}}),
			want: missing(`hbmTriad is reported in "Gb/s", but the Benchmark has it in "GB/s": correct one of them`,
				` Missing Missing: hbmTriad is reported in "Gb/s", but the Benchmark has it in "GB/s": correct one of them`),
		},
		"another prefix of the same unit is converted": {
			metric: triad(expecting(E{Min: "4000"})),
			got:    attemptOf(v1alpha1.Measurement{Name: "hbmTriad", Unit: "TB/s", Parts: []v1alpha1.PartValue{{At: "gpu0", Value: "3.9"}}}),
			want: fail("gpu0 hbmTriad 3.9 TB/s: bound 4 TB/s",
				"gpu0 Min Fail: gpu0 hbmTriad 3.9 TB/s: bound 4 TB/s"),
		},
		"a value that is no real number is missing, not infinitely good": {
			metric: triad(expecting(E{Min: "1"})),
			got: attemptOf(v1alpha1.Measurement{Name: "hbmTriad", Unit: "GB/s", Parts: []v1alpha1.PartValue{
				{At: "gpu0", Value: "1e999"}, {At: "gpu1", Value: "5"}}}),
			want: missing(`hbmTriad of gpu0 is "1e999", which is not a number that can be judged`,
				`gpu0 Missing Missing: hbmTriad of gpu0 is "1e999", which is not a number that can be judged`),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := say(judgeAlone(tt.metric, tt.got, tt.facts, tt.others...))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("judgement (-want +got):\n%s", diff)
			}
		})
	}
}

// TestALimitThatIsNoNumberIsTold: no rule guesses what was meant, or is silent about it.
func TestALimitThatIsNoNumberIsTold(t *testing.T) {
	for field, e := range map[string]v1alpha1.Expectation{"min": {Min: "many"}, "max": {Max: "many"}, "minFractionOfPeak": {MinFractionOfPeak: "many"},
		"minFractionOfReached": {MinFractionOfReached: "many"}, "maxFleetDeviation": {MaxFleetDeviation: "many"}, "maxRegression": {MaxRegression: "many"},
		"minEfficiency": {MinEfficiency: "many"}} {
		m := triad(expecting(e))
		j := judgeAlone(m, onGPUs(m, 100), rule.Given{})
		if !slices.ContainsFunc(j.Findings, func(f v1alpha1.Finding) bool {
			return f.Verdict == v1alpha1.VerdictSkipped && strings.HasSuffix(f.Message, field+` is "many", which is not a number that can be compared with`)
		}) {
			t.Errorf("%s: %s: %s; %+v", field, j.Verdict, j.Message, j.Findings)
		}
	}
}
