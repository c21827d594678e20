package verdict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/message"
)

func TestJudgeWhatWasNotMeasured(t *testing.T) {
	f := fleetOf(bench, []v1alpha1.Metric{triad(expecting(v1alpha1.Expectation{Min: "1"}))}, nil, true)
	tests := map[string]struct {
		got  *v1alpha1.Attempt
		want said
	}{
		"an error keeps its reason and message": {
			&v1alpha1.Attempt{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonTimedOut, Message: "killed after 600 s"},
			said{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonTimedOut, Message: "killed after 600 s"},
		},
		"a skip keeps its reason and message": {
			&v1alpha1.Attempt{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNodeBusy, Message: "pods use its GPUs"},
			said{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNodeBusy, Message: "pods use its GPUs"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, say(judgeIn(f, tt.got, rule.Given{}))); diff != "" {
				t.Errorf("judgement (-want +got):\n%s", diff)
			}
		})
	}
	if d := f.Decide(nil, rule.Given{}, 1); d.Verdict != v1alpha1.VerdictPending || d.Message != "not measured yet" || !d.NeedsAttempt {
		t.Errorf("before the first attempt: %+v", d)
	}
}

func TestWrongDataFailsHoweverFast(t *testing.T) {
	a := onGPUs(triad(), 4380)
	a.Checks = []v1alpha1.Check{{Name: "residual", OK: true}, {Name: "dataIntegrity", Message: "3 of 8 words differ"}}
	want := said{v1alpha1.VerdictFail, v1alpha1.ReasonWrongData, "wrong data: check dataIntegrity failed: 3 of 8 words differ (and 1 more finding)",
		[]string{
			" DataCheck Fail: wrong data: check dataIntegrity failed: 3 of 8 words differ",
			"gpu0 Min Fail: gpu0 hbmTriad 4.38 TB/s: bound 5 TB/s",
		}}
	got := say(judgeAlone(triad(expecting(v1alpha1.Expectation{Min: "5000"})), a, rule.Given{}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("judgement (-want +got):\n%s", diff)
	}

	silent := &v1alpha1.Attempt{Verdict: v1alpha1.VerdictFail, Message: "exit code 1"}
	want = said{v1alpha1.VerdictFail, v1alpha1.ReasonWrongData, "wrong data: the program reported a failure: exit code 1",
		[]string{" DataCheck Fail: wrong data: the program reported a failure: exit code 1"}}
	if diff := cmp.Diff(want, say(judgeAlone(triad(), silent, rule.Given{}))); diff != "" {
		t.Errorf("judgement without a check (-want +got):\n%s", diff)
	}
}

// TestUnusableDevicesAreNoWrongData: the node fails, and nobody looks for wrong data.
func TestUnusableDevicesAreNoWrongData(t *testing.T) {
	a := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictFail, Reason: v1alpha1.ReasonDevicesUnusable,
		Checks: []v1alpha1.Check{{Name: v1alpha1.CheckDevicesUsable, Message: "no GPU can be used"}}}
	d := newFleet("stream", []v1alpha1.Metric{triad()}, nil, nil, true).Decide([]v1alpha1.Attempt{a, a}, rule.Given{}, 1)
	if d.Verdict != v1alpha1.VerdictFail || d.Reason != v1alpha1.ReasonDevicesUnusable ||
		d.Message != "the devices could not be used: check devicesUsable failed: no GPU can be used" {
		t.Errorf("%s/%s: %s", d.Verdict, d.Reason, d.Message)
	}
}

func TestWrongDataIsNoPartOfTheFleet(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	wrong := onGPUs(m, 900, 900, 900, 900, 900, 900)
	wrong.Checks = []v1alpha1.Check{{Name: "dataIntegrity"}}
	if j := judgeAlone(m, onGPUs(m, 100, 100, 100, 100), rule.Given{}, wrong); j.Verdict != v1alpha1.VerdictPass {
		t.Errorf("healthy parts beside wrong data: %s, %s", j.Verdict, j.Message)
	}
}

