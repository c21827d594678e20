package oracle

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// CheckEnd: once all runs are over, nothing of them is left (P3), and each node is called what it is (P6, P9).
func (o *Oracle) CheckEnd() {
	if o.IsBroken() {
		return
	}
	for _, kind := range []string{"Pod", "MPIJob", "NetworkPolicy", "ResourceClaimTemplate"} {
		for _, left := range o.API.List(kind) {
			pod, isPod := left.(*corev1.Pod)
			if isPod && pod.DeletionTimestamp != nil && o.unreached(pod.Spec.NodeName) {
				continue
			}
			if owner := metav1.GetControllerOf(left); owner != nil && owner.Kind == "ValidationRun" && !o.isActive(owner.Name) {
				o.Broken("P3", "%s %s is left of run %s", kind, left.GetName(), owner.Name)
			}
		}
	}
	if !o.TriesAgain() {
		for _, left := range o.API.Orphans() {
			o.Broken("P3", "%s %s is left, and its owner is gone", o.API.KindOf(left), left.GetName())
		}
	}
	o.checkNoneAtWork()
	o.checkRules()
	audit := kube.Find[*v1alpha1.ValidationRun](o.API, "audit")
	if audit == nil {
		return
	}
	o.checkNodesAtEnd(audit)
	o.checkTogetherAtEnd(audit)
}

func (o *Oracle) checkNodesAtEnd(audit *v1alpha1.ValidationRun) {
	for _, m := range o.SortedMachines() {
		if n := m.Node(); n != nil && !o.isTakenOver(m.Name) {
			o.checkNodeAtEnd(m, n, audit)
		}
	}
}

// isActive: a policy has just started the run, once more for a node that lacks something, or of whose programs it understands nothing. Nothing of it is left: it goes on.
func (o *Oracle) isActive(name string) bool {
	r := kube.Find[*v1alpha1.ValidationRun](o.API, name)
	return r != nil && !r.Finished() && r.DeletionTimestamp == nil && len(r.OwnerReferences) > 0
}

// TriesAgain: a policy validates a node of which its kubelet lies again and again.
func (o *Oracle) TriesAgain() bool {
	return len(o.API.List("ValidationPolicy")) > 0 && slices.ContainsFunc(o.SortedMachines(), func(m *cluster.Machine) bool { return m.KubeletLies() })
}

func (o *Oracle) unreached(node string) bool {
	m := o.Machines[node]
	return m != nil && m.Cut
}

// checkNodeAtEnd: the audit measured every machine as it is.
func (o *Oracle) checkNodeAtEnd(m *cluster.Machine, n *corev1.Node, audit *v1alpha1.ValidationRun) {
	var q *v1alpha1.Quarantine
	record := kube.Find[*v1alpha1.NodeValidation](o.API, m.Name)
	if record != nil {
		q = record.Quarantine
	}
	called, tainted := n.Labels[v1alpha1.LabelVerdict], o.tainted(n)
	passed := cameTo(audit, m.Name, v1alpha1.VerdictPass)
	if taint.IsStray(n, q) {
		o.Broken("P9", "node %s carries a mark that its record does not explain", m.Name)
	}
	if m.Truth.Lies { // whatever it is called, it has said so itself
		return
	}
	o.checkMeasured(m, audit)
	if convicted := convictedBy(record); isHealthy(m) && passed && o.measuredAgain(record, audit) && (tainted || convicted || called != "passed") {
		o.Broken("P9", "node %s is healthy and has passed; tainted: %v, convicted: %v, called %q", m.Name, tainted, convicted, called)
	}
	if passed && has(n, cluster.GateTaint) && o.guarded(n) {
		o.Broken("P11", "node %s has passed, and its gate is still closed", m.Name)
	}
	if tainted && called != "failed" {
		o.Broken("P9", "node %s is tainted and called %q", m.Name, called)
	}
	o.checkSlowAtEnd(m, n, audit, passed, tainted)
	o.checkDevicesAtEnd(m, n, audit)
}

// measuredAgain: the audit measured what convicted the node, and no policy has convicted it by terms of its own since. Where its GPUs have been divided since, it measures none of them.
func (o *Oracle) measuredAgain(record *v1alpha1.NodeValidation, audit *v1alpha1.ValidationRun) bool {
	if o.convictedSince(record, audit) || o.convictedByLiars(record) {
		return false
	}
	return record == nil || o.Machines[record.Name].Shares == "" || !slices.ContainsFunc(record.Convictions, func(c v1alpha1.Conviction) bool {
		return slices.ContainsFunc(kube.All[*v1alpha1.ValidationResult](o.API), func(r *v1alpha1.ValidationResult) bool {
			row := r.Benchmark(c.Benchmark)
			return r.Run.UID == audit.UID && r.Node.Name == record.Name && row != nil && row.Verdict == v1alpha1.VerdictSkipped
		})
	})
}

// isHealthy: nothing is wrong with it, and no GPU is gone, of which nobody knows any more.
func isHealthy(m *cluster.Machine) bool { return len(m.Slow) == 0 && m.GPUs == m.Full }

// checkMeasured: the audit got round to every node (P2), and passed each that it could find nothing wrong with (P6).
func (o *Oracle) checkMeasured(m *cluster.Machine, audit *v1alpha1.ValidationRun) {
	row := audit.Row(m.Name)
	if row == nil || !m.Reached() {
		return
	}
	if row.Reason == v1alpha1.ReasonDeadlineExceeded && !o.heldUpByPartners() {
		o.Broken("P2", "the audit came to nothing on node %s, which everybody reaches: %s", m.Name, row.Message)
	}
	alone := !slices.ContainsFunc(o.Case.Benchmarks, func(b string) bool { return b == "fleet" || cases.IsGroup(b) }) // others may keep these from a verdict
	whole := m.Full > 0 && m.Shares == ""
	if alone && whole && isHealthy(m) && row.Verdict != v1alpha1.VerdictPass {
		o.Broken("P6", "node %s is healthy, and the audit calls it %s: %s", m.Name, row.Verdict, row.Message)
	}
}

