package verdict

import (
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// hardware describes the devices of one attempt, so that unlike ones are never pooled: a run may span two products.
type hardware struct {
	products map[int32]string
	all      string
}

func newHardware(devices []v1alpha1.Device) hardware {
	if len(devices) == 0 {
		return hardware{}
	}
	h := hardware{products: make(map[int32]string, len(devices))}
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
	h.all = strings.Join(names, ", ")
	return h
}

// of names the products that the part at consists of: those of its GPUs, or all of the node for a part that is not one.
func (h hardware) of(at place) string {
	switch {
	case h.products == nil:
		return ""
	case len(at.gpus) == 0:
		return h.all
	case len(at.gpus) == 1:
		return h.products[at.gpus[0]]
	}
	names := make([]string, len(at.gpus))
	for i, index := range at.gpus {
		names[i] = h.products[index]
	}
	return strings.Join(names, ", ")
}
