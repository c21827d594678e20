package part

import (
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// Hardware describes the devices of one attempt, so that unlike ones are never pooled: a run may span two products.
type Hardware struct {
	products map[int32]string
	All      string
}

// HardwareOf an attempt, by its devices.
func HardwareOf(devices []v1alpha1.Device) Hardware {
	if len(devices) == 0 {
		return Hardware{}
	}
	h := Hardware{products: make(map[int32]string, len(devices))}
	count := map[string]int{}
	for i := range devices {
		h.products[devices[i].Index] = devices[i].Product
		count[devices[i].Product]++
	}
	var names []string
	for p, n := range count {
		if p != "" {
			names = append(names, strconv.Itoa(n)+" x "+p)
		}
	}
	slices.Sort(names)
	h.All = strings.Join(names, ", ")
	return h
}

// Of names the products that the part at consists of: those of its GPUs, or all of the node for a part that is not one.
func (h Hardware) Of(at Place) string {
	switch {
	case h.products == nil:
		return ""
	case len(at.GPUs) == 0:
		return h.All
	case len(at.GPUs) == 1:
		return h.products[at.GPUs[0]]
	}
	names := list.Map(at.GPUs, func(index int32) string { return h.products[index] })
	return strings.Join(names, ", ")
}

// Identities tell the parts of one node apart for as long as their hardware lives: GPUs by their UUIDs, wherever they are plugged.
type Identities map[int32]string

// NewIdentities of the devices that an attempt ran on.
func NewIdentities(devices []v1alpha1.Device) Identities {
	out := make(Identities, len(devices))
	for i := range devices {
		if devices[i].UUID != "" {
			out[devices[i].Index] = devices[i].UUID
		}
	}
	return out
}

// Of the part with a name: the name, with each GPU's UUID for its index. Without UUIDs it is the name itself.
func (ids Identities) Of(at string) string {
	at = strings.TrimPrefix(at, Estimated)
	if len(ids) == 0 {
		return at
	}
	var id strings.Builder
	eachWord(at, func(text, entity string, index int32) {
		if uuid, ok := ids[index]; ok && entity == "gpu" {
			text = uuid
		}
		id.WriteString(text)
	})
	return id.String()
}

// Named is what a part with an identity is called among some devices, once it was called at among others; not there, if one of its GPUs
// is not.
func Named(identity, at string, devices []v1alpha1.Device) (name string, there bool) {
	name = identity
	for i := range devices {
		if d := &devices[i]; d.UUID != "" {
			name = strings.ReplaceAll(name, d.UUID, "gpu"+strconv.Itoa(int(d.Index)))
		}
	}
	return name, len(Read(name).GPUs) == len(Read(at).GPUs)
}