// heldUpByPartners: a kubelet may say for as long as it likes that its half of a pair is at work.
func (o *Oracle) heldUpByPartners() bool {
	return o.Case.HasGroups() && slices.ContainsFunc(o.SortedMachines(), func(m *cluster.Machine) bool { return m.Truth.Lies })
}

func convictedBy(record *v1alpha1.NodeValidation) bool {
	return record != nil && len(record.Convictions) > 0
}

// checkSlowAtEnd: a machine that every measurement shows to be slow.
func (o *Oracle) checkSlowAtEnd(m *cluster.Machine, n *corev1.Node, audit *v1alpha1.ValidationRun, passed, tainted bool) {
	if shown := m.Slow["gemm"] > 0 && m.Measures("gemm") || m.Slow["cpu"] > 0; !shown {
		return
	}
	if row := audit.Row(m.Name); passed || m.Reached() && (row == nil || row.Verdict != v1alpha1.VerdictFail) {
		o.Broken("P9", "node %s is slow, and the audit calls it %s: %s", m.Name, row.Verdict, row.Message)
	}
	if mayBe := o.mayTaint(audit, n.Name) && !o.foreign(n) && o.of(m.UID).touched.IsZero(); mayBe && !tainted && cameTo(audit, m.Name, v1alpha1.VerdictFail) {
		o.Broken("P9", "node %s is slow, the audit measured it, there is room, and it is not tainted: %s", m.Name, audit.Row(m.Name).Note)
	}
}

// cameTo says whether a run came to a verdict on a node. A run that passed lists none of its nodes.
func cameTo(run *v1alpha1.ValidationRun, node string, verdict v1alpha1.Verdict) bool {
	row := run.Row(node)
	return row == nil && run.Status.Verdict == verdict && verdict == v1alpha1.VerdictPass || row != nil && row.Verdict == verdict
}

// mayTaint says whether nothing kept the audit from tainting a node that failed: neither the breaker, nor a budget that others take.
func (o *Oracle) mayTaint(audit *v1alpha1.ValidationRun, name string) bool {
	if audit.Status.Verdict != v1alpha1.VerdictFail {
		return false
	}
	unfit := 0
	for _, n := range kube.All[*corev1.Node](o.API) {
		if n.Name == name {
			continue
		}
		if o.unfit(n.Name, nil) || convictedBy(kube.Find[*v1alpha1.NodeValidation](o.API, n.Name)) {
			unfit++
		}
	}
	return unfit < o.Case.Operator.Policy().Cap(len(o.API.List("Node"))) && o.Case.Operator.MaxPercent == 100
}

// foreign: somebody else's taint of our key is in the place of ours.
func (o *Oracle) foreign(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return isRunKey(t.Key) && t.Value == "theirs" })
}

// checkGone: no program of a run that is over, or deleted, is at work where somebody could stop it (P3), but those that have been told to end and do not. Whoever
// sees all pods knows; another leader may just have made one.
func (o *Oracle) checkGone(c kube.Change) {
	if !o.leaders.LeadsAlone(c.By, "Pod") {
		return
	}
	for _, m := range o.SortedMachines() {
		for _, p := range o.Running(m) {
			pod := o.API.Get("Pod", client.ObjectKeyFromObject(p.Pod))
			told := pod != nil && pod.GetDeletionTimestamp() != nil && c.After != nil
			if !told && m.Reached() && !p.Stranger && p.Pod.Labels[v1alpha1.LabelRunUID] == string(c.Before.GetUID()) {
				o.Broken("P3", "run %s is over, and its pod %s is at work", c.Before.GetName(), p.Pod.Name)
			}
		}
	}
}

// unconfirmed: the run whose pass it is asks for no second look, or nobody knows any more whether it did, as it has been deleted.
func (o *Oracle) unconfirmed() bool {
	_, object, _ := o.leaders.Pass()
	run := kube.Find[*v1alpha1.ValidationRun](o.API, object)
	return run == nil || run.Spec.Confirmations != nil && *run.Spec.Confirmations == 0
}

// CheckStrays: whoever leads mends what no record explains, whether a run is active or not (P9).
func (o *Oracle) CheckStrays() {
	o.checkRules()
	for _, m := range o.SortedMachines() {
		n := m.Node()
		if n == nil || o.IsBroken() {
			continue
		}
		switch {
		case taint.IsStray(n, o.quarantine(m.Name)):
			o.Broken("P9", "node %s carries a mark that its record does not explain, and nobody mends it", m.Name)
		case o.tainted(n) && n.Labels[v1alpha1.LabelVerdict] != "failed" && !m.Truth.Lies && o.of(m.UID).touched.IsZero():
			o.Broken("P9", "node %s is tainted and called %q", m.Name, n.Labels[v1alpha1.LabelVerdict])
		case !m.Truth.Lies && o.denies(n):
			o.Broken("P9", "node %s says the opposite of its record, and nobody mends it", m.Name)
		}
	}
}

// denies: the condition of a node is not False while its record convicts it, or False while nothing does.
func (o *Oracle) denies(n *corev1.Node) bool {
	record := kube.Find[*v1alpha1.NodeValidation](o.API, n.Name)
	if record == nil || record.OwnerReferences[0].UID != n.UID || record.Quarantine != nil && !o.tainted(n) {
		return false
	}
	failed := slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == v1alpha1.NodeConditionValidated && c.Status == corev1.ConditionFalse
	})
	return failed != convictedBy(record)
}
