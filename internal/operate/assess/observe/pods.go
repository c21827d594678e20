package observe

import (
	"cmp"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// placePod gives a pod to what it belongs to: the run's own to their tasks; those of other runs hold a node. Whose a pod is follows
// from its owner, which a kubelet cannot change; labels and annotations it can.
func (o *observation) placePod(pod *corev1.Pod) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil || owner.Kind != "ValidationRun" {
		o.placeJobPod(o.byName, pod)
		return
	}
	// The node that it is on or, while it is on none, the one that it was made for: until then no kubelet may write to it.
	name := cmp.Or(pod.Spec.NodeName, pod.Annotations[v1alpha1.AnnotationNode])
	if owner.UID != o.Run.UID {
		over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if n := o.byName[name]; n != nil && !over {
			n.Busy = WaitsForRun(owner.Name)
		}
		return
	}
	n := o.adopt(name)
	n.Pods = append(n.Pods, o.identify(n, pod))
}

// identify says which attempt a pod of the run is. A pod's name is made of the run, the node's UID, the benchmark and the attempt, so
// that it proves what the pod's annotations say; where they say anything else, the name is compared with those that the
// run gives to pods of this node. A pod of no such name is none of its attempts.
func (s *Observed) identify(n *ObservedNode, pod *corev1.Pod) *ObservedPod {
	p := &ObservedPod{Pod: pod, Task: -1}
	claimed, _ := strconv.ParseInt(pod.Annotations[v1alpha1.AnnotationAttempt], 10, 32)
	uid := types.UID(pod.Annotations[v1alpha1.AnnotationNodeUID])
	if i := s.TaskNamed(pod.Labels[v1alpha1.LabelBenchmark]); i >= 0 && s.isAttempt(pod, uid, i, int32(claimed)) {
		p.Task, p.Attempt, p.NodeUID = i, int32(claimed), uid
		return p
	}
	var uids []types.UID
	if n.Node != nil {
		uids = append(uids, n.Node.UID)
		p.NodeUID = n.Node.UID
	}
	if n.Stored != nil {
		uids = append(uids, n.Stored.Node.UID)
	}
	for _, uid := range uids {
		for i := range s.Tasks {
			for attempt := int32(1); attempt <= plan.MaxAttempts; attempt++ {
				if s.isAttempt(pod, uid, i, attempt) {
					p.Task, p.Attempt, p.NodeUID = i, attempt, uid
					return p
				}
			}
		}
	}
	return p
}

func (s *Observed) isAttempt(pod *corev1.Pod, node types.UID, task int, attempt int32) bool {
	return !s.Tasks[task].IsGroup() && pod.Name == workload.PodName(s.Run.UID, node, s.Tasks[task].Name(), attempt)
}
