package controllers

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/plan"
	"github.com/assay-dev/assay/internal/workload"
)

// observePods sorts the pods of the benchmark namespace: the run's own to their tasks; those of other runs occupy a node. Whose a
// pod is follows from its owner, which a kubelet cannot change; labels and annotations it can.
func (r *RunReconciler) observePods(ctx context.Context, s *scope, byName map[string]*nodeScope) error {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(r.Settings.Namespace), shared); err != nil {
		return fmt.Errorf("listing benchmark pods: %w", err)
	}
	seen := map[string]bool{}
	for i := range pods.Items {
		// fresh also forgets a pod once the cache has it: a pod that somebody deletes later is gone, not on its way.
		pod := fresh(r.memory, &pods.Items[i])
		seen[pod.Name] = true
		if err := r.placePod(ctx, s, byName, pod); err != nil {
			return err
		}
	}
	ours := func(*corev1.Pod) bool { return true }
	for _, pod := range unseen(r.memory, ours, func(p *corev1.Pod) bool { return seen[p.Name] }) {
		if err := r.placePod(ctx, s, byName, pod); err != nil {
			return err
		}
	}
	return nil
}

func (r *RunReconciler) placePod(ctx context.Context, s *scope, byName map[string]*nodeScope, pod *corev1.Pod) error {
	owner := metav1.GetControllerOf(pod)
	if owner == nil || owner.Kind != "ValidationRun" {
		s.placeJobPod(byName, pod)
		return nil
	}
	name := podNode(pod)
	if owner.UID != s.run.UID {
		over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if n := byName[name]; n != nil && !over {
			n.occupied = fmt.Sprintf("waiting for run %s, which measures this node", owner.Name)
		}
		return nil
	}
	n, err := r.adopt(ctx, byName, name)
	if err != nil {
		return err
	}
	n.pods = append(n.pods, s.identify(n, pod))
	return nil
}

// podNode is the node that a pod of one node is on, or, while it is on none, the one that it was made for: until then no kubelet may
// write to it.
func podNode(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	return pod.Annotations[v1alpha1.AnnotationNode]
}

// identify says which attempt a pod of the run is. A pod's name is made of the run, the node's UID, the benchmark and the attempt, so
// that it proves what the pod's annotations say; where they say anything else, the name is compared with those that the
// run gives to pods of this node. A pod of no such name is none of its attempts.
func (s *scope) identify(n *nodeScope, pod *corev1.Pod) *podScope {
	p := &podScope{pod: pod, task: -1}
	said, _ := strconv.ParseInt(pod.Annotations[v1alpha1.AnnotationAttempt], 10, 32)
	uid := types.UID(pod.Annotations[v1alpha1.AnnotationNodeUID])
	if i := s.taskNamed(pod.Labels[v1alpha1.LabelBenchmark]); i >= 0 && s.is(pod, uid, i, int32(said)) {
		p.task, p.attempt, p.nodeUID = i, int32(said), uid
		return p
	}
	var uids []types.UID
	if n.node != nil {
		uids = append(uids, n.node.UID)
		p.nodeUID = n.node.UID
	}
	if n.stored != nil {
		uids = append(uids, n.stored.Node.UID)
	}
	for _, uid := range uids {
		for i := range s.tasks {
			for attempt := int32(1); attempt <= plan.MaxAttempts; attempt++ {
				if s.is(pod, uid, i, attempt) {
					p.task, p.attempt, p.nodeUID = i, attempt, uid
					return p
				}
			}
		}
	}
	return p
}

func (s *scope) is(pod *corev1.Pod, node types.UID, task int, attempt int32) bool {
	return !s.tasks[task].isGroup() && pod.Name == workload.PodName(s.run.UID, node, s.tasks[task].name(), attempt)
}

// nodeFacts reads a node the way the planner wants it.
func nodeFacts(n *nodeScope) plan.Facts {
	began := n.stored != nil || len(n.pods) > 0
	if n.node == nil {
		return plan.Facts{Lost: began}
	}
	f := plan.Facts{Exists: true, Cordoned: n.node.Spec.Unschedulable, NotReadySince: n.node.CreationTimestamp.Time}
	for _, c := range n.node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			f.Ready, f.NotReadySince = c.Status == corev1.ConditionTrue, c.LastTransitionTime.Time
		}
	}
	for _, t := range n.node.Spec.Taints {
		if strings.HasPrefix(t.Key, "node-role.kubernetes.io/") && t.Effect != corev1.TaintEffectPreferNoSchedule {
			f.ReservedBy = t.Key
		}
	}
	f.Recreated = n.stored != nil && n.stored.Node.UID != n.node.UID
	for _, p := range n.pods {
		f.Recreated = f.Recreated || p.nodeUID != n.node.UID
	}
	return f
}
