// Package dra reads what DRA drivers publish of nodes' devices, and shows it as a device plugin would have, so that all that is decided by a node's
// resources and labels is decided alike. It is pure.
package dra

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// driver that Assay knows the devices of.
type driver struct {
	name string
	// class of the devices that a benchmark gets, and the extended resource that stands for them elsewhere.
	class, resource string
	// whole and part are the types of whole devices, and of parts of one that are handed out like devices; partResource begins the extended
	// resources of these.
	whole, part, partResource string
}

var drivers = []driver{{
	name: "gpu.nvidia.com", class: "gpu.nvidia.com", resource: "nvidia.com/gpu", whole: "gpu", part: "mig", partResource: "nvidia.com/mig-",
}}

func driverOf(name string) *driver {
	i := slices.IndexFunc(drivers, func(d driver) bool { return d.name == name })
	if i < 0 {
		return nil
	}
	return &drivers[i]
}

// Device as its driver publishes it.
type Device struct {
	Driver, Pool, Name string
	// UUID, and that of the device that it is a part of; empty: not published.
	UUID, Of string
	// Type, and the profile of a part.
	Type, Profile          string
	Product, DriverVersion string
	// Memory in bytes; 0: not published.
	Memory int64
	// Tainted: its driver keeps claims away from it. Shareable: several claims may get it at once.
	Tainted, Shareable bool
}

// pool of devices by one driver on one node.
type pool struct {
	driver, name string
	generation   int64
	slices       []*resourcev1.ResourceSlice
}

// pools that drivers which are known publish for a node, each by its newest generation. Slices of a node that had the name before do not count.
func pools(node *corev1.Node, all []*resourcev1.ResourceSlice) []*pool {
	byName := map[[2]string]*pool{}
	for _, s := range all {
		if s.Spec.NodeName == nil || *s.Spec.NodeName != node.Name || driverOf(s.Spec.Driver) == nil || ofOther(node, s) {
			continue
		}
		key := [2]string{s.Spec.Driver, s.Spec.Pool.Name}
		p := byName[key]
		if p == nil {
			p = &pool{driver: s.Spec.Driver, name: s.Spec.Pool.Name, generation: s.Spec.Pool.Generation}
			byName[key] = p
		}
		if s.Spec.Pool.Generation > p.generation {
			p.generation, p.slices = s.Spec.Pool.Generation, nil
		}
		if s.Spec.Pool.Generation == p.generation {
			p.slices = append(p.slices, s)
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b *pool) int {
		return cmp.Or(cmp.Compare(a.driver, b.driver), cmp.Compare(a.name, b.name))
	})
}

// ofOther: the slice goes with a node of the same name that is gone.
func ofOther(node *corev1.Node, s *resourcev1.ResourceSlice) bool {
	for _, o := range s.OwnerReferences {
		if o.Kind == "Node" && o.UID != node.UID {
			return true
		}
	}
	return false
}

// broken says why the scheduler hands out nothing of the pool, or not all; empty: it does.
func (p *pool) broken() string {
	names := map[string]bool{}
	for _, s := range p.slices {
		if count := s.Spec.Pool.ResourceSliceCount; count != int64(len(p.slices)) {
			return fmt.Sprintf("pool %s of driver %s has %d of %d ResourceSlices of generation %d", p.name, p.driver, len(p.slices), count, p.generation)
		}
		for i := range s.Spec.Devices {
			name := s.Spec.Devices[i].Name
			if names[name] {
				return fmt.Sprintf("pool %s of driver %s has device %s twice", p.name, p.driver, name)
			}
			names[name] = true
		}
	}
	return ""
}

func (p *pool) devices() (all []Device) {
	for _, s := range p.slices {
		for i := range s.Spec.Devices {
			all = append(all, p.device(&s.Spec.Devices[i]))
		}
	}
	slices.SortFunc(all, func(a, b Device) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return all
}

func (p *pool) device(d *resourcev1.Device) Device {
	out := Device{Driver: p.driver, Pool: p.name, Name: d.Name, UUID: p.text(d, "uuid"), Of: p.text(d, "parentUUID"), Type: p.text(d, "type"),
		Profile: p.text(d, "profile"), Product: p.text(d, "productName"), DriverVersion: p.text(d, "driverVersion"),
		Shareable: d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations}
	for _, name := range p.names("memory") {
		if c, ok := d.Capacity[name]; ok {
			out.Memory = c.Value.Value()
		}
	}
	for _, t := range d.Taints {
		out.Tainted = out.Tainted || t.Effect == resourcev1.DeviceTaintEffectNoSchedule || t.Effect == resourcev1.DeviceTaintEffectNoExecute
	}
	return out
}

// names of an attribute: its domain, where it has none, is its driver.
func (p *pool) names(name string) []resourcev1.QualifiedName {
	return []resourcev1.QualifiedName{resourcev1.QualifiedName(name), resourcev1.QualifiedName(p.driver + "/" + name)}
}

func (p *pool) text(d *resourcev1.Device, name string) string {
	for _, name := range p.names(name) {
		a := d.Attributes[name]
		switch {
		case a.StringValue != nil:
			return *a.StringValue
		case a.VersionValue != nil:
			return *a.VersionValue
		}
	}
	return ""
}

// ByNode are slices by the node that they are of.
func ByNode(all []*resourcev1.ResourceSlice) map[string][]*resourcev1.ResourceSlice {
	byNode := map[string][]*resourcev1.ResourceSlice{}
	for _, s := range all {
		if s.Spec.NodeName != nil {
			byNode[*s.Spec.NodeName] = append(byNode[*s.Spec.NodeName], s)
		}
	}
	return byNode
}

// DevicesOf a node, of all drivers that are known, as far as their pools are whole.
func DevicesOf(node *corev1.Node, all []*resourcev1.ResourceSlice) (devices []Device) {
	for _, p := range pools(node, all) {
		if p.broken() == "" {
			devices = append(devices, p.devices()...)
		}
	}
	return devices
}

// Slim leaves of a slice what is read of it: of 10,000 nodes with eight GPUs, all of it is kept in memory.
func Slim(s *resourcev1.ResourceSlice) {
	s.Annotations, s.Labels = nil, nil
	s.Spec.SharedCounters = nil
	p := pool{driver: s.Spec.Driver}
	if s.Spec.NodeName == nil || driverOf(s.Spec.Driver) == nil {
		s.Spec.Devices = nil
		return
	}
	slim := make([]resourcev1.Device, len(s.Spec.Devices))
	for i := range s.Spec.Devices {
		d := &s.Spec.Devices[i]
		slim[i] = resourcev1.Device{Name: d.Name, Taints: d.Taints, AllowMultipleAllocations: d.AllowMultipleAllocations,
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{}}
		for _, name := range []string{"uuid", "parentUUID", "type", "profile", "productName", "driverVersion"} {
			if text := p.text(d, name); text != "" {
				slim[i].Attributes[resourcev1.QualifiedName(name)] = resourcev1.DeviceAttribute{StringValue: kept(text)}
			}
		}
		for _, name := range p.names("memory") {
			if c, ok := d.Capacity[name]; ok {
				slim[i].Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": c}
			}
		}
	}
	s.Spec.Devices = slim
}
