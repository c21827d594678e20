// Package dra reads what DRA drivers publish of nodes' devices, and shows it as a device plugin would have, so that all that is decided by a node's
// resources and labels is decided alike. It is pure.
package dra

import (
	"encoding/json"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/internal/list"
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
	return list.First(drivers, func(d *driver) bool { return d.name == name })
}

// Device as its driver publishes it.
type Device struct {
	Driver string `json:"-"`
	Pool   string `json:"-"`
	Name   string `json:"name"`
	// UUID, and that of the device that it is a part Of; empty: not published.
	UUID string `json:"uuid,omitempty"`
	Of   string `json:"of,omitempty"`
	// Type, and the Profile of a part.
	Type          string `json:"type,omitempty"`
	Profile       string `json:"profile,omitempty"`
	Product       string `json:"product,omitempty"`
	DriverVersion string `json:"driver,omitempty"`
	// Memory in bytes; 0: not published.
	Memory int64 `json:"memory,omitempty"`
	// Tainted: its driver keeps claims away from it. Shareable: several claims may get it at once.
	Tainted   bool `json:"tainted,omitempty"`
	Shareable bool `json:"shareable,omitempty"`
}

// String names a device as its driver and its program do.
func (d *Device) String() string {
	if d.UUID == "" {
		return d.Name
	}
	return d.Name + " (" + d.UUID + ")"
}

// namesOf an attribute: its domain, where it has none, is its driver.
func namesOf(driver, name string) []resourcev1.QualifiedName {
	return []resourcev1.QualifiedName{resourcev1.QualifiedName(name), resourcev1.QualifiedName(driver + "/" + name)}
}

func textOf(driver string, d *resourcev1.Device, name string) string {
	for _, name := range namesOf(driver, name) {
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

// packed is the annotation of a slice in the cache that holds its devices. What somebody else writes there says of its node what its devices could say, too.
const packed = "dra.assay.dev/devices"

// Slim leaves of a slice what is read of it, as one text: as maps of attributes, those of 10,000 nodes with eight GPUs take 200 MB.
func Slim(s *resourcev1.ResourceSlice) {
	if _, done := s.Annotations[packed]; done && len(s.Spec.Devices) == 0 {
		return
	}
	devices := devicesIn(s)
	s.Annotations, s.Labels, s.Spec.Devices, s.Spec.SharedCounters = nil, nil, nil, nil
	if s.Spec.NodeName == nil || driverOf(s.Spec.Driver) == nil || len(devices) == 0 {
		return
	}
	text, _ := json.Marshal(devices) // texts and numbers always can be
	s.Annotations = map[string]string{packed: string(text)}
}
