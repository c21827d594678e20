package oracle

import (
	"slices"
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
func (o *Oracle) checkBudget(c kube.Change) {
	name := c.After.GetName()
	is, was := o.unfit(name, c.After), c.Before != nil && o.unfit(name, c.Before)
	if !is || was || sameOut(c) {
		return
	}
	if node, ok := c.After.(*corev1.Node); ok {
		defer o.checkRunBudget(node)
	}
	for _, pool := range append(o.poolsOf(name, c.After), "") {
		check := func() {
			if all, limit := o.allUnfit(pool), o.limit(pool); all > limit {
				o.Broken("P5", "%d nodes %s are unfit, and %d of %d may be", all, pool, limit, o.counted(pool))
			}
		}
		if _, ok := c.After.(*corev1.Node); ok {
			check()
		} else if o.allUnfit(pool) > o.limit(pool) {
			o.After(takenBack, func() {
				if o.unfit(name, nil) && o.Now().Sub(o.leaders.Trouble) >= takenBack {
					check()
				}
			})
		}
	}
}

// sameOut: a write leaves those devices of a node out of service that were: a person had put a mark back which its record wants.
func sameOut(c kube.Change) bool {
	before, known := c.Before.(*corev1.Node)
	after, ok := c.After.(*corev1.Node)
	if !ok || !known {
		return false
	}
	was, _ := Marked(before)
	is, _ := Marked(after)
	return len(is) > 0 && slices.Equal(is, was)
}

// limit of a pool; of no name: of all nodes.
func (o *Oracle) limit(pool string) int {
	setup, nodes := o.Case.Operator, o.counted(pool)
	if pool != "" {
		setup.MaxNodes = 0
		for _, m := range o.Machines {
			if m.KubeletLies() && !slices.Contains(m.Pools(), pool) { // it may say that it is one of them
				nodes++
			}
		}
	}
	return setup.Policy().Cap(nodes)
}

// allUnfit nodes of a pool. One whose slices are withdrawn is in none: nothing says any more what it had (decision 0045).
func (o *Oracle) allUnfit(pool string) (all int) {
	for _, n := range kube.All[*corev1.Node](o.API) {
		m := o.Machines[n.Name]
		in := m != nil && m.Shares == "" && !m.Withdrawn() && !m.Truth.Lies && slices.Contains(m.Pools(), pool)
		if o.unfit(n.Name, nil) && (pool == "" || in) {
			all++
		}
	}
	return all
}

// poolsOf a node that all which convicts it counts in: those of what has GPUs. What needs none has a share of all nodes only.
func (o *Oracle) poolsOf(name string, object client.Object) []string {
	record, ok := object.(*v1alpha1.NodeValidation)
	if !ok {
		record = kube.Find[*v1alpha1.NodeValidation](o.API, name)
	}
	m := o.Machines[name]
	if m == nil || record == nil || slices.ContainsFunc(record.Convictions, func(c v1alpha1.Conviction) bool { return c.Benchmark == "cpu" }) {
		return nil
	}
	return m.Pools()
}

// unfit by what is stored, but for one object that is given: it was, or is, like that.
func (o *Oracle) unfit(name string, object client.Object) bool {
	node, record := kube.Find[*corev1.Node](o.API, name), kube.Find[*v1alpha1.NodeValidation](o.API, name)
	switch given := object.(type) {
	case *corev1.Node:
		node = given
	case *v1alpha1.NodeValidation:
		record = given
	}
	if node == nil {
		return false
	}
	if o.tainted(node) {
		return true
	}
	return record != nil && record.Fingerprint.NodeUID == node.UID && record.Quarantine == nil && len(record.Convictions) > 0
}

func (o *Oracle) quarantine(name string) *v1alpha1.Quarantine {
	if record := kube.Find[*v1alpha1.NodeValidation](o.API, name); record != nil {
		return record.Quarantine
	}
	return nil
}

// tainted by an operator. Where a person has changed the mark, and no record wants the taint, it is nobody's.
func (o *Oracle) tainted(n *corev1.Node) bool {
	of, mark := o.of(n.UID), taint.MarkOn(n)
	if !of.touched.IsZero() && (mark == "" || of.marks[mark].IsZero()) && o.quarantine(n.Name) == nil {
		return false
	}
	if out, _ := Marked(n); len(out) > 0 && !o.of(n.UID).marks[taint.MarkOn(n)].IsZero() {
		return true
	}
	for _, one := range n.Spec.Taints {
		if _, ours := o.of(n.UID).ours[one]; ours && isRunKey(one.Key) {
			return true
		}
	}
	return false
}

// checkRunBudget: of the nodes of the run whose pass taints this one, no more than it may are tainted.
func (o *Oracle) checkRunBudget(node *corev1.Node) {
	controller, name, _ := o.leaders.Pass()
	if controller != "validationrun" || !o.tainted(node) {
		return
	}
	run := kube.Find[*v1alpha1.ValidationRun](o.API, name)
	own := o.quarantine(node.Name)
	if run == nil || run.Spec.OnFailure == nil || own != nil && own.Run.Name != run.Name { // it only mends what another run put there
		return
	}
	limit := run.Spec.OnFailure.MaxTaintedNodes
	if limit == nil || limit.Type != intstr.Int {
		return
	}
	tainted := 0
	for _, row := range run.Status.Nodes {
		if o.tookAPlace(row.Name, own) {
			tainted++
		}
	}
	if tainted > limit.IntValue() {
		o.Broken("P5", "%d nodes of run %s are tainted, and %d may be", tainted, run.Name, limit.IntValue())
	}
}

// tookAPlace says whether a node was tainted before another one was announced, or by the same run.
func (o *Oracle) tookAPlace(name string, before *v1alpha1.Quarantine) bool {
	n, q := kube.Find[*corev1.Node](o.API, name), o.quarantine(name)
	return n != nil && o.tainted(n) && (q == nil || before == nil || q.Run.Name == before.Run.Name || !q.Since.After(before.Since.Time))
}