func TestTheFleetRuleWaitsForTheWholeRun(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05", Min: "50"}))
	f := fleetOf(bench, []v1alpha1.Metric{m}, nil, false)

	j := judgeIn(f, onGPUs(m, 100, 60), rule.Given{})
	want := said{Verdict: v1alpha1.VerdictPending, Reason: v1alpha1.ReasonMeasured,
		Message: "gpu1 hbmTriad 60 GB/s; to be compared with the fleet once all nodes are measured"}
	if diff := cmp.Diff(want, say(j)); diff != "" || !j.FleetPending {
		t.Errorf("FleetPending %v; judgement (-want +got):\n%s", j.FleetPending, diff)
	}
	if h := j.Headline[0]; h.Verdict != v1alpha1.VerdictPending || h.FleetDeviationPercent != "" {
		t.Errorf("headline before the fleet is there: %+v", h)
	}
	if j := judgeIn(f, onGPUs(m, 100, 40), rule.Given{}); j.Verdict != v1alpha1.VerdictFail || j.FleetPending {
		t.Errorf("what fails a fixed limit need not wait for the fleet: %s", j.Verdict)
	}
}

func TestHeadline(t *testing.T) {
	type E = v1alpha1.Expectation
	stream := func(values ...string) *v1alpha1.Attempt {
		var parts []v1alpha1.PartValue
		for i, at := range []string{"socket0", "socket1", "node"} {
			parts = append(parts, v1alpha1.PartValue{At: at, Value: v1alpha1.Decimal(values[i])})
		}
		return attemptOf(v1alpha1.Measurement{Name: "hbmTriad", Unit: "GB/s", Parts: parts})
	}
	sizes := func(values ...v1alpha1.Decimal) *v1alpha1.Attempt {
		var parts []v1alpha1.PartValue
		for i, at := range []string{"8B", "8GiB", "1MiB"} {
			parts = append(parts, v1alpha1.PartValue{At: at, Value: values[i]})
		}
		return attemptOf(v1alpha1.Measurement{Name: "hbmTriad", Unit: "GB/s", Parts: parts})
	}
	tests := map[string]struct {
		metric v1alpha1.Metric
		got    *v1alpha1.Attempt
		facts  rule.Given
		want   v1alpha1.HeadlineValue
	}{
		"the worst part stands for the node, with the bound that leaves it the least room": {
			triad(expecting(E{MinFractionOfPeak: "0.88", Min: "1000", MaxFleetDeviation: "0.05"})),
			onGPUs(triad(), 4380, 4350, 4380, 4380), rule.Given{Peaks: h200()},
			v1alpha1.HeadlineValue{Value: "4350", At: "gpu1", Expected: "4232.8", PercentOfPeak: "90.4",
				Verdict: v1alpha1.VerdictPass},
		},
		"the node as a whole comes before its sockets": {
			triad(expecting(E{Min: "10"})), stream("100", "90", "180"), rule.Given{},
			v1alpha1.HeadlineValue{Value: "180", At: "node", Expected: "10", Verdict: v1alpha1.VerdictPass},
		},
		"a failing socket comes before the node": {
			triad(expecting(E{Min: "50"})), stream("100", "40", "180"), rule.Given{},
			v1alpha1.HeadlineValue{Value: "40", At: "socket1", Expected: "50", Verdict: v1alpha1.VerdictFail},
		},
		"of several failing parts the worst is shown": {
			triad(expecting(E{Min: "50"})), stream("30", "45", "40"), rule.Given{},
			v1alpha1.HeadlineValue{Value: "30", At: "socket0", Expected: "50", Verdict: v1alpha1.VerdictFail},
		},
		"nothing expected, nothing told": {
			triad(), onGPUs(triad(), 7), rule.Given{},
			v1alpha1.HeadlineValue{Value: "7", At: "gpu0", Verdict: v1alpha1.VerdictPass},
		},
		"of several sizes of messages the largest": {
			triad(expecting(E{Min: "300"})), sizes("2", "364", "92"), rule.Given{},
			v1alpha1.HeadlineValue{Value: "364", At: "8GiB", Expected: "300", Verdict: v1alpha1.VerdictPass},
		},
		"or the one that the Benchmark names": {
			triad(expecting(E{Min: "100"}), func(m *v1alpha1.Metric) { m.HeadlineAt = "1MiB" }), sizes("2", "364", "92"), rule.Given{},
			v1alpha1.HeadlineValue{Value: "92", At: "1MiB", Expected: "100", Verdict: v1alpha1.VerdictFail},
		},
		"or the first, though it is the smallest": {
			triad(expecting(E{Min: "1"}), func(m *v1alpha1.Metric) { m.HeadlineAt = "8B" }), sizes("2", "364", "92"), rule.Given{},
			v1alpha1.HeadlineValue{Value: "2", At: "8B", Expected: "1", Verdict: v1alpha1.VerdictPass},
		},
		"of a time the smallest": {
			triad(func(m *v1alpha1.Metric) { m.Better = v1alpha1.Lower }), sizes("2", "364", "92"), rule.Given{},
			v1alpha1.HeadlineValue{Value: "2", At: "8B", Verdict: v1alpha1.VerdictPass},
		},
		"less than nothing is wrong at every size": {
			triad(expecting(E{Min: "300"})), sizes("-2", "364", "92"), rule.Given{},
			v1alpha1.HeadlineValue{Value: "-2", At: "8B", Expected: "0", Verdict: v1alpha1.VerdictFail},
		},
		"a part that cannot be read leaves the metric incomplete": {
			triad(expecting(E{Min: "10"})), stream("100", "90", "NaN"), rule.Given{},
			v1alpha1.HeadlineValue{Value: "90", At: "socket1", Expected: "10", Verdict: v1alpha1.VerdictMissing},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.want.Benchmark, tt.want.Metric, tt.want.Unit = bench, "hbmTriad", "GB/s"
			got := judgeAlone(tt.metric, tt.got, tt.facts).Headline
			if diff := cmp.Diff([]v1alpha1.HeadlineValue{tt.want}, got); diff != "" {
				t.Errorf("headline (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFindingsAndMessagesStayWithinTheAPI(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "100"}))
	a := onGPUs(m, make([]float64, 1024)...)
	a.Checks = []v1alpha1.Check{{Name: "dataIntegrity", Message: strings.Repeat("ä", 2000)}}
	j := judgeAlone(m, a, rule.Given{})
	if len(j.Findings) != rule.MaxFindings || len(j.Message) > message.Longest || len(j.Findings[0].Message) > message.Longest {
		t.Errorf("%d findings, message of %d bytes", len(j.Findings), len(j.Message))
	}
	if !strings.HasSuffix(j.Message, "... (and 1024 more findings)") {
		t.Errorf("message ends with %q", j.Message[len(j.Message)-60:])
	}
}

func TestEffectiveMetrics(t *testing.T) {
	type E = v1alpha1.Expectation
	b := &v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Metrics: []v1alpha1.Metric{
		triad(expecting(E{Min: "1", MinFractionOfPeak: "0.9"})),
		{Name: "energy", Unit: "J"},
	}}}
	b.Name = bench
	override := func(metric string, e E) []v1alpha1.ExpectationOverride {
		return []v1alpha1.ExpectationOverride{{Metric: metric, Expectation: e}}
	}
	tests := map[string]struct {
		overrides []v1alpha1.ExpectationOverride
		want      *E
		err       string
	}{
		"without overrides the Benchmark's hold":     {want: &E{Min: "1", MinFractionOfPeak: "0.9"}},
		"an override replaces the whole expectation": {overrides: override("hbmTriad", E{Min: "2"}), want: &E{Min: "2"}},
		"an unknown metric is refused": {overrides: override("hbmTraid", E{Min: "2"}),
			err: `benchmark "hbm" has no metric "hbmTraid": correct the run's expectations`},
		"a share of no peak is refused": {overrides: override("energy", E{MinFractionOfPeak: "0.5"}),
			err: `metric "energy" of benchmark "hbm" names no peak, so minFractionOfPeak cannot be set for it: use min or max`},
		"a share of what no profile can say is reached is refused": {overrides: override("energy", E{MinFractionOfReached: "0.9"}),
			err: `metric "energy" of benchmark "hbm" names no peak, so minFractionOfReached cannot be set for it: use min or max`},
		"a limit beyond any quantity is refused": {overrides: override("energy", E{Max: "1e999"}),
			err: `metric "energy" of benchmark "hbm": max is "1e999", which is not a number that can be compared with`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := b.DeepCopy()
			got, err := expect.Effective(b, tt.overrides)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got[0].Expectation); diff != "" {
				t.Errorf("expectation (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, b); diff != "" {
				t.Errorf("the Benchmark was changed:\n%s", diff)
			}
		})
	}
}
