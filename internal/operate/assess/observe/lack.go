package observe

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
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
	// lookAgain is when a node that changes is looked at again.
	lookAgain = time.Second
)

// Lack is what a node has not, and a benchmark takes.
type Lack struct {
	Reason, Message string
	// until: it may come by then. Zero: it is lacking for good.
	until time.Time
	// Offered and expected devices, of one that misses some.
	Offered  int64
	Expected expected
}

// Waits: it may yet come.
func (l *Lack) Waits() bool { return l != nil && !l.until.IsZero() }

// Missing: the node lost devices that it is to have.
func (l *Lack) Missing() bool {
	return l != nil && l.until.IsZero() && l.Reason == v1alpha1.ReasonDevicesMissing
}

// NotMissing says why devices that were missing are not known to be so any more; empty: they are missing.
func (l *Lack) NotMissing() string {
	switch {
	case l.Missing():
		return ""
	case l == nil:
		return "not convicted: the node is not expected to have so many devices any more"
	}
	return quantity.Clip("not convicted: "+l.Message, message.Longest)
}

// Never: the benchmark is not for this node, and that is no fault of the node.
func (l *Lack) Never() bool { return l != nil && l.until.IsZero() && !l.Missing() }

// Skip is the decision about a benchmark that is not for this node.
func (l *Lack) Skip() verdict.Decision {
	return verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: l.Reason, Message: l.Message}
}

// ForGood says what will not come; empty: nothing.
func (l *Lack) ForGood() string {
	if l == nil || l.Waits() {
		return ""
	}
	return l.Message
}

// Wait for what may yet come.
func (l *Lack) Wait() plan.Wait {
	if !l.Waits() {
		return plan.Wait{}
	}
	return plan.Wait{For: l.Message, Until: l.until}
}

// lackOf a node for a task; nil: nothing.
func (o *observation) lackOf(n *ObservedNode, t *Task) (*Lack, error) {
	if why := workload.NotProvided(t.Benchmark); why != "" {
		return &Lack{Reason: v1alpha1.ReasonImageNotProvided, Message: why}, nil
	}
	needs := &t.Benchmark.Spec.Needs
	if sel := needs.Selector; sel != nil {
		selector, err := metav1.LabelSelectorAsSelector(sel)
		if err != nil {
			return nil, err
		}
		if !selector.Matches(labels.Set(n.Node.Labels)) {
			return &Lack{Reason: v1alpha1.ReasonNeedsNotMet, Message: message.NodeLacksLabels(t.Name(), selector.String())}, nil
		}
	}
	if needs.RDMA && !offersRDMA(n) {
		return &Lack{Reason: v1alpha1.ReasonNeedsNotMet, Message: fmt.Sprintf("benchmark %s needs RDMA, and the node offers no resource of it "+
			"that can be told by its name: name it in fabric.resource of a HardwareProfile", t.Name())}, nil
	}
	if needs.DeviceResource == "" {
		return nil, nil
	}
	if how := workload.Shared(needs.DeviceResource, n.Node); how != "" {
		return &Lack{Reason: v1alpha1.ReasonSharedDevices, Message: how}, nil
	}
	e, known := o.expected[needs.DeviceResource]
	if !known {
		e = o.expectedOf(n, needs.DeviceResource)
		o.expected[e.Resource] = e
	}
	devices := workload.Devices(t.Benchmark, n.Node)
	l := &Lack{Offered: devices.Value(), Expected: e}
	least := workload.LeastDevices(t.Benchmark)
	off := workload.TurnedOff(needs.DeviceResource, n.Node)
	switch {
	case l.Offered == 0 && off != "":
		l.Reason = v1alpha1.ReasonNeedsNotMet
		l.Message = message.Ending(message.NodeLacksDevices(t.Name(), needs.DeviceResource, least, 0), "; "+off)
	case l.Offered < l.Expected.Count:
		o.misses(n, l)
	case l.Offered < least:
		l.Reason, l.Message = v1alpha1.ReasonNeedsNotMet, message.NodeLacksDevices(t.Name(), needs.DeviceResource, least, l.Offered)
		o.mayCome(n, l)
	default:
		return nil, nil
	}
	return l, nil
}

// misses devices that it is to have, and waits for them for a while.
func (o *observation) misses(n *ObservedNode, l *Lack) {
	l.Reason = v1alpha1.ReasonDevicesMissing
	e := &l.Expected
	if label := workload.Changing(e.Resource, n.Node); label != "" {
		l.until, l.Message = o.Deadline, quantity.Clip(fmt.Sprintf("waiting for its devices while %s: it offers %d of %d %s (%d by %s)",
			workload.HasLabel(label, n.Node.Labels[label]), l.Offered, e.Count, e.Resource, e.Count, e.by), message.Longest)
		return
	}
	grace := devicesGrace
	if l.Offered == 0 {
		grace = allDevicesGrace
	}
	if until := o.shortSince(n, l).Add(grace); o.Now.Before(until) {
		l.until, l.Message = until, quantity.Clip(fmt.Sprintf("waiting until %s for its devices: it offers %d of %d %s (%d by %s)",
			message.At(until), l.Offered, e.Count, e.Resource, e.Count, e.by), message.Longest)
		list.Sooner(&o.Recheck, until)
		return
	}
	if o.Changing[n.Name] {
		l.until, l.Message = o.Now.Add(lookAgain), quantity.Clip(fmt.Sprintf("waiting for its devices: it offered %d of %d %s (%d by %s), and changed while it was looked at",
			l.Offered, e.Count, e.Resource, e.Count, e.by), message.Longest)
		list.Sooner(&o.Recheck, l.until)
		return
	}
	l.Message = devicesMissing(n.Node, l, n.missingUUIDs(l.Offered, e.Count-l.Offered))
	if e.guessed {
		l.Message = message.Ending(l.Message, ". If it has fewer on purpose, say so in spec.devices of its HardwareProfile")
	}
}

