package assess

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// devicesGrace is how long a run waits for some devices that a node is to have, and for those of a node that may have none.
	devicesGrace = 2 * time.Minute
	// allDevicesGrace is how long it waits where all are missing. A device plugin that starts anew takes seconds, but after a reboot a driver may have
	// to be pulled, compiled and loaded before.
	allDevicesGrace = 10 * time.Minute
)

// lack is what a node has not, and a benchmark takes.
type lack struct {
	reason, message string
	// until: it may come by then. Zero: it is lacking for good.
	until time.Time
	// offered and expected devices, of one that misses some.
	offered  int64
	expected expected
}

// waits: it may yet come.
func (l *lack) waits() bool { return l != nil && !l.until.IsZero() }

// missing: the node lost devices that it is to have.
func (l *lack) missing() bool {
	return l != nil && l.until.IsZero() && l.reason == v1alpha1.ReasonDevicesMissing
}

// notMissing says why devices that were missing are not known to be so any more; empty: they are missing.
func (l *lack) notMissing() string {
	switch {
	case l.missing():
		return ""
	case l == nil:
		return "not convicted: the node is not expected to have so many devices any more"
	}
	return quantity.Clip("not convicted: "+l.message, message.Longest)
}

// never: the benchmark is not for this node, and that is no fault of the node.
func (l *lack) never() bool { return l != nil && l.until.IsZero() && !l.missing() }

// skip is the decision about a benchmark that is not for this node.
func (l *lack) skip() verdict.Decision {
	return verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: l.reason, Message: l.message}
}

// forGood says what will not come; empty: nothing.
func (l *lack) forGood() string {
	if l == nil || l.waits() {
		return ""
	}
	return l.message
}

// wait for what may yet come.
func (l *lack) wait() plan.Wait {
	if !l.waits() {
		return plan.Wait{}
	}
	return plan.Wait{For: l.message, Until: l.until}
}

// lackOf a node for a task; nil: nothing.
func (o *observation) lackOf(n *observedNode, t *Task) (*lack, error) {
	if why := workload.NotProvided(t.Benchmark); why != "" {
		return &lack{reason: v1alpha1.ReasonImageNotProvided, message: why}, nil
	}
	needs := &t.Benchmark.Spec.Needs
	if sel := needs.Selector; sel != nil {
		selector, err := metav1.LabelSelectorAsSelector(sel)
		if err != nil {
			return nil, err
		}
		if !selector.Matches(labels.Set(n.node.Labels)) {
			return &lack{reason: v1alpha1.ReasonNeedsNotMet, message: message.NodeLacksLabels(t.Name(), selector.String())}, nil
		}
	}
	if f := fabricAlone(n); needs.RDMA && (f == nil || f.Resource == "") {
		return &lack{reason: v1alpha1.ReasonNeedsNotMet, message: fmt.Sprintf("benchmark %s needs RDMA, and the node offers no resource of it "+
			"that can be told by its name: name it in fabric.resource of a HardwareProfile", t.Name())}, nil
	}
	if needs.DeviceResource == "" {
		return nil, nil
	}
	if how := workload.Shared(needs.DeviceResource, n.node); how != "" {
		return &lack{reason: v1alpha1.ReasonSharedDevices, message: how}, nil
	}
	devices := workload.Devices(t.Benchmark, n.node)
	l := &lack{offered: devices.Value(), expected: o.expectedOf(n, needs.DeviceResource)}
	least := workload.LeastDevices(t.Benchmark)
	switch {
	case l.offered == 0 && workload.TurnedOff(needs.DeviceResource, n.node) != "":
		l.reason, l.message = v1alpha1.ReasonNeedsNotMet, message.NodeLacksDevices(t.Name(), needs.DeviceResource, least, 0)
		l.message = lacksDevicesInSpite(l.message, workload.TurnedOff(needs.DeviceResource, n.node))
	case l.offered < l.expected.count:
		o.misses(n, l)
	case l.offered < least:
		l.reason, l.message = v1alpha1.ReasonNeedsNotMet, message.NodeLacksDevices(t.Name(), needs.DeviceResource, least, l.offered)
		o.mayCome(n, l)
	default:
		return nil, nil
	}
	return l, nil
}

