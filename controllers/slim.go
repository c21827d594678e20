package controllers

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/dra"
)

// slimOthers is for all other kinds. To name ResourceSlices above would take an API server that serves them.
func slimOthers(in any) (any, error) {
	if s, ok := in.(*resourcev1.ResourceSlice); ok {
		dra.Slim(s)
	}
	return cache.TransformStripManagedFields()(in)
}

func slimmed[T client.Object](slim func(T)) func(any) (any, error) {
	return func(in any) (any, error) {
		if o, ok := in.(T); ok {
			o.SetManagedFields(nil)
			slim(o)
		}
		return in, nil
	}
}

// slimNode leaves what a node is chosen, judged and recognised by. What is written of a node is a patch of its taints, or all of it as it was read live.
func slimNode(n *corev1.Node) {
	n.Annotations = only(n.Annotations, v1alpha1.AnnotationGate, v1alpha1.AnnotationQuarantine)
	n.Labels = onceEach(n.Labels)
	n.Spec = corev1.NodeSpec{Unschedulable: n.Spec.Unschedulable, Taints: n.Spec.Taints}
	n.Status = corev1.NodeStatus{
		Allocatable: n.Status.Allocatable,
		Capacity:    withheld(n.Status),
		Conditions: slices.Clone(slices.DeleteFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type != corev1.NodeReady && c.Type != v1alpha1.NodeConditionValidated
		})),
		NodeInfo: corev1.NodeSystemInfo{BootID: n.Status.NodeInfo.BootID, KernelVersion: n.Status.NodeInfo.KernelVersion},
	}
}

// AsCached is a node as the cache has it, to be compared with one of the cache's.
func AsCached(n *corev1.Node) *corev1.Node {
	n = n.DeepCopy()
	slimNode(n)
	return n
}

// SlimSpec is what the cache holds of a pod's spec: its status tells the rest. What it tolerates, and which node it is for, is asked only until it is placed.
func SlimSpec(s corev1.PodSpec) corev1.PodSpec {
	if s.NodeName != "" {
		return corev1.PodSpec{NodeName: s.NodeName}
	}
	slim := corev1.PodSpec{Tolerations: s.Tolerations}
	if s.Affinity != nil {
		slim.Affinity = &corev1.Affinity{NodeAffinity: s.Affinity.NodeAffinity}
	}
	return slim
}

// slimRun leaves of a run that is over what its end needs: nothing of its status is written any more. To a policy its runs tell which nodes it has
// tried; of these there are few.
func slimRun(r *v1alpha1.ValidationRun) {
	if !r.Finished() {
		return
	}
	r.Status.Nodes, r.Status.Findings, r.Status.Benchmarks, r.Status.Worst = nil, nil, nil, ""
	if owner := metav1.GetControllerOf(r); owner == nil || owner.Kind != "ValidationPolicy" {
		r.Spec.NodeNames = nil
	}
}