// mayCome: the node offers no device at all, and there is a sign that it will.
func (o *observation) mayCome(n *ObservedNode, l *Lack) {
	if l.Offered > 0 || !n.Facts.Ready {
		return
	}
	resource := l.Expected.Resource
	_, ready := workload.Readiness(n.Node)
	var why string
	var until time.Time
	if label := workload.Changing(resource, n.Node); label != "" {
		l.until, l.Message = o.Deadline, waitsForFirstDevices(resource, workload.HasLabel(label, n.Node.Labels[label]), o.Deadline)
		return
	}
	sign := signOfGPUs(n.Node, resource)
	if sign != "" {
		why, until = sign, o.shortSince(n, l).Add(devicesGrace)
	} else if o.Now.Before(ready.Add(devicesGrace)) {
		why, until = "it became Ready only at "+message.At(ready),
			list.Earliest(ready, o.shortSince(n, l)).Add(devicesGrace) // its kubelet's clock may be ahead
	}
	if o.Now.Before(until) {
		l.until, l.Message = until, waitsForFirstDevices(resource, why, until)
		list.Sooner(&o.Recheck, until)
	} else if sign != "" {
		l.Message = message.Ending(l.Message, "; "+sign)
	}
}

// signOfGPUs is a label by which feature discovery has found a GPU, whether its driver and device plugin run or not; empty: there is none.
func signOfGPUs(n *corev1.Node, resource string) string {
	if resource != workload.GPUResource {
		return ""
	}
	if o := dra.Shown(n); o != nil && o.Broken != "" {
		return o.Broken
	}
	if labelledDevices(n, resource) > 0 {
		return workload.HasLabel(v1alpha1.LabelGPUCount, n.Labels[v1alpha1.LabelGPUCount])
	}
	for _, label := range []string{"nvidia.com/gpu.present", "feature.node.kubernetes.io/pci-10de.present", "feature.node.kubernetes.io/pci-0302_10de.present"} {
		if n.Labels[label] == "true" {
			return workload.HasLabel(label, "true")
		}
	}
	return ""
}

// Short is a node that offers too few devices: so many of a resource.
type Short struct {
	Node, Resource string
	Offered        int64
}

// shortSince is when this run first saw the node offer so few devices since it is Ready. While nothing could start on the node anyway, nobody
// sees to its devices either, and the wait begins after that.
func (o *observation) shortSince(n *ObservedNode, l *Lack) time.Time {
	if reason, _, _ := n.Facts.Unavailable(o.Now); reason != "" || o.Run.Spec.Suspend {
		return o.Now
	}
	short := Short{n.Name, l.Expected.Resource, l.Offered}
	at, seen := o.ShortSince[short]
	_, ready := workload.Readiness(n.Node)
	if !seen || at.After(o.Now) || at.Before(ready) && !ready.After(o.Now) {
		at = o.Now
	}
	o.Short[short] = at
	return at
}

// mostTainted is how much is said of the devices that their driver has tainted.
const mostTainted = 300

// devicesMissing says how many devices a node lacks, how that is known, and which they are, if that is known.
func devicesMissing(node *corev1.Node, l *Lack, missing []string) string {
	e := &l.Expected
	text := fmt.Sprintf("the node offers %d of %d %s (%d by %s)", l.Offered, e.Count, e.Resource, e.Count, e.by)
	if len(missing) > 0 {
		text += ", without " + message.Names(missing)
	}
	o := dra.Shown(node)
	if o != nil && o.Tainted != "" {
		text += ": its driver has tainted " + quantity.Clip(o.Tainted, mostTainted)
	}
	if o != nil && o.Broken != "" {
		return message.Ending(text, ": "+o.Broken+", so the scheduler allocates none of them: look into the log of the DRA driver there")
	}
	if l.Offered == 0 {
		return message.Ending(text, fmt.Sprintf(": check first that its driver and %s run there and tolerate the node's taints", dra.By(node)))
	}
	return message.Ending(text, fmt.Sprintf(": look for the cause in the kernel's log (Xid, PCIe) and the %s's, and repair the node", dra.By(node)))
}

// waitsForFirstDevices is for a node that offers no device, and may just not have registered any yet. why says what makes that likely.
func waitsForFirstDevices(resource, why string, until time.Time) string {
	return fmt.Sprintf("waiting until %s for its devices: it offers no %s, but %s", message.At(until), resource, why)
}
