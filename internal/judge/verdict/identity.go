package verdict

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// notMeasured stands for a value that a run did not bring.
const notMeasured = "-"

// BaselinePasses is how many of a part's first passing values its baseline is the median of.
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

// Named is what a part with an identity is called among some devices, once it was called at among others; not there, if one of its GPUs
// is not.
func Named(identity, at string, devices []v1alpha1.Device) (name string, there bool) {
	name = identity
	for i := range devices {
		if d := &devices[i]; d.UUID != "" {
			name = strings.ReplaceAll(name, d.UUID, "gpu"+strconv.Itoa(int(d.Index)))
		}
	}
	return name, len(newPlace(name).gpus) == len(newPlace(at).gpus)
}

// Recent are the values of a part in the last runs of its history, as many as there are since its first; empty where one did not
// measure it.
func Recent(p *v1alpha1.PartHistory) []v1alpha1.Decimal {
	if len(p.Recent) == 0 {
		return nil
	}
	values := make([]v1alpha1.Decimal, len(p.Recent))
	for i, text := range p.Recent {
		if text != notMeasured {
			values[i] = v1alpha1.Decimal(text)
		}
	}
	return values
}

// RecentOf values is the inverse of Recent.
func RecentOf(values []v1alpha1.Decimal) []v1alpha1.PassingValue {
	recent := make([]v1alpha1.PassingValue, len(values))
	for i, v := range values {
		recent[i] = cmp.Or(v1alpha1.PassingValue(v), notMeasured)
	}
	return recent
}

// Since is when a part first passed.
func Since(h *v1alpha1.PassHistory, p *v1alpha1.PartHistory) time.Time {
	if p.Since.IsZero() {
		return h.Since.Time
	}
	return p.Since.Time
}

// UUIDs of the GPUs that a part names.
func UUIDs(at string, devices []v1alpha1.Device) []string { return uuids(newPlace(at), devices) }
