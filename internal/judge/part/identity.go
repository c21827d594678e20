package part

import (
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

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
