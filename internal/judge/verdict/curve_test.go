package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

// scaling is a metric that is measured at several sizes, and must be efficient.
func scaling(better v1alpha1.Direction, kind v1alpha1.Scaling, least v1alpha1.Fraction) v1alpha1.Metric {
	return v1alpha1.Metric{Name: "rate", Unit: "ns/day", Better: better, Headline: true, Scaling: kind,
		Expectation: &v1alpha1.Expectation{Min: "0", MinEfficiency: least}}
}

// sized is an attempt with values at parts: "1gpu 10 2gpu 19".
func sized(m v1alpha1.Metric, text string) *v1alpha1.Attempt {
	words := strings.Fields(text)
	measured := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit}
	for i := 0; i+1 < len(words); i += 2 {
		measured.Parts = append(measured.Parts, v1alpha1.PartValue{At: words[i], Value: v1alpha1.Decimal(words[i+1])})
	}
	return attemptOf(measured)
}

// drawn is a curve as text: of, then size, value and efficiency of each point.
func drawn(curves []v1alpha1.Curve) string {
	var out []string
	for _, c := range curves {
		for _, p := range c.Points {
			out = append(out, fmt.Sprintf("%d%s %s %s", p.Size, c.Of, p.Value, p.Efficiency))
		}
	}
	return strings.Join(out, ", ")
}

