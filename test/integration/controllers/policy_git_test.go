package controllers_test

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestAPolicyThatIsCommittedAgain after it was removed from Git, and its runs with it, starts where it was: what nodes proved is kept.
func TestAPolicyThatIsCommittedAgain(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 2)
	l.enforce()
	l.goOn("valid", l.valid("2/2"))
	l.settle()
	l.must(api.Delete(t.Context(), l.policy()))
	for _, run := range l.runs() { // as Kubernetes' garbage collector does
		l.must(api.Delete(t.Context(), &run))
		discard(run.Name)
	}
	l.restartEnforcer()
	l.enforce()
	l.settle()
	same(t, "the conditions", allValid, l.conditions())
	same(t, "valid nodes", "2/2", l.policy().Status.Valid)
	same(t, "runs", []string{}, l.reasons())
}

// TestAPolicyIsEdited: what it asks for now counts at once, and what nodes proved before does not, where it was something else.
func TestAPolicyIsEdited(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 1)
	l.enforce()
	l.goOn("valid", l.valid("1/1"))
	l.nextSecond() // of two measurements within one, the API server's clock does not say which is the newer
	l.edit(func(p *v1alpha1.ValidationPolicy) {
		p.Spec.Benchmarks[0].Expectations = []v1alpha1.ExpectationOverride{{Metric: "rate", Expectation: v1alpha1.Expectation{Min: "90"}}}
	})
	l.enforcePass()
	same(t, "valid nodes after the edit", "0/1", l.policy().Status.Valid)
	l.goOn("valid again", l.valid("1/1"))
	same(t, "runs", []string{"Changed 1", "NeverValidated 1"}, l.reasons())
}
