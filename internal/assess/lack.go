package assess

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/plan"
	"github.com/assay-dev/assay/internal/verdict"
	"github.com/assay-dev/assay/internal/workload"
)

// devicesGrace is how long a run waits for devices that a node is to have. A device plugin that starts anew, after a reboot or an update, takes
// seconds to a minute, and meanwhile the node offers nothing.
const devicesGrace = 2 * time.Minute

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
		return message.DevicesExpectedNoMore()
	}
	return message.NotConvicted(l.message)
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
func (o *observation) lackOf(n *Node, t *Task) (*lack, error) {
	needs := &t.Benchmark.Spec.Needs
	if sel := needs.NodeSelector; sel != nil {
		selector, err := metav1.LabelSelectorAsSelector(sel)
		if err != nil {
			return nil, err
		}
		if !selector.Matches(labels.Set(n.node.Labels)) {
			return &lack{reason: v1alpha1.ReasonNeedsNotMet, message: message.NodeLacksLabels(t.Name(), selector.String())}, nil
		}
	}
	if needs.DeviceResource == "" {
		return nil, nil
	}
	if how := workload.Shared(needs.DeviceResource, n.node); how != "" {
		return &lack{reason: v1alpha1.ReasonSharedDevices, message: how}, nil
	}
	devices := workload.Devices(t.Benchmark, n.node)
	l := &lack{offered: devices.Value(), expected: o.expectedOf(n, needs.DeviceResource)}
	least := int64(1)
	if needs.MinDevices != nil {
		least = int64(*needs.MinDevices)
	}
	switch {
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
func (o *observation) misses(n *Node, l *lack) {
	l.reason = v1alpha1.ReasonDevicesMissing
	e := &l.expected
	if until := o.shortSince(n).Add(devicesGrace); o.now.Before(until) {
		l.until, l.message = until, message.WaitsForDevices(e.resource, l.offered, e.count, e.by, until)
		o.recheckAt(until)
		return
	}
	l.message = message.DevicesMissing(e.resource, l.offered, e.count, e.by, n.missingUUIDs(l.offered, e.count-l.offered))
	if e.guessed {
		l.message = message.DevicesLowered(l.message)
	}
}

// mayCome: the node offers no device at all, and there is a sign that it will.
func (o *observation) mayCome(n *Node, l *lack) {
	if l.offered > 0 || !n.facts.Ready {
		return
	}
	resource, ready := l.expected.resource, readySince(n.node)
	var why string
	var until time.Time
	if label := labelOfGPUs(n.node, resource); label != "" {
		why, until = message.HasLabel(label, "true"), o.shortSince(n).Add(devicesGrace)
	} else if o.now.Before(ready.Add(devicesGrace)) {
		why, until = message.ReadySince(ready), earlier(ready, o.shortSince(n)).Add(devicesGrace) // its kubelet's clock may be ahead
	}
	if o.now.Before(until) {
		l.until, l.message = until, message.WaitsForFirstDevices(resource, why, until)
		o.recheckAt(until)
	}
}

// labelOfGPUs is a label by which feature discovery has found a GPU, whether its driver and device plugin run or not; empty: there is none.
func labelOfGPUs(n *corev1.Node, resource string) string {
	if resource != workload.GPUResource {
		return ""
	}
	for _, label := range []string{"nvidia.com/gpu.present", "feature.node.kubernetes.io/pci-10de.present", "feature.node.kubernetes.io/pci-0302_10de.present"} {
		if n.Labels[label] == "true" {
			return label
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

// shortSince is when this run first saw the node offer too few devices since it is Ready.
func (o *observation) shortSince(n *Node) time.Time {
	at, seen := o.in.ShortSince[n.name]
	ready := readySince(n.node)
	if !seen || at.After(o.now) || at.Before(ready) && !ready.After(o.now) {
		at = o.now
	}
	if n.facts.Ready {
		o.short[n.name] = at
	}
	return at
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
