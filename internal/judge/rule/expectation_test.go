package rule

import (
	"reflect"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/term"
)

// A field of the API that no rule reads would be set, accepted and never judged.
func TestEveryFieldOfAnExpectationHasARule(t *testing.T) {
	for field := range reflect.TypeFor[v1alpha1.Expectation]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		t.Run(name, func(t *testing.T) {
			if rules := asked(withOnly(field.Name, "0.5")); rules != 1 {
				t.Errorf("%d rules of rules.go judge by it, expected 1", rules)
			}
			b := &v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Metrics: []v1alpha1.Metric{{Name: "rate", Expectation: withOnly(field.Name, "1e999")}}}}
			if _, err := expect.Effective(b, nil); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("a run that expects %s: 1e999 is not refused with its name, but: %v", name, err)
			}
		})
	}
}

func withOnly(field, limit string) *v1alpha1.Expectation {
	e := &v1alpha1.Expectation{}
	reflect.ValueOf(e).Elem().FieldByName(field).SetString(limit)
	return e
}

// asked counts the rules that an expectation asks for.
func asked(e *v1alpha1.Expectation) int {
	count := 0
	for _, r := range partRules {
		s := &subject{metric: &v1alpha1.Metric{Name: "rate"}, limits: term.Limits(e), value: 1}
		if r.judge(s).State != bounds.NotAsked {
			count++
		}
	}
	return count
}
