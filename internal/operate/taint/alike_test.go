package taint

import (
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestRunsOfOneNodeFailAlike: gates and renewals measure one node each, and meet the breaker all the same.
func TestRunsOfOneNodeFailAlike(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for sentence, c := range map[string]struct {
		others int
		change func(nodes map[string]*corev1.Node, v *v1alpha1.NodeValidation)
		passed int
		open   bool
	}{
		"one other run convicted a node":       {1, nil, 0, false},
		"two others did, and none passed":      {2, nil, 0, true},
		"two others did, and two nodes passed": {2, nil, 2, true},
		"two others did, and three passed":     {2, nil, 3, false},
		"nine others did, and three passed":    {9, nil, 3, true},
		"by another rule":                      {2, func(_ map[string]*corev1.Node, v *v1alpha1.NodeValidation) { v.Convictions[0].Rule = "Max" }, 0, false},
		"on terms of their own":                {2, func(_ map[string]*corev1.Node, v *v1alpha1.NodeValidation) { v.Convictions[0].AsCatalogued = false }, 0, false},
		"eight days ago": {2, func(_ map[string]*corev1.Node, v *v1alpha1.NodeValidation) {
			v.Convictions[0].MeasuredAt = metav1.NewTime(now.AddDate(0, 0, -8))
		}, 0, false},
		"nodes of another type": {2, func(n map[string]*corev1.Node, v *v1alpha1.NodeValidation) {
			n[v.Name].Labels[corev1.LabelInstanceTypeStable] = "b"
		}, 0, false},
		"the same run did":                     {2, func(_ map[string]*corev1.Node, v *v1alpha1.NodeValidation) { v.Convictions[0].Run.UID = "run" }, 0, false},
		"nodes that are gone":                  {2, func(n map[string]*corev1.Node, v *v1alpha1.NodeValidation) { delete(n, v.Name) }, 0, false},
		"they were repaired, and passed since": {2, func(_ map[string]*corev1.Node, v *v1alpha1.NodeValidation) { v.Convictions = nil }, 0, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			nodes, records := map[string]*corev1.Node{}, []metav1.ObjectMeta{}
			for i := range c.others {
				name := strconv.Itoa(i)
				nodes[name] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelInstanceTypeStable: "a"}}}
				v := &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: name}, Convictions: []v1alpha1.Conviction{{Benchmark: "hbm", Metric: "triad",
					Rule: "Min", AsCatalogued: true, Run: v1alpha1.ObjectReference{UID: types.UID("other-" + name)}, MeasuredAt: metav1.NewTime(now.Add(-time.Hour))}}}
				if c.change != nil {
					c.change(nodes, v)
				}
				v.Annotations = map[string]string{v1alpha1.AnnotationConvictions: convictedOf(v)}
				records = append(records, v.ObjectMeta)
			}
			passed := func(string, string, time.Time) map[string]bool {
				all := map[string]bool{}
				for i := range c.passed {
					all["passed-"+strconv.Itoa(i)] = true
				}
				return all
			}
			in := BreakerInput{Nodes: 1, Limit: 1, Judged: []JudgedNode{{Name: "x", InstanceType: "a", Verdict: v1alpha1.VerdictFail, Failures: []string{"hbm/triad/Min"}}},
				Elsewhere: AlikeElsewhere(records, nodes, "run", now, passed)}
			open, why := Breaker(in)
			if open != c.open || open != strings.Contains(why, "hbm/triad/Min") {
				t.Errorf("open: %v, %q", open, why)
			}
			if may, _ := MayTaint(in, 0); may == c.open {
				t.Errorf("a taint may be written: %v", may)
			}
			in.Judged[0].Verdict = v1alpha1.VerdictPass
			if open, why := Breaker(in); open {
				t.Errorf("open although the node passed: %s", why)
			}
		})
	}
}

// TestWhoFailsHasNotPassed: all nodes passed last week, and now fail one after the other.
func TestWhoFailsHasNotPassed(t *testing.T) {
	a := Alike{Failure: "hbm/triad/Min", Nodes: map[string]bool{"0": true, "1": true}, Passed: func() map[string]bool {
		return map[string]bool{"0": true, "1": true, "x": true, "2": true, "3": true}
	}}
	in := BreakerInput{Nodes: 1, Limit: 1, Elsewhere: []Alike{a}, Judged: []JudgedNode{{Name: "x", Verdict: v1alpha1.VerdictFail, Failures: []string{a.Failure}}}}
	if open, why := Breaker(in); !open || !strings.Contains(why, "and 2 passed") {
		t.Errorf("3 of 5 nodes fail: open %v, %q", open, why)
	}
}
