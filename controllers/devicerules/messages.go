package devicerules

import "github.com/assay-dev/assay/api/v1alpha1"

// nameTaken is for a rule of somebody else under the name of ours.
const nameTaken = "there is one of that name which is not Assay's (it lacks the label " + v1alpha1.LabelManagedBy + "=" + v1alpha1.ManagedByValue + "): delete it"

const (
	ofDevice   = "%s DeviceTaintRule %s of device %s: %w"
	triesAgain = "; it is tried again within a minute"
)
