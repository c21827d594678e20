package verdict

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

// moving judges nodes of four GPUs, each of which reached 100 in so many runs before, and now this share of it.
func moving(m v1alpha1.Metric, passes int, shares ...float64) []rule.Outcome {
	var ago []*v1alpha1.Attempt
	for range passes {
		ago = append(ago, onGPUs(m, 100, 100, 100, 100))
	}
	before := pastOf(ago...)
	var now []*v1alpha1.Attempt
	var known, own []fleet.Digest
	for _, share := range shares {
		a := onGPUs(m, 100*share, 100*share, 100*share, 100*share)
		k, o := fleet.DigestPasses(&before.Passes[0]), fleet.DigestAttempt([]v1alpha1.Metric{m}, a)
		k.Node, o.Node = nodeOf(a), nodeOf(a)
		now, known, own = append(now, a), append(known, k), append(own, o)
	}
	f := newFleet(bench, []v1alpha1.Metric{m}, own, known, true)
	var out []rule.Outcome
	for _, a := range now {
		out = append(out, judgeIn(f, a, rule.Given{Past: before}))
	}
	return out
}

// TestWhatMostNodesLoseIsNobodysFault: a driver that costs all nodes the same convicts none, and hides none that loses more.
func TestWhatMostNodesLoseIsNobodysFault(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxRegression: "0.01", MaxFleetDeviation: "0.5"}), steady)
	for name, tt := range map[string]struct {
		passes int
		shares []float64
		fails  int // of the nodes, from the first on
	}{
		"all nodes lost 5%":                        {10, []float64{0.95, 0.95, 0.95, 0.95}, 0},
		"most did":                                 {10, []float64{1, 0.95, 0.95, 0.95, 1}, 0},
		"after three passes":                       {3, []float64{0.95, 0.95, 0.95, 0.95}, 0},
		"one lost 3% more":                         {10, []float64{0.92, 0.95, 0.95, 0.95, 0.95}, 1},
		"two of four lost 5%: no more than half":   {10, []float64{0.95, 0.95, 1, 1}, 2},
		"three nodes are no fleet":                 {10, []float64{0.95, 0.95, 0.95}, 3},
		"all lost 20%, which no driver may":        {10, []float64{0.8, 0.8, 0.8, 0.8}, 4},
		"most got faster: the others lost nothing": {10, []float64{1, 1.05, 1.05, 1.05, 1.05}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for i, j := range moving(m, tt.passes, tt.shares...) {
				if failed := j.Verdict == v1alpha1.VerdictFail; failed != (i < tt.fails) {
					t.Errorf("node %d: %s: %s", i, j.Verdict, j.Message)
				}
			}
		})
	}
	text := moving(m, 10, 0.92, 0.95, 0.95, 0.95, 0.95)[0].Message
	if want := "3.2% below its own baseline of 95 GB/s (median of its first 5 passes, since 2026-10-02, less the 5% that most nodes have lost)"; !strings.Contains(text, want) {
		t.Errorf("%s\nwant %s", text, want)
	}
}

// accepting is a profile that accepts losses.
func accepting(losses ...v1alpha1.AcceptedLoss) peak.Peaks {
	return peak.Of(&v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{AcceptedLosses: losses}})
}

// loses this much since so many weeks after the first run, by the benchmark of these tests.
func loses(loss v1alpha1.Fraction, week int) v1alpha1.AcceptedLoss {
	return v1alpha1.AcceptedLoss{Benchmark: bench, Loss: loss, Since: metav1.NewTime(firstRun.AddDate(0, 0, 7*week)), Reason: "driver 580.95"}
}

