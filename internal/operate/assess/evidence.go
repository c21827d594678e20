package assess

import (
	"cmp"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// concludePairs judges every node by what the tournament says of it, and names the links that are slow.
func (s *state) concludePairs(t *tournament, metrics []pairMetric) {
	byNode := make(map[string]*evidence, len(t.members))
	for _, n := range t.members {
		byNode[n.name] = &evidence{reached: map[string]verdict.Reached{}}
	}
	for _, g := range t.pairs {
		for _, n := range g.nodes {
			if e := byNode[n.Name]; e != nil {
				e.pairs = append(e.pairs, g)
			}
		}
	}
	for _, m := range metrics {
		s.reportMetric(t, m, byNode)
	}
	s.reportWrongData(t, byNode)
	levels := levelsOf(byNode)
	for _, n := range t.members {
		n.decisions[t.task], n.grouped[t.task] = s.decidePairs(t, n, byNode[n.name], levels)
	}
	for _, g := range t.pairs {
		last := g.attempts()[len(g.attempts())-1]
		s.storeGroup(g, verdict.Decision{Verdict: last.Verdict, Reason: last.Reason, Message: last.Message})
	}
}

// evidence is what the tournament showed of one node.
type evidence struct {
	pairs []*Group
	// estimates are what the node reaches by the model, which the rules judge; readings are what its pairs measured, which is shown.
	estimates []v1alpha1.Measurement
	readings  []reading
	// fails were proved; suspicions were not, or not of this node alone; remarks convict nobody.
	fails      []v1alpha1.Finding
	suspicions []string
	remarks    []string
	// wrongData is proved, by the first of fails.
	wrongData bool
	// reached is what the pairs with good partners reached, by metric.
	reached map[string]verdict.Reached
	// notJudged says why a metric was not compared with other nodes; compared are the metrics that were.
	notJudged []v1alpha1.Finding
	compared  []verdict.Term
}

// reportMetric asks who is to blame by one metric.
func (s *state) reportMetric(t *tournament, m pairMetric, byNode map[string]*evidence) {
	pairs := s.measuredPairs(t, m)
	v := blame.Judge(t.nodes, pairs, m.options)
	values, readings := nodeValues(v), readPairs(m.Metric, pairs)
	for _, n := range v.Nodes {
		e := byNode[n.Name]
		if e == nil || n.Partners == 0 {
			continue
		}
		if value, ok := values[n.Name]; ok {
			e.estimates = append(e.estimates, m.measurement(verdict.Estimated+"node", value))
			if value <= 2*blame.Nothing && m.Better != v1alpha1.Lower && m.Expectation != nil {
				// Where most nodes reach nothing, that is what the fleet compares with.
				e.suspicions = append(e.suspicions, message.NothingGotThrough(m.Name))
			}
		}
		if r, ok := readings[n.Name]; ok {
			e.readings = append(e.readings, r)
		}
		e.reached[m.Name] = verdict.Reached{Pairs: n.Reached, Margin: n.Margin}
	}
	if !m.judged {
		return
	}
	for _, f := range v.Findings {
		s.reportFinding(t, m, f, byNode)
	}
	if !v.Enough {
		for _, e := range byNode {
			e.notJudged = append(e.notJudged, v1alpha1.Finding{Metric: m.Name, Rule: verdict.RuleBlame, Verdict: v1alpha1.VerdictSkipped,
				Message: quantity.Clip(m.Name+": "+v.Message, 1024)})
		}
		return
	}
	for name, e := range byNode {
		if value, ok := values[name]; ok {
			e.compared = append(e.compared, m.term(value, cmp.Or(v.Level, v.LevelAcross)))
		}
	}
}

func (s *state) reportFinding(t *tournament, m pairMetric, f blame.Finding, byNode map[string]*evidence) {
	finding := v1alpha1.Finding{Metric: m.Name, At: string(f.Direction), Rule: verdict.RuleBlame, Verdict: v1alpha1.VerdictFail,
		Message: quantity.Clip(m.Name+": "+f.Message, 1024)}
	fabric := v1alpha1.FabricFinding{Benchmark: s.tasks[t.task].Name(), Metric: m.Name, Members: f.Names, Message: finding.Message}
	add := func(change func(*evidence)) {
		for _, name := range f.Names {
			if e := byNode[name]; e != nil {
				change(e)
			}
		}
	}
	switch {
	case f.Kind == blame.KindNode && f.Blamed:
		add(func(e *evidence) { e.fails = append(e.fails, finding) })
	case f.Kind == blame.KindSuspects:
		fabric.Kind = "Suspects"
		s.addFinding(fabric)
		add(func(e *evidence) { e.suspicions = append(e.suspicions, finding.Message) })
	case f.Blamed && (f.Kind == blame.KindLink || f.Kind == blame.KindBoundary || f.Kind == blame.KindSet):
		fabric.Kind = string(f.Kind)
		s.addFinding(fabric)
		add(func(e *evidence) { e.remarks = append(e.remarks, finding.Message) })
	case f.Kind != blame.KindUnmeasured && f.Kind != blame.KindBoundary && math.Abs(f.Effect) >= m.options.MinEffect:
		// Neither proved nor cleared when the rounds were over: no proof, but no pass either.
		add(func(e *evidence) { e.suspicions = append(e.suspicions, finding.Message) })
	case f.Kind != blame.KindUnmeasured:
		add(func(e *evidence) { e.remarks = append(e.remarks, finding.Message) })
	}
}

// reportWrongData convicts a node that was part of wrong data with several partners; of one pair it cannot be told which.
func (s *state) reportWrongData(t *tournament, byNode map[string]*evidence) {
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
		e := byNode[n.name]
		switch {
		case len(partners[n.name]) == 0:
		case convicted(n.name):
			wrong := v1alpha1.Finding{Rule: "DataCheck", Verdict: v1alpha1.VerdictFail,
				Message: quantity.Clip(message.WrongDataWithSeveral(message.Nodes(partners[n.name])), 1024)}
			e.fails, e.wrongData = append([]v1alpha1.Finding{wrong}, e.fails...), true
		case !slices.ContainsFunc(partners[n.name], convicted):
			text := message.WrongDataBetween(n.name, message.Nodes(partners[n.name]))
			e.suspicions = append(e.suspicions, text)
			if n.name < partners[n.name][0] {
				s.addFinding(v1alpha1.FabricFinding{Kind: "Suspects", Benchmark: s.tasks[t.task].Name(), Members: append([]string{n.name}, partners[n.name]...), Message: text})
			}
		}
	}
}

