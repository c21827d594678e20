package v1alpha1

// Names of checks that programs share. They are about the measurement, not about data: a measurement that only they refuse says nothing
// of the node, so that it is neither Pass nor Fail.
const (
	// CheckUndisturbed is false where something else used the device while it was measured.
	CheckUndisturbed = "undisturbed"
	// CheckComparable is false where the program measured something smaller than it was asked to.
	CheckComparable = "comparable"
)
