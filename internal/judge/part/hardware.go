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
