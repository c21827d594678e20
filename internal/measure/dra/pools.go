package dra

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
	return slices.ContainsFunc(s.OwnerReferences, func(o metav1.OwnerReference) bool { return o.Kind == "Node" && o.UID != node.UID })
}

// devices of the pool, and why the scheduler hands out none of them, or not all; empty: it does.
func (p *pool) devices() (all []Device, broken string) {
	for _, s := range p.slices {
		if count := s.Spec.Pool.ResourceSliceCount; count != int64(len(p.slices)) {
			broken = fmt.Sprintf("pool %s of driver %s has %d of %d ResourceSlices of generation %d", p.name, p.driver, len(p.slices), count, p.generation)
		}
		for _, d := range devicesIn(s) {
			d.Driver, d.Pool = p.driver, p.name
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b Device) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
	})
	for i := 1; i < len(all) && broken == ""; i++ {
		if all[i].Name == all[i-1].Name {
			broken = fmt.Sprintf("pool %s of driver %s has device %s twice", p.name, p.driver, all[i].Name)
		}
	}
	if broken != "" {
		all = distinct(all)
	}
	return all, broken
}

// distinct devices: slices that do not fit together may list one more than once, and a node that was taken to have twice its devices would lack half of
// them for ever.
func distinct(all []Device) []Device {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(d Device) bool {
		again := seen["name "+d.Name] || d.UUID != "" && seen["uuid "+d.UUID]
		seen["name "+d.Name], seen["uuid "+d.UUID] = true, true
		return again
	})
}

// devicesIn a slice, as it is published or as the cache has it.
func devicesIn(s *resourcev1.ResourceSlice) (all []Device) {
	if text, ok := s.Annotations[packed]; ok && len(s.Spec.Devices) == 0 && json.Unmarshal([]byte(text), &all) == nil {
		return all
	}
	all = make([]Device, len(s.Spec.Devices))
	for i := range s.Spec.Devices {
		all[i] = deviceOf(s.Spec.Driver, &s.Spec.Devices[i])
	}
	return all
}

func deviceOf(driver string, d *resourcev1.Device) Device {
	text := func(name string) string { return textOf(driver, d, name) }
	out := Device{Name: d.Name, UUID: text("uuid"), Of: text("parentUUID"), Type: text("type"), Profile: text("profile"), Product: text("productName"),
		DriverVersion: text("driverVersion"), Shareable: d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations}
	for _, name := range namesOf(driver, "memory") {
		if c, ok := d.Capacity[name]; ok {
			out.Memory = c.Value.Value()
		}
	}
	for _, t := range d.Taints {
		out.Tainted = out.Tainted || t.Effect == resourcev1.DeviceTaintEffectNoSchedule || t.Effect == resourcev1.DeviceTaintEffectNoExecute
	}
	return out
}
