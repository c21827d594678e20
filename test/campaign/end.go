package campaign

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// checkEnd: once all runs are over, nothing of them is left (P3), and each node is called what it is (P6, P9).
func (w *world) checkEnd() {
	if len(w.violations) > 0 {
		return
	}
	for _, kind := range []string{"Pod", "MPIJob", "NetworkPolicy", "ResourceClaimTemplate"} {
		for _, o := range w.api.List(kind) {
			pod, isPod := o.(*corev1.Pod)
			if isPod && pod.DeletionTimestamp != nil && w.unreached(pod.Spec.NodeName) {
				continue
			}
			if owner := metav1.GetControllerOf(o); owner != nil && owner.Kind == "ValidationRun" && !w.isActive(owner.Name) {
				w.broken("P3", "%s %s is left of run %s", kind, o.GetName(), owner.Name)
			}
		}
	}
	if !w.triesAgain() {
		for _, o := range w.api.Orphans() { // the garbage collector has had its time
			w.broken("P3", "%s %s is left, and its owner is gone", w.api.KindOf(o), o.GetName())
		}
	}
	w.checkRules()
	audit := kube.Find[*v1alpha1.ValidationRun](w.api, "audit")
	if audit == nil {
		return
	}
	for _, m := range w.sortedMachines() {
		if n := m.node(); n != nil {
			w.checkNodeAtEnd(m, n, audit)
		}
	}
}

// isActive: a policy has just started the run, once more for a node of whose programs it understands nothing.
func (w *world) isActive(name string) bool {
	r := kube.Find[*v1alpha1.ValidationRun](w.api, name)
	return r != nil && !r.Finished() && w.triesAgain()
}

// triesAgain: a policy validates a node of which its kubelet lies again and again.
func (w *world) triesAgain() bool {
	return len(w.api.List("ValidationPolicy")) > 0 && slices.ContainsFunc(w.sortedMachines(), func(m *machine) bool { return len(m.lies) > 0 })
}

// reached: the API server and the kubelet of the machine hear of each other.
func (m *machine) reached() bool { return !m.cut && m.node() != nil }

func (w *world) unreached(node string) bool {
	m := w.machines[node]
	return m != nil && m.cut
}

// checkNodeAtEnd: the audit measured every machine as it is.
func (w *world) checkNodeAtEnd(m *machine, n *corev1.Node, audit *v1alpha1.ValidationRun) {
	var q *v1alpha1.Quarantine
	record := kube.Find[*v1alpha1.NodeValidation](w.api, m.name)
	if record != nil {
		q = record.Quarantine
	}
	called, tainted := n.Labels[v1alpha1.LabelVerdict], w.truth.tainted(n)
	passed := cameTo(audit, m.name, v1alpha1.VerdictPass)
	if taint.IsStray(n, q) {
		w.broken("P9", "node %s carries a mark that its record does not explain", m.name)
	}
	if w.truth.of(m.uid).lies { // whatever it is called, it has said so itself
		return
	}
	if convicted := convictedBy(record); len(m.slow) == 0 && passed && w.measuredAgain(record, audit) && (tainted || convicted || called != "passed") {
		w.broken("P9", "node %s is healthy and has passed; tainted: %v, convicted: %v, called %q", m.name, tainted, convicted, called)
	}
	if passed && has(n, gateTaint) && w.guarded() {
		w.broken("P11", "node %s has passed, and its gate is still closed", m.name)
	}
	if tainted && called != "failed" {
		w.broken("P9", "node %s is tainted and called %q", m.name, called)
	}
	w.checkSlowAtEnd(m, n, audit, passed, tainted)
	w.checkDevicesAtEnd(m, n, audit)
}

// measuredAgain: the audit measured what convicted the node. Where its GPUs have been divided since, it measures none of them.
func (w *world) measuredAgain(record *v1alpha1.NodeValidation, audit *v1alpha1.ValidationRun) bool {
	return record == nil || w.machines[record.Name].shares == "" || !slices.ContainsFunc(record.Convictions, func(c v1alpha1.Conviction) bool {
		return slices.ContainsFunc(kube.All[*v1alpha1.ValidationResult](w.api), func(r *v1alpha1.ValidationResult) bool {
			row := r.Benchmark(c.Benchmark)
			return r.Run.UID == audit.UID && r.Node.Name == record.Name && row != nil && row.Verdict == v1alpha1.VerdictSkipped
		})
	})
}

