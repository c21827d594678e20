package verdict

import "github.com/assay-dev/assay/api/v1alpha1"

// RuleDevices is the rule that a node offers all devices that it has, and DevicesMetric what it judges. It is applied before anything is measured.
const (
	RuleDevices   = "DevicesMissing"
	DevicesMetric = "devices"
)

// count of devices that a profile gives.
type count struct {
	devices int64
	profile string
}

// addDevices of a profile; the first to give a resource counts.
func (p *Peaks) addDevices(from *v1alpha1.HardwareProfile) {
	for _, d := range from.Spec.Devices {
		if _, known := p.devices[d.Resource]; known {
			continue
		}
		if p.devices == nil {
			p.devices = map[string]count{}
		}
		p.devices[d.Resource] = count{int64(d.Count), from.Name}
	}
}

// Devices of a resource that the node has by its profiles, and the profile that says so; empty: none does.
func (p Peaks) Devices(resource string) (devices int64, profile string) {
	c := p.devices[resource]
	return c.devices, c.profile
}
