//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func getNode(t *testing.T, name string) *corev1.Node {
	t.Helper()
	n := &corev1.Node{}
	if err := api.Get(t.Context(), client.ObjectKey{Name: name}, n); err != nil {
		t.Fatalf("getting node %s: %v", name, err)
	}
	return n
}

// marks is what Assay writes on a node.
type marks struct {
	// Taints of Assay, as "key=value:effect".
	Taints []string
	// Condition assay.dev/Validated as "status/reason"; empty for none.
	Condition string
	// Label assay.dev/verdict.
	Label string
}

var (
	markedPassed = marks{Condition: "True/Passed", Label: "passed"}
	markedUnfit  = marks{Taints: []string{"assay.dev/unfit=failed:NoSchedule"}, Condition: "False/BelowExpectation", Label: "failed"}
)

func marksOf(n *corev1.Node) marks {
	m := marks{Label: n.Labels[v1alpha1.LabelVerdict]}
	for _, taint := range n.Spec.Taints {
		if ours(taint) {
			m.Taints = append(m.Taints, taint.ToString())
		}
	}
	for _, c := range n.Status.Conditions {
		if c.Type == v1alpha1.NodeConditionValidated {
			m.Condition = string(c.Status) + "/" + c.Reason
		}
	}
	return m
}

func ours(taint corev1.Taint) bool { return strings.HasPrefix(taint.Key, "assay.dev/") }

func allMarks(t *testing.T) map[string]marks {
	t.Helper()
	out := map[string]marks{}
	for _, name := range nodes {
		out[name] = marksOf(getNode(t, name))
	}
	return out
}

func checkMarks(t *testing.T, node string, want marks) {
	t.Helper()
	if diff := cmp.Diff(want, marksOf(getNode(t, node))); diff != "" {
		t.Errorf("marks of node %s (-want +got):\n%s", node, diff)
	}
}

// foreign is what others wrote on the nodes: Assay must leave it alone.
type foreign struct {
	Labels        map[string]string
	Annotations   map[string]string
	Taints        []string
	Conditions    []string
	Unschedulable bool
}

func foreignOf(t *testing.T, names ...string) map[string]foreign {
	t.Helper()
	out := map[string]foreign{}
	for _, name := range names {
		n := getNode(t, name)
		f := foreign{Labels: maps.Clone(n.Labels), Annotations: n.Annotations, Unschedulable: n.Spec.Unschedulable}
		delete(f.Labels, v1alpha1.LabelVerdict)
		for _, taint := range n.Spec.Taints {
			if !ours(taint) {
				f.Taints = append(f.Taints, taint.ToString())
			}
		}
		for _, c := range n.Status.Conditions {
			if c.Type != v1alpha1.NodeConditionValidated {
				f.Conditions = append(f.Conditions, string(c.Type)+"="+string(c.Status))
			}
		}
		slices.Sort(f.Conditions)
		out[name] = f
	}
	return out
}

func checkForeign(t *testing.T, before map[string]foreign) {
	t.Helper()
	if diff := cmp.Diff(before, foreignOf(t, slices.Sorted(maps.Keys(before))...)); diff != "" {
		t.Errorf("what others wrote on the nodes (-before +after):\n%s", diff)
	}
}

// event waits for an event about an object; events are written by the way, so that they may come a moment later.
func event(t *testing.T, about, reason, words string) {
	t.Helper()
	eventually(t, fmt.Sprintf("event %s about %s", reason, about), told(about, reason, words))
}

// told checks whether there is an event of this reason about an object, with these words in its note.
func told(about, reason, words string) func(context.Context) (bool, string) {
	return func(ctx context.Context) (bool, string) {
		var list eventsv1.EventList
		if err := api.List(ctx, &list); err != nil {
			return false, err.Error()
		}
		var others []string
		for _, e := range list.Items {
			if e.Regarding.Name != about {
				continue
			}
			if e.Reason == reason && strings.Contains(e.Note, words) {
				return true, ""
			}
			others = append(others, e.Reason+": "+e.Note)
		}
		return false, "there are " + strings.Join(others, "; ")
	}
}

func validationOf(t *testing.T, node string) *v1alpha1.NodeValidation {
	t.Helper()
	v := &v1alpha1.NodeValidation{}
	if err := api.Get(t.Context(), client.ObjectKey{Name: node}, v); err != nil {
		t.Fatalf("getting NodeValidation %s: %v", node, err)
	}
	return v
}
