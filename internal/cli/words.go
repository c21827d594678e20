package cli

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const unknown = "-"

// quantity writes a value with four significant digits and its unit.
func quantity(v *float64, unit string) string {
	if v == nil {
		return unknown
	}
	prefix, x := "", *v
	for _, p := range []string{"k", "M", "G", "T"} {
		if math.Abs(x) < 1e5 {
			break
		}
		x, prefix = x/1e3, p
	}
	return strings.TrimSpace(digits(x, 4) + " " + prefix + strings.TrimPrefix(unit, "1"))
}

// digits writes a number with n significant digits, and never with an exponent.
func digits(x float64, n int) string {
	if x == 0 {
		return "0"
	}
	decimals := n - 1 - int(math.Floor(math.Log10(math.Abs(x))))
	return strconv.FormatFloat(x, 'f', max(0, min(decimals, 9)), 64)
}

func percent(v *float64) string {
	if v == nil {
		return unknown
	}
	return fmt.Sprintf("%.1f %%", *v)
}

func deviation(v *float64) string {
	if v == nil {
		return unknown
	}
	return fmt.Sprintf("%+.1f %%", *v)
}

func orUnknown(text string) string { return cmp.Or(clean(text), unknown) }

// clean drops control characters: messages quote programs, and a terminal would obey what they print.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, text)
}

// duration writes 94 s as 1m34s.
func duration(seconds float64) string {
	return time.Duration(math.Round(seconds) * float64(time.Second)).String()
}

// plural writes "1 node" and "2 nodes".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// compareNatural orders node-2 before node-10.
func compareNatural(a, b string) int {
	for a != "" && b != "" {
		na, restA := leadingNumber(a)
		nb, restB := leadingNumber(b)
		if na >= 0 && nb >= 0 {
			if na != nb {
				return cmp.Compare(na, nb)
			}
			a, b = restA, restB
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// leadingNumber cuts off the number that a text starts with; -1 where it starts with none.
func leadingNumber(text string) (int, string) {
	end := 0
	for end < len(text) && end < 9 && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(text[:end])
	if err != nil {
		return -1, text
	}
	return n, text[end:]
}
