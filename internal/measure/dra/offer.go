package dra

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Offer is what a node's slices say, as a device plugin would have said it. Two that are equal say the same.
type Offer struct {
	// Driver and Class hand the devices out, and Resource stands for them elsewhere.
	Driver   string `json:"driver"`
	Class    string `json:"class"`
	Resource string `json:"resource"`
	// Has so many whole devices, of which it Offers those that its driver has not tainted: none while the slices do not fit together.
	Has    int64 `json:"has"`
	Offers int64 `json:"offers"`
	// Broken says in which way they do not.
	Broken string `json:"broken,omitempty"`
	// Tainted devices, by name and UUID.
	Tainted string `json:"tainted,omitempty"`
	// UUIDs of the whole devices, as far as they are published.
	UUIDs string `json:"uuids,omitempty"`
	// Plugin: a device plugin hands out the same devices.
	Plugin bool `json:"plugin,omitempty"`
	// NoRules: the API server has no DeviceTaintRules, so that devices cannot be tainted one by one.
	NoRules bool `json:"noRules,omitempty"`
	// Part is an extended resource that stands for parts of devices, of which the node hands out so many instead of whole ones.
	Part  string `json:"part,omitempty"`
	Parts int64  `json:"parts,omitempty"`
	// Others: the driver hands devices out in other ways as well, and does not say which whole device is behind them.
	Others bool `json:"others,omitempty"`
	// Shareable devices may be allocated to several claims at once.
	Shareable int64 `json:"shareable,omitempty"`
	// Product and DriverVersion, where all devices have the same, as feature discovery writes them; Memory in MiB.
	Product       string `json:"product,omitempty"`
	DriverVersion string `json:"driverVersion,omitempty"`
	Memory        int64  `json:"memory,omitempty"`
}

// OfferOf a node by its slices; false: no driver that is known offers it anything.
func OfferOf(node *corev1.Node, all []*resourcev1.ResourceSlice) (o Offer, offered bool) {
	if len(all) == 0 {
		return o, false
	}
	for _, p := range pools(node, all) {
		d := driverOf(p.driver)
		if offered && o.Driver != d.name {
			break // the next driver is for other devices; no driver but one is known by now
		}
		o.Driver, o.Class, o.Resource = d.name, d.class, d.resource
		devices, broken := p.devices()
		o.Broken = cmp.Or(o.Broken, broken)
		o.add(d, devices, offered)
		offered = offered || o.Has > 0 || o.Parts > 0 || o.Broken != ""
	}
	if o.Broken != "" {
		o.Offers = 0
	}
	return o, offered
}

// add the devices of a pool; more: others were added before.
func (o *Offer) add(d *driver, devices []Device, more bool) {
	whole := slices.DeleteFunc(slices.Clone(devices), func(v Device) bool { return v.Type != d.whole })
	for i, v := range whole {
		o.Has++
		if v.UUID != "" {
			o.UUIDs = strings.TrimPrefix(o.UUIDs+" "+v.UUID, " ")
		}
		if v.Tainted {
			o.Tainted = strings.TrimPrefix(o.Tainted+", "+v.String(), ", ")
		} else {
			o.Offers++
		}
		if v.Shareable {
			o.Shareable++
		}
		if product := asLabel(v.Product); i == 0 && !more {
			o.Product, o.DriverVersion, o.Memory = product, asLabel(v.DriverVersion), v.Memory>>20
		} else {
			o.Product, o.DriverVersion = same(o.Product, product), same(o.DriverVersion, asLabel(v.DriverVersion))
			o.Memory = min(o.Memory, v.Memory>>20)
		}
	}
	for _, v := range devices {
		if v.Type == d.whole || slices.ContainsFunc(whole, func(w Device) bool { return w.UUID != "" && w.UUID == v.Of }) {
			continue // a part of a device that is offered as a whole: whoever gets the one does not get the other
		}
		if v.Type != d.part {
			o.Others = true
			continue
		}
		o.Parts++
		if name := d.partResource + strings.ReplaceAll(v.Profile, "+", "."); o.Part == "" || name < o.Part {
			o.Part = name
		}
	}
}

func same(a, b string) string {
	if a != b {
		return ""
	}
	return a
}

// asLabel is a text as feature discovery makes a label of it; empty: none can be made.
func asLabel(text string) string {
	text = strings.ReplaceAll(text, " ", "-")
	if len(validation.IsValidLabelValue(text)) > 0 {
		return ""
	}
	return text
}

// Allocated is how many devices a claim has been given that this extended resource stands for elsewhere, parts of them included. Who only looks at devices,
// as monitoring does, holds none.
func Allocated(c *resourcev1.ResourceClaim, resource string) (n int) {
	if c.Status.Allocation == nil {
		return 0
	}
	for _, r := range c.Status.Allocation.Devices.Results {
		if d := driverOf(r.Driver); d != nil && d.resource == resource && (r.AdminAccess == nil || !*r.AdminAccess) {
			n++
		}
	}
	return n
}
