package verdict

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
)

const bench = "hbm"

// triad is a metric as the catalogue has it; change adapts it.
func triad(change ...func(*v1alpha1.Metric)) v1alpha1.Metric {
	m := v1alpha1.Metric{
		Name: "hbmTriad", Unit: "GB/s", Better: v1alpha1.Higher, Headline: true, Peak: "hbmBandwidth", Noise: v1alpha1.Noise{Run: "0.01", Part: "0.01", Node: "0.01"},
		Expectation: &v1alpha1.Expectation{},
	}
	for _, c := range change {
		c(&m)
	}
	return m
}

// steady is a metric that hardly varies from run to run.
func steady(m *v1alpha1.Metric) { m.Noise.Run = "0.001" }

func latency(e v1alpha1.Expectation) v1alpha1.Metric {
	return v1alpha1.Metric{Name: "latency", Unit: "us", Better: v1alpha1.Lower, Headline: true, Peak: "linkLatency", Expectation: &e}
}

func expecting(e v1alpha1.Expectation) func(*v1alpha1.Metric) {
	return func(m *v1alpha1.Metric) { m.Expectation = &e }
}

// onGPUs reports one value per GPU.
func onGPUs(m v1alpha1.Metric, values ...float64) *v1alpha1.Attempt {
	parts := make([]v1alpha1.PartValue, len(values))
	for i, v := range values {
		parts[i] = v1alpha1.PartValue{At: "gpu" + strconv.Itoa(i), Value: v1alpha1.Decimal(strconv.FormatFloat(v, 'f', -1, 64))}
	}
	return attemptOf(v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Parts: parts})
}

func attemptOf(ms ...v1alpha1.Measurement) *v1alpha1.Attempt {
	return &v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Measurements: ms}
}

func withDevices(a *v1alpha1.Attempt, product string, n int) *v1alpha1.Attempt {
	for i := range n {
		a.Devices = append(a.Devices, v1alpha1.Device{Index: int32(i), UUID: fmt.Sprintf("GPU-%d", i), Product: product})
	}
	return a
}

func h200() peak.Peaks {
	profile := v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{
		{Name: "hbmBandwidth", At: "gpu", Value: "4.81", Unit: "TB/s", Reached: "4.37", Source: "data sheet"},
		{Name: "linkLatency", Value: "800", Unit: "ns", Source: "measured"},
	}}}
	profile.Name = "h200"
	return peak.Of(&profile)
}

// judgeAlone judges an attempt in a fleet made of itself and the other attempts.
func judgeAlone(m v1alpha1.Metric, a *v1alpha1.Attempt, facts rule.Given, others ...*v1alpha1.Attempt) rule.Outcome {
	ms := []v1alpha1.Metric{m}
	return judgeIn(fleetOf(bench, ms, append([]*v1alpha1.Attempt{a}, others...), true), a, facts)
}

// fleetOf is the fleet that these attempts make, each of a node of its own.
func fleetOf(benchmark string, metrics []v1alpha1.Metric, attempts []*v1alpha1.Attempt, complete bool) *Judge {
	own := make([]fleet.Digest, len(attempts))
	for i, a := range attempts {
		own[i] = fleet.DigestAttempt(metrics, a)
		own[i].Node = nodeOf(a)
	}
	return newFleet(benchmark, metrics, own, nil, complete)
}

// judgeIn judges an attempt of the node that it stands for, by what convicts.
func judgeIn(f *Judge, a *v1alpha1.Attempt, facts rule.Given) rule.Outcome {
	facts.Node = nodeOf(a)
	return f.rules.Outcome(a, facts, bounds.MeanOf(1))
}

// judgeMean judges the mean of attempts of the node that the first stands for, by what convicts.
func judgeMean(f *Judge, attempts []*v1alpha1.Attempt, facts rule.Given) rule.Outcome {
	facts.Node = nodeOf(attempts[0])
	return f.rules.Outcome(attempt.Mean(attempts), facts, bounds.MeanOf(len(attempts)))
}

func nodeOf(a *v1alpha1.Attempt) string { return fmt.Sprintf("%p", a) }

// noisy draws values of healthy parts: normal around center with the relative deviation sigma.
func noisy(r *rand.Rand, n int, center, sigma float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = center * (1 + sigma*r.NormFloat64())
	}
	return values
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// newFleet of digests.
func newFleet(benchmark string, metrics []v1alpha1.Metric, own, known []fleet.Digest, complete bool) *Judge {
	return NewJudge(benchmark, metrics, pointersTo(own), pointersTo(known), complete)
}

func pointersTo(digests []fleet.Digest) []*fleet.Digest {
	pointers := make([]*fleet.Digest, len(digests))
	for i := range digests {
		pointers[i] = &digests[i]
	}
	return pointers
}

// decideAlone is the decision by judgeAlone.
func decideAlone(m v1alpha1.Metric, a *v1alpha1.Attempt, facts rule.Given) Decision {
	judged := judgeAlone(m, a, facts)
	return alone(&judged)
}
