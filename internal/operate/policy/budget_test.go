package policy

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

var midnight = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// withBudget is a policy that may spend so much a day, on idle new nodes that take 480 GPU-seconds each.
func withBudget(limit int64, nodes int) Snapshot {
	benchmark := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "gemm"}, Spec: v1alpha1.BenchmarkSpec{CostSeconds: 60,
		Needs: v1alpha1.Needs{DeviceResource: "nvidia.com/gpu"}}}
	s := Snapshot{Policy: &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "p", Generation: 1},
		Spec: v1alpha1.ValidationPolicySpec{AllNodes: true, BatchSeconds: new(int32), GPUSecondsPerDay: &limit}}, Benchmarks: []validity.Benchmark{{Object: benchmark, Asked: "x"}}}
	for i := range nodes {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node-", i), UID: types.UID(fmt.Sprint(i)), CreationTimestamp: metav1.Time{Time: midnight.Add(-time.Hour)}}}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
		s.Nodes = append(s.Nodes, Node{Object: n})
	}
	return s
}

// created are the nodes of the runs that are created then.
func created(s Snapshot, now time.Time) (nodes int, plan Plan) {
	for i := range s.Nodes {
		s.Nodes[i].Look = Look{At: now}
	}
	plan = Next(s, now)
	for _, run := range plan.Create {
		nodes += len(run.Spec.NodeNames)
	}
	return nodes, plan
}

// TestTwoLeadersSpendOnce: the second one reads the status that the first one wrote before it created a run, and does not see the run yet.
func TestTwoLeadersSpendOnce(t *testing.T) {
	s := withBudget(1000, 5)
	n, plan := created(s, midnight)
	if b := plan.Status.Budget; n != 2 || b.SpentGPUSeconds != 960 || b.Waiting != 3 || !slices.Equal(b.Nodes, []string{"node-2", "node-3", "node-4"}) {
		t.Fatalf("%d nodes are measured, and the budget is %+v", n, b)
	}
	s.Policy.Status = plan.Status
	if n, _ := created(s, midnight.Add(time.Second)); n != 0 {
		t.Errorf("the second leader has %d more nodes measured", n)
	}
	if n, _ := created(s, midnight.Add(reservationHolds)); n != 2 {
		t.Errorf("%d nodes are measured after a minute in which nobody created the run", n)
	}
}

// TestAnAnnouncedRunIsCreatedOnce: a process that ended in between left the budget room for it, and the next one creates it by the same name.
func TestAnAnnouncedRunIsCreatedOnce(t *testing.T) {
	s := withBudget(3000, 2)
	_, before := created(s, midnight)
	s.Policy.Status = before.Status
	n, plan := created(s, midnight.Add(time.Second))
	if b := plan.Status.Budget; n != 2 || plan.Create[0].Name != before.Create[0].Name || b.SpentGPUSeconds != 960 || len(b.Spendings) != 1 {
		t.Errorf("%d nodes are measured by %+v, and the budget is %+v", n, plan.Create, b)
	}
}

// TestADeletedRunHasCostWhatItCost: for a day after it was over.
func TestADeletedRunHasCostWhatItCost(t *testing.T) {
	s := withBudget(1000, 5)
	s.Policy.Status.Budget = &v1alpha1.PolicyBudget{Spendings: []v1alpha1.PolicySpending{{Run: "p-renewal-1", Seen: true, GPUSeconds: 700, Time: metav1.Time{Time: midnight}}}}
	if n, plan := created(s, midnight.Add(budgetDay-time.Second)); n != 0 || plan.Status.Budget.Waiting != 5 || !plan.Status.Budget.Until.Time.Equal(midnight.Add(budgetDay)) {
		t.Errorf("%d nodes are measured within the day, and the budget is %+v", n, plan.Status.Budget)
	}
	if n, plan := created(s, midnight.Add(budgetDay)); n != 2 || len(plan.Status.Budget.Spendings) != 1 {
		t.Errorf("%d nodes are measured after the day, and the budget is %+v", n, plan.Status.Budget)
	}
}

// TestManyRunsOfADayFitIntoTheStatus: those that are gone are added up, and nothing is forgotten.
func TestManyRunsOfADayFitIntoTheStatus(t *testing.T) {
	s := withBudget(1_000_000, 0)
	s.Policy.Status.Budget = &v1alpha1.PolicyBudget{}
	for i := range 2 * mostSpendings {
		s.Policy.Status.Budget.Spendings = append(s.Policy.Status.Budget.Spendings, v1alpha1.PolicySpending{Run: fmt.Sprint("run-", i), Seen: true, GPUSeconds: 10,
			Time: metav1.Time{Time: midnight.Add(time.Duration(i) * time.Second)}})
	}
	_, plan := created(s, midnight.Add(time.Hour))
	b := plan.Status.Budget
	if len(b.Spendings) != mostSpendings || b.SpentGPUSeconds != 20*mostSpendings || b.Spendings[0].GPUSeconds != 10*(mostSpendings+1) {
		t.Errorf("%d spendings, the first %+v, together %d", len(b.Spendings), b.Spendings[0], b.SpentGPUSeconds)
	}
}