// decidePairs is the verdict on one node by a tournament, and the attempt that its result keeps of it.
func (s *state) decidePairs(t *tournament, n *Node, e *evidence, levels map[string]float64) (verdict.Decision, []v1alpha1.Attempt) {
	attempt, ok := e.attempt(n)
	if !ok {
		return e.unmeasured(n.name), nil
	}
	attempt.Machine = s.machineOfAll(n, e.pairs)
	task := &s.tasks[t.task]
	if s.lacksPast(n, t.task) {
		return verdict.Decision{Verdict: v1alpha1.VerdictPending}, nil
	}
	d, unproved := e.judge(task, attempt, verdict.NodeFacts{Peaks: n.peaks, Past: s.pastOf(n, t.task)}, s.pairConfirmations(), len(t.members) < fewNodes)
	if unproved != "" {
		e.suspicions = append(e.suspicions, unproved)
	}
	d = e.unlessUnjudged(d, task).Blame(e.fails)
	d.Terms = e.terms(d.Terms)
	if e.wrongData {
		d.Reason, d.Message = v1alpha1.ReasonWrongData, e.fails[0].Message
	}
	d.Findings = append(d.Findings, e.notJudged...)
	e.showMeasured(d.Headline, levels)
	if d.Verdict == v1alpha1.VerdictFail && len(e.fails) == 0 && len(t.members) < fewNodes {
		// Below an absolute bound, but with so few partners it may be theirs, or the link's, fault.
		e.suspicions = append(e.suspicions, message.SlowWithOthers(message.Nodes(t.others(n)), d.Message))
		s.addFinding(v1alpha1.FabricFinding{Kind: "Suspects", Benchmark: task.Name(), Metric: firstMetric(d), Members: t.names(), Message: e.suspicions[0]})
		d.Verdict = v1alpha1.VerdictError
	}
	switch {
	case d.Verdict == v1alpha1.VerdictFail:
		d = s.withDifferences(n, d)
	case len(e.suspicions) > 0:
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictError, v1alpha1.ReasonSuspect, e.suspicions[0]
	case len(e.remarks) > 0:
		d.Message = message.NodeFine(e.remarks[0])
	case d.Verdict == v1alpha1.VerdictPass:
		d.Message = message.MetExpectations(e.reading(task), countSkipped(d.Findings))
		return d, []v1alpha1.Attempt{attempt}
	}
	if len(e.fails) == 0 || e.wrongData { // else the message names the pairs that it rests on
		d.Message = message.WithReading(d.Message, e.reading(task))
	}
	return d, []v1alpha1.Attempt{attempt}
}

