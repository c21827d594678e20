package v1alpha1

import "slices"

// Names of checks that programs share. They are about the measurement, not about data: a measurement that only they refuse says nothing
// of the node, so that it is neither Pass nor Fail.
const (
	// CheckUndisturbed is false where something else used the device while it was measured.
	CheckUndisturbed = "undisturbed"
	// CheckComparable is false where the program measured something smaller than it was asked to.
	CheckComparable = "comparable"
	// CheckFinished is false where a signal stopped the program before it had measured everything.
	CheckFinished = "finished"
	// CheckCompleted is false where an error kept the program from measuring everything, such as an option that does not fit the node.
	CheckCompleted = "completed"
	// CheckMeasured is false where the program ended without any value.
	CheckMeasured = "measured"
)

// CheckDevicesUsable is false where the program was given devices and can use none: that fails the node, as wrong data does.
const CheckDevicesUsable = "devicesUsable"

// ReasonOfCheck is why a node fails of which this check about it is false.
func ReasonOfCheck(name string) string {
	if name == CheckDevicesUsable {
		return ReasonDevicesUnusable
	}
	return ReasonWrongData
}

// Interrupted says whether checks are those of a program that was stopped. Such a program proves nothing: it may have had no time for the
// first sample, or have been stopped in the middle of a comparison.
func Interrupted(checks []Check) bool {
	return slices.ContainsFunc(checks, func(c Check) bool { return c.Name == CheckFinished && !c.OK })
}

// IsDataCheck says whether a check of this name is about data.
func IsDataCheck(name string) bool {
	switch name {
	case CheckUndisturbed, CheckComparable, CheckFinished, CheckCompleted, CheckMeasured:
		return false
	}
	return true
}

// FactTransport is how NCCL went from node to node: NET/IB, NET/Socket ...; several, where ranks differ.
const FactTransport = "ncclTransport"
