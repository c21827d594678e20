package cause

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// FreeFirst is what to do before a node is measured again of which single devices are out of service.
const FreeFirst = "The run waits until nobody uses the node's other GPUs: stop or move the pods that do, and do not leave the node cordoned."

// OutOfService is what is out of service of a node whose other devices are not.
type OutOfService struct {
	Devices []Device `json:"devices"`
	// Of so many devices, as the node was last measured. 0: not known.
	Of int `json:"of,omitempty"`
	// Run that took them out, and since when they are.
	Run   string    `json:"run"`
	Since time.Time `json:"since"`
}

// Device that is out of service.
type Device struct {
	UUID string `json:"uuid"`
	// Name, such as gpu3, that it had in the newest result, or in the measurement that convicted it. Empty: not known.
	Name string `json:"name,omitempty"`
	// Because of what it was convicted: the metric, its value and the bound. Empty: not known.
	Because string `json:"because,omitempty"`
}

// OutOfServiceOn a node, by what is known of it and its newest result, nil where there is none. It is nil where no device is out of service, or the node as
// a whole.
func OutOfServiceOn(v *v1alpha1.NodeValidation, r *v1alpha1.ValidationResult) *OutOfService {
	if v == nil || v.Quarantine == nil || len(v.Quarantine.Devices) == 0 {
		return nil
	}
	q := v.Quarantine
	o := &OutOfService{Run: q.Run.Name, Since: q.Since.UTC()}
	measured, names := v.Fingerprint.DeviceUUIDs, attempt.DeviceNames(r)
	if len(measured) == 0 {
		measured = slices.Collect(maps.Keys(names))
	}
	o.Of = len(measured)
	for _, uuid := range q.Devices {
		o.Devices = append(o.Devices, device(uuid, names[uuid], v.Convictions))
		if !slices.Contains(measured, uuid) { // it has left the node since
			o.Of = 0
		}
	}
	return o
}

func device(uuid, name string, convicted []v1alpha1.Conviction) Device {
	d := Device{UUID: uuid, Name: name}
	for c := range list.Each(convicted) {
		if !slices.Contains(c.Devices, uuid) {
			continue
		}
		if place := part.Read(c.At); len(c.Devices) == 1 && place.Kind == "gpu" {
			d.Name = cmp.Or(d.Name, c.At)
		}
		if d.Because == "" {
			d.Because = because(c, d.Name)
		}
	}
	return d
}

// because of which rule a device with this name was convicted: of several devices that broke it, the numbers are those of the worst.
func because(c *v1alpha1.Conviction, name string) string {
	numbers := cmp.Or(InNumbers(&c.RuleNumbers), term.Says(c.Rule))
	if len(c.Devices) > 1 && c.At != name {
		return fmt.Sprintf("%s, as of %s: %s", Named(c.Benchmark, c.Metric, ""), c.At, numbers)
	}
	return Named(c.Benchmark, c.Metric, "") + ": " + numbers
}

// Count says how many devices are out of service: "1 of 8 GPUs".
func (o *OutOfService) Count() string {
	if o.Of == 0 {
		return message.Several(len(o.Devices), "GPU")
	}
	return fmt.Sprintf("%d of %s", len(o.Devices), message.Several(o.Of, "GPU"))
}

// Short is how many, and which: "1 of 8 GPUs: gpu3". One that has no name is told by its UUID.
func (o *OutOfService) Short() string {
	return o.Count() + ": " + strings.Join(list.Map(o.Devices, func(d Device) string { return cmp.Or(d.Name, d.UUID) }), ", ")
}

// UUIDs of the devices; nil has none.
func (o *OutOfService) UUIDs() []string {
	if o == nil {
		return nil
	}
	return list.Map(o.Devices, func(d Device) string { return d.UUID })
}

// Says which devices are out of service, since when, by which run, and why.
func (o *OutOfService) Says() string {
	which := list.Map(o.Devices, func(d Device) string {
		told := d.UUID
		if d.Name != "" {
			told = message.PartWith(d.Name, []string{d.UUID})
		}
		return message.With(told, ", because of ", d.Because)
	})
	return fmt.Sprintf("%s out of service since %s by run %s: %s", o.Count(), message.At(o.Since), o.Run, strings.Join(which, "; "))
}
