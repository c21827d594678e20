// Package controllers holds what all controllers share: the API server's clock, what the cache keeps, events at a bounded rate,
// and reading and writing many objects. Each controller has a package of its own below it.
package controllers

import (
	"maps"
	"strings"
	"unique"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
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
