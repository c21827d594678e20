// Package verdict decides, by all attempts of a benchmark on a node, whether the node is fit: what one attempt finds slow is measured again,
// until the evidence of all of them decides. It puts the verdicts of benchmarks together to that of a node.
// It is pure: the same measurements and catalogue give the same verdict, in whatever order the nodes come. It never
// reads a clock, a cluster or a file, and it never guesses: a rule without enough data says so and convicts nobody.
package verdict

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/list"
)

// Judge judges what nodes measured by one benchmark.
type Judge struct {
	rules *rule.Set
	fleet *fleet.Fleet // nil: other nodes are still to come
	facts *fact.Expected
	// quiet: other work on the host slows what is measured. Of some benchmarks it slows only the metrics that need a quiet host.
	quiet bool
	need  map[string]bool
}

// NewJudge compares nodes by their digests, as fleet.New does. With complete false the rules that compare nodes do not decide yet.
func NewJudge(benchmark string, metrics []v1alpha1.Metric, own, known []*fleet.Digest, complete bool) *Judge {
	b := &Judge{}
	if complete {
		b.fleet = fleet.New(metrics, own, known)
	}
	b.rules, b.facts, b.need = rule.NewSet(benchmark, metrics, b.fleet), fact.Expecting(nil, nil), map[string]bool{}
	for m := range list.Each(metrics) {
		if m.QuietHost {
			b.need[m.Name] = true
		}
	}
	return b
}

// OfGroups says that what is compared are groups of nodes.
func (b *Judge) OfGroups() *Judge {
	if b.fleet != nil {
		b.fleet.OfGroups = true
	}
	return b
}

// OnQuietHost says that other work on the host slows what is measured. It belongs to the making of a judge.
func (b *Judge) OnQuietHost(quiet bool) *Judge {
	b.quiet = quiet
	return b
}

// Expecting says what facts must be; the uncounted are nodes that have no say in one. It belongs to the making of a judge.
func (b *Judge) Expecting(facts []v1alpha1.FactExpectation, uncounted ...fact.Of) *Judge {
	b.facts = fact.Expecting(b.fleet, facts, uncounted...)
	return b
}

// Populations are the metrics that found two kinds of nodes under one name.
func (b *Judge) Populations() []fleet.Population { return b.fleet.Populations() }

// Differences are the facts of a node that most nodes of its kind have otherwise.
func (b *Judge) Differences(node string) []fact.Difference { return b.facts.Differences(node) }

// Alone is the decision by one attempt, or by what several come to together, that nothing will confirm.
func (b *Judge) Alone(a *v1alpha1.Attempt, given rule.Given) Decision {
	judged := b.rules.Outcome(a, given, bounds.MeanOf(1))
	return alone(&judged)
}
