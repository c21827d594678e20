package v1alpha1

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// TestNoLabelsAreNotEveryNode: an object that the API server stored before it refused empty selectors selects nothing.
func TestNoLabelsAreNotEveryNode(t *testing.T) {
	node := labels.Set{"rack": "7"}
	rack := metav1.LabelSelector{MatchLabels: map[string]string{"rack": "7"}}
	for name, c := range map[string]struct {
		selector *metav1.LabelSelector
		all      bool
		want     bool
	}{
		"no selector":    {nil, false, false},
		"an empty one":   {&metav1.LabelSelector{MatchLabels: map[string]string{}}, false, false},
		"its label":      {&rack, false, true},
		"every node":     {nil, true, true},
		"another's":      {&metav1.LabelSelector{MatchLabels: map[string]string{"rack": "8"}}, false, false},
		"all that lacks": {&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "rack", Operator: "DoesNotExist"}}}, false, false},
	} {
		run := ValidationRunSpec{Selector: c.selector, AllNodes: c.all}
		selector, err := run.ByLabels()
		if err != nil || selector.Matches(node) != c.want {
			t.Errorf("%s selects the node: %v (%v), want %v", name, err == nil && selector.Matches(node), err, c.want)
		}
	}
}
