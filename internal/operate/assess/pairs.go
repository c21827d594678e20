package assess

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// tournament is a group benchmark of pairs in this pass: who takes part, and what was played.
type tournament struct {
	task    int
	members []*Node
	nodes   []blame.Node
	// takesPart are the members by name.
	takesPart map[string]bool
	// pairs that were measured or tried, with all their attempts.
	pairs []*Group
	// lastEnd is when the last of their measurements ended; zero: none has.
	lastEnd time.Time
	// disturbed are the nodes that no attempt of a whole round measured undisturbed.
	disturbed map[string]bool
}

// fewNodes: with fewer, a slow node and a slow link look alike.
const fewNodes = 4

func (t *tournament) names() []string {
	out := make([]string, len(t.members))
	for i, n := range t.members {
		out[i] = n.name
	}
	return out
}

func (t *tournament) others(n *Node) []string {
	return slices.DeleteFunc(t.names(), func(name string) bool { return name == n.name })
}

// pairMetric is one metric with what blame is laid by.
type pairMetric struct {
	v1alpha1.Metric
	options blame.Options
	// judged: a deviation from the fleet is expected not to happen; otherwise the metric is only reported.
	judged bool
}

// judgePairs plays the tournaments of pairs on, one for each fabric, or judges them once they are decided. A node that is alone waits for their end: its
// fabric may only be away for a moment.
func (s *state) judgePairs(i int, members []*Node) {
	var alone []*Node
	open := false
	all := s.byFabric(i, members)
	for _, alike := range all {
		if len(alike) < 2 {
			alone = append(alone, alike...)
			continue
		}
		s.playPairs(i, alike)
		open = open || slices.ContainsFunc(alike, func(n *Node) bool { return n.decisions[i].Verdict == v1alpha1.VerdictPending })
	}
	for _, n := range alone {
		n.decisions[i] = verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNotGrouped, Message: message.NoPartner()}
		switch {
		case open:
			n.decisions[i] = verdict.Decision{Verdict: v1alpha1.VerdictPending, Message: message.TournamentGoesOn()}
		case len(all) > 1:
			n.decisions[i].Message = message.NoPartnerByFabric(s.fabricAt(n, i))
		}
	}
	if len(all) > 1 && !open {
		s.storeStrays(i, all)
		s.settleUnavailable(i, alone, false)
	}
}

// playPairs plays one tournament on, or judges it once it is decided.
func (s *state) playPairs(i int, members []*Node) {
	t := s.tournament(i, members)
	metrics := s.pairMetrics(i)
	open := !s.allStored(i) && s.advance(t, metrics)
	if !open || s.groupsClosed() {
		s.concludePairs(t, metrics)
		s.settleUnavailable(i, members, false)
	}
	for _, n := range members {
		switch {
		case !open:
		case !s.groupsClosed():
			n.decisions[i] = verdict.Decision{Verdict: v1alpha1.VerdictPending, Message: message.TournamentGoesOn()}
		case n.decisions[i].Verdict != v1alpha1.VerdictFail && n.unavailable == nil: // what was proved stays proved
			n.decisions[i] = s.notMeasured(i, s.waitedFor(n, i))
		}
	}
}

func (s *state) tournament(i int, members []*Node) *tournament {
	spec := s.tasks[i].Benchmark.Spec.Group
	label := cmp.Or(spec.Within, spec.Across, spec.Topology)
	t := &tournament{task: i, members: members, takesPart: make(map[string]bool, len(members))}
	for _, n := range members {
		t.takesPart[n.name] = true
		t.nodes = append(t.nodes, blame.Node{Name: n.name, Place: n.label(label)})
	}
	for _, g := range s.sortedGroups() {
		if g.task == i && len(g.nodes) == 2 && len(g.attempts()) > 0 && t.has(g) {
			t.pairs = append(t.pairs, g)
			for _, a := range g.attempts() {
				if a.EndTime != nil && a.EndTime.After(t.lastEnd) {
					t.lastEnd = a.EndTime.Time
				}
			}
		}
	}
	t.noteDisturbed()
	return t
}

// pairConfirmations are those that a tournament asks for: half as many, rounded up, as it measures each node in several pairs to begin with.
func (s *state) pairConfirmations() int32 { return (*s.run.Spec.Confirmations + 1) / 2 }

