package formats

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

// ParseStatement reads the document by which one of our own programs says why there is no report of the program that it starts. It stands
// alone on stdout: a report that contains such a line is not one. It measures nothing and blames nobody, whatever the format of the report
// would have been: it says that the program cannot run here, or names failed checks that are about the measurement.
func ParseStatement(output []byte) (result.Document, bool) {
	d, err := Parse(v1alpha1.FormatAssay, nil, nil, output)
	if err != nil || len(d.Measurements) > 0 || len(d.Facts) > 0 {
		return result.Document{}, false
	}
	blames := func(c result.Check) bool { return c.OK || v1alpha1.IsDataCheck(c.Name) }
	if slices.ContainsFunc(d.Checks, blames) {
		return result.Document{}, false
	}
	return d, true
}
