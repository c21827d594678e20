package main

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

// setup is what a run finds: so many nodes with so many GPUs, earlier runs, a profile, and known nodes outside the run.
type setup struct {
	nodes, gpus, past int
	profile           bool
	known             int
	nature
}

// run is one fleet that is being measured.
type run struct {
	*lab
	*rand.Rand
	setup
	accepted []v1alpha1.AcceptedLoss // by the profile
	number   int                     // of the run; earlier ones have smaller numbers
	machines []*machine
	past     []nodevalidation.Known    // of each machine; nil: nothing is known
	known    map[*bench][]fleet.Digest // of machines outside the run
	benches  []*bench
	first    map[*bench][]v1alpha1.Attempt
	digests  map[*bench][]fleet.Digest // of first
}

// newRun draws a fleet, lets its earlier runs happen, and measures every machine once.
func newRun(l *lab, r *rand.Rand, s setup, benches []*bench) *run {
	x := &run{lab: l, Rand: r, setup: s, benches: benches}
	if s.known > 0 {
		x.know(s.known)
	} else if s.past > 0 { // a benchmark that nobody could judge would leave no past
		x.know(neighbours)
	}
	x.machines = l.machines(r, s, benches)
	x.past = make([]nodevalidation.Known, s.nodes)
	for x.number < s.past {
		x.measureAll(nil)
		x.conclude(nil)
		x.number++
	}
	if s.known == 0 {
		x.known = nil
	}
	x.measureAll(nil)
	return x
}

// neighbours are the known nodes beside which earlier runs are judged. The run itself knows them only if its setup says so.
const neighbours = 8

// know lets so many machines outside the run be measured.
func (x *run) know(nodes int) {
	others := &run{lab: x.lab, Rand: x.Rand, setup: setup{nodes: nodes, gpus: x.gpus, nature: x.nature}, benches: x.benches}
	others.machines = x.lab.machines(x.Rand, others.setup, x.benches)
	for _, m := range others.machines {
		m.name = "known-" + m.name
	}
	others.past = make([]nodevalidation.Known, others.nodes)
	others.measureAll(nil)
	others.conclude(nil)
	x.known = map[*bench][]fleet.Digest{}
	for _, b := range x.benches {
		x.known[b] = remembered(b, others.past)
	}
}

// measureAll measures every machine once; faults hit only those that have one.
func (x *run) measureAll(faults map[int]*fault) {
	x.first, x.digests = map[*bench][]v1alpha1.Attempt{}, map[*bench][]fleet.Digest{}
	for _, b := range x.benches {
		for i, m := range x.machines {
			a := m.measure(x.Rand, b, faults[i], x.number, 1)
			x.first[b] = append(x.first[b], a)
			x.digests[b] = append(x.digests[b], digest(b, m, &a))
		}
	}
}

// conclude judges all machines and takes the verdicts into what is known of them.
func (x *run) conclude(faults map[int]*fault) [][]settled {
	out := x.judge(faults)
	for i, m := range x.machines {
		x.past[i] = remember(x.past[i], m, x.number, x.benches, out[i])
	}
	return out
}

// judge all machines by all benchmarks.
func (x *run) judge(faults map[int]*fault) [][]settled {
	out := make([][]settled, len(x.machines))
	for _, b := range x.benches {
		f := x.fleet(b)
		for i := range x.machines {
			out[i] = append(out[i], x.settle(f, b, i, x.first[b][i], faults[i]))
		}
	}
	return out
}

// fleet of the machines as they are.
func (x *run) fleet(b *bench) *verdict.Judge { return newFleet(b, x.digests[b], x.known[b]) }

// settled is the end of one benchmark on one machine.
type settled struct {
	verdict.Decision
	attempts []v1alpha1.Attempt
}

// settle measures a machine until there is a verdict.
func (x *run) settle(f *verdict.Judge, b *bench, i int, first v1alpha1.Attempt, flt *fault) settled {
	m := x.machines[i]
	facts := rule.Given{Node: m.name}
	if x.setup.profile {
		profile := x.lab.profile
		profile.Spec.AcceptedLosses = x.accepted
		facts.Peaks = peak.Of(&profile)
	}
	s := settled{attempts: []v1alpha1.Attempt{first}}
	for {
		s.Decision = decide(f, b, s.attempts, facts, x.past[i])
		if !s.NeedsAttempt {
			return s
		}
		s.attempts = append(s.attempts, m.measure(x.Rand, b, flt, x.number, len(s.attempts)+1))
	}
}

// broken: the node failed by a metric.
func (s *settled) broken(metric string) bool {
	return s.Verdict == v1alpha1.VerdictFail && slices.ContainsFunc(s.Findings, func(f v1alpha1.Finding) bool {
		return f.Verdict == v1alpha1.VerdictFail && f.Metric == metric
	})
}

// names says by which rules the node failed for a part that the fault sits in.
func (s *settled) names(f *fault) map[string]bool {
	rules := map[string]bool{}
	if s.Verdict != v1alpha1.VerdictFail {
		return rules
	}
	for _, found := range s.Findings {
		if found.Verdict == v1alpha1.VerdictFail && f.isAt(found.At) {
			rules[found.Rule] = true
		}
	}
	return rules
}

// isAt says whether a finding about a part names where the fault sits.
func (f *fault) isAt(at string) bool {
	switch f.where {
	case onGPU, onLinks:
		return strings.Contains(at, "gpu0")
	case onLink:
		return strings.Contains(at, "gpu0") && strings.Contains(at, "gpu1")
	case onSocket:
		return at == "socket0"
	}
	return true
}
