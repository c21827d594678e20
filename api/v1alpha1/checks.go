package v1alpha1

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

// IsDataCheck says whether a check of this name is about data.
func IsDataCheck(name string) bool {
	switch name {
	case CheckUndisturbed, CheckComparable, CheckFinished, CheckCompleted, CheckMeasured:
		return false
	}
	return true
}
