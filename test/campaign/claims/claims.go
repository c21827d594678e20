// Package claims is what the scheduler makes of the devices that DRA drivers publish: which are handed out, and which rules keep claims from them. It is
// written from Kubernetes, and not from how Assay reads the same objects.
package claims

import (
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Place is what claims and rules know a device by.
type Place struct{ Driver, Pool, Device string }

// Device that is published.
type Device struct {
	Place
	UUID, Node string
	// Of is the UID of the Node that the slice goes with.
	Of types.UID
	// Whole: it is no part of one. Broken: its pool is not all there, so that it is not handed out.
	Whole, Broken bool
	taints        []resourcev1.DeviceTaint
}

// Published devices, of each pool of a node those of the newest generation.
func Published(all []*resourcev1.ResourceSlice) (devices []Device) {
	for _, s := range all {
		generation, count := s.Spec.Pool.Generation, int64(0)
		for _, other := range all {
			if !samePool(s, other) {
				continue
			}
			if other.Spec.Pool.Generation > generation {
				generation, count = other.Spec.Pool.Generation, 0
			}
			if other.Spec.Pool.Generation == generation {
				count++
			}
		}
		if s.Spec.Pool.Generation < generation {
			continue
		}
		for i := range s.Spec.Devices {
			d := deviceOf(s, &s.Spec.Devices[i])
			d.Broken = count != s.Spec.Pool.ResourceSliceCount
			devices = append(devices, d)
		}
	}
	return devices
}

func samePool(a, b *resourcev1.ResourceSlice) bool {
	return a.Spec.Driver == b.Spec.Driver && a.Spec.Pool.Name == b.Spec.Pool.Name && *a.Spec.NodeName == *b.Spec.NodeName &&
		a.OwnerReferences[0].UID == b.OwnerReferences[0].UID
}

func deviceOf(s *resourcev1.ResourceSlice, d *resourcev1.Device) Device {
	out := Device{Place: Place{s.Spec.Driver, s.Spec.Pool.Name, d.Name}, Node: *s.Spec.NodeName, Of: s.OwnerReferences[0].UID, taints: d.Taints}
	if uuid := d.Attributes["uuid"].StringValue; uuid != nil {
		out.UUID = *uuid
	}
	out.Whole = *d.Attributes["type"].StringValue == "gpu"
	return out
}

// Selects says whether a rule is about a place.
func Selects(r *resourcev1.DeviceTaintRule, p Place) bool {
	s := r.Spec.DeviceSelector
	fits := func(asked *string, is string) bool { return asked == nil || *asked == is }
	return s != nil && fits(s.Driver, p.Driver) && fits(s.Pool, p.Pool) && fits(s.Device, p.Device)
}

// Open says whether a claim with these tolerations may get the device.
func (d *Device) Open(rules []*resourcev1.DeviceTaintRule, tolerations []resourcev1.DeviceToleration) bool {
	taints := slices.Clone(d.taints)
	for _, r := range rules {
		if Selects(r, d.Place) {
			taints = append(taints, r.Spec.Taint)
		}
	}
	return d.Whole && !d.Broken && !slices.ContainsFunc(taints, func(t resourcev1.DeviceTaint) bool {
		return t.Effect != resourcev1.DeviceTaintEffectNone && !slices.ContainsFunc(tolerations, func(o resourcev1.DeviceToleration) bool { return tolerates(o, t) })
	})
}

func tolerates(o resourcev1.DeviceToleration, t resourcev1.DeviceTaint) bool {
	return (o.Key == "" || o.Key == t.Key) && (o.Effect == "" || o.Effect == t.Effect) &&
		(o.Operator == resourcev1.DeviceTolerationOpExists || o.Value == t.Value)
}