// misses devices that it is to have, and waits for them for a while.
func (o *observation) misses(n *observedNode, l *lack) {
	l.reason = v1alpha1.ReasonDevicesMissing
	e := &l.expected
	if label := workload.Changing(e.resource, n.node); label != "" {
		l.until, l.message = o.deadline, quantity.Clip(fmt.Sprintf("waiting for its devices while %s: it offers %d of %d %s (%d by %s)",
			workload.HasLabel(label, n.node.Labels[label]), l.offered, e.count, e.resource, e.count, e.by), message.Longest)
		return
	}
	grace := devicesGrace
	if l.offered == 0 {
		grace = allDevicesGrace
	}
	if until := o.shortSince(n, l).Add(grace); o.now.Before(until) {
		l.until, l.message = until, quantity.Clip(fmt.Sprintf("waiting until %s for its devices: it offers %d of %d %s (%d by %s)",
			message.At(until), l.offered, e.count, e.resource, e.count, e.by), message.Longest)
		soon(&o.recheck, until)
		return
	}
	l.message = devicesMissing(e.resource, l.offered, e.count, e.by, n.missingUUIDs(l.offered, e.count-l.offered))
	if e.guessed {
		l.message = message.Ending(l.message, ". If it has fewer on purpose, say so in spec.devices of its HardwareProfile")
	}
}

// mayCome: the node offers no device at all, and there is a sign that it will.
func (o *observation) mayCome(n *observedNode, l *lack) {
	if l.offered > 0 || !n.facts.Ready {
		return
	}
	resource, ready := l.expected.resource, readySince(n.node)
	var why string
	var until time.Time
	if label := workload.Changing(resource, n.node); label != "" {
		l.until, l.message = o.deadline, waitsForFirstDevices(resource, workload.HasLabel(label, n.node.Labels[label]), o.deadline)
		return
	}
	sign := signOfGPUs(n.node, resource)
	if sign != "" {
		why, until = sign, o.shortSince(n, l).Add(devicesGrace)
	} else if o.now.Before(ready.Add(devicesGrace)) {
		why, until = "it became Ready only at "+message.At(ready),
			earlier(ready, o.shortSince(n, l)).Add(devicesGrace) // its kubelet's clock may be ahead
	}
	if o.now.Before(until) {
		l.until, l.message = until, waitsForFirstDevices(resource, why, until)
		soon(&o.recheck, until)
	} else if sign != "" {
		l.message = lacksDevicesInSpite(l.message, sign)
	}
}

// signOfGPUs is a label by which feature discovery has found a GPU, whether its driver and device plugin run or not; empty: there is none.
func signOfGPUs(n *corev1.Node, resource string) string {
	if resource != workload.GPUResource {
		return ""
	}
	if labelledDevices(n, resource) > 0 {
		return workload.HasLabel(LabelDeviceCount, n.Labels[LabelDeviceCount])
	}
	for _, label := range []string{"nvidia.com/gpu.present", "feature.node.kubernetes.io/pci-10de.present", "feature.node.kubernetes.io/pci-0302_10de.present"} {
		if n.Labels[label] == "true" {
			return workload.HasLabel(label, "true")
		}
	}
	return ""
}

func readySince(n *corev1.Node) time.Time {
	for i := range n.Status.Conditions {
		if c := &n.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.LastTransitionTime.Time
		}
	}
	return n.CreationTimestamp.Time
}

// Short is a node that offers too few devices: so many of a resource.
type Short struct {
	Node, Resource string
	Offered        int64
}

// shortSince is when this run first saw the node offer so few devices since it is Ready. While nothing could start on the node anyway, nobody
// sees to its devices either, and the wait begins after that.
func (o *observation) shortSince(n *observedNode, l *lack) time.Time {
	if reason, _, _ := n.facts.Unavailable(o.now); reason != "" || o.run.Spec.Suspend {
		return o.now
	}
	short := Short{n.name, l.expected.resource, l.offered}
	at, seen := o.in.ShortSince[short]
	ready := readySince(n.node)
	if !seen || at.After(o.now) || at.Before(ready) && !ready.After(o.now) {
		at = o.now
	}
	o.short[short] = at
	return at
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// devicesMissing says how many devices a node lacks, how that is known, and which they are, if that is known.
func devicesMissing(resource string, offered, expected int64, by string, missing []string) string {
	text := fmt.Sprintf("the node offers %d of %d %s (%d by %s)", offered, expected, resource, expected, by)
	if len(missing) > 0 {
		text += ", without " + message.Names(missing)
	}
	if offered == 0 {
		return message.Ending(text, ": check first that its driver and device plugin run there and tolerate the node's taints")
	}
	return message.Ending(text, ": look for the cause in the kernel's log (Xid, PCIe) and the device plugin's, and repair the node")
}

// waitsForFirstDevices is for a node that offers no device, and may just not have registered any yet. why says what makes that likely.
func waitsForFirstDevices(resource, why string, until time.Time) string {
	return fmt.Sprintf("waiting until %s for its devices: it offers no %s, but %s", message.At(until), resource, why)
}

// lacksDevicesInSpite adds what a label says of the devices that a node does not offer.
func lacksDevicesInSpite(text, label string) string { return message.Ending(text, "; "+label) }
