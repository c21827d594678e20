package cluster

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cases"
)

// peakName of what programs measure, and ProfileName of the HardwareProfile that has it.
const (
	peakName    = "speed"
	ProfileName = "all"
)

// TooMany devices are more than any node has.
const TooMany = 16

// Profile of all nodes, as somebody has it: what a fit node reaches is the peak, unless the profile says otherwise, or more devices than any node has.
func Profile(how string) *v1alpha1.HardwareProfile {
	p := &v1alpha1.HardwareProfile{}
	p.Name, p.Spec.AllNodes = ProfileName, true
	value := map[string]v1alpha1.Decimal{cases.BoundTooHard: "160", cases.BoundHard: "105", cases.BoundSoft: "60"}[how]
	if value == "" {
		value = "100"
	}
	p.Spec.Peaks = []v1alpha1.Peak{{Name: peakName, Value: value, Unit: "GB/s", Source: "a data sheet"}}
	if how == cases.ProfileDevices {
		p.Spec.Devices = []v1alpha1.DeviceCount{{Resource: string(GPU), Count: TooMany}}
	}
	return p
}
