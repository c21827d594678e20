package controllers

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/blame"
	"github.com/assay-dev/assay/internal/verdict"
)

// concludePairs judges every node by what the tournament says of it, and names the links that are slow.
func (s *scope) concludePairs(t *tournament, metrics []pairMetric) {
	showings := make(map[string]*showing, len(t.members))
	for _, n := range t.members {
		showings[n.name] = &showing{effects: map[string]float64{}, reached: map[string]verdict.Reached{}}
	}
	for _, g := range t.pairs {
		for _, n := range g.nodes {
			if sh := showings[n.Name]; sh != nil {
				sh.pairs = append(sh.pairs, g)
			}
		}
	}
	for _, m := range metrics {
		s.tellMetric(t, m, showings)
	}
	s.tellWrongData(t, showings)
	for _, n := range t.members {
		n.decisions[t.task], n.grouped[t.task] = s.decidePairs(t, n, showings[n.name])
	}
	for _, g := range t.pairs {
		last := g.attempts()[len(g.attempts())-1]
		s.storeGroup(g, verdict.Decision{Verdict: last.Verdict, Reason: last.Reason, Message: last.Message})
	}
}

// showing is what the tournament showed of one node.
type showing struct {
	pairs        []*groupScope
	measurements []v1alpha1.Measurement
	// fails were proved; suspicions were not, or not of this node alone; remarks convict nobody.
	fails      []v1alpha1.Finding
	suspicions []string
	remarks    []string
	// wrongData is proved, by the first of fails.
	wrongData bool
	// effects relative to the fleet, and what the pairs with good partners reached, by metric.
	effects map[string]float64
	reached map[string]verdict.Reached
	// notJudged says why a metric was not compared with other nodes; compared are the metrics that were.
	notJudged []v1alpha1.Finding
	compared  []verdict.Term
	partners  int
}

// tellMetric asks who is to blame by one metric.
func (s *scope) tellMetric(t *tournament, m pairMetric, showings map[string]*showing) {
	v := blame.Judge(t.nodes, s.played(t, m), m.options)
	values := nodeValues(v)
	for _, n := range v.Nodes {
		sh := showings[n.Name]
		if sh == nil || n.Partners == 0 {
			continue
		}
		sh.partners = max(sh.partners, n.Partners)
		if value, ok := values[n.Name]; ok {
			sh.measurements = append(sh.measurements, v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Better: m.Better,
				Parts: []v1alpha1.PartValue{{At: "node", Value: verdict.Decimal(value)}}})
			if value <= 2*blame.Nothing && m.Better != v1alpha1.Lower && m.Expectation != nil {
				// Where most nodes reach nothing, that is what the fleet compares with.
				sh.suspicions = append(sh.suspicions, m.Name+" is 0 in the pairs of this node: nothing got through; look at its network and at the results of its pairs")
			}
		}
		sh.reached[m.Name] = verdict.Reached{Pairs: n.Reached, Margin: n.Margin}
		if v.Enough {
			sh.effects[m.Name] = n.Effect
		}
	}
	if !m.judged {
		return
	}
	for _, f := range v.Findings {
		s.tellFinding(t, m, f, showings)
	}
	if !v.Enough {
		for _, sh := range showings {
			sh.notJudged = append(sh.notJudged, v1alpha1.Finding{Metric: m.Name, Rule: verdict.RuleBlame, Verdict: v1alpha1.VerdictSkipped,
				Message: verdict.Clip(m.Name+": "+v.Message, 1024)})
		}
		return
	}
	for name, sh := range showings {
		if value, ok := values[name]; ok {
			sh.compared = append(sh.compared, m.term(value, cmp.Or(v.Level, v.LevelAcross)))
		}
	}
}

// term is the comparison of a node with its fleet's level, as what a conviction by it remembers.
func (m pairMetric) term(value, level float64) verdict.Term {
	t := verdict.Term{Metric: m.Name, Rule: verdict.RuleBlame, Unit: m.Unit, Limit: v1alpha1.Decimal(m.Expectation.MaxFleetDeviation), Parts: 1,
		Value: verdict.Decimal(value)}
	bound := level * (1 - m.options.MinEffect)
	if m.Better == v1alpha1.Lower {
		bound = level * (1 + m.options.MinEffect)
	}
	if value != bound && (value > bound) == (m.Better == v1alpha1.Lower) { // else it was convicted by its pairs, and no bound says by what
		t.Bound = verdict.Decimal(bound)
	}
	return t
}

// terms of a decision, with what the comparison with other nodes adds to them.
func (sh *showing) terms(t verdict.Terms) verdict.Terms {
	for _, c := range sh.compared {
		i := slices.IndexFunc(t.Broken, func(b verdict.Term) bool { return b.Rule == verdict.RuleBlame && b.Metric == c.Metric })
		if i < 0 {
			c.Bound = ""
			t.Held = append(t.Held, c)
			continue
		}
		c.At = t.Broken[i].At
		t.Broken[i] = c
	}
	return t
}

