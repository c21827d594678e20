package campaign

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/campaign/kube"
)

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
	m, owner := t.byPod[pod.Name], metav1.GetControllerOf(pod)
	if m == nil || m.kept || m.bad || !m.over || m.exit != 0 || pod.Status.Phase != corev1.PodSucceeded || m.pod.UID != pod.UID || owner == nil || m.m.node() == nil {
		return
	}
	run := kube.Find[*v1alpha1.ValidationRun](t.w.api, owner.Name)
	if run == nil || run.UID != owner.UID || run.DeletionTimestamp != nil || run.Spec.Suspend || run.Finished() || run.Status.StartTime == nil ||
		t.w.now.After(run.Status.StartTime.Add(time.Duration(*run.Spec.ActiveDeadlineSeconds)*time.Second)) {
		return
	}
	t.w.broken("P10", "pod %s is deleted, and what it measured is not stored", pod.Name)
}

// checkTimes: what a run says of times goes by the clock of the API server (P7).
func (t *truth) checkTimes(run *v1alpha1.ValidationRun) {
	for _, c := range run.Status.Conditions {
		if off := c.LastTransitionTime.Sub(t.w.now); off > time.Minute {
			t.w.broken("P7", "condition %s of run %s is to turn in %s", c.Type, run.Name, off)
		}
	}
}

// checkGone: no program of a run that is deleted is at work where somebody could stop it (P3). Whoever sees all pods knows; another leader may just have made
// one.
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
			if owner := metav1.GetControllerOf(p.pod); alive == 1 && !m.cut && m.node() != nil && owner != nil && owner.UID == c.Before.GetUID() {
				t.w.broken("P3", "run %s is gone, and its pod %s is at work", owner.Name, p.pod.Name)
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

// checkStrays: whoever leads mends what no record explains, whether a run is active or not (P9).
func (w *world) checkStrays() {
	for _, m := range w.sortedMachines() {
		n := m.node()
		if n == nil || len(w.violations) > 0 {
			continue
		}
		var q *v1alpha1.Quarantine
		if record := kube.Find[*v1alpha1.NodeValidation](w.api, m.name); record != nil {
			q = record.Quarantine
		}
		if taint.IsStray(n, q) {
			w.broken("P9", "node %s carries a mark that its record does not explain, and nobody mends it", m.name)
		}
	}
}