// pairMetrics are the metrics that nodes are compared by; where none is, the headline alone decides who meets whom.
func (s *state) pairMetrics(i int) []pairMetric {
	spec := s.tasks[i].Benchmark.Spec.Group
	base := blame.Options{Confirmations: int(s.pairConfirmations())}
	switch {
	case spec.Within != "":
		base.Pairs = blame.Within
	case spec.Across != "":
		base.Pairs = blame.Across
	}
	if spec.Rounds != nil {
		base.Rounds = int(*spec.Rounds)
	}
	var out []pairMetric
	for _, m := range s.tasks[i].Metrics {
		o := base
		o.LowerIsBetter, o.Unit = m.Better == v1alpha1.Lower, m.Unit
		o.NoiseFloor, _ = strconv.ParseFloat(string(m.Noise.Run), 64)
		judged := m.Expectation != nil && m.Expectation.MaxFleetDeviation != ""
		if judged {
			o.MinEffect, _ = strconv.ParseFloat(string(m.Expectation.MaxFleetDeviation), 64)
		}
		out = append(out, pairMetric{m, o, judged})
	}
	slices.SortStableFunc(out, func(a, b pairMetric) int {
		rank := func(m pairMetric) int {
			switch {
			case m.judged:
				return 0
			case m.Headline:
				return 1
			}
			return 2
		}
		return cmp.Compare(rank(a), rank(b))
	})
	return out
}

// advance marks the pairs that are due, and says whether there are any.
func (s *state) advance(t *tournament, metrics []pairMetric) bool {
	if s.inVain(t) {
		return false
	}
	running := s.keepRunning(t)
	for i, m := range metrics {
		if i > 0 && !m.judged {
			break
		}
		if s.advanceMetric(t, m) {
			return true
		}
	}
	return running
}

// advanceMetric marks the pairs that are due by one metric. A round of which nothing can be played any more is left as it is.
func (s *state) advanceMetric(t *tournament, m pairMetric) bool {
	played := s.measuredPairs(t, m)
	for {
		step := blame.Next(t.nodes, played, m.options)
		if step.Done {
			return false
		}
		due := false
		for _, p := range step.Pairs {
			if s.passedOver(t, p) {
				continue
			}
			g := s.groupOf(t.task, []string{p.A, p.B})
			due = s.makeDue(g, int32(step.Round), cmp.Or(whyAgainIn(g, step.Round), message.TournamentRound(step.Round))) || due
		}
		if due || s.groupsClosed() || s.paused() {
			return true
		}
		for _, p := range step.Pairs {
			played = append(played, blame.Measurement{Pair: p, Round: step.Round})
		}
	}
}

// inVain: every node was tried and nothing could be measured at all; more rounds would fail alike.
func (s *state) inVain(t *tournament) bool {
	tried := map[string]bool{}
	for _, g := range t.pairs {
		if slices.ContainsFunc(g.attempts(), measured) || len(t.counted(g)) == 0 {
			return false
		}
		for _, n := range g.nodes {
			tried[n.Name] = true
		}
	}
	missing := 0
	for _, n := range t.members {
		if !tried[n.name] {
			missing++
		}
	}
	return len(t.pairs) > 0 && missing <= len(t.members)%2
}

// measuredPairs is what the tournament measured of one metric. Wrong data proves nothing about speed. A pair that was disturbed is still
// to be measured in its round, unless it always is.
func (s *state) measuredPairs(t *tournament, m pairMetric) []blame.Measurement {
	var out []blame.Measurement
	for _, g := range t.pairs {
		for _, a := range t.counted(g) {
			p := blame.Measurement{Pair: blame.NewPair(g.nodes[0].Name, g.nodes[1].Name), Round: int(a.Round)}
			if a.Verdict == v1alpha1.VerdictPass && !attempt.WrongData(&a) {
				p.Samples = samples(&a, &m.Metric, p.Pair)
			}
			out = append(out, p)
		}
	}
	return out
}

// samples are the values of a metric, each way where the program names its parts "a->b"; otherwise the worst part. A part
// that reached nothing is as slow as can be; one that took no time was not measured, and so neither was the pair.
func samples(a *v1alpha1.Attempt, m *v1alpha1.Metric, p blame.Pair) []blame.Sample {
	var directed []blame.Sample
	worst, found := 0.0, false
	for _, v := range attempt.Values(a, m) {
		value := v.Value
		switch {
		case value > 0:
		case m.Better != v1alpha1.Lower:
			value = blame.Nothing
		case quantity.IsTime(m.Unit):
			return nil
		}
		from, to, ok := strings.Cut(v.At, "->")
		if ok && blame.NewPair(from, to) == p {
			directed = append(directed, blame.Sample{From: from, To: to, Value: value})
		}
		if !found || (m.Better == v1alpha1.Lower) == (value > worst) {
			worst, found = value, true
		}
	}
	switch {
	case len(directed) > 0:
		return directed
	case worst > 0:
		return []blame.Sample{{Value: worst}}
	}
	return nil // not measured, or a count of 0, which has no ratio to any other
}
