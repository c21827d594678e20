package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/quantity"
)

// expected is how many devices of a resource a node has, wherever that is known from. The zero value: nothing is known.
type expected struct {
	Resource string
	Count    int64
	by       string
	// guessed: others of its kind or its own past say so, which a HardwareProfile overrules.
	guessed bool
}

// most takes the greater of two counts; the first where they are the same.
func (e *expected) most(count int64, by func() string) {
	if count > e.Count {
		e.Count, e.by = count, by()
	}
}

// expectedOf a node. What the node itself says (its kubelet, feature discovery) always counts. Beyond that the administrator's word, a
// HardwareProfile, goes before what can only be guessed. The label of feature discovery alone does not count: the node may offer its GPUs otherwise, to a
// DRA driver for example.
func (s *Observed) expectedOf(n *ObservedNode, resource string) expected {
	e := expected{Resource: resource}
	capacity, offered := n.Node.Status.Capacity[corev1.ResourceName(resource)], n.Node.Status.Allocatable[corev1.ResourceName(resource)]
	e.most(capacity.Value(), func() string { return expectedByItself(n.Node) })
	labelled := func() {
		if e.Count > 0 || !offered.IsZero() {
			e.most(labelledDevices(n.Node, resource), func() string { return "its label " + v1alpha1.LabelGPUCount })
		}
	}
	labelled()
	if count, profile := n.Peaks.Devices(resource); profile != "" {
		e.most(count, func() string { return "HardwareProfile " + profile })
		labelled()
		return e
	}
	s.guess(n, &e)
	labelled()
	return e
}

// guess what the node has by its past and its kind.
func (s *Observed) guess(n *ObservedNode, e *expected) {
	known := e.Count
	s.expectedByPast(n, e)
	n.expectedByConvictions(e)
	if k := s.kinds.of(n.Node, e.Resource); k.most > 0 {
		e.most(k.most, func() string {
			return fmt.Sprintf("%d of %d nodes with instance type %s and product %s", k.alike, k.nodes,
				n.Node.Labels[corev1.LabelInstanceTypeStable], n.Node.Labels[v1alpha1.LabelGPUProduct])
		})
	}
	e.guessed = e.Count > max(known, labelledDevices(n.Node, e.Resource))
}

// labelledDevices are those that feature discovery counts.
func labelledDevices(n *corev1.Node, resource string) int64 {
	if resource != workload.GPUResource {
		return 0
	}
	count, _ := strconv.ParseInt(n.Labels[v1alpha1.LabelGPUCount], 10, 32)
	return count
}

// expectedByPast is the most that the node offered when it last passed one of the run's benchmarks that use the resource.
func (s *Observed) expectedByPast(n *ObservedNode, e *expected) {
	is := n.Node.Labels[v1alpha1.LabelGPUProduct]
	for t := range list.Each(s.Tasks) {
		pass := n.OfMachine().Benchmark(t.Name()).LastPass()
		if t.Benchmark.Spec.Needs.DeviceResource != e.Resource || pass == nil || pass.Machine == nil {
			continue
		}
		if count, product := DevicesOf(pass.Machine); product == "" || is == "" || product == is {
			e.most(count, func() string { return fmt.Sprintf("its last pass of %s at %s", t.Name(), message.At(pass.Time.Time)) })
		}
	}
}

// expectedByConvictions is what the node did not offer when it was convicted of that, which stands. Else a node that says itself that it has fewer
// would be freed by its next reboot.
func (n *ObservedNode) expectedByConvictions(e *expected) {
	for c := range list.Each(n.OfMachine().Convictions) {
		if ConvictedOf(c, e.Resource) {
			bound, _ := strconv.ParseInt(string(c.Bound), 10, 64)
			e.most(bound, func() string { return fmt.Sprintf("run %s, which convicted it of missing some", c.Run.Name) })
		}
	}
}

// ConvictedOf: the conviction is of missing devices of this resource.
func ConvictedOf(c *v1alpha1.Conviction, resource string) bool {
	return c.Rule == term.Devices && c.At == PartOf(resource)
}

// DevicesOf a machine: how many, and of which product, where that was known.
func DevicesOf(m *v1alpha1.Machine) (count int64, product string) {
	text, product, _ := strings.Cut(m.Devices, nodevalidation.OfProduct)
	count, _ = strconv.ParseInt(text, 10, 64)
	return count, product
}

// missingUUIDs of the devices that the node had, where it is known which are not there any more: all, or those that no benchmark of this run saw.
func (n *ObservedNode) missingUUIDs(offered, missing int64) []string {
	had := n.OfMachine().Fingerprint.DeviceUUIDs
	if offered > 0 {
		has := latestUUIDs(n.Stored)
		had = list.Where(had, func(uuid string) bool { return int64(len(has)) == offered && !slices.Contains(has, uuid) })
	}
	if int64(len(had)) != missing {
		return nil
	}
	return had
}

// latestUUIDs that a benchmark of this run saw on the node of a result.
func latestUUIDs(result *v1alpha1.ValidationResult) (uuids []string) {
	if result == nil {
		return nil
	}
	latest := time.Time{}
	for _, b := range result.Benchmarks {
		for a := range list.Each(b.Attempts) {
			if len(a.Devices) > 0 && a.EndTime != nil && !a.EndTime.Time.Before(latest) {
				latest, uuids = a.EndTime.Time, list.Map(a.Devices, func(d v1alpha1.Device) string { return d.UUID })
			}
		}
	}
	return uuids
}

// PartOf names the devices of a resource as a part of the node.
func PartOf(resource string) string { return quantity.Clip(resource, 128) }

// expectedByItself is where the node itself says how many devices it has.
func expectedByItself(n *corev1.Node) string {
	if dra.Shown(n) != nil {
		return "its ResourceSlices"
	}
	return "its status.capacity"
}
