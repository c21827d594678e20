package verdict

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// largest bounds what is taken for a measurement: beyond it no quantity is real, and products of two could overflow.
const largest = 1e100

// epsilon is the relative error below which two numbers are equal: limits are products of decimals in binary floating
// point, and a value equal to its limit passes.
const epsilon = 1e-9

// number reads a decimal. ok is false for what is empty, not a plain decimal number, or beyond any real quantity.
func number[T ~string](d T) (value float64, ok bool) {
	s := string(d)
	if s == "" {
		return 0, false
	}
	// ParseFloat alone would take "NaN", "Inf" and hexadecimal numbers, too.
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

// decimal writes a number for the API with digits significant ones (-1: as many as it needs to be read back). It is
// empty where there is no finite number to write.
func decimal(v float64, digits int) v1alpha1.Decimal {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return v1alpha1.Decimal(format(v, digits))
}

// percentDecimal writes a percentage to a tenth.
func percentDecimal(v float64) v1alpha1.Decimal {
	if math.Abs(v) < 1e6 {
		v = math.Round(v*10) / 10
	}
	return decimal(v, 7)
}

func format(v float64, digits int) string {
	if v == 0 {
		return "0" // never "-0"
	}
	if abs := math.Abs(v); abs < 1e-4 || abs >= 1e15 {
		return strconv.FormatFloat(v, 'e', max(digits, 0)-1, 64)
	}
	if digits > 0 {
		// Round to the significant digits first, then write without an exponent.
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// prefixes of the SI, as powers of ten.
var prefixes = map[string]float64{
	"n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
}

// bases are the units that take prefixes. Bits and bytes differ by more than a prefix, so they stay apart.
var bases = []string{"FLOP/s", "OP/s", "B/s", "b/s", "Hz", "FLOP", "B", "s", "W", "J"}

// splitUnit cuts "GB/s" into 1e9 and "B/s". A unit that takes no prefixes is its own base.
func splitUnit(unit string) (float64, string) {
	for _, base := range bases {
		prefix, found := strings.CutSuffix(unit, base)
		if factor, ok := prefixes[prefix]; found && ok {
			return factor, base
		}
	}
	return 1, unit
}

// takesPrefix says whether a base unit takes SI prefixes.
func takesPrefix(base string) bool { return slices.Contains(bases, base) }

// conversion is the factor from one unit to another of the same dimension.
func conversion(from, to string) (float64, bool) {
	if from == to {
		return 1, true
	}
	fromFactor, fromBase := splitUnit(from)
	toFactor, toBase := splitUnit(to)
	if fromBase != toBase {
		return 0, false
	}
	return fromFactor / toFactor, true
}

// IsTime says whether a unit measures time, which is never 0.
func IsTime(unit string) bool {
	_, base := splitUnit(unit)
	return base == "s"
}
