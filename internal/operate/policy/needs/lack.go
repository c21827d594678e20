// Package needs says what a node lacks that a measurement takes, and which benchmarks are not for it.
package needs

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
)

// Lack is what a node has not, and a measurement takes. The zero value: nothing.
type Lack struct {
	Reason string
	// Since, where the node itself tells.
	Since time.Time
	// Benchmark that needs labels or devices, and how many it has of these.
	Benchmark *v1alpha1.Benchmark
	Devices   int64
	// taint that keeps all benchmark pods away. Young nodes have such when they are Ready already: those of Kubernetes, and the NoExecute ones of
	// whoever makes the node, which gives it its other taints when it takes that one away.
	taint *corev1.Taint
}

// Any says whether it lacks something.
func (l *Lack) Any() bool { return l.Reason != "" }

// Text is made only for nodes that somebody reads of.
func (l *Lack) Text(n *corev1.Node) string {
	switch l.Reason {
	case v1alpha1.ReasonNodeNotReady:
		return fmt.Sprintf("measured once the node is Ready, which it has not been since %s", message.At(l.Since))
	case v1alpha1.ReasonNodeCordoned:
		return "measured once the node is uncordoned"
	case v1alpha1.ReasonNodeLeaving:
		return message.NodeLeaving(workload.Leaving(n))
	case v1alpha1.ReasonUnschedulable:
		return fmt.Sprintf("measured once its taint %s:%s is gone, which no benchmark pod tolerates", l.taint.Key, string(l.taint.Effect))
	case v1alpha1.ReasonImageNotProvided:
		return workload.NotProvided(l.Benchmark)
	case v1alpha1.ReasonSharedDevices:
		return workload.Shared(l.Benchmark.Spec.Needs.DeviceResource, n)
	}
	b := l.Benchmark
	if l.Devices < 0 {
		return message.NodeLacksLabels(b.Name, metav1.FormatLabelSelector(b.Spec.Needs.Selector))
	}
	if count := n.Labels[v1alpha1.LabelGPUCount]; l.Devices > 0 && !labelled(count, l.Devices) {
		return fmt.Sprintf("measured once the node offers all its devices: it offers %d %s, and its label %s says %s", l.Devices,
			b.Spec.Needs.DeviceResource, v1alpha1.LabelGPUCount, count)
	}
	return message.NodeLacksDevices(b.Name, b.Spec.Needs.DeviceResource, workload.LeastDevices(b), l.Devices)
}

// Lost: the node itself says that it has more devices than it offers, so that a run would not skip it, but fail it.
func (l *Lack) Lost(n *corev1.Node) bool {
	return l.Reason == v1alpha1.ReasonNeedsNotMet && l.Devices >= 0 && LostDevices(l.Benchmark, n)
}

// Needs of benchmarks, as they are asked of thousands of nodes.
type Needs struct {
	all []need
	// onFailure says which taint of the run's own its pods tolerate.
	onFailure *v1alpha1.OnFailure
}

type need struct {
	benchmark *v1alpha1.Benchmark
	labels    labels.Selector
	least     int64
}

// New reads what benchmarks need. A selector may be unreadable.
func New(benchmarks []*v1alpha1.Benchmark, onFailure *v1alpha1.OnFailure) (Needs, error) {
	n := Needs{onFailure: onFailure}
	for _, b := range benchmarks {
		one := need{benchmark: b, least: workload.LeastDevices(b)}
		if b.Spec.Needs.Selector != nil {
			var err error
			if one.labels, err = metav1.LabelSelectorAsSelector(b.Spec.Needs.Selector); err != nil {
				return n, err
			}
		}
		n.all = append(n.all, one)
	}
	return n, nil
}

// closedTo benchmark pods, whatever they need.
func (s *Needs) closedTo(n *corev1.Node, quarantine *v1alpha1.Quarantine) Lack {
	ready, since := workload.Readiness(n)
	switch {
	case !ready:
		return Lack{Reason: v1alpha1.ReasonNodeNotReady, Since: since}
	case n.Spec.Unschedulable:
		return Lack{Reason: v1alpha1.ReasonNodeCordoned}
	case workload.Leaving(n) != "":
		return Lack{Reason: v1alpha1.ReasonNodeLeaving}
	}
	if t := workload.KeptBy(n, s.onFailure, quarantine); t != nil {
		return Lack{Reason: v1alpha1.ReasonUnschedulable, taint: t}
	}
	return Lack{}
}

