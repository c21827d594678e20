package main

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// This file is all that knows how the controller judges. What internal/operate/assess does for a run, it does for an invented one.

// confirmations is the default of the API.
const confirmations = 2

// digest is what a fleet takes from a node's first attempt.
func digest(b *bench, m *machine, first *v1alpha1.Attempt) fleet.Digest {
	d := fleet.DigestAttempt(b.Spec.Metrics, first)
	d.Node = m.name
	return d
}

// remembered is what a fleet takes from nodes outside the run.
func remembered(b *bench, nodes []nodevalidation.Known) []fleet.Digest {
	var out []fleet.Digest
	for _, n := range nodes {
		for _, k := range observe.KnownOf(n.History) {
			if !observe.Healthy(n.Validation, k.Benchmark) {
				continue
			}
			if k.Benchmark == b.Name {
				out = append(out, k.Digest)
			}
		}
	}
	return out
}

func newFleet(b *bench, own, known []fleet.Digest) *verdict.Judge {
	return verdict.NewJudge(b.Name, b.Spec.Metrics, pointersTo(own), pointersTo(known), true).OnQuietHost(b.Spec.QuietHost)
}

func pointersTo(digests []fleet.Digest) []*fleet.Digest {
	pointers := make([]*fleet.Digest, len(digests))
	for i := range digests {
		pointers[i] = &digests[i]
	}
	return pointers
}

// decide judges a node by its attempts so far.
func decide(f *verdict.Judge, b *bench, attempts []v1alpha1.Attempt, facts rule.Given, known nodevalidation.Known) verdict.Decision {
	if h := known.History.Benchmark(b.Name); h != nil {
		facts.Past = past.Past{Passes: h.Passes, Provisional: known.Validation.Benchmark(b.Name).LastPass() == nil}
	}
	d := f.Decide(attempt.Alike(attempts), facts, confirmations)
	d.NeedsAttempt = d.NeedsAttempt && len(attempts) < plan.MaxAttempts
	return d
}

// resultOf a machine in a run.
func resultOf(m *machine, benches []*bench, ended []settled) *v1alpha1.ValidationResult {
	r := &v1alpha1.ValidationResult{Node: v1alpha1.ObjectReference{Name: m.name, UID: m.uid}}
	for i, b := range benches {
		d := ended[i].Decision
		r.Benchmarks = append(r.Benchmarks, v1alpha1.BenchmarkResult{Name: b.Name, Verdict: d.Verdict, Reason: d.Reason, Message: d.Message,
			Headline: d.Headline, Findings: d.Findings, Attempts: ended[i].attempts})
	}
	r.Verdict, r.Reason, r.Message = verdict.Node(r.Benchmarks)
	return r
}

// judgedIn is a run by its number, and when it judged.
func judgedIn(run int) (v1alpha1.ObjectReference, time.Time) {
	name := "run-" + strconv.Itoa(run)
	return v1alpha1.ObjectReference{Name: name, UID: types.UID(name)}, start.AddDate(0, 0, 7*run).Add(time.Hour)
}

// remember takes a run into what is known of a node.
func remember(past nodevalidation.Known, m *machine, run int, benches []*bench, ended []settled) nodevalidation.Known {
	node := &corev1.Node{}
	node.Name, node.UID = m.name, m.uid
	of, at := judgedIn(run)
	j := nodevalidation.Judgement{Node: node, Run: of, Result: resultOf(m, benches, ended), Benchmarks: map[string]nodevalidation.Benchmark{}, Time: metav1.NewTime(at)}
	for i, b := range benches {
		j.Benchmarks[b.Name] = nodevalidation.Benchmark{Metrics: b.Spec.Metrics, Cleared: ended[i].Cleared}
	}
	return nodevalidation.Next(past, j)
}

// judgementOf a node in a run that taints.
func judgementOf(m *machine, run int, benches []*bench, ended []settled) taint.Judgement {
	of, at := judgedIn(run)
	r := resultOf(m, benches, ended)
	j := taint.Judgement{Run: of, Result: r, Verdict: r.Verdict, Reason: r.Reason, Message: r.Message, Time: at,
		Taint: &corev1.Taint{Key: "assay.dev/unfit", Effect: corev1.TaintEffectNoSchedule}}
	for i, b := range benches {
		d := &ended[i].Decision
		j.Benchmarks = append(j.Benchmarks, taint.Benchmark{Name: b.Name, Verdict: d.Verdict, Terms: d.Terms, Findings: d.Findings,
			Benchmark: nodevalidation.Benchmark{Metrics: b.Spec.Metrics, Cleared: d.Cleared}})
	}
	return j
}

// warned says whether what is known of a node warns of a part by a rule.
func warned(past nodevalidation.Known, rule string) bool {
	for i := range past.Validation.Benchmarks {
		for _, w := range past.Validation.Benchmarks[i].Warnings {
			if w.Rule == rule {
				return true
			}
		}
	}
	return false
}