// TestAnAcceptedLossIsExpected: nodes are compared with what they reached before the loss less that, and with nothing less. It excuses no node that
// others show to be slow, and is forgotten where the past has it already.
func TestAnAcceptedLossIsExpected(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxRegression: "0.01", MaxFleetDeviation: "0.03"}), steady, func(m *v1alpha1.Metric) { m.Noise.Part = "0.001" })
	other, elsewhere := loses("0.05", 10), loses("0.05", 10)
	other.Metric, elsewhere.Benchmark = "fp64", "gemm"
	one := loses("0.05", 10)
	one.Metric = "hbmTriad"
	for name, tt := range map[string]struct {
		losses []v1alpha1.AcceptedLoss
		now    float64
		before []float64 // 100, where it is not said
		fails  bool
	}{
		"nothing is accepted":                      {nil, 95, nil, true},
		"what it lost is":                          {[]v1alpha1.AcceptedLoss{loses("0.05", 10)}, 95, nil, false},
		"of this metric":                           {[]v1alpha1.AcceptedLoss{one}, 95, nil, false},
		"of another metric":                        {[]v1alpha1.AcceptedLoss{other}, 95, nil, true},
		"of another benchmark":                     {[]v1alpha1.AcceptedLoss{elsewhere}, 95, nil, true},
		"it lost 3% more":                          {[]v1alpha1.AcceptedLoss{loses("0.05", 10)}, 92, nil, true},
		"less is accepted than it lost":            {[]v1alpha1.AcceptedLoss{loses("0.02", 10)}, 95, nil, true},
		"two losses after each other":              {[]v1alpha1.AcceptedLoss{loses("0.03", 9), loses("0.02", 10)}, 95, nil, false},
		"never more than 10% in all":               {[]v1alpha1.AcceptedLoss{loses("0.1", 9), loses("0.1", 10)}, 85, nil, true},
		"it is accepted from tomorrow on":          {[]v1alpha1.AcceptedLoss{loses("0.05", 11)}, 95, nil, true},
		"its whole past has the loss":              {[]v1alpha1.AcceptedLoss{loses("0.05", 0)}, 95, nil, true},
		"it got faster, and back: its last passes": {[]v1alpha1.AcceptedLoss{loses("0.05", 10)}, 100, []float64{100, 100, 100, 100, 100, 105, 105, 105, 105, 105}, false},
	} {
		t.Run(name, func(t *testing.T) {
			before := tt.before
			if before == nil {
				before = []float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100}
			}
			var ago []*v1alpha1.Attempt
			for _, v := range before {
				ago = append(ago, onGPUs(m, v, v, v, v))
			}
			a := onGPUs(m, tt.now, tt.now, tt.now, tt.now)
			a.LaunchTime = new(metav1.NewTime(firstRun.AddDate(0, 0, 70)))
			j := judgeAlone(m, a, rule.Given{Past: pastOf(ago...), Peaks: accepting(tt.losses...)})
			if failed := j.Verdict == v1alpha1.VerdictFail; failed != tt.fails {
				t.Errorf("%s: %s", j.Verdict, j.Message)
			}
		})
	}
}

// TestAnAcceptedLossExcusesNoSlowNode: what is slow beside others stays so, and the message of what loses more says what was accepted.
func TestAnAcceptedLossExcusesNoSlowNode(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxRegression: "0.01", MaxFleetDeviation: "0.03"}), steady, func(m *v1alpha1.Metric) { m.Noise.Part, m.Noise.Node = "0.001", "0.001" })
	slow := onGPUs(m, 92, 92, 92, 92)
	var others []*v1alpha1.Attempt
	for range 7 {
		others = append(others, onGPUs(m, 100, 100, 100, 100))
	}
	steadyPast := pastOf(onGPUs(m, 100, 100, 100, 100), onGPUs(m, 100, 100, 100, 100), onGPUs(m, 100, 100, 100, 100))
	facts := rule.Given{Past: steadyPast, Peaks: accepting(loses("0.1", 3))}
	j := judgeAlone(m, slow, facts, others...)
	if j.Verdict != v1alpha1.VerdictFail || j.Findings[0].Rule != term.FleetDeviation && j.Findings[0].Rule != term.NodeDeviation {
		t.Errorf("%s: %s", j.Verdict, j.Message)
	}
	for _, f := range j.Findings {
		if f.Rule == term.Regression && f.Verdict == v1alpha1.VerdictFail {
			t.Errorf("10%% are accepted: %s", f.Message)
		}
	}
	facts.Peaks = accepting(loses("0.03", 3))
	j = judgeAlone(m, slow, facts)
	if want := "5.2% below its own median of 97 GB/s (last 3 passes, less the 3% that is accepted)"; !strings.Contains(j.Message, want) {
		t.Errorf("%s\nwant %s", j.Message, want)
	}
	i := slices.IndexFunc(j.Findings, func(f v1alpha1.Finding) bool { return f.Rule == term.Accepted })
	if want := "hbmTriad may be 3% worse than its own past: accepted since 2026-10-23 by a HardwareProfile (driver 580.95)"; i < 0 || j.Findings[i].Message != want {
		t.Errorf("findings %+v; want a warning: %s", j.Findings, want)
	}
}

