package assess

import (
	"github.com/assay-dev/assay/api/v1alpha1"
)

// curved leaves out what was measured at one size only: it is no curve.
func curved(all []v1alpha1.Curve) []v1alpha1.Curve {
	var curves []v1alpha1.Curve
	for i := range all {
		if len(all[i].Points) > 1 {
			curves = append(curves, all[i])
		}
	}
	return curves
}
