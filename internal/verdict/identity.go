package verdict

import (
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// BaselinePasses is how many of a part's first passing values its baseline is the mean of.
const BaselinePasses = 5

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

// UUIDs of the GPUs that a part names.
func UUIDs(at string, devices []v1alpha1.Device) []string { return uuids(newPlace(at), devices) }
