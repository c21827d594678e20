package policy

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

func TestANewNodeIsPutIntoARun(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 123456789, time.UTC) // a look of this pass is not in its future
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "a", CreationTimestamp: metav1.Time{Time: now}},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
	benchmark := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "stream"}, Spec: v1alpha1.BenchmarkSpec{CostSeconds: 60}}
	s := Snapshot{Policy: &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "p", Generation: 1}, Spec: v1alpha1.ValidationPolicySpec{AllNodes: true}},
		Benchmarks: []validity.Benchmark{{Object: benchmark, Asked: "x"}}, Nodes: []Node{{Object: node}}}
	plan := Next(s, now)
	if len(plan.Look) != 1 || plan.Look[0] != "a" {
		t.Fatalf("look %v, want a", plan.Look)
	}
	s.Nodes[0].Look, s.Nodes[0].Seen = Look{At: now}, plan.Seen["a"]
	plan = Next(s, now)
	if len(plan.Create) != 1 || plan.Create[0].Reason != v1alpha1.ReasonNeverValidated {
		t.Fatalf("create %+v, want one run for a node that was never validated", plan.Create)
	}
}
