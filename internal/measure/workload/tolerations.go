package workload

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// tolerations of a pod are those of its node's taints as they are now, and of those that Assay itself may put there meanwhile.
func tolerations(l Launch) []corev1.Toleration {
	out := []corev1.Toleration{{Key: v1alpha1.DefaultTaintKey, Operator: corev1.TolerationOpExists}}
	if f := l.Run.Spec.OnFailure; f != nil && f.Taint != nil && f.Taint.Key != v1alpha1.DefaultTaintKey {
		out = append(out, corev1.Toleration{Key: f.Taint.Key, Operator: corev1.TolerationOpExists})
	}
	for t := range list.Each(l.Node.Spec.Taints) {
		if t.Effect != corev1.TaintEffectPreferNoSchedule && !covers(out, t) && tolerates(t, l.Run.Spec.OnFailure, l.Quarantine) {
			out = append(out, corev1.Toleration{Key: t.Key, Operator: corev1.TolerationOpExists, Effect: t.Effect})
		}
	}
	return out
}

// tolerates says whether a pod that is made now tolerates a taint of its node. A validation runs on nodes kept apart for one kind of work and
// on nodes that are quarantined, by Assay or by others, or it could not clear them. So every NoSchedule taint is tolerated, but for those of
// Kubernetes itself (not ready, unschedulable, control plane) and of an autoscaler that takes the node away. Of NoExecute taints only those are
// that Assay put there or would: a run lifts the taint of another run, too.
func tolerates(t *corev1.Taint, own *v1alpha1.OnFailure, quarantine *v1alpha1.Quarantine) bool {
	switch {
	case t.Effect == corev1.TaintEffectPreferNoSchedule, t.Key == v1alpha1.DefaultTaintKey, own != nil && own.Taint != nil && own.Taint.Key == t.Key:
		return true
	case kubernetesTaint(t.Key) || leavingTaint(t):
		return false
	}
	return t.Effect == corev1.TaintEffectNoSchedule || quarantine != nil && quarantine.Key == t.Key && quarantine.Effect == t.Effect
}

// KeptBy is a taint of the node that no pod made now tolerates; nil: there is none.
func KeptBy(node *corev1.Node, own *v1alpha1.OnFailure, quarantine *v1alpha1.Quarantine) *corev1.Taint {
	return list.First(node.Spec.Taints, func(t *corev1.Taint) bool { return !tolerates(t, own, quarantine) })
}

// covers says whether one of the tolerations is that of a taint. All of a benchmark pod's own are for any value.
func covers(all []corev1.Toleration, t *corev1.Taint) bool {
	return slices.ContainsFunc(all, func(o corev1.Toleration) bool {
		return o.Operator == corev1.TolerationOpExists && (o.Key == "" || o.Key == t.Key) && (o.Effect == "" || o.Effect == t.Effect)
	})
}

// kubernetesTaint says whether a taint key belongs to Kubernetes itself and is never tolerated on a node's behalf.
func kubernetesTaint(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return domain == "node.kubernetes.io" || domain == "node-role.kubernetes.io" || domain == "node.cloudprovider.kubernetes.io"
}

// leavingTaint says whether an autoscaler put the taint on a node that it is about to remove: Karpenter, or Cluster Autoscaler.
func leavingTaint(t *corev1.Taint) bool {
	return t.Effect == corev1.TaintEffectNoSchedule && (t.Key == "karpenter.sh/disrupted" || t.Key == "ToBeDeletedByClusterAutoscaler")
}

// Leaving is the key of the taint by which an autoscaler announces that it removes the node; empty where it stays.
func Leaving(node *corev1.Node) string {
	return keyOf(list.First(node.Spec.Taints, leavingTaint))
}

// Reserved is the key of a taint that keeps a node for Kubernetes itself, such as the control plane's; empty: none does.
func Reserved(node *corev1.Node) string {
	return keyOf(list.First(node.Spec.Taints, func(t *corev1.Taint) bool {
		return t.Effect != corev1.TaintEffectPreferNoSchedule && strings.HasPrefix(t.Key, "node-role.kubernetes.io/")
	}))
}

func keyOf(t *corev1.Taint) string {
	if t == nil {
		return ""
	}
	return t.Key
}

// Overtaken is a taint that came to the node after a pod was made for it: one made now would tolerate it, but this one, which has still to be
// placed, does not. nil: there is none. Of pods that are placed the tolerations are not known any more.
func Overtaken(pod *corev1.Pod, node *corev1.Node, own *v1alpha1.OnFailure, quarantine *v1alpha1.Quarantine) *corev1.Taint {
	if !notPlaced(pod) || len(pod.Spec.Tolerations) == 0 {
		return nil
	}
	return list.First(node.Spec.Taints, func(t *corev1.Taint) bool {
		return t.Effect != corev1.TaintEffectPreferNoSchedule && !covers(pod.Spec.Tolerations, t) && tolerates(t, own, quarantine)
	})
}

// notPlaced says whether the scheduler has tried to place the pod, and could not.
func notPlaced(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse
	})
}
