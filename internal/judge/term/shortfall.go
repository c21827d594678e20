package term

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Shortfall is by how much a value misses what is expected, as a share of the greater of both; infinite where one of them is no number.
func Shortfall(value, expected v1alpha1.Decimal) float64 {
	v, ok := quantity.ParseDecimal(value)
	e, also := quantity.ParseDecimal(expected)
	size := max(math.Abs(v), math.Abs(e))
	if !ok || !also || size == 0 {
		return math.Inf(1)
	}
	return math.Abs(v-e) / size
}