// unlessUnjudged is the decision of the rules beside what the tournament compared: a headline metric that neither of them judged passes nobody.
func (e *evidence) unlessUnjudged(d verdict.Decision, t *Task) verdict.Decision {
	if d.Verdict != v1alpha1.VerdictPass && d.Reason != v1alpha1.ReasonNotJudged {
		return d
	}
	about := func(m *v1alpha1.Metric) func(verdict.Term) bool {
		return func(term verdict.Term) bool { return term.Metric == m.Name }
	}
	for i := range t.Metrics {
		m := &t.Metrics[i]
		if !m.Headline || m.Expectation == nil || slices.ContainsFunc(e.compared, about(m)) || slices.ContainsFunc(d.Terms.Held, about(m)) {
			continue
		}
		k := slices.IndexFunc(e.notJudged, func(f v1alpha1.Finding) bool { return f.Metric == m.Name })
		switch {
		case d.Reason == v1alpha1.ReasonNotJudged:
			return d
		case k >= 0:
			return d.NotJudged(m, e.notJudged[k].Message)
		}
	}
	return d.ComparedElsewhere()
}

// attempt is what a node's result keeps of a tournament: what its pairs measured, and where they are.
func (e *evidence) attempt(n *Node) (v1alpha1.Attempt, bool) {
	if len(e.estimates) == 0 && len(e.fails)+len(e.suspicions) == 0 {
		return v1alpha1.Attempt{}, false
	}
	a := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Measurements: e.measurements()}
	const mostNotes = 16
	for _, g := range e.pairs {
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
			a.Notes = append(a.Notes, quantity.Clip(message.NoteOfPair(g.id, g.others(n.name)), maxNote))
		}
	}
	return a, true
}

// unmeasured says why nothing is known of a node: the last thing that went wrong with it.
func (e *evidence) unmeasured(node string) verdict.Decision {
	d := verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonNotGrouped, Message: message.NoPairOfNode()}
	if n := len(e.pairs); n > 0 {
		g := e.pairs[n-1]
		last := g.attempts()[len(g.attempts())-1]
		d.Verdict, d.Reason = last.Verdict, last.Reason
		d.Message = message.NoPartnerWorked(n, g.others(node), last.Message)
	}
	if measured(v1alpha1.Attempt{Verdict: d.Verdict}) { // it ran, but without the metrics that were asked for
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictMissing, v1alpha1.ReasonMeasurementMissing, message.NoMetricReported()
	}
	d.Message = quantity.Clip(d.Message, 1024)
	return d
}
