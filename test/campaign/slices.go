package campaign

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/claims"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// draDriver publishes the devices of nodes that have no device plugin.
const draDriver = "gpu.nvidia.com"

// oneGPU is the template by which somebody else claims a device.
const oneGPU = "one-gpu"

// published is what the driver of a machine says of its devices.
type published struct {
	generation int64
	// renamed is how often devices got other names, and count in how many slices they are.
	renamed, count int
	withdrawn      bool
	// pool that they are in; empty: it is named as the node is. falsehood is what is said that is not so, of this other node.
	pool, falsehood, other string
}

// hasSlices: a DRA driver publishes the devices of some nodes.
func (c Case) hasSlices() bool {
	return slices.ContainsFunc(c.Nodes, func(n NodeSpec) bool { return n.Slices }) ||
		slices.ContainsFunc(c.Happens, func(h Happening) bool { return h.How == bySlices })
}

// startDriver of a machine that has no device plugin.
func (m *machine) startDriver() {
	if !m.spec.Slices {
		return
	}
	m.published.count = 1
	m.w.after(m.w.between("driver/"+m.name, 500*time.Millisecond, 20*time.Second), m.publish)
}

// publish the devices of the machine, slice by slice: until the last one is there, the pool is broken.
func (m *machine) publish() {
	if !m.spec.Slices || m.cut || m.node() == nil || m.published.withdrawn {
		return
	}
	m.published.generation++
	devices := m.devices()
	for i := range m.published.count {
		part := devices[i*len(devices)/m.published.count : (i+1)*len(devices)/m.published.count]
		generation := m.published.generation
		m.w.after(time.Duration(i)*m.w.between("slice/"+m.name, 100*time.Millisecond, 5*time.Second), func() {
			if generation == m.published.generation && !m.published.withdrawn && m.node() != nil {
				m.put(m.slice(i, part))
			}
		})
	}
}

func (m *machine) put(s *resourcev1.ResourceSlice) {
	stored := m.w.api.Get("ResourceSlice", client.ObjectKeyFromObject(s))
	if stored == nil {
		_, _ = m.w.api.Create("driver", s)
		return
	}
	s.UID, s.CreationTimestamp = stored.GetUID(), stored.GetCreationTimestamp()
	_, _ = m.w.api.Update("driver", s, false)
}

func (m *machine) slice(i int, devices []resourcev1.Device) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{}
	s.Name = fmt.Sprintf("%s-%s-%d", m.name, m.uid[len(m.uid)-6:], i)
	s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: m.name, UID: m.uid}}
	s.Spec = resourcev1.ResourceSliceSpec{Driver: draDriver, NodeName: &m.name, Devices: devices,
		Pool: resourcev1.ResourcePool{Name: m.pool(), Generation: m.published.generation, ResourceSliceCount: int64(m.published.count)}}
	return s
}

// devices as the driver publishes them: those that are ill it taints.
func (m *machine) devices() (all []resourcev1.Device) {
	text := func(s string) resourcev1.DeviceAttribute { return resourcev1.DeviceAttribute{StringValue: &s} }
	for i := range m.full {
		d := resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"type": text("gpu"), "uuid": text(m.uuid(i)), "productName": text(m.product())},
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("141Gi")}}}
		if m.published.renamed > 0 {
			d.Name = fmt.Sprintf("gpu-%d-%d", m.published.renamed, m.full-i)
		}
		if m.gpus < m.full && i == m.lost {
			d.Taints = []resourcev1.DeviceTaint{{Key: "gpu.nvidia.com/xid", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
		}
		switch m.shares {
		case sharesTime:
			d.AllowMultipleAllocations = new(true)
		case sharesSingle, sharesMixed:
			d.Attributes["type"], d.Attributes["parentUUID"], d.Attributes["profile"] = text("mig"), d.Attributes["uuid"], text("1g.18gb")
		}
		all = append(all, d)
	}
	return m.misstated(all)
}

// withdraw what is published, as the kubelet does for a driver that is gone, and publish it again after a while.
func (m *machine) withdraw(d time.Duration) {
	if !m.spec.Slices || m.cut {
		return
	}
	m.published.withdrawn = true
	for _, s := range m.slices() {
		_ = m.w.api.Delete("kubelet", "ResourceSlice", client.ObjectKeyFromObject(s))
	}
	m.w.after(d, m.restore)
}

func (m *machine) restore() {
	if m.published.withdrawn {
		m.published.withdrawn = false
		m.publish()
	}
}

// rename the devices, and put them into other slices.
func (m *machine) rename() {
	m.published.renamed++
	for _, s := range m.slices() {
		_ = m.w.api.Delete("driver", "ResourceSlice", client.ObjectKeyFromObject(s))
	}
	m.published.count = 3 - m.published.count
	m.publish()
}

