package tournament

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// reportMetric asks who is to blame by one metric.
func (t *tournament) reportMetric(m pairMetric) {
	pairs := t.measuredPairs(m)
	v := blame.Judge(t.players, pairs, m.options)
	readings := readPairs(m.Metric, pairs)
	for _, n := range v.Nodes {
		e := t.byName[n.Name]
		if n.Partners == 0 {
			continue
		}
		e.estimates = append(e.estimates, measurement(m.Metric, part.Estimated+"node", n.Value))
		if n.Value <= 2*blame.Nothing && m.Better != v1alpha1.Lower && m.Expectation != nil {
			// Where most nodes reach nothing, that is what the fleet compares with.
			e.suspicions = append(e.suspicions,
				m.Name+" is 0 in the pairs of this node: nothing got through; check its network and the results of its pairs")
		}
		if r, ok := readings[n.Name]; ok {
			e.readings = append(e.readings, r)
		}
		if !m.judged {
			n.Finds = 0
		}
		e.reached[m.Name] = n
	}
	if !m.judged {
		return
	}
	for _, b := range v.Findings {
		t.reportFinding(m, b)
	}
	if !v.Enough {
		for _, e := range t.members {
			e.notJudged = append(e.notJudged, v1alpha1.Finding{Metric: m.Name, Rule: term.Blame, Verdict: v1alpha1.VerdictSkipped,
				Message: quantity.Clip(m.Name+": "+v.Message, 1024)})
		}
		return
	}
	for _, n := range v.Nodes {
		if e := t.byName[n.Name]; n.Partners > 0 {
			e.compared = append(e.compared, e.number(m, m.term(n.Value, v.Level)))
		}
	}
}

// number the findings that a comparison with other nodes is about, and the comparison by what they say: what the pairs measured, and not
// what the model makes of it. Only where that alone is beyond the bound, it has to do.
func (e *evidence) number(m pairMetric, compared term.Term) term.Term {
	for f := range list.Each(e.fails) {
		if f.Metric != compared.Metric || f.Rule != compared.Rule {
			continue
		}
		if value, ok := quantity.ParseDecimal(f.Value); compared.Bound == "" || ok && m.beyond(value, compared.Bound) {
			compared.Value = f.Value
		}
		compared.Typical = f.Typical
		f.RuleNumbers = compared.RuleNumbers
	}
	return compared
}

func (t *tournament) reportFinding(m pairMetric, b blame.Finding) {
	value := b.Value
	if value <= 2*blame.Nothing {
		value = 0
	}
	finding := v1alpha1.Finding{Metric: m.Name, At: string(b.Direction), Rule: term.Blame, Verdict: v1alpha1.VerdictFail,
		Message: quantity.Clip(m.Name+": "+b.Message, 1024), RuleNumbers: v1alpha1.RuleNumbers{Value: decimal(value), Typical: decimal(b.Expected)}}
	add := func(change func(*evidence)) {
		for _, name := range b.Names {
			if e := t.byName[name]; e != nil {
				change(e)
			}
		}
	}
	switch {
	case b.Kind == blame.KindNode && b.Blamed:
		add(func(e *evidence) { e.fails = append(e.fails, finding) })
	case b.Kind == blame.KindSuspects:
		add(func(e *evidence) { e.suspicions = append(e.suspicions, finding.Message) })
		t.find("Suspects", m.Name, b.Names, finding.Message)
	case b.Blamed && (b.Kind == blame.KindLink || b.Kind == blame.KindBoundary || b.Kind == blame.KindSet):
		add(func(e *evidence) { e.remarks = append(e.remarks, finding.Message) })
		t.find(string(b.Kind), m.Name, b.Names, finding.Message)
	case b.Kind != blame.KindUnmeasured && b.Kind != blame.KindBoundary && math.Abs(b.Effect) >= m.options.MinEffect:
		// Neither proved nor cleared when the rounds were over: no proof, but no pass either.
		add(func(e *evidence) { e.suspicions = append(e.suspicions, finding.Message) })
	case b.Kind != blame.KindUnmeasured:
		add(func(e *evidence) { e.remarks = append(e.remarks, finding.Message) })
	}
}

// reportWrongData convicts a node that was part of wrong data with several partners; of one pair it cannot be told which.
func (t *tournament) reportWrongData() {
	partners := map[string][]string{}
	for _, g := range t.pairs {
		if slices.ContainsFunc(g.Attempts, func(a v1alpha1.Attempt) bool { return attempt.Measured(a) && attempt.WrongData(&a) }) {
			a, b := g.Nodes[0].Name, g.Nodes[1].Name
			partners[a], partners[b] = append(partners[a], b), append(partners[b], a)
		}
	}
	convicted := func(name string) bool {
		return len(partners[name]) > 1 && slices.ContainsFunc(partners[name], func(p string) bool { return len(partners[p]) == 1 })
	}
	for _, e := range t.members {
		with := partners[e.Name]
		switch {
		case len(with) == 0:
		case convicted(e.Name):
			wrong := v1alpha1.Finding{Rule: "DataCheck", Verdict: v1alpha1.VerdictFail,
				Message: quantity.Clip(fmt.Sprintf("data was wrong between this node and %s, which are right with other nodes: check this node's "+
					"network adapter and memory", message.Nodes(with)), 1024)}
			e.fails, e.wrongData = append([]v1alpha1.Finding{wrong}, e.fails...), true
		case !slices.ContainsFunc(with, convicted):
			text := fmt.Sprintf("data was wrong between %s and %s, and which node or link is to blame cannot be told: measure both with other nodes",
				e.Name, message.Nodes(with))
			e.suspicions = append(e.suspicions, text)
			if e.Name < with[0] {
				t.find("Suspects", "", append([]string{e.Name}, with...), text)
			}
		}
	}
}
