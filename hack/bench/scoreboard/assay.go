package main

import (
	"maps"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/hack/bench/corpus"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/peak"
	judge "github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/test/testdata"
)

// confirmations is the default of the API.
const confirmations = 2

// assay judges as the operator does, without any past, by the catalogue and the profile as they are shipped.
func assay() rule {
	profile := testdata.Profile("h200")
	peaks := peak.Of(profile)
	return rule{name: "Assay", source: "this repository", judge: func(c *corpus.Case) corpus.Answer { return judged(c, peaks) }}
}

func judged(c *corpus.Case, peaks peak.Peaks) corpus.Answer {
	metrics := metricsOf(c)
	attempts := make([][]v1alpha1.Attempt, len(c.Nodes))
	digests := make([]*fleet.Digest, len(c.Nodes))
	for i := range c.Nodes {
		attempts[i] = attemptsOf(&c.Nodes[i], metrics)
		d := fleet.DigestAttempt(metrics, &attempts[i][0])
		d.Node = c.Nodes[i].Name
		digests[i] = &d
	}
	f := verdict.NewJudge(c.Benchmark, metrics, digests, nil, true)
	a := corpus.Answer{ID: c.ID}
	for i, n := range c.Nodes {
		used := 1
		d := decide(f, n.Name, attempts[i][:used], peaks)
		for ; d.NeedsAttempt && used < len(attempts[i]); d = decide(f, n.Name, attempts[i][:used], peaks) {
			used++
		}
		a.Attempts += used
		switch d.Verdict {
		case v1alpha1.VerdictFail:
			a.Failed = append(a.Failed, failedBy(n.Name, d.Findings)...)
		case v1alpha1.VerdictPass:
		default:
			a.Unjudged = append(a.Unjudged, n.Name)
		}
	}
	return a
}

func decide(f *verdict.Judge, node string, attempts []v1alpha1.Attempt, peaks peak.Peaks) verdict.Decision {
	return f.Decide(attempt.Alike(attempts), judge.Given{Node: node, Peaks: peaks}, confirmations)
}

func failedBy(node string, findings []v1alpha1.Finding) (all []corpus.Verdict) {
	for _, f := range findings {
		if f.Verdict == v1alpha1.VerdictFail {
			all = append(all, corpus.Verdict{Node: node, Metric: f.Metric, Part: f.At})
		}
	}
	return all
}

// metricsOf a case, as the catalogue has them.
func metricsOf(c *corpus.Case) []v1alpha1.Metric {
	return slices.DeleteFunc(testdata.Benchmark(c.Benchmark).Spec.Metrics, func(m v1alpha1.Metric) bool {
		return !slices.ContainsFunc(c.Metrics, func(x corpus.Metric) bool { return x.Name == m.Name })
	})
}

// attemptsOf a node as the operator stores them.
func attemptsOf(n *corpus.Node, metrics []v1alpha1.Metric) (all []v1alpha1.Attempt) {
	for k, measured := range n.Attempts {
		a := v1alpha1.Attempt{Number: int32(k + 1), Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Configuration: "corpus"}
		for _, m := range metrics {
			out := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Better: m.Better}
			for _, at := range slices.Sorted(maps.Keys(measured[m.Name])) {
				out.Parts = append(out.Parts, v1alpha1.PartValue{At: at, Value: v1alpha1.Decimal(strconv.FormatFloat(measured[m.Name][at], 'f', -1, 64))})
			}
			a.Measurements = append(a.Measurements, out)
		}
		all = append(all, a)
	}
	return all
}
