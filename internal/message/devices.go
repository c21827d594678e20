package message

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/quantity"
)

// Devices that a node should offer and does not, or offers in slices.

// ExpectedByCapacity, and the functions after it, say where the number of a node's devices is known from.
func ExpectedByCapacity() string { return "its status.capacity" }

// ExpectedByLabel names the label that counts them.
func ExpectedByLabel(label string) string { return "its label " + label }

// ExpectedByProfile names the HardwareProfile.
func ExpectedByProfile(profile string) string { return "HardwareProfile " + profile }

// ExpectedByPast is for a node that had them when it last passed a benchmark.
func ExpectedByPast(benchmark string, passed time.Time) string {
	return fmt.Sprintf("its last pass of %s at %s", benchmark, at(passed))
}

// ExpectedByConviction names the run that found devices missing, which nothing has refuted since.
func ExpectedByConviction(run string) string {
	return fmt.Sprintf("run %s, which convicted it of missing some", run)
}

// ExpectedByMost is for a node that differs from most nodes of its kind.
func ExpectedByMost(alike, nodes int, instanceType, product string) string {
	return fmt.Sprintf("%d of %d nodes with instance type %s and product %s", alike, nodes, instanceType, product)
}

// DevicesMissing says how many devices a node lacks, how that is known, and which they are, if that is known.
func DevicesMissing(resource string, offered, expected int64, by string, missing []string) string {
	text := fmt.Sprintf("the node offers %d of %d %s (%d by %s)", offered, expected, resource, expected, by)
	if len(missing) > 0 {
		text += ", without " + names(missing)
	}
	if offered == 0 {
		return ending(text, ": check first that its driver and device plugin run there and tolerate the node's taints")
	}
	return ending(text, ": look for the cause in the kernel's log (Xid, PCIe) and the device plugin's, and repair the node")
}

// DevicesBack is why a node whose devices were missing is not convicted: it offers them by now.
func DevicesBack(resource string, offered int64) string {
	return fmt.Sprintf("not convicted: the node now offers %d %s. Start another run to measure it", offered, resource)
}

// DevicesExpectedNoMore is why a node whose devices were missing is not convicted.
func DevicesExpectedNoMore() string {
	return "not convicted: the node is not expected to have so many devices any more"
}

// NotConvicted says why a node whose devices were missing is not convicted: it waits for them once more, or shares them by now.
func NotConvicted(why string) string { return quantity.Clip("not convicted: "+why, Longest) }

// DevicesLowered is what to do where a node has fewer devices on purpose.
func DevicesLowered(text string) string {
	return ending(text, ". If it has fewer on purpose, say so in spec.devices of its HardwareProfile")
}

// WaitsForDevices is for a node that is expected to offer more devices than it does yet.
func WaitsForDevices(resource string, offered, expected int64, by string, until time.Time) string {
	return quantity.Clip(fmt.Sprintf("waiting until %s for its devices: it offers %d of %d %s (%d by %s)", at(until), offered, expected, resource, expected, by), Longest)
}

// WaitsForChange is for a node whose devices are away while its driver or MIG mode is changed, as a label says.
func WaitsForChange(resource string, offered, expected int64, by, label string) string {
	return quantity.Clip(fmt.Sprintf("waiting for its devices while %s: it offers %d of %d %s (%d by %s)", label, offered, expected, resource, expected, by), Longest)
}

// WaitsForFirstDevices is for a node that offers no device, and may just not have registered any yet. why says what makes that likely.
func WaitsForFirstDevices(resource, why string, until time.Time) string {
	return fmt.Sprintf("waiting until %s for its devices: it offers no %s, but %s", at(until), resource, why)
}

// LacksDevicesInSpite adds what a label says of the devices that a node does not offer.
func LacksDevicesInSpite(text, label string) string { return ending(text, "; "+label) }

// HasLabel is why a node may yet offer devices: feature discovery has found some.
func HasLabel(label, value string) string { return fmt.Sprintf("its label %s is %s", label, value) }

// ReadySince is why a node may yet offer devices: it is young.
func ReadySince(since time.Time) string { return "it became Ready only at " + at(since) }

// SharedByLabel is for a node whose devices several pods share, as a label says.
func SharedByLabel(label, value string) string {
	return sharedDevices(fmt.Sprintf("label %s=%s", label, value))
}

// SharedByResource is for a node that offers slices of its devices as a resource of their own.
func SharedByResource(resource string, offered int64) string {
	return sharedDevices(fmt.Sprintf("it offers %d %s", offered, resource))
}

func sharedDevices(how string) string {
	return fmt.Sprintf("the node shares its devices (%s), and Assay measures whole devices only: turn off time-slicing, MPS and MIG there to have it measured", how)
}
