package policy

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
)

// patience with a node that lacks what a measurement takes: plugins start, nodes boot. A gated node has until its gate's timeout.
const patience = 5 * time.Minute

// lack is what a node has not, and a measurement takes. The zero value: nothing.
type lack struct {
	reason string
	// since, where the node itself tells.
	since time.Time
	// benchmark that needs labels or devices, and how many it has of these.
	benchmark *v1alpha1.Benchmark
	devices   int64
	// taint that keeps all benchmark pods away. Young nodes have such when they are Ready already: those of Kubernetes, and the NoExecute ones of
	// whoever makes the node, which gives it its other taints when it takes that one away.
	taint *corev1.Taint
}

func (l *lack) any() bool { return l.reason != "" }

// text is made only for nodes that somebody reads of.
func (l *lack) text(n *corev1.Node) string {
	switch l.reason {
	case v1alpha1.ReasonNodeNotReady:
		return message.PolicyNodeNotReady(l.since)
	case v1alpha1.ReasonNodeCordoned:
		return message.PolicyNodeCordoned()
	case v1alpha1.ReasonNodeLeaving:
		return message.NodeLeaving(workload.Leaving(n))
	case v1alpha1.ReasonUnschedulable:
		return message.NodeKept(l.taint.Key + ":" + string(l.taint.Effect))
	case v1alpha1.ReasonImageNotProvided:
		return workload.NotProvided(l.benchmark)
	case v1alpha1.ReasonSharedDevices:
		return workload.Shared(l.benchmark.Spec.Needs.DeviceResource, n)
	}
	b := l.benchmark
	if l.devices < 0 {
		return message.NodeLacksLabels(b.Name, metav1.FormatLabelSelector(b.Spec.Needs.Selector))
	}
	if count := n.Labels[labelCount]; l.devices > 0 && !labelled(count, l.devices) {
		return message.NodeOffersFewer(b.Spec.Needs.DeviceResource, l.devices, labelCount, count)
	}
	return message.NodeLacksDevices(b.Name, b.Spec.Needs.DeviceResource, workload.LeastDevices(b), l.devices)
}

// lost: the node itself says that it has more devices than it offers, so that a run would not skip it, but fail it.
func (l *lack) lost(n *corev1.Node) bool {
	return l.reason == v1alpha1.ReasonNeedsNotMet && l.devices >= 0 && lostDevices(l.benchmark, n)
}

// lostDevices: the node offers fewer of a benchmark's devices than its kubelet or feature discovery says that it has.
func lostDevices(b *v1alpha1.Benchmark, n *corev1.Node) bool {
	resource := b.Spec.Needs.DeviceResource
	if resource == "" {
		return false
	}
	offered, has := workload.Devices(b, n), n.Status.Capacity[corev1.ResourceName(resource)]
	labelled, _ := strconv.ParseInt(n.Labels[labelCount], 10, 64)
	plugin := resource == workload.GPUResource && !(has.IsZero() && offered.IsZero()) // else its GPUs may be for others, a DRA driver for example
	return has.Cmp(offered) > 0 || plugin && labelled > offered.Value()
}

// needs of a benchmark, as they are asked of thousands of nodes.
type needs struct {
	benchmark *v1alpha1.Benchmark
	labels    labels.Selector
	least     int64
}

func newNeeds(b *v1alpha1.Benchmark) (needs, error) {
	n := needs{benchmark: b, least: workload.LeastDevices(b)}
	if b.Spec.Needs.Selector == nil {
		return n, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Needs.Selector)
	n.labels = selector
	return n, err
}

// closedTo benchmark pods, whatever they need.
func (p *pass) closedTo(n *Node) lack {
	ready, since := readiness(n.Object)
	switch {
	case !ready:
		return lack{reason: v1alpha1.ReasonNodeNotReady, since: since}
	case n.Object.Spec.Unschedulable:
		return lack{reason: v1alpha1.ReasonNodeCordoned}
	case workload.Leaving(n.Object) != "":
		return lack{reason: v1alpha1.ReasonNodeLeaving}
	}
	var quarantine *v1alpha1.Quarantine
	if n.Validation != nil {
		quarantine = n.Validation.Quarantine
	}
	if t := workload.KeptBy(n.Object, p.spec.Run.OnFailure, quarantine); t != nil {
		return lack{reason: v1alpha1.ReasonUnschedulable, taint: t}
	}
	return lack{}
}

// lackOf a node for a run of all benchmarks.
func (p *pass) lackOf(n *Node) lack {
	if l := p.closedTo(n); l.any() {
		return l
	}
	all, exempt := p.needs, 0
	for i := range all {
		b := all[i].benchmark
		if workload.NotProvided(b) != "" {
			return lack{reason: v1alpha1.ReasonImageNotProvided, benchmark: b}
		}
		if otherKind(b, n.Object) {
			exempt++
			continue
		}
		if all[i].labels != nil && !all[i].labels.Matches(labels.Set(n.Object.Labels)) {
			return lack{reason: v1alpha1.ReasonNeedsNotMet, benchmark: b, devices: -1}
		}
		if all[i].least == 0 {
			continue
		}
		if workload.Shared(b.Spec.Needs.DeviceResource, n.Object) != "" {
			return lack{reason: v1alpha1.ReasonSharedDevices, benchmark: b}
		}
		if fewDevices(b, n.Object) {
			exempt++
			continue
		}
		devices := workload.Devices(b, n.Object)
		if have := devices.Value(); have < all[i].least {
			return lack{reason: v1alpha1.ReasonNeedsNotMet, benchmark: b, devices: have}
		}
	}
	if exempt == len(all) {
		devices := workload.Devices(all[0].benchmark, n.Object)
		l := lack{reason: v1alpha1.ReasonNeedsNotMet, benchmark: all[0].benchmark, devices: devices.Value()}
		if otherKind(l.benchmark, n.Object) {
			l.devices = -1
		}
		return l
	}
	return lack{}
}

// readiness of a node, and since when.
func readiness(n *corev1.Node) (ready bool, since time.Time) {
	for i := range n.Status.Conditions {
		if c := &n.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue, c.LastTransitionTime.Time
		}
	}
	return false, n.CreationTimestamp.Time
}
