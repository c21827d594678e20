package verdict

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Clip forwards to quantity.Clip.
//
// Deprecated: call quantity.Clip.
func Clip(text string, limit int) string { return quantity.Clip(text, limit) }

// Decimal writes a number for the API, with six digits.
//
// Deprecated: call quantity.Decimal.
func Decimal(v float64) v1alpha1.Decimal { return quantity.Decimal(v, apiDigits) }

// Percent writes a percentage for the API, with one digit after the point.
//
// Deprecated: call quantity.DecimalPercent.
func Percent(v float64) v1alpha1.Decimal { return quantity.DecimalPercent(v) }

// IsTime says whether a unit measures time, which is never 0.
//
// Deprecated: call quantity.IsTime.
func IsTime(unit string) bool { return quantity.IsTime(unit) }
