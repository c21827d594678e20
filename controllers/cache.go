// Package controllers holds what all controllers share: the API server's clock, what the cache keeps, events at a bounded rate,
// and reading and writing many objects. Each controller has a package of its own below it.
package controllers

import (
	"maps"
	"slices"
	"strings"
	"unique"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// CacheOptions keep the operator small in a large cluster: pods of its own namespace only, and of everything just what is read from
// the cache. NodeValidations are small, and cached as they are; NodeHistories never are. Transforms may meet an object more than once.
func CacheOptions(namespace string) cache.Options {
	return cache.Options{
		DefaultTransform: slimOthers,
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Pod{}:             {Namespaces: map[string]cache.Config{namespace: {}}, Transform: slimmed(func(p *corev1.Pod) { p.Spec = SlimSpec(p.Spec) })},
			&corev1.Node{}:            {Transform: slimmed(slimNode)},
			&v1alpha1.ValidationRun{}: {Transform: slimmed(slimRun)},
		},
	}
}

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

// onceEach keeps one copy of each label: thousands of nodes have the same two hundred from feature discovery.
func onceEach(labels map[string]string) map[string]string {
	once := make(map[string]string, len(labels))
	for key, value := range labels {
		once[unique.Make(key).Value()] = unique.Make(value).Value()
	}
	return once
}

// withheld is the capacity of device resources of which the node does not offer all that it has; nil for most nodes.
func withheld(s corev1.NodeStatus) corev1.ResourceList {
	var kept corev1.ResourceList
	for name, has := range s.Capacity {
		if offered := s.Allocatable[name]; !strings.Contains(string(name), "/") || has.Cmp(offered) <= 0 {
			continue
		}
		if kept == nil {
			kept = corev1.ResourceList{}
		}
		kept[name] = has
	}
	return kept
}

// only these keys of a map; nil where none is there.
func only(all map[string]string, keys ...string) (kept map[string]string) {
	for _, key := range keys {
		if value, ok := all[key]; ok {
			if kept == nil {
				kept = map[string]string{}
			}
			kept[key] = value
		}
	}
	return kept
}

// SlimSpec is what the cache holds of a pod's spec: its status tells the rest. What it tolerates is asked only until it is placed.
func SlimSpec(s corev1.PodSpec) corev1.PodSpec {
	if s.NodeName != "" {
		return corev1.PodSpec{NodeName: s.NodeName}
	}
	return corev1.PodSpec{Tolerations: s.Tolerations}
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

// NodeChanged says whether a node changed in what runs and policies look at; heartbeats of thousands of nodes wake nobody.
func NodeChanged(before, after *corev1.Node) bool {
	was, _ := workload.Readiness(before)
	is, _ := workload.Readiness(after)
	return before.UID != after.UID ||
		before.Spec.Unschedulable != after.Spec.Unschedulable ||
		was != is ||
		!maps.Equal(before.Labels, after.Labels) ||
		!equality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints) ||
		!equality.Semantic.DeepEqual(before.Status.Allocatable, after.Status.Allocatable) ||
		!equality.Semantic.DeepEqual(before.Status.Capacity, after.Status.Capacity)
}
