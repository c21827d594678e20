package controllers_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestTwoLeadersOfABudget: two nodes of four may be measured a day. An old leader that was stalled looks at the policy right before any write of the new
// one, while it sees a node less, and again at the end. However that is, two nodes are measured, and the others wait; also where somebody has deleted the runs.
func TestTwoLeadersOfABudget(t *testing.T) {
	t.Parallel()
	for k := 1; k <= 8; k++ {
		t.Run(fmt.Sprintf("before write %d", k), func(t *testing.T) {
			t.Parallel()
			l := newPolicyLab(t, 4)
			b := l.benchmark(l.name + "-gpu")
			b.Spec.Needs.DeviceResource, b.Spec.CostSeconds = "nvidia.com/gpu", 10
			l.create(b)
			l.enforce(atOnce, func(p *v1alpha1.ValidationPolicy) {
				p.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: b.Name}}
				p.Spec.GPUSecondsPerDay = new(int64(165)) // a node takes 80, and in truth 64 to 72, by how seconds are rounded
			})
			l.tolerate = func(error) bool { return true } // conflicts, which the next pass solves
			old := *l
			old.deeds, old.told = &hand{}, &events{}
			old.restartEnforcer()
			l.deeds.before = func(number int, _ write, _ runtime.Object) error {
				if number == k {
					l.editNode("a", func(n *corev1.Node) { n.Spec.Unschedulable = true }) // so that it would measure others
					old.enforcePass()
					l.editNode("a", func(n *corev1.Node) { n.Spec.Unschedulable = false })
				}
				return nil
			}
			l.goOn("two measured, two waiting", func() bool {
				s := l.policy().Status
				return s.Valid == "2/4" && s.Budget != nil && s.Budget.Waiting == 2
			})
			l.settle()
			old.enforcePass()
			if spent := l.policy().Status.Budget.SpentGPUSeconds; spent < 100 || spent > 160 {
				t.Errorf("%d GPU-seconds are spent on two nodes", spent)
			}
			same(t, "the runs", 1, len(l.reasons()))
			for _, run := range l.runs() {
				l.must(api.Delete(t.Context(), &run))
			}
			l.restartEnforcer()
			l.settle()
			old.enforcePass()
			same(t, "valid nodes", "2/4", l.policy().Status.Valid)
			same(t, "the runs after they were deleted", []string{}, l.reasons())
		})
	}
}
