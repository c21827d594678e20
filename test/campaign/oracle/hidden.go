package oracle

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/test/campaign/cluster"
)

// seenToHaveEnded: so long after a kubelet has told that a program ended, what it left is stored.
const seenToHaveEnded = 2 * time.Minute

// checkHidden: although a sidecar runs on, what a program has left is stored, and nobody waits for the pod to end (P10).
func (o *Oracle) checkHidden() {
	if o.IsBroken() || !o.leaders.HasLeader() || o.Now().Sub(o.leaders.Trouble) < seenToHaveEnded {
		return
	}
	for _, machine := range o.SortedMachines() {
		for _, p := range machine.Pods() {
			if !o.isHidden(machine, p) {
				continue
			}
			if since, ok := o.ended[p.UID]; !ok {
				o.ended[p.UID] = o.Now()
			} else if o.Now().Sub(since) > seenToHaveEnded && o.goesOn(o.runOf(p)) {
				o.Broken("P10", "the program of pod %s has ended, a sidecar runs on, and what it left is not stored", p.Name)
				return
			}
		}
	}
}

// isHidden: the program of a pod has ended, as its kubelet has told, what it left is not stored, and a sidecar runs on.
func (o *Oracle) isHidden(machine *cluster.Machine, p *corev1.Pod) bool {
	m := o.byPod[p.Name]
	return m != nil && m.Pod.UID == p.UID && !m.kept && !m.givenUp && !m.Stranger && machine.Reached() && !machine.Truth.Lies && cluster.HasSidecar(p) && hasEnded(p)
}

// runOf a pod, or of the job that has made it.
func (o *Oracle) runOf(pod *corev1.Pod) *metav1.OwnerReference {
	owner := metav1.GetControllerOf(pod)
	for owner != nil && owner.Kind != "ValidationRun" {
		of := o.API.Get(owner.Kind, client.ObjectKey{Namespace: pod.Namespace, Name: owner.Name})
		if of == nil {
			return nil
		}
		owner = metav1.GetControllerOf(of)
	}
	return owner
}

// often is how many times the pod of an attempt is made within a minute where something goes wrong each time.
const often = 10

// checkNotAgain: no pod is made and deleted over and over (P8).
func (o *Oracle) checkNotAgain(name string) {
	all := append(slices.DeleteFunc(o.made[name], func(at time.Time) bool { return o.Now().Sub(at) > time.Minute }), o.Now())
	if o.made[name] = all; len(all) > often {
		o.Broken("P8", "pod %s is made %d times within a minute", name, len(all))
	}
}
