package verdict

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

// TestSentence: what becomes of a suspect part, by how often it was suspect and fine, and by the mean.
func TestSentence(t *testing.T) {
	const withinAll, doubted, slow, slowApart = 0, 1, 2, 3
	for name, c := range map[string]struct {
		seen, fine, suspect, mean int
		measured, most            int
		want                      conclusion
	}{
		"once suspect is no proof, however slow":      {1, 0, 1, slow, 1, 3, open},
		"with no re-run allowed, slow is slow":        {1, 0, 1, slow, 1, 1, confirmed},
		"and what is only doubted is not":             {1, 0, 1, doubted, 1, 1, cleared},
		"twice suspect, and the mean is slow":         {2, 0, 2, slow, 2, 3, confirmed},
		"twice suspect, but once much more than once": {2, 0, 2, slowApart, 2, 3, open},
		"and again":                                                  {3, 0, 3, slowApart, 3, 3, confirmed},
		"twice suspect, and the mean is doubted":                     {2, 0, 2, doubted, 2, 3, open},
		"three times suspect, and the mean is still doubted":         {3, 0, 3, doubted, 3, 3, cleared},
		"once suspect, then unclear, and the mean is slow":           {2, 0, 1, slow, 2, 3, open},
		"and then suspect again":                                     {3, 0, 2, slow, 3, 3, confirmed},
		"or not":                                                     {3, 0, 1, slow, 3, 3, cleared},
		"half is no majority":                                        {2, 0, 1, slow, 2, 2, cleared},
		"once suspect, then unclear, and the mean is fine":           {2, 0, 1, withinAll, 2, 3, cleared},
		"fine once is cleared, whatever an outlier does to the mean": {2, 1, 1, slow, 2, 3, cleared},
		"also when it was suspect most of the time":                  {3, 1, 2, slow, 3, 3, cleared},
		"a part that is away is waited for":                          {1, 0, 1, withinAll, 2, 3, open},
		"but not for ever":                                           {2, 0, 2, withinAll, 3, 3, lost},
		"one that is away may have been fine before":                 {2, 1, 1, withinAll, 3, 3, cleared},
	} {
		t.Run(name, func(t *testing.T) {
			a := outlier{seen: c.seen, fine: c.fine, suspect: c.suspect, doubted: c.mean >= doubted, slow: c.mean >= slow}
			if c.mean == slowApart {
				a.least, a.most, a.reach = 80, 97, 4
			}
			if got := a.conclusion(c.measured, c.most); got != c.want {
				t.Errorf("conclusion %d, want %d", got, c.want)
			}
		})
	}
}

// lab is a fleet of healthy nodes of 8 GPUs, and another one that is judged.
type lab struct {
	*rand.Rand
	metric v1alpha1.Metric
	parts  []float64 // of the node that is judged: what each reaches in the mean
	fleet  *Judge
}

const runNoise, partNoise, nodeNoise = 0.005, 0.005, 0.005

