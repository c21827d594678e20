package campaign

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// takenBack: by then a conviction for which there is no room is taken back.
const takenBack = 2 * time.Minute

// checkBudget: no write of an operator takes the nodes that are tainted, or convicted without a taint, past the budgets (P5). A conviction announces
// itself: where its record takes them past a budget, whoever counts after it takes it back.
func (t *truth) checkBudget(c kube.Change) {
	name := c.After.GetName()
	is, was := t.unfit(name, c.After), c.Before != nil && t.unfit(name, c.Before)
	if !is || was {
		return
	}
	limit := t.w.c.Operator.policy().Cap(t.counted())
	check := func() {
		if all := t.allUnfit(); all > limit {
			t.w.broken("P5", "%d nodes are unfit, and %d of %d may be", all, limit, t.counted())
		}
	}
	if node, ok := c.After.(*corev1.Node); ok {
		check()
		t.checkRunBudget(node)
	} else if t.allUnfit() > limit {
		t.w.after(takenBack, func() {
			if t.unfit(name, nil) && t.w.now.Sub(t.w.trouble) >= takenBack {
				check()
			}
		})
	}
}

func (t *truth) allUnfit() (all int) {
	for _, n := range kube.All[*corev1.Node](t.w.api) {
		if t.unfit(n.Name, nil) {
			all++
		}
	}
	return all
}

// unfit by what is stored, but for one object that is given: it was, or is, like that.
func (t *truth) unfit(name string, object client.Object) bool {
	node, record := kube.Find[*corev1.Node](t.w.api, name), kube.Find[*v1alpha1.NodeValidation](t.w.api, name)
	switch o := object.(type) {
	case *corev1.Node:
		node = o
	case *v1alpha1.NodeValidation:
		record = o
	}
	if node == nil {
		return false
	}
	if t.tainted(node) {
		return true
	}
	return record != nil && record.Fingerprint.NodeUID == node.UID && record.Quarantine == nil && len(record.Convictions) > 0
}

func (t *truth) quarantine(name string) *v1alpha1.Quarantine {
	if record := kube.Find[*v1alpha1.NodeValidation](t.w.api, name); record != nil {
		return record.Quarantine
	}
	return nil
}

// tainted by an operator. Where a person has changed the mark, and no record wants the taint, it is nobody's.
func (t *truth) tainted(n *corev1.Node) bool {
	if !t.of(n.UID).touched.IsZero() && taint.MarkOn(n) == "" && t.quarantine(n.Name) == nil {
		return false
	}
	for _, one := range n.Spec.Taints {
		if _, ours := t.of(n.UID).ours[one]; ours && one.Key == v1alpha1.DefaultTaintKey {
			return true
		}
	}
	return false
}

// checkRunBudget: of the nodes of the run whose pass taints this one, no more than it may are tainted.
func (t *truth) checkRunBudget(node *corev1.Node) {
	a := t.w.current
	if a == nil || a.c.Name != "validationrun" || !t.tainted(node) {
		return
	}
	run := kube.Find[*v1alpha1.ValidationRun](t.w.api, a.request.Name)
	if run == nil || run.Spec.OnFailure == nil {
		return
	}
	limit := run.Spec.OnFailure.MaxTaintedNodes
	if limit == nil || limit.Type != intstr.Int {
		return
	}
	tainted := 0
	for _, row := range run.Status.Nodes {
		if n := kube.Find[*corev1.Node](t.w.api, row.Name); n != nil && t.tainted(n) {
			tainted++
		}
	}
	if tainted > limit.IntValue() {
		t.w.broken("P5", "%d nodes of run %s are tainted, and %d may be", tainted, run.Name, limit.IntValue())
	}
}
