package attempt

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestValues(t *testing.T) {
	m := v1alpha1.Metric{Name: "hbmTriad", Unit: "GB/s"}
	a := &v1alpha1.Attempt{Measurements: []v1alpha1.Measurement{{Name: m.Name, Unit: "TB/s", Parts: []v1alpha1.PartValue{
		{At: "a->b", Value: "0.025"}, {At: "b->a", Value: "garbled"}, {At: "b->c", Value: "0.024"}}}}}
	if diff := cmp.Diff([]PartValue{{At: "a->b", Value: 25}, {At: "b->c", Value: 24}}, Values(a, &m)); diff != "" {
		t.Errorf("other values (-want +got):\n%s", diff)
	}
	for sentence, other := range map[string]v1alpha1.Metric{
		"a metric that was not measured":           {Name: "latency", Unit: "us"},
		"a metric in a unit that is no throughput": {Name: m.Name, Unit: "us"},
	} {
		if got := Values(a, &other); got != nil {
			t.Errorf("%s has values: %v", sentence, got)
		}
	}
}

func TestWrongData(t *testing.T) {
	ok := v1alpha1.Check{Name: "ring", OK: true}
	for sentence, c := range map[string]struct {
		attempt v1alpha1.Attempt
		want    bool
	}{
		"every check holds":           {v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass, Checks: []v1alpha1.Check{ok}}, false},
		"a check failed":              {v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass, Checks: []v1alpha1.Check{ok, {Name: "sum"}}}, true},
		"the program reports failure": {v1alpha1.Attempt{Verdict: v1alpha1.VerdictFail, Checks: []v1alpha1.Check{ok}}, true},
		"it could not be measured":    {v1alpha1.Attempt{Verdict: v1alpha1.VerdictError}, false},
	} {
		if got := WrongData(&c.attempt); got != c.want {
			t.Errorf("%s: %v", sentence, got)
		}
	}
}
