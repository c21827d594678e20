// Package fact judges what a node is, not how fast: versions, settings and counts, which must have a value or be as on most nodes.
package fact

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
)

// FactRules are the rules about facts: they judge what is, not how fast it is.
var FactRules = map[string]bool{term.FactEqual: true, term.FactAtLeast: true, term.FactUniform: true}

// ObjectsToFact says whether a finding is about a fact that is not as it should be. Of findings that warn, those of a run are about nothing
// else.
func ObjectsToFact(f *v1alpha1.Finding) bool {
	return f.Verdict == v1alpha1.VerdictWarning || f.Verdict == v1alpha1.VerdictFail && FactRules[f.Rule]
}

// Judge what an attempt found, by the rules about facts.
func (f *Expected) Judge(a *v1alpha1.Attempt, node string, convicted []v1alpha1.Conviction) Sheet {
	j := Sheet{attempt: a}
	for i := range f.facts {
		j.expect = &f.facts[i]
		found := list.Where(a.Facts, func(f v1alpha1.Fact) bool { return f.Name == j.expect.Name })
		if len(found) == 0 {
			j.missing()
			continue
		}
		j.equal(found)
		j.atLeast(found)
		if j.expect.Uniform {
			f.judgeUniform(&j, found, node, convicted)
		}
	}
	return j
}
