// Package quantity is the one place that reads, converts and writes numbers with units. It knows nothing of what was
// measured and judges nothing.
//
// A person reads four significant digits, without trailing zeros, and the prefix that leaves one to three digits before the
// point: 0.0108 GB/s is "10.8 MB/s" wherever it is shown. Numbers of one sentence share one unit (Scale), and get more digits
// where two of them would look equal. The API stores numbers as Decimals, in the unit of their metric.
package quantity

import (
	"math"
	"strconv"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// largest is the size beyond which no quantity is real, and products of two could overflow.
const largest = 1e100

// ParseDecimal reads a decimal number. ok is false for a text that is empty, not a plain decimal, or beyond any real quantity.
func ParseDecimal[T ~string](d T) (value float64, ok bool) {
	s := string(d)
	// ParseFloat alone would take "NaN", "Inf", "1_000" and hexadecimal numbers, too.
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(v) > largest {
		return 0, false
	}
	if math.Abs(v) < 1/largest {
		return 0, true
	}
	return v, true
}

// Exact as the number of digits writes as many as it takes to read the same number back.
const Exact = -1

const (
	// ShownDigits of a number that the API shows and nothing is computed from.
	ShownDigits = 6
	// BoundDigits of a number that a later measurement is compared with.
	BoundDigits = 9
	// documentDigits of a number in a document for programs: all that was measured, and not what converting its unit added.
	documentDigits = 14
)

// Known is the number that a decimal is, with DocumentDigits; nil where it is none.
func Known[T ~string](d T) *float64 {
	v, ok := ParseDecimal(d)
	if !ok {
		return nil
	}
	return new(Round(v, documentDigits))
}

// Decimal writes a number for the API with so many significant digits, or Exact. It is empty where v is not finite.
func Decimal(v float64, digits int) v1alpha1.Decimal {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return v1alpha1.Decimal(shortest(Round(v, digits)))
}

// DecimalPercent writes a percentage for the API, to a tenth.
func DecimalPercent(v float64) v1alpha1.Decimal {
	if math.Abs(v) < 1e6 {
		v = math.Round(v*10) / 10
	}
	return Decimal(v, 7)
}

// Round to so many significant digits; a negative number of them leaves v as it is.
func Round(v float64, digits int) float64 {
	if digits < 0 {
		return v
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		return v // only where rounding up leaves the range of a float64
	}
	return rounded
}

// shortest writes a number with the digits it takes to read it back, and with an exponent only where it would be very long.
func shortest(v float64) string {
	if v == 0 {
		return "0" // never "-0"
	}
	if size := math.Abs(v); size < 1e-4 || size >= 1e15 {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