// TestManyNodesFarAhead: where three of seven nodes reach far more than the others, nothing tells which are right.
func TestManyNodesFarAhead(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.03"}))
	for name, tt := range map[string]struct {
		shares []float64
		slow   v1alpha1.Verdict // of those below 1
	}{
		"four of seven":                        {[]float64{0.7, 0.7, 0.7, 0.7, 1, 1, 1}, v1alpha1.VerdictInconclusive},
		"five of eight":                        {[]float64{0.7, 0.7, 0.7, 0.7, 0.7, 1, 1, 1}, v1alpha1.VerdictInconclusive},
		"half: the better half shows it":       {[]float64{0.7, 0.7, 0.7, 0.7, 1, 1, 1, 1}, v1alpha1.VerdictFail},
		"two that are fast may be odd":         {[]float64{0.7, 0.7, 0.7, 0.7, 0.7, 1, 1}, v1alpha1.VerdictPass},
		"8% may be two kinds of hardware":      {[]float64{0.92, 0.92, 0.92, 0.92, 1, 1, 1}, v1alpha1.VerdictPass},
		"three of thirteen are too few to say": {[]float64{0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 1, 1, 1}, v1alpha1.VerdictPass},
	} {
		t.Run(name, func(t *testing.T) {
			var nodes [][]float64
			for _, share := range tt.shares {
				nodes = append(nodes, []float64{100 * share, 100 * share, 100 * share, 100 * share})
			}
			for i, j := range judgeNodes(m, nodes) {
				want := tt.slow
				if tt.shares[i] == 1 {
					want = v1alpha1.VerdictPass
				}
				if j.Verdict != want {
					t.Errorf("node %d: %s: %s; want %s", i, j.Verdict, j.Message, want)
				}
			}
		})
	}
}

// TestAProvisionalPastPassesNobody: runs in which nothing could be judged show what a node has lost since, and not that it was ever fit.
func TestAProvisionalPastPassesNobody(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxRegression: "0.03", MaxFleetDeviation: "0.03"}))
	before := pastOf(onGPUs(m, 100), onGPUs(m, 100), onGPUs(m, 100), onGPUs(m, 100))
	before.Provisional = true
	for value, want := range map[float64]v1alpha1.Verdict{100: v1alpha1.VerdictInconclusive, 80: v1alpha1.VerdictFail} {
		j := judgeAlone(m, onGPUs(m, value), rule.Given{Past: before})
		if j.Verdict != want {
			t.Errorf("%v: %s: %s; want %s", value, j.Verdict, j.Message, want)
		}
		if want == v1alpha1.VerdictInconclusive && len(j.Terms.Held) == 0 {
			t.Error("what it held refutes nothing")
		}
	}
}

// TestAComparisonThatWasPassedIsNotTriedAgain: a part near the bound is pushed across it by noise in one of many runs. It is convicted where it has
// become worse, or where all runs together are beyond the bound.
func TestAComparisonThatWasPassedIsNotTriedAgain(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.03"}), func(m *v1alpha1.Metric) { m.Noise = v1alpha1.Noise{Run: "0.005", Part: "0.001", Node: "0.005"} })
	at := func(value float64) *v1alpha1.Attempt { return onGPUs(m, value, 100, 100, 100, 100, 100, 100, 100) }
	for name, tt := range map[string]struct {
		past, now float64
		passes    int
		want      v1alpha1.Verdict
	}{
		"near the bound, and now across":   {97.3, 96.8, 10, v1alpha1.VerdictPass},
		"the same without a past":          {97.3, 96.8, 0, v1alpha1.VerdictFail},
		"it has become worse":              {97.3, 94.8, 10, v1alpha1.VerdictFail},
		"it was fine, and is not any more": {100, 96.8, 10, v1alpha1.VerdictFail},
		"all runs together are beyond":     {96.9, 96.8, 10, v1alpha1.VerdictFail},
	} {
		t.Run(name, func(t *testing.T) {
			var ago []*v1alpha1.Attempt
			for range tt.passes {
				ago = append(ago, at(tt.past))
			}
			a := at(tt.now)
			ms := []v1alpha1.Metric{m}
			f := fleetOf(bench, ms, []*v1alpha1.Attempt{a}, true)
			given := rule.Given{Node: nodeOf(a)}
			if tt.passes > 0 {
				given.Past = pastOf(ago...)
			}
			got := f.rules.Outcome(a, given, bounds.MeanOf(1))
			if got.Verdict != tt.want {
				t.Errorf("%s: %s; want %s", got.Verdict, got.Message, tt.want)
			}
		})
	}
}