func convictedBy(record *v1alpha1.NodeValidation) bool {
	return record != nil && len(record.Convictions) > 0
}

// guarded: a policy opens gates, and each of its benchmarks measures a node whatever others there are.
func (w *world) guarded() bool {
	if slices.Contains(w.c.Benchmarks, "net") { // a run that had no partner for a node passes without it
		return false
	}
	p := kube.Find[*v1alpha1.ValidationPolicy](w.api, "policy")
	return p != nil && !p.Spec.Suspend && p.DeletionTimestamp == nil
}

// checkSlowAtEnd: a machine that every measurement shows to be slow.
func (w *world) checkSlowAtEnd(m *machine, n *corev1.Node, audit *v1alpha1.ValidationRun, passed, tainted bool) {
	if shown := m.slow["gemm"] > 0 && m.measures("gemm") || m.slow["cpu"] > 0; !shown {
		return
	}
	if passed {
		w.broken("P9", "node %s is slow and has passed", m.name)
	}
	if mayBe := w.mayTaint(audit, n.Name) && !w.foreign(n) && w.truth.of(m.uid).touched.IsZero(); mayBe && !tainted && cameTo(audit, m.name, v1alpha1.VerdictFail) {
		w.broken("P9", "node %s is slow, the audit measured it, there is room, and it is not tainted: %s", m.name, audit.Row(m.name).Note)
	}
}

// cameTo says whether a run came to a verdict on a node. A run that passed lists none of its nodes.
func cameTo(run *v1alpha1.ValidationRun, node string, verdict v1alpha1.Verdict) bool {
	row := run.Row(node)
	return row == nil && run.Status.Verdict == verdict && verdict == v1alpha1.VerdictPass || row != nil && row.Verdict == verdict
}

// mayTaint says whether nothing kept the audit from tainting a node that failed: neither the breaker, nor a budget that others take.
func (w *world) mayTaint(audit *v1alpha1.ValidationRun, name string) bool {
	if audit.Status.Verdict != v1alpha1.VerdictFail {
		return false
	}
	unfit := 0
	for _, n := range kube.All[*corev1.Node](w.api) {
		if n.Name == name {
			continue
		}
		if w.truth.unfit(n.Name, nil) || convictedBy(kube.Find[*v1alpha1.NodeValidation](w.api, n.Name)) {
			unfit++
		}
	}
	o := w.c.Operator
	return unfit < o.policy().Cap(len(w.api.List("Node"))) && o.MaxPercent == 100
}

// foreign: somebody else's taint of our key is in the place of ours.
func (w *world) foreign(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1alpha1.DefaultTaintKey && t.Value == "theirs" })
}

// checkPod that an operator made, or begins to delete.
func (t *truth) checkPod(c kube.Change, pod *corev1.Pod) {
	if c.Before != nil {
		t.checkKept(pod)
		return
	}
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return
	}
	of, image := string(owner.UID)+" "+pod.Labels[v1alpha1.LabelBenchmark], pod.Spec.Containers[0].Image
	if was := t.images[of]; was != "" && was != image {
		t.w.broken("P7", "run %s measures with image %s, and began with %s", owner.Name, image, was)
	}
	t.images[of] = image
}

// checkKept: a pod goes once what it measured is stored, unless its run does not want to know any more (P10).
func (t *truth) checkKept(pod *corev1.Pod) {
	m := t.byPod[pod.Name]
	measured := m != nil && !m.bad && !t.of(m.uid).lies && m.over && m.exit == 0 && pod.Status.Phase == corev1.PodSucceeded && m.pod.UID == pod.UID && m.m.node() != nil
	if measured && !m.kept && t.goesOn(metav1.GetControllerOf(pod)) {
		t.w.broken("P10", "pod %s is deleted, and what it measured is not stored", pod.Name)
	}
}