// slices of this machine, and not of one that had its name before.
func (m *machine) slices() (own []*resourcev1.ResourceSlice) {
	for _, s := range kube.All[*resourcev1.ResourceSlice](m.w.api) {
		if s.OwnerReferences[0].UID == m.uid {
			own = append(own, s)
		}
	}
	return own
}

// claims is how many devices a pod claims, by templates.
func (w *world) claims(pod *corev1.Pod) (n int64) {
	for _, c := range pod.Spec.ResourceClaims {
		if made, ok := w.api.Get("ResourceClaim", claimOf(pod, c.Name)).(*resourcev1.ResourceClaim); ok {
			n += int64(len(made.Status.Allocation.Devices.Results))
		} else if t, ok := w.api.Get("ResourceClaimTemplate", client.ObjectKey{Namespace: pod.Namespace, Name: *c.ResourceClaimTemplateName}).(*resourcev1.ResourceClaimTemplate); ok {
			n += t.Spec.Spec.Devices.Requests[0].Exactly.Count
		}
	}
	return n
}

func claimOf(pod *corev1.Pod, name string) client.ObjectKey {
	return client.ObjectKey{Namespace: pod.Namespace, Name: pod.Name + "-" + name}
}

// free devices of a machine that a pod may have: those that no pod on it has.
func (w *world) free(m *machine, pod *corev1.Pod) (places []claims.Place) {
	rules, tolerations := kube.All[*resourcev1.DeviceTaintRule](w.api), w.tolerations(pod)
	for _, d := range w.published(m.name) {
		if d.Open(rules, tolerations) {
			places = append(places, d.Place)
		}
	}
	for _, other := range m.pods() {
		if other.Status.Phase == corev1.PodSucceeded || other.Status.Phase == corev1.PodFailed {
			continue
		}
		for _, c := range other.Spec.ResourceClaims {
			if made, ok := w.api.Get("ResourceClaim", claimOf(other, c.Name)).(*resourcev1.ResourceClaim); ok {
				for _, r := range made.Status.Allocation.Devices.Results {
					places = slices.DeleteFunc(places, func(p claims.Place) bool { return p == claims.Place{Driver: r.Driver, Pool: r.Pool, Device: r.Device} })
				}
			}
		}
	}
	return places
}

// tolerations of the claims of a pod.
func (w *world) tolerations(pod *corev1.Pod) []resourcev1.DeviceToleration {
	for _, c := range pod.Spec.ResourceClaims {
		if t, ok := w.api.Get("ResourceClaimTemplate", client.ObjectKey{Namespace: pod.Namespace, Name: *c.ResourceClaimTemplateName}).(*resourcev1.ResourceClaimTemplate); ok {
			return t.Spec.Spec.Devices.Requests[0].Exactly.Tolerations
		}
	}
	return nil
}

// allocate devices to the claims of a pod, which go with it.
func (w *world) allocate(pod *corev1.Pod, m *machine) {
	places := w.free(m, pod)
	for _, c := range pod.Spec.ResourceClaims {
		claim := &resourcev1.ResourceClaim{}
		key := claimOf(pod, c.Name)
		claim.Namespace, claim.Name = key.Namespace, key.Name
		claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: new(true)}}
		claim.Status.Allocation = &resourcev1.AllocationResult{}
		for _, p := range places[:w.claims(pod)] {
			claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results,
				resourcev1.DeviceRequestAllocationResult{Request: c.Name, Driver: p.Driver, Pool: p.Pool, Device: p.Device})
		}
		_, _ = w.api.Create("claims", claim)
		pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: c.Name, ResourceClaimName: &claim.Name})
	}
}

// offerClaims of somebody else.
func (w *world) offerClaims() {
	t := &resourcev1.ResourceClaimTemplate{}
	t.Namespace, t.Name = "work", oneGPU
	t.Spec.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: draDriver, Count: 1}}}
	_, _ = w.api.Create("person", t)
}

// seenToBeChanged: so long after its devices changed, whoever measures a node must have seen it.
const seenToBeChanged = 4 * time.Minute

// changed is how many devices a machine offers.
func (t *truth) changed(m *machine) {
	n := t.of(m.uid)
	n.offered[n.offers], n.offers = t.w.now, m.gpus
}

// checkAll: a benchmark has all devices that its node offers, or offered just before (P7): what some of them reach says nothing of the others.
func (t *truth) checkAll(p *program, has int) {
	n := t.of(p.m.uid)
	before := p.pod.CreationTimestamp.Add(-seenToBeChanged)
	if joined := n.offered[0]; joined.After(epoch) && joined.After(before) { // it was made for the one that this machine took the place of
		return
	}
	if !p.devices || p.pod.Labels[v1alpha1.LabelJob] != "" || n.lies || p.m.shares != "" || n.dividedLast.After(before) {
		return
	}
	if has != n.offers && !n.offered[has].After(before) {
		t.w.broken("P7", "pod %s measures %d of %d GPUs of node %s", p.pod.Name, has, n.offers, p.m.name)
	}
}
