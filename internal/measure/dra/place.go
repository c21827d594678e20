package dra

import (
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/internal/list"
)

// Place is what claims and rules know a device by. Its driver may give the place to another device at any time.
type Place struct{ Driver, Pool, Device string }

// Places are where the devices of a node are in its slices.
type Places struct {
	byUUID map[string][]Device
	// taken places, by the UUID of what is there.
	taken map[Place]string
	// node that they are of. whole pools: all of them is published.
	node  string
	whole map[[2]string]bool
	// disputed is a pool of this node that may be another node's too, by the UUIDs of the devices in it.
	disputed map[string]string
}

// PlacesOf a node's devices. A rule that names a pool is about whoever has a pool of that name. A kubelet publishes slices of its own node only, but under any
// name: so a pool counts that is named as the node is, and any other unless foreign says that somebody else may have it.
func PlacesOf(node *corev1.Node, all []*resourcev1.ResourceSlice, foreign func(driver, pool string) bool) *Places {
	p := &Places{byUUID: map[string][]Device{}, taken: map[Place]string{}, node: node.Name, whole: map[[2]string]bool{}, disputed: map[string]string{}}
	for _, pool := range pools(node, all) {
		devices, broken := pool.devices()
		if pool.name != node.Name && foreign(pool.driver, pool.name) {
			for _, d := range devices {
				p.disputed[d.UUID] = pool.name
			}
			continue
		}
		p.whole[[2]string{pool.driver, pool.name}] = broken == ""
		for _, d := range devices {
			p.taken[d.place()] = d.UUID
			p.byUUID[d.UUID] = append(p.byUUID[d.UUID], d)
			if d.Of != "" && d.Of != d.UUID {
				p.byUUID[d.Of] = append(p.byUUID[d.Of], d)
			}
		}
	}
	return p
}

func (d *Device) place() Place { return Place{d.Driver, d.Pool, d.Name} }

// Of the device with this UUID: its own place first; those of its parts, which are other ways to use it, follow. None: it is not published. Where two devices have
// the UUID, nobody knows which one is meant, so that it may be at the place of either.
func (p *Places) Of(uuid string) (all []Place) {
	if uuid == "" {
		return nil
	}
	for _, d := range p.byUUID[uuid] {
		if d.UUID == uuid {
			all = append([]Place{d.place()}, all...)
		} else {
			all = append(all, d.place())
		}
	}
	return all
}

// Twice says whether two devices have this UUID.
func (p *Places) Twice(uuid string) bool {
	return list.Count(p.byUUID[uuid], func(d Device) bool { return d.UUID == uuid }) > 1
}

// Disputed is the pool of a device that may be another node's; empty: there is none.
func (p *Places) Disputed(uuid string) string { return p.disputed[uuid] }

// MayStillBe says whether the device may be where it was: its driver is just publishing that pool anew, or has withdrawn it for a while, and has put no
// other device there yet. What it withdraws is not handed out; once it is, the rule would come too late.
func (p *Places) MayStillBe(uuid string, at Place) bool {
	is, taken := p.taken[at]
	whole, published := p.whole[[2]string{at.Driver, at.Pool}]
	return !whole && (published || at.Pool == p.node) && (!taken || is == uuid)
}
