package oracle

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/sim"
)

// CheckBegun checks a program of a benchmark that begins, with so many devices.
func (o *Oracle) CheckBegun(p *cluster.Program, has int) {
	before := o.byPod[p.Pod.Name]
	o.byPod[p.Pod.Name] = &measured{Program: p, uid: p.Machine.UID, fit: p.Machine.Fit(p.Benchmark) == 1 && !p.Disturbed, bad: p.Machine.Garbled > 0,
		givenUp: o.givenUp[p.Pod.UID] || before != nil && before.kept}
	o.checkWhole(p)
	o.checkAlone(p)
	o.checkAll(p, has)
}

// checkAlone: no other benchmark is at work on the devices of a program that begins (P1).
func (o *Oracle) checkAlone(p *cluster.Program) {
	if cluster.IsLauncher(p.Pod) || p.Machine.Truth.Lies { // it only starts ranks; and whoever says that it has more devices than it has gets more pods
		return
	}
	for _, other := range o.Running(p.Machine) {
		// By its label the scheduler keeps what uses no devices apart, and a webhook has taken that away.
		bare := !(p.Devices && other.Devices) && (o.Labelled[p.Pod.Name] != nil || o.Labelled[other.Pod.Name] != nil)
		if other != p && !bare && !cluster.IsLauncher(other.Pod) && !other.Stranger && other.Pod.Labels[v1alpha1.LabelBenchmark] != "" {
			o.Broken("P1", "on node %s %s begins to measure while %s does", p.Machine.Name, p.Pod.Name, other.Pod.Name)
		}
	}
}

// seenToBeDivided: so long after its GPUs were divided, whoever measures a node must have seen it.
const seenToBeDivided = 3 * time.Minute

// checkWhole: no part of a GPU is measured as if it were a whole one (P6).
func (o *Oracle) checkWhole(p *cluster.Program) {
	since := p.Machine.Truth.SharedSince
	if p.Devices && !since.IsZero() && o.madeAt(p.Pod).After(since.Add(seenToBeDivided)) {
		o.Broken("P6", "pod %s measures the GPUs of node %s, which divides them: %s", p.Pod.Name, p.Machine.Name, p.Machine.Shares)
	}
}

// seenToBeChanged: so long after its devices changed, whoever measures a node must have seen it.
const seenToBeChanged = 4 * time.Minute

// checkAll: a benchmark has all devices that its node offers, or offered just before (P7): what some of them reach says nothing of the others.
func (o *Oracle) checkAll(p *cluster.Program, has int) {
	n := p.Machine.Truth
	before := o.madeAt(p.Pod).Add(-seenToBeChanged)
	if joined := n.Offered[0]; joined.After(sim.Epoch) && joined.After(before) { // it was made for the one that this machine took the place of
		return
	}
	if !p.Devices || p.Pod.Labels[v1alpha1.LabelJob] != "" || n.Lies || p.Machine.Shares != "" || n.DividedLast.After(before) {
		return
	}
	if has != n.Offers && !n.Offered[has].After(before) {
		o.Broken("P7", "pod %s measures %d of %d GPUs of node %s", p.Pod.Name, has, n.Offers, p.Machine.Name)
	}
}

// checkOutputs: what cannot be read ends as an error (P10).
func (o *Oracle) checkOutputs(r *v1alpha1.ValidationResult) {
	for i := range r.Benchmarks {
		for _, a := range r.Benchmarks[i].Attempts {
			if m := o.byPod[a.Pod]; m != nil && m.Unreadable && a.Verdict != v1alpha1.VerdictError {
				o.Broken("P10", "what pod %s left cannot be read, and its attempt is a %s", a.Pod, a.Verdict)
			}
		}
	}
}

// checkPod that an operator made, or begins to delete.
func (o *Oracle) checkPod(c kube.Change, pod *corev1.Pod) {
	if c.Before != nil {
		o.checkKept(pod)
		return
	}
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return
	}
	o.checkNotAgain(pod.Name)
	of, image := string(owner.UID)+" "+pod.Name[:strings.LastIndex(pod.Name, "-")], imageOf(pod) // a webhook may have stripped the labels
	if was := o.images[of]; was != "" && was != image {
		o.Broken("P7", "run %s measures with image %s, and began with %s", owner.Name, image, was)
	}
	o.images[of] = image
}

// imageOf the program of a pod.
func imageOf(pod *corev1.Pod) string {
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == workload.ProgramContainer {
			return pod.Spec.Containers[i].Image
		}
	}
	return ""
}

// hasEnded: the program of a pod has, as its kubelet has told, although a sidecar may run on.
func hasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || cluster.HasSidecar(pod) && slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.Name == workload.ProgramContainer && c.State.Terminated != nil
	})
}

// checkKept: a pod goes once what it measured is stored, unless its run does not want to know any more (P10). One that was given up before it began may begin all
// the same where its deletion is refused.
func (o *Oracle) checkKept(pod *corev1.Pod) {
	m := o.byPod[pod.Name]
	measured := m != nil && !m.bad && !o.of(m.uid).Lies && m.Over && m.Exit == 0 && hasEnded(pod) && m.Pod.UID == pod.UID && m.Machine.Node() != nil
	if measured && !m.kept && !m.givenUp && o.goesOn(metav1.GetControllerOf(pod)) {
		o.Broken("P10", "pod %s is deleted, and what it measured is not stored", pod.Name)
	}
}

// clocksApart: so far is a leader's clock from the API server's at most.
const clocksApart = 2 * time.Second

// goesOn: the run measures, and has time left.
func (o *Oracle) goesOn(owner *metav1.OwnerReference) bool {
	if owner == nil {
		return false
	}
	run := kube.Find[*v1alpha1.ValidationRun](o.API, owner.Name)
	return run != nil && run.UID == owner.UID && run.DeletionTimestamp == nil && !run.Spec.Suspend && !run.Finished() && run.Status.StartTime != nil &&
		!o.Now().Add(clocksApart+o.API.Ahead()).After(run.Status.StartTime.Add(time.Duration(*run.Spec.ActiveDeadlineSeconds)*time.Second))
}