// nodeValues are what each node reaches with a good partner: the fleet's level and its own effect, in the metric's unit.
func nodeValues(v blame.Verdict) map[string]float64 {
	level := cmp.Or(v.Level, v.LevelAcross)
	out := make(map[string]float64, len(v.Nodes))
	if level > 0 {
		for _, n := range v.Nodes {
			if n.Partners > 0 {
				out[n.Name] = level * (1 + n.Effect)
			}
		}
		return out
	}
	for _, p := range v.Pairs { // too few for a model: what the pairs reached
		for _, name := range []string{p.A, p.B} {
			if out[name] == 0 {
				out[name] = p.Value
			}
		}
	}
	return out
}

func (s *scope) tellFinding(t *tournament, m pairMetric, f blame.Finding, showings map[string]*showing) {
	finding := v1alpha1.Finding{Metric: m.Name, At: string(f.Direction), Rule: verdict.RuleBlame, Verdict: v1alpha1.VerdictFail,
		Message: verdict.Clip(m.Name+": "+f.Message, 1024)}
	fabric := v1alpha1.FabricFinding{Benchmark: s.tasks[t.task].name(), Metric: m.Name, Members: f.Names, Message: finding.Message}
	tell := func(add func(*showing)) {
		for _, name := range f.Names {
			if sh := showings[name]; sh != nil {
				add(sh)
			}
		}
	}
	switch {
	case f.Kind == blame.KindNode && f.Convicted:
		tell(func(sh *showing) { sh.fails = append(sh.fails, finding) })
	case f.Kind == blame.KindUndecided:
		fabric.Kind = "Suspects"
		s.found(fabric)
		tell(func(sh *showing) { sh.suspicions = append(sh.suspicions, finding.Message) })
	case f.Convicted && (f.Kind == blame.KindLink || f.Kind == blame.KindBoundary || f.Kind == blame.KindSet):
		fabric.Kind = string(f.Kind)
		s.found(fabric)
		tell(func(sh *showing) { sh.remarks = append(sh.remarks, finding.Message) })
	case f.Kind != blame.KindUnmeasured && f.Kind != blame.KindBoundary && math.Abs(f.Effect) >= m.options.MinEffect:
		// Neither proved nor cleared when the rounds were over: no proof, but no pass either.
		tell(func(sh *showing) { sh.suspicions = append(sh.suspicions, finding.Message) })
	case f.Kind != blame.KindUnmeasured:
		tell(func(sh *showing) { sh.remarks = append(sh.remarks, finding.Message) })
	}
}

// tellWrongData convicts a node that was part of wrong data with several partners; of one pair it cannot be told which.
func (s *scope) tellWrongData(t *tournament, showings map[string]*showing) {
	partners := map[string][]string{}
	for _, g := range t.pairs {
		if slices.ContainsFunc(g.attempts(), func(a v1alpha1.Attempt) bool { return measured(a) && verdict.WrongData(&a) }) {
			a, b := g.nodes[0].Name, g.nodes[1].Name
			partners[a], partners[b] = append(partners[a], b), append(partners[b], a)
		}
	}
	convicted := func(name string) bool {
		return len(partners[name]) > 1 && slices.ContainsFunc(partners[name], func(p string) bool { return len(partners[p]) == 1 })
	}
	for _, n := range t.members {
		sh := showings[n.name]
		switch {
		case len(partners[n.name]) == 0:
		case convicted(n.name):
			wrong := v1alpha1.Finding{Rule: "DataCheck", Verdict: v1alpha1.VerdictFail,
				Message: verdict.Clip(fmt.Sprintf("data was wrong between this node and several others, which are right with others: look at this node's network adapter and memory; it was wrong with %s",
					listed(partners[n.name])), 1024)}
			sh.fails, sh.wrongData = append([]v1alpha1.Finding{wrong}, sh.fails...), true
		case !slices.ContainsFunc(partners[n.name], convicted):
			message := fmt.Sprintf("data was wrong between %s and %s: which node, or the link, is to blame cannot be told; measure both with others", n.name, listed(partners[n.name]))
			sh.suspicions = append(sh.suspicions, message)
			if n.name < partners[n.name][0] {
				s.found(v1alpha1.FabricFinding{Kind: "Suspects", Benchmark: s.tasks[t.task].name(), Members: append([]string{n.name}, partners[n.name]...), Message: message})
			}
		}
	}
}