func TestEfficiency(t *testing.T) {
	higher, lower := v1alpha1.Higher, v1alpha1.Lower
	tests := map[string]struct {
		metric  v1alpha1.Metric
		parts   string
		curve   string
		verdict v1alpha1.Verdict
		message string
	}{
		"a rate that grows with the GPUs": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "4gpu 38 1gpu 10 2gpu 19",
			"1gpu 10 1, 2gpu 19 0.95, 4gpu 38 0.95", v1alpha1.VerdictPass, "rate 38 ns/day",
		},
		"equal to what is expected": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "1gpu 10 2gpu 18", "1gpu 10 1, 2gpu 18 0.9", v1alpha1.VerdictPass, "",
		},
		"a curve that bends": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "1gpu 10 2gpu 19 4gpu 25",
			"1gpu 10 1, 2gpu 19 0.95, 4gpu 25 0.625", v1alpha1.VerdictFail,
			"4gpu rate 25 ns/day: parallel efficiency 62.5% against 10 ns/day at 1gpu, bound 90%",
		},
		"a hump in the middle is no excuse": {
			scaling(higher, v1alpha1.ScalingWeak, "0.9"), "1rank 10 2ranks 15 4ranks 40", "1rank 10 1, 2rank 15 0.75, 4rank 40 1",
			v1alpha1.VerdictFail, "2ranks rate 15 ns/day: parallel efficiency 75% against 10 ns/day at 1rank, bound 90%",
		},
		"the smallest size need not be 1": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "4nodes 40 16nodes 80", "4node 40 1, 16node 80 0.5", v1alpha1.VerdictFail,
			"16nodes rate 80 ns/day: parallel efficiency 50% against 40 ns/day at 4nodes, bound 90%",
		},
		"a time of a problem that stays the same": {
			scaling(lower, v1alpha1.ScalingStrong, "0.8"), "1node 100 4nodes 40", "1node 100 1, 4node 40 0.625", v1alpha1.VerdictFail,
			"4nodes rate 40 ns/day: parallel efficiency 62.5% against 100 ns/day at 1node, bound 80%",
		},
		"a time of a problem that grows": {
			scaling(lower, v1alpha1.ScalingWeak, "0.8"), "1node 100 4nodes 110", "1node 100 1, 4node 110 0.9091", v1alpha1.VerdictPass, "",
		},
		"two kinds of sizes are two curves": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "1gpu 10 2gpu 20 2nodes 20 4nodes 20",
			"1gpu 10 1, 2gpu 20 1, 2node 20 1, 4node 20 0.5", v1alpha1.VerdictFail, "4nodes rate",
		},
		"one size has nothing to grow from": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "1gpu 10", "1gpu 10 1", v1alpha1.VerdictPass, "",
		},
		"no part is a size": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "node 10", "", v1alpha1.VerdictMissing, "rate has no part that is a size",
		},
		"a smallest size of nothing proves nothing": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "1gpu 0 2gpu 20", "1gpu 0 , 2gpu 20 ", v1alpha1.VerdictPass, "",
		},
		"more than ideal": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "1gpu 10 2gpu 25", "1gpu 10 1, 2gpu 25 1.25", v1alpha1.VerdictPass, "",
		},
		"no scaling, no curve": {
			v1alpha1.Metric{Name: "rate", Unit: "ns/day", Headline: true}, "1gpu 10 2gpu 11", "", v1alpha1.VerdictPass, "",
		},
		"nothing is expected of it": {
			scaling(higher, v1alpha1.ScalingStrong, ""), "1gpu 10 2gpu 11", "1gpu 10 1, 2gpu 11 0.55", v1alpha1.VerdictInconclusive, "",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := judgeAlone(tt.metric, sized(tt.metric, tt.parts), rule.Given{})
			if j.Verdict != tt.verdict || !strings.Contains(j.Message, tt.message) {
				t.Errorf("%s: %s, want %s: %s", j.Verdict, j.Message, tt.verdict, tt.message)
			}
			if diff := cmp.Diff(tt.curve, drawn(j.Curves)); diff != "" {
				t.Errorf("another curve (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEfficiencyIsConfirmed: one attempt that bends is measured again, and a second one that does not clears it.
func TestEfficiencyIsConfirmed(t *testing.T) {
	m := scaling(v1alpha1.Higher, v1alpha1.ScalingStrong, "0.9")
	bent, straight := sized(m, "1gpu 10 2gpu 12"), sized(m, "1gpu 10 2gpu 20")
	f := fleetOf(bench, []v1alpha1.Metric{m}, nil, true)
	if d := f.Decide([]v1alpha1.Attempt{*bent}, rule.Given{}, 2); !d.NeedsAttempt {
		t.Errorf("%s: %s, want another attempt", d.Verdict, d.Message)
	}
	straight.Number = 2
	if d := f.Decide([]v1alpha1.Attempt{*bent, *straight}, rule.Given{}, 2); d.Verdict == v1alpha1.VerdictFail {
		t.Errorf("failed though only one of two attempts bends: %s", d.Message)
	}
	again := bent.DeepCopy()
	again.Number = 2
	d := f.Decide([]v1alpha1.Attempt{*bent, *again}, rule.Given{}, 2)
	if d.Verdict != v1alpha1.VerdictFail || d.Findings[0].Rule != term.Efficiency {
		t.Errorf("%s: %s, want a fail by its efficiency", d.Verdict, d.Message)
	}
	if got := drawn(d.Curves); got != "1gpu 10 1, 2gpu 12 0.6" {
		t.Errorf("curve %s", got)
	}
}

// TestBoundsOfACurve: fixed bounds and peaks are about the greatest size. What fewer reach is judged by how the metric grows.
func TestBoundsOfACurve(t *testing.T) {
	rate := func(change func(e *v1alpha1.Expectation)) v1alpha1.Metric {
		m := scaling(v1alpha1.Higher, v1alpha1.ScalingStrong, "0.9")
		change(m.Expectation)
		return m
	}
	bandwidth := func(e v1alpha1.Expectation) v1alpha1.Metric {
		return v1alpha1.Metric{Name: "rate", Unit: "GB/s", Headline: true, Scaling: v1alpha1.ScalingWeak, Peak: "hbm", Expectation: &e}
	}
	time := scaling(v1alpha1.Lower, v1alpha1.ScalingStrong, "")
	time.Expectation.Max = "30"
	peaks := profile("gpus", v1alpha1.Peak{Name: "hbm", Value: "40", Unit: "GB/s", Reached: "40"})
	tests := map[string]struct {
		metric  v1alpha1.Metric
		parts   string
		verdict v1alpha1.Verdict
		message string
	}{
		"the whole reaches the minimum": {rate(func(e *v1alpha1.Expectation) { e.Min = "40" }), "4gpu 40 1gpu 10 2gpu 20", v1alpha1.VerdictPass, "4gpu rate 40 ns/day"},
		"the whole misses it":           {rate(func(e *v1alpha1.Expectation) { e.Min = "41" }), "4gpu 40 1gpu 10 2gpu 20", v1alpha1.VerdictFail, "4gpu rate 40 ns/day: bound 41"},
		"less than nothing is wrong at any size": {rate(func(e *v1alpha1.Expectation) { e.Min = "40" }), "1gpu -10 2gpu 20 4gpu 40", v1alpha1.VerdictFail,
			"1gpu rate -10 ns/day: bound 0"},
		"each kind of size has a whole": {rate(func(e *v1alpha1.Expectation) { e.Min = "40" }), "1gpu 20 2gpu 40 1node 20 2nodes 39", v1alpha1.VerdictFail, "2nodes rate 39 ns/day"},
		"a time that fewer need":        {time, "1gpu 100 4gpu 25", v1alpha1.VerdictPass, "4gpu rate 25 ns/day"},
		"a time that all need":          {time, "1gpu 100 4gpu 31", v1alpha1.VerdictFail, "4gpu rate 31 ns/day"},
		"the whole reaches its share of the peak": {bandwidth(v1alpha1.Expectation{MinFractionOfPeak: "0.9", MinFractionOfReached: "0.9"}), "1gpu 10 4gpu 36",
			v1alpha1.VerdictPass, "4gpu rate 36 GB/s"},
		"the whole misses its share of the peak": {bandwidth(v1alpha1.Expectation{MinFractionOfPeak: "0.9"}), "1gpu 10 4gpu 35", v1alpha1.VerdictFail, "4gpu rate 35 GB/s"},
	}
	for sentence, tt := range tests {
		t.Run(sentence, func(t *testing.T) {
			j := judgeAlone(tt.metric, sized(tt.metric, tt.parts), rule.Given{Peaks: peaks})
			fails := slices.DeleteFunc(j.Findings, func(f v1alpha1.Finding) bool { return f.Verdict != v1alpha1.VerdictFail })
			if j.Verdict != tt.verdict || !strings.Contains(j.Message, tt.message) || len(fails) > 1 {
				t.Errorf("%s: %s, want %s: %s; failed: %v", j.Verdict, j.Message, tt.verdict, tt.message, fails)
			}
		})
	}
}

// TestASizeThatIsMissing: efficiency that was asked for and cannot be judged on several GPUs is no pass.
func TestASizeThatIsMissing(t *testing.T) {
	asked, recorded := scaling(v1alpha1.Higher, v1alpha1.ScalingStrong, "0.9"), scaling(v1alpha1.Higher, v1alpha1.ScalingStrong, "")
	for sentence, c := range map[string]struct {
		metric v1alpha1.Metric
		parts  string
		gpus   int
		want   v1alpha1.Verdict
	}{
		"one GPU has no other size":          {asked, "1gpu 10", 1, v1alpha1.VerdictPass},
		"only one of four":                   {asked, "1gpu 10", 4, v1alpha1.VerdictMissing},
		"only all four":                      {asked, "4gpu 40", 4, v1alpha1.VerdictMissing},
		"two sizes of four":                  {asked, "2gpu 20 4gpu 40", 4, v1alpha1.VerdictPass},
		"one size that nobody judges":        {recorded, "1gpu 10", 4, v1alpha1.VerdictInconclusive},
		"sizes that are not those of GPUs":   {asked, "1rank 10", 4, v1alpha1.VerdictPass},
		"one size of GPUs, several of ranks": {asked, "4gpu 40 1rank 10 4ranks 40", 4, v1alpha1.VerdictPass},
	} {
		t.Run(sentence, func(t *testing.T) {
			j := judgeAlone(c.metric, withDevices(sized(c.metric, c.parts), "NVIDIA H200", c.gpus), rule.Given{})
			if j.Verdict != c.want {
				t.Errorf("%s: %s, want %s", j.Verdict, j.Message, c.want)
			}
		})
	}
}

// TestASizeMeasuredTwice: what the attempt itself measured counts, once.
func TestASizeMeasuredTwice(t *testing.T) {
	m := scaling(v1alpha1.Higher, v1alpha1.ScalingStrong, "0.9")
	facts := rule.Given{Smaller: map[string][]attempt.PartValue{"rate": {{At: "1node", Value: 10}, {At: "1node", Value: 30}, {At: "2nodes", Value: 99}}}}
	j := judgeAlone(m, sized(m, "4nodes 38 nodes2 20"), facts)
	if got := drawn(j.Curves); got != "1node 10 1, 2node 20 1, 4node 38 0.95" || j.Verdict != v1alpha1.VerdictPass {
		t.Errorf("%s: %s with curve %s", j.Verdict, j.Message, got)
	}
}
