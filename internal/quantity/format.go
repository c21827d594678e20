package quantity

import (
	"math"
	"strconv"
	"strings"
)

const (
	// usualDigits are the significant digits of a number that a person reads: few measurements repeat better.
	usualDigits = 4
	mostDigits  = 12
)

// counts are units that say no more than the name of the metric does.
var counts = map[string]bool{"1": true, "count": true}

// Format writes a value with its unit for a person: "10.8 MB/s".
func Format(v float64, unit string) string { return NewScale(unit, v).Format(v) }

// Scale writes the numbers of one sentence: in one unit, and with as many digits as it takes to tell them apart.
type Scale struct {
	factor float64
	unit   string
	digits int
}

// NewScale takes the unit of the values, and the values that must be told apart. The prefix suits the least that is not 0, unless
// the greatest would then have more than five digits before the point: then that one.
func NewScale(name string, values ...float64) Scale {
	u := split(name)
	least, greatest := 0.0, 0.0
	for _, v := range values {
		if size := math.Abs(v); size != 0 {
			greatest = max(greatest, size)
			if least == 0 || size < least {
				least = size
			}
		}
	}
	shown := u.readable(least)
	if greatest*u.prefix.factor/shown.prefix.factor >= 1e5 {
		shown = u.readable(greatest)
	}
	s := Scale{factor: u.prefix.factor / shown.prefix.factor, unit: shown.name, digits: usualDigits}
	if counts[s.unit] {
		s.unit = ""
	}
	for s.digits < mostDigits && s.confuses(values) {
		s.digits++
	}
	return s
}

// ScaleOf the values that are known.
func ScaleOf(name string, values ...*float64) Scale {
	var known []float64
	for _, v := range values {
		if v != nil {
			known = append(known, *v)
		}
	}
	return NewScale(name, known...)
}

// confuses says whether two different values would look equal.
func (s Scale) confuses(values []float64) bool {
	shown := map[string]float64{}
	for _, v := range values {
		text := s.Number(v)
		if other, ok := shown[text]; ok && other != v {
			return true
		}
		shown[text] = v
	}
	return false
}

// Number writes a value in the scale's unit, without naming it. Digits before the point are never rounded away.
func (s Scale) Number(v float64) string {
	v *= s.factor
	if size := math.Abs(v); size >= math.Pow10(s.digits) && size < 1e15 {
		return shortest(math.Round(v))
	}
	return shortest(Round(v, s.digits))
}

// Unit in which the scale writes numbers; empty for those that only count.
func (s Scale) Unit() string { return s.unit }

// Format writes a value with the scale's unit: "4.2 GB/s", "93%".
func (s Scale) Format(v float64) string {
	if s.unit == "%" {
		return s.Number(v) + s.unit
	}
	return strings.TrimSpace(s.Number(v) + " " + s.unit)
}

// Percent writes a percentage to a tenth, "72.8%", and a very small one to two digits.
func Percent(v float64) string { return percent(v, 0) }

// PercentBeside writes a percentage with as many digits as it takes to tell it from another one.
func PercentBeside(v, other float64) string {
	more := 0
	for v != other && more < mostDigits && percent(v, more) == percent(other, more) {
		more++
	}
	return percent(v, more)
}

// SignedPercent writes a deviation: "+3.1%", "-17.6%", "0%".
func SignedPercent(v float64) string {
	text := Percent(v)
	if v > 0 {
		return "+" + text
	}
	return text
}

func percent(v float64, more int) string {
	if size := math.Abs(v); size < 0.095 {
		return shortest(Round(v, 2+more)) + "%"
	}
	unit := math.Pow10(1 + more)
	return shortest(math.Round(v*unit)/unit) + "%"
}

// Probability writes a p-value to three decimals; a smaller one is "<0.001".
func Probability(p float64) string {
	if p < 0.0005 {
		return "<0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// Clip cuts a text to at most limit bytes, at a character's boundary, and shows that it did.
func Clip(text string, limit int) string {
	const mark = "..."
	if len(text) <= limit {
		return text
	}
	if limit < len(mark) {
		return mark[:max(0, limit)]
	}
	return strings.ToValidUTF8(text[:limit-len(mark)], "") + mark
}