func newLab(seed uint64, nodes int) *lab {
	l := &lab{Rand: seeded(seed), metric: triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0"}))}
	l.metric.Noise = v1alpha1.Noise{Run: "0.005", Part: "0.005", Node: "0.005"}
	var digests []fleet.Digest
	for i := range nodes {
		l.parts = noisy(l.Rand, 8, 1000*(1+nodeNoise*l.NormFloat64()), partNoise)
		d := fleet.DigestAttempt([]v1alpha1.Metric{l.metric}, l.measure())
		d.Node = string(rune('a' + i))
		digests = append(digests, d)
	}
	l.fleet = newFleet(bench, []v1alpha1.Metric{l.metric}, digests, nil, true)
	return l
}

// measure the node once more.
func (l *lab) measure() *v1alpha1.Attempt {
	values := slices.Clone(l.parts)
	for i := range values {
		values[i] *= 1 + runNoise*l.NormFloat64()
	}
	return onGPUs(l.metric, values...)
}

// judge the node, by as many attempts as it takes.
func (l *lab) judge(measure func(attempt int) *v1alpha1.Attempt) (d Decision, attempts []v1alpha1.Attempt) {
	for n := 1; ; n++ {
		attempts = append(attempts, *measure(n))
		if d = l.fleet.Decide(attempts, rule.Given{Node: "a"}, 2); !d.NeedsAttempt {
			return d, attempts
		}
	}
}

// TestHealthyNodesAreHardlyMeasuredTwice: the cost of looking closely.
func TestHealthyNodesAreHardlyMeasuredTwice(t *testing.T) {
	const fleets = 1500
	attempts, failed := 0, 0
	for seed := range uint64(fleets) {
		l := newLab(seed, 8)
		d, all := l.judge(func(int) *v1alpha1.Attempt { return l.measure() })
		attempts += len(all)
		if d.Verdict == v1alpha1.VerdictFail {
			failed++
		}
	}
	if mean := float64(attempts) / fleets; mean > 1.1 || failed > 3 {
		t.Errorf("%d of %d healthy nodes failed, after %.3f attempts each", failed, fleets, mean)
	}
}

// TestSlowPartsAreConvicted: a GPU that is slow by seven times what two runs of it differ by.
func TestSlowPartsAreConvicted(t *testing.T) {
	found, attempts := 0, 0
	for seed := range uint64(200) {
		l := newLab(seed, 8)
		l.parts[3] = 0.95 * 1000
		d, all := l.judge(func(int) *v1alpha1.Attempt { return l.measure() })
		attempts += len(all)
		if d.Verdict == v1alpha1.VerdictFail && slices.ContainsFunc(d.Findings, func(f v1alpha1.Finding) bool { return f.At == "gpu3" }) {
			found++
		}
	}
	if found < 196 || attempts > 450 {
		t.Errorf("%d of 200 slow GPUs were found, by %d attempts", found, attempts)
	}
}

// TestAnOutlierConvictsNobody: a part that is 20% slow once, and fine when it is looked at again, is cleared, and named.
func TestAnOutlierConvictsNobody(t *testing.T) {
	for seed := range uint64(200) {
		l := newLab(seed, 8)
		l.parts[3] = 1000
		d, attempts := l.judge(func(n int) *v1alpha1.Attempt {
			a := l.measure()
			if n == 1 {
				a.Measurements[0].Parts[3].Value = "800"
			}
			return a
		})
		gpu3 := v1alpha1.PartReference{Metric: "hbmTriad", At: "gpu3"}
		if named := slices.Contains(d.Cleared, gpu3); d.Reason != v1alpha1.ReasonNotConfirmed || d.Verdict != v1alpha1.VerdictPass || !named {
			t.Errorf("seed %d: %s/%s after %d attempts, cleared %v: %s", seed, d.Verdict, d.Reason, len(attempts), d.Cleared, d.Message)
		}
	}
}

// TestEvidenceIsFair: properties that hold whatever was measured.
func TestEvidenceIsFair(t *testing.T) {
	for seed := range uint64(600) {
		l := newLab(seed, 1+int(seed%6))
		const most = 3
		var attempts []v1alpha1.Attempt
		for range 1 + l.IntN(most) {
			for i := range l.parts { // some are slow, in some attempts
				l.parts[i] = 1000 - 60*float64(l.IntN(2)*l.IntN(2))*l.Float64()
			}
			attempts = append(attempts, *l.measure())
		}
		facts := rule.Given{Node: "a"}
		d := l.fleet.Decide(attempts, facts, most-1)
		if len(attempts) == most && (d.NeedsAttempt || d.Verdict == v1alpha1.VerdictPending) {
			t.Errorf("seed %d: all attempts are made, and it is %s: %s", seed, d.Verdict, d.Message)
		}

		shuffled := make([]v1alpha1.Attempt, len(attempts))
		for i := range attempts {
			attempts[i].DeepCopyInto(&shuffled[i])
			parts := shuffled[i].Measurements[0].Parts
			l.Shuffle(len(parts), func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
		}
		if diff := cmp.Diff(d, l.fleet.Decide(shuffled, facts, most-1)); diff != "" {
			t.Errorf("seed %d: the order of the parts decides (-want +got):\n%s", seed, diff)
		}

		l.Shuffle(len(shuffled), func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
		if again := l.fleet.Decide(shuffled, facts, most-1); len(attempts) > 1 && again.Verdict != d.Verdict {
			t.Errorf("seed %d: the order of the attempts decides: %s, and %s", seed, d.Verdict, again.Verdict)
		}

		better := onGPUs(l.metric, slices.Repeat([]float64{1000}, 8)...)
		if more := l.fleet.Decide(append(slices.Clone(attempts), *better), facts, most); more.Verdict == v1alpha1.VerdictFail {
			t.Errorf("seed %d: a fine attempt leaves it Fail: %s", seed, more.Message)
		}
	}
}

// TestMeanOfUnlikeAttempts: units are converted, and a part that one attempt lacks has no mean.
func TestMeanOfUnlikeAttempts(t *testing.T) {
	m := triad()
	first, second := onGPUs(m, 1000, 500, 10), onGPUs(m, 3, 1)
	second.Measurements[0].Unit = "TB/s"
	mean := attempt.Mean([]*v1alpha1.Attempt{first, second})
	want := []v1alpha1.Measurement{{Name: m.Name, Unit: m.Unit, Parts: []v1alpha1.PartValue{{At: "gpu0", Value: "2000"}, {At: "gpu1", Value: "750"}}}}
	if diff := cmp.Diff(want, mean.Measurements); diff != "" {
		t.Errorf("mean (-want +got):\n%s", diff)
	}
}

// TestAnIntermittentNodeHoldsNothing: what any attempt of a run broke, the run did not hold, so that it refutes no conviction of an earlier one.
func TestAnIntermittentNodeHoldsNothing(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "4300", Max: "5000"}))
	c := v1alpha1.Conviction{Benchmark: bench, Metric: "hbmTriad", Rule: term.Min, At: "gpu3",
		RuleNumbers:   v1alpha1.RuleNumbers{Unit: "GB/s", Value: "3000", Bound: "4300", Limit: "4300", Parts: 4},
		Configuration: "c1", AsCatalogued: true}
	slow, fine, high := onGPUs(m, 4380, 3000, 4380, 4380), onGPUs(m, 4380, 4381, 4382, 4383), onGPUs(m, 4380, 4381, 4382, 5100)
	wrong := onGPUs(m, 4380, 4381, 4382, 4383)
	wrong.Checks = []v1alpha1.Check{{Name: "dataIntegrity"}}
	for sentence, tt := range map[string]struct {
		attempts []*v1alpha1.Attempt
		verdict  v1alpha1.Verdict
		refuted  bool
	}{
		"fine at once":                      {[]*v1alpha1.Attempt{fine}, v1alpha1.VerdictPass, true},
		"slow once, then fine":              {[]*v1alpha1.Attempt{slow, fine}, v1alpha1.VerdictPass, false},
		"slow twice, then fine":             {[]*v1alpha1.Attempt{slow, high, fine}, v1alpha1.VerdictPass, false},
		"slow once, and then wrong":         {[]*v1alpha1.Attempt{slow, wrong}, v1alpha1.VerdictFail, false},
		"another rule was broken once":      {[]*v1alpha1.Attempt{high, fine}, v1alpha1.VerdictPass, true},
		"another rule was broken each time": {[]*v1alpha1.Attempt{high, high}, v1alpha1.VerdictFail, true},
	} {
		t.Run(sentence, func(t *testing.T) {
			var attempts []v1alpha1.Attempt
			for _, a := range tt.attempts {
				attempts = append(attempts, *a)
			}
			d := newFleet(bench, []v1alpha1.Metric{m}, nil, nil, true).Decide(attempts, rule.Given{}, 2)
			refuted := slices.ContainsFunc(d.Terms.Held, func(h term.Term) bool {
				held := v1alpha1.HeldRule{Metric: h.Metric, Rule: h.Rule, Limit: h.Limit, Value: h.Value, Parts: h.Parts, AsCatalogued: true}
				ok, _ := term.Refutes(&c, &v1alpha1.HeldRules{Configuration: c.Configuration}, &held)
				return h.Metric == c.Metric && h.Rule == c.Rule && ok
			})
			if d.Verdict != tt.verdict || refuted != tt.refuted {
				t.Errorf("%s: %s; refuted: %v, want %s and %v; it held %+v", d.Verdict, d.Message, refuted, tt.verdict, tt.refuted, d.Terms.Held)
			}
		})
	}
}

// TestSlowPartOfANodeBehind: near bounds tell of the node as a whole, far ones only of its slow GPU. That one is confirmed all the same.
func TestSlowPartOfANodeBehind(t *testing.T) {
	found := 0
	for seed := range uint64(100) {
		l := newLab(seed, 16)
		for i := range l.parts {
			l.parts[i] = 975
		}
		l.parts[3] = 955
		d, _ := l.judge(func(int) *v1alpha1.Attempt { return l.measure() })
		if d.Verdict == v1alpha1.VerdictFail {
			found++
		}
	}
	if found < 75 { // the GPU alone is 2% below its like, which is not much beside what noise of 0.5% explains
		t.Errorf("%d of 100 were found", found)
	}
}
