package cluster

import (
	"fmt"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/claims"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// DRADriver publishes the devices of nodes that have no device plugin.
const DRADriver = "gpu.nvidia.com"

// published is what the driver of a machine says of its devices.
type published struct {
	generation int64
	// renamed is how often devices got other names, and count in how many slices they are.
	renamed, count int
	withdrawn      bool
	// pool that they are in; empty: it is named as the node is. falsehood is what is said that is not so, of this other node.
	pool, falsehood, other string
}

// startDriver of a machine that has no device plugin.
func (m *Machine) startDriver() {
	if !m.Spec.Slices {
		return
	}
	m.published.count = 1
	m.cluster.After(m.cluster.Between("driver/"+m.Name, 500*time.Millisecond, 20*time.Second), m.publish)
}

// publish the devices of the machine, slice by slice: until the last one is there, the pool is broken.
func (m *Machine) publish() {
	if !m.Spec.Slices || m.Cut || m.Node() == nil || m.published.withdrawn {
		return
	}
	m.published.generation++
	devices := m.devices()
	for i := range m.published.count {
		part := devices[i*len(devices)/m.published.count : (i+1)*len(devices)/m.published.count]
		generation := m.published.generation
		m.cluster.After(time.Duration(i)*m.cluster.Between("slice/"+m.Name, 100*time.Millisecond, 5*time.Second), func() {
			if generation == m.published.generation && !m.published.withdrawn && m.Node() != nil {
				m.put(m.slice(i, part))
			}
		})
	}
}

func (m *Machine) put(s *resourcev1.ResourceSlice) {
	stored := m.cluster.API.Get("ResourceSlice", client.ObjectKeyFromObject(s))
	if stored == nil {
		_, _ = m.cluster.API.Create("driver", s)
		return
	}
	s.UID, s.CreationTimestamp = stored.GetUID(), stored.GetCreationTimestamp()
	_, _ = m.cluster.API.Update("driver", s, false)
}

func (m *Machine) slice(i int, devices []resourcev1.Device) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{}
	s.Name = fmt.Sprintf("%s-%s-%d", m.Name, m.UID[len(m.UID)-6:], i)
	s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: m.Name, UID: m.UID}}
	s.Spec = resourcev1.ResourceSliceSpec{Driver: DRADriver, NodeName: &m.Name, Devices: devices,
		Pool: resourcev1.ResourcePool{Name: m.pool(), Generation: m.published.generation, ResourceSliceCount: int64(m.published.count)}}
	return s
}

// devices as the driver publishes them: those that are ill it taints.
func (m *Machine) devices() (all []resourcev1.Device) {
	text := func(s string) resourcev1.DeviceAttribute { return resourcev1.DeviceAttribute{StringValue: &s} }
	for i := range m.Full {
		d := resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"type": text("gpu"), "uuid": text(m.UUID(i)), "productName": text(m.product())},
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("141Gi")}}}
		if m.published.renamed > 0 {
			d.Name = fmt.Sprintf("gpu-%d-%d", m.published.renamed, m.Full-i)
		}
		if m.GPUs < m.Full && i == m.lost {
			d.Taints = []resourcev1.DeviceTaint{{Key: "gpu.nvidia.com/xid", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
		}
		switch m.Shares {
		case cases.SharesTime:
			d.AllowMultipleAllocations = new(true)
		case cases.SharesSingle, cases.SharesMixed:
			d.Attributes["type"], d.Attributes["parentUUID"], d.Attributes["profile"] = text("mig"), d.Attributes["uuid"], text("1g.18gb")
		}
		all = append(all, d)
	}
	return m.misstated(all)
}

// Withdraw what is published, as the kubelet does for a driver that is gone, and publish it again after a while.
func (m *Machine) Withdraw(d time.Duration) {
	if !m.Spec.Slices || m.Cut {
		return
	}
	m.published.withdrawn = true
	m.unpublish("kubelet")
	m.cluster.After(d, m.restore)
}

// Withdrawn: nothing says at the moment what the machine has.
func (m *Machine) Withdrawn() bool { return m.published.withdrawn }

// unpublish all that the driver has published.
func (m *Machine) unpublish(by string) {
	for _, s := range m.slices() {
		_ = m.cluster.API.Delete(by, "ResourceSlice", client.ObjectKeyFromObject(s))
	}
}

// restore what is withdrawn.
func (m *Machine) restore() {
	if m.published.withdrawn {
		m.published.withdrawn = false
		m.publish()
	}
}

// Rename the devices, and put them into other slices.
func (m *Machine) Rename() {
	m.published.renamed++
	m.unpublish("driver")
	m.published.count = 3 - m.published.count
	m.publish()
}

// slices of this machine, and not of one that had its name before.
func (m *Machine) slices() []*resourcev1.ResourceSlice {
	return list.Where(kube.All[*resourcev1.ResourceSlice](m.cluster.API), func(s *resourcev1.ResourceSlice) bool { return s.OwnerReferences[0].UID == m.UID })
}

// Published devices of a node, and not those of one that had its name before.
func (c *Cluster) Published(node string) []claims.Device {
	m := c.Machines[node]
	return list.Where(claims.Published(kube.All[*resourcev1.ResourceSlice](c.API)), func(d claims.Device) bool { return m != nil && d.Of == m.UID })
}
