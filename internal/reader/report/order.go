package report

import (
	"cmp"
	"strconv"
)

// CompareNatural orders node-2 before node-10, and only equal names as equal.
func CompareNatural(a, b string) int {
	return cmp.Or(compareNumbers(a, b), cmp.Compare(a, b))
}

// compareNumbers compares names as if each number in them were one character, so that node-1 and node-01 are alike.
func compareNumbers(a, b string) int {
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
