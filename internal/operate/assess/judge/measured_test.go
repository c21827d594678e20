package judge

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// TestWhoHasASayInFacts: not who stood convicted of it when the run began, whether the whole record of the node is at hand or what the cache
// keeps of it.
func TestWhoHasASayInFacts(t *testing.T) {
	inventory := &observe.Task{Benchmark: &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "inventory"}}}
	uniform := v1alpha1.Conviction{Benchmark: "inventory", Metric: "vbios", Rule: term.FactUniform, Run: v1alpha1.ObjectReference{UID: "first"}}
	changed := func(change func(*v1alpha1.Conviction)) v1alpha1.Conviction {
		c := uniform
		change(&c)
		return c
	}
	for sentence, c := range map[string]struct {
		conviction v1alpha1.Conviction
		uid        types.UID
		silent     bool
	}{
		"another run convicted it":             {uniform, "uid-a", true},
		"this run did":                         {changed(func(c *v1alpha1.Conviction) { c.Run.UID = "second" }), "uid-a", false},
		"this run did, and another one before": {changed(func(c *v1alpha1.Conviction) { c.Run.UID, c.Again = "second", true }), "uid-a", true},
		"by what the administrator expects":    {changed(func(c *v1alpha1.Conviction) { c.Rule = "FactEqual" }), "uid-a", false},
		"by another benchmark":                 {changed(func(c *v1alpha1.Conviction) { c.Benchmark = "other" }), "uid-a", false},
		"another node had its name then":       {uniform, "uid-b", false},
	} {
		v := &v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{NodeUID: c.uid}, Convictions: []v1alpha1.Conviction{c.conviction}}
		n := &observe.ObservedNode{Name: "a", Node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "uid-a"}}, Validation: v}
		s := &Judged{Nodes: []*JudgedNode{{CollectedNode: &collect.CollectedNode{ObservedNode: n}}},
			Collected: &collect.Collected{Observed: &observe.Observed{Input: observe.Input{Run: &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{UID: "second"}}}}}}
		if got := len(s.uncounted(inventory)) > 0; got != c.silent {
			t.Errorf("%s: silent %v, want %v", sentence, got, c.silent)
		}
	}
}