// Lack a node for a run of all benchmarks.
func (s *Needs) Lack(n *corev1.Node, quarantine *v1alpha1.Quarantine) Lack {
	if l := s.closedTo(n, quarantine); l.Any() {
		return l
	}
	all, exempt := s.all, 0
	for i := range all {
		b := all[i].benchmark
		if workload.NotProvided(b) != "" {
			return Lack{Reason: v1alpha1.ReasonImageNotProvided, Benchmark: b}
		}
		if otherKind(b, n) {
			exempt++
			continue
		}
		if all[i].labels != nil && !all[i].labels.Matches(labels.Set(n.Labels)) {
			return Lack{Reason: v1alpha1.ReasonNeedsNotMet, Benchmark: b, Devices: -1}
		}
		if all[i].least == 0 {
			continue
		}
		if workload.Shared(b.Spec.Needs.DeviceResource, n) != "" {
			return Lack{Reason: v1alpha1.ReasonSharedDevices, Benchmark: b}
		}
		if FewDevices(b, n) {
			exempt++
			continue
		}
		devices := workload.Devices(b, n)
		if have := devices.Value(); have < all[i].least {
			return Lack{Reason: v1alpha1.ReasonNeedsNotMet, Benchmark: b, Devices: have}
		}
	}
	if exempt == len(all) {
		devices := workload.Devices(all[0].benchmark, n)
		l := Lack{Reason: v1alpha1.ReasonNeedsNotMet, Benchmark: all[0].benchmark, Devices: devices.Value()}
		if otherKind(l.Benchmark, n) {
			l.Devices = -1
		}
		return l
	}
	return Lack{}
}

// Exempts: by the catalogue, the benchmark is not for this node, as the node itself declares. What a program says exempts from nothing: it says
// so, too, where the driver is too old, devices are lost, or somebody asked for more than any node has.
func Exempts(b *v1alpha1.Benchmark, n *corev1.Node) bool { return FewDevices(b, n) || otherKind(b, n) }

// FewDevices: the node has devices, but fewer than the benchmark is about: one GPU has no peer. One that offers fewer than its kubelet or its label
// says has lost some, or has not registered all yet.
func FewDevices(b *v1alpha1.Benchmark, n *corev1.Node) bool {
	if b.Spec.Needs.DeviceResource == "" || b.Spec.Needs.MinDevices == nil {
		return false
	}
	devices := workload.Devices(b, n)
	have := devices.Value()
	return have >= 1 && have < int64(*b.Spec.Needs.MinDevices) && !LostDevices(b, n) && labelled(n.Labels[v1alpha1.LabelGPUCount], have)
}

// otherKind: the node has a label that the benchmark asks for, with another value. A label that is not there, or says nothing, may come yet.
func otherKind(b *v1alpha1.Benchmark, n *corev1.Node) bool {
	s := b.Spec.Needs.Selector
	if s == nil {
		return false
	}
	for key, want := range s.MatchLabels {
		if is := n.Labels[key]; is != "" && is != want {
			return true
		}
	}
	return slices.ContainsFunc(s.MatchExpressions, func(e metav1.LabelSelectorRequirement) bool {
		is, labelled := n.Labels[e.Key]
		switch e.Operator {
		case metav1.LabelSelectorOpIn:
			return is != "" && !slices.Contains(e.Values, is)
		case metav1.LabelSelectorOpNotIn:
			return is != "" && slices.Contains(e.Values, is)
		case metav1.LabelSelectorOpDoesNotExist:
			return labelled
		}
		return false
	})
}

// LostDevices: the node offers fewer of a benchmark's devices than its kubelet or feature discovery says that it has.
func LostDevices(b *v1alpha1.Benchmark, n *corev1.Node) bool {
	resource := b.Spec.Needs.DeviceResource
	if resource == "" {
		return false
	}
	offered, has := workload.Devices(b, n), n.Status.Capacity[corev1.ResourceName(resource)]
	labelled, _ := strconv.ParseInt(n.Labels[v1alpha1.LabelGPUCount], 10, 64)
	plugin := resource == workload.GPUResource && !(has.IsZero() && offered.IsZero()) // else its GPUs may be for others, a DRA driver for example
	return has.Cmp(offered) > 0 || plugin && labelled > offered.Value()
}

// labelled: where there is a label that counts the devices, it says the same.
func labelled(count string, have int64) bool {
	n, err := strconv.ParseInt(count, 10, 64)
	return count == "" || err == nil && n == have
}