// clocksApart: so far is a leader's clock from the API server's at most.
const clocksApart = 2 * time.Second

// goesOn: the run measures, and has time left.
func (t *truth) goesOn(owner *metav1.OwnerReference) bool {
	if owner == nil {
		return false
	}
	run := kube.Find[*v1alpha1.ValidationRun](t.w.api, owner.Name)
	return run != nil && run.UID == owner.UID && run.DeletionTimestamp == nil && !run.Spec.Suspend && !run.Finished() && run.Status.StartTime != nil &&
		!t.w.now.Add(clocksApart).After(run.Status.StartTime.Add(time.Duration(*run.Spec.ActiveDeadlineSeconds)*time.Second))
}

// checkTimes: what a run says of times goes by the clock of the API server (P7).
func (t *truth) checkTimes(run *v1alpha1.ValidationRun) {
	for _, c := range run.Status.Conditions {
		if off := c.LastTransitionTime.Sub(t.w.now); off > time.Minute {
			t.w.broken("P7", "condition %s of run %s is to turn in %s", c.Type, run.Name, off)
		}
	}
}

// checkGone: no program of a run that is over, or deleted, is at work where somebody could stop it (P3), but those that have been told to end and do not. Whoever
// sees all pods knows; another leader may just have made one.
func (t *truth) checkGone(c kube.Change) {
	alive := 0
	for _, p := range t.w.processes {
		if !p.alive {
			continue
		}
		if alive++; p.name != c.By || p.cache.Behind("Pod") > 0 {
			return
		}
	}
	for _, m := range t.w.sortedMachines() {
		for _, p := range t.w.running(m) {
			owner, pod := metav1.GetControllerOf(p.pod), t.w.api.Get("Pod", client.ObjectKeyFromObject(p.pod))
			told := pod != nil && pod.GetDeletionTimestamp() != nil && c.After != nil
			if alive == 1 && !told && m.reached() && !p.stranger && owner != nil && owner.UID == c.Before.GetUID() {
				t.w.broken("P3", "run %s is over, and its pod %s is at work", owner.Name, p.pod.Name)
			}
		}
	}
}

// unconfirmed: the run whose pass it is asks for no second look.
func (t *truth) unconfirmed() bool {
	if t.w.current == nil {
		return false
	}
	run := kube.Find[*v1alpha1.ValidationRun](t.w.api, t.w.current.request.Name)
	return run != nil && run.Spec.Confirmations != nil && *run.Spec.Confirmations == 0
}

// checkDeadlines: where nothing was the matter with the operator for so long, each run is over in time, whatever programs do (P2).
func (w *world) checkDeadlines() {
	for _, r := range kube.All[*v1alpha1.ValidationRun](w.api) {
		if r.Finished() || r.DeletionTimestamp != nil || r.Spec.Suspend || r.Status.StartTime == nil || meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.ConditionSuspended) {
			continue
		}
		deadline := r.Status.StartTime.Add(time.Duration(*r.Spec.ActiveDeadlineSeconds) * time.Second)
		if w.now.After(deadline.Add(grace+15*time.Second)) && w.trouble.Before(deadline.Add(-time.Minute)) {
			w.broken("P2", "run %s goes on although its deadline, a grace of two minutes, and a minute have passed", r.Name)
			return
		}
	}
}

// checkStrays: whoever leads mends what no record explains, whether a run is active or not (P9).
func (w *world) checkStrays() {
	w.checkRules()
	for _, m := range w.sortedMachines() {
		n := m.node()
		if n == nil || len(w.violations) > 0 {
			continue
		}
		switch {
		case taint.IsStray(n, w.truth.quarantine(m.name)):
			w.broken("P9", "node %s carries a mark that its record does not explain, and nobody mends it", m.name)
		case w.truth.tainted(n) && n.Labels[v1alpha1.LabelVerdict] == "passed" && !w.truth.of(m.uid).lies && w.truth.of(m.uid).touched.IsZero():
			w.broken("P9", "node %s is tainted and called passed", m.name)
		}
	}
}