// decidePairs is the verdict on one node by a tournament, and the attempt that its result keeps of it.
func (s *scope) decidePairs(t *tournament, n *nodeScope, sh *showing) (verdict.Decision, []v1alpha1.Attempt) {
	attempt, ok := sh.attempt(n.name)
	if !ok {
		return sh.unmeasured(n.name), nil
	}
	task := &s.tasks[t.task]
	fleet := verdict.NewFleet(task.name(), verdict.WithoutFleet(task.metrics), nil, true)
	facts := verdict.NodeFacts{Peaks: n.peaks, History: s.historyOf(n, task)}
	d, unproved := fleet.JudgePairs(&attempt, facts, sh.reached, *s.run.Spec.Confirmations)
	if len(t.members) < fewNodes { // whatever is slow convicts nobody
		d, unproved = verdict.Decide([]verdict.AttemptJudgement{fleet.Judge(&attempt, facts)}, 0), ""
	}
	if unproved != "" {
		sh.suspicions = append(sh.suspicions, unproved)
	}
	d = d.Blame(sh.fails)
	d.Terms = sh.terms(d.Terms)
	if sh.wrongData {
		d.Reason, d.Message = v1alpha1.ReasonWrongData, sh.fails[0].Message
	}
	d.Findings = append(d.Findings, sh.notJudged...)
	for h := range d.Headline {
		if effect, ok := sh.effects[d.Headline[h].Metric]; ok {
			d.Headline[h].FleetDeviationPercent = verdict.Percent(100 * effect)
		}
	}
	if d.Verdict == v1alpha1.VerdictFail && len(sh.fails) == 0 && len(t.members) < fewNodes {
		// Below an absolute bound, but with so few partners it may be theirs, or the link's, fault.
		sh.suspicions = append(sh.suspicions, fmt.Sprintf("slow together with %s, and which node or link is to blame cannot be told: %s",
			listed(t.others(n)), d.Message))
		s.found(v1alpha1.FabricFinding{Kind: "Suspects", Benchmark: task.name(), Metric: firstMetric(d), Members: t.names(), Message: sh.suspicions[0]})
		d.Verdict = v1alpha1.VerdictError
	}
	switch {
	case d.Verdict == v1alpha1.VerdictFail:
	case len(sh.suspicions) > 0:
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictError, v1alpha1.ReasonSuspect, verdict.Clip(sh.suspicions[0], 1024)
	case len(sh.remarks) > 0:
		d.Message = verdict.Clip("the node itself is fine; "+sh.remarks[0], 1024)
	default:
		d.Message = verdict.Clip(fmt.Sprintf("in pairs with %d others: %s", sh.partners, d.Message), 1024)
	}
	return d, []v1alpha1.Attempt{attempt}
}

// attempt is what a node's result keeps of a tournament: what it reaches with good partners, and where the pairs are.
func (sh *showing) attempt(node string) (v1alpha1.Attempt, bool) {
	if len(sh.measurements) == 0 && len(sh.fails)+len(sh.suspicions) == 0 {
		return v1alpha1.Attempt{}, false
	}
	a := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Measurements: sh.measurements}
	const mostNotes = 16
	for _, g := range sh.pairs {
		for _, played := range g.attempts() {
			if a.StartTime == nil || played.StartTime != nil && played.StartTime.Before(a.StartTime) {
				a.StartTime = played.StartTime
			}
			if played.EndTime != nil && (a.EndTime == nil || a.EndTime.Before(played.EndTime)) {
				a.EndTime = played.EndTime
			}
			if t := played.LaunchTime; t != nil && (a.LaunchTime == nil || t.Before(a.LaunchTime)) {
				a.LaunchTime = t // the first: what another run measured in the middle of the tournament is newer
			}
			a.Version, a.ImageID = cmp.Or(played.Version, a.Version), cmp.Or(played.ImageID, a.ImageID)
			a.Configuration = cmp.Or(played.Configuration, a.Configuration)
		}
		if len(a.Notes) < mostNotes {
			a.Notes = append(a.Notes, verdict.Clip(fmt.Sprintf("ValidationResult %s: with %s", g.id, g.others(node)), maxNote))
		}
	}
	return a, true
}

// unmeasured says why nothing is known of a node: the last thing that went wrong with it.
func (sh *showing) unmeasured(node string) verdict.Decision {
	d := verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonNotGrouped, Message: "no pair with this node was measured"}
	if n := len(sh.pairs); n > 0 {
		g := sh.pairs[n-1]
		last := g.attempts()[len(g.attempts())-1]
		d.Verdict, d.Reason = last.Verdict, last.Reason
		d.Message = fmt.Sprintf("could not be measured with any of %d partners; with %s: %s", n, g.others(node), last.Message)
	}
	if measured(v1alpha1.Attempt{Verdict: d.Verdict}) { // it ran, but without the metrics that were asked for
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictMissing, v1alpha1.ReasonMeasurementMissing, "the program reported none of the Benchmark's metrics"
	}
	d.Message = verdict.Clip(d.Message, 1024)
	return d
}
