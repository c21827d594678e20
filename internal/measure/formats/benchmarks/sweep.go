package benchmarks

import (
	"slices"

	"github.com/assay-dev/assay/internal/measure/result"
)

// sweep is a table of figures by the size of messages.
type sweep []sweepRow

type sweepRow struct {
	size   int64
	values []float64
}

// headlineSize is the message size at which latencies and message rates are reported, where the table has it.
const headlineSize = 8

// add requires that sizes double from row to row: one that is missing was lost.
func (s *sweep) add(row sweepRow) error {
	if n := len(*s); n > 0 && row.size != max(1, 2*(*s)[n-1].size) {
		return result.Bad("the row of %d bytes follows that of %d: rows are missing, or two outputs are mixed", row.size, (*s)[n-1].size)
	}
	*s = append(*s, row)
	return nil
}

// headline is the row of the longest messages, or for latencies and rates (small) that of 8 bytes, or of the shortest that are not
// empty where there is no such row.
func (s sweep) headline(small bool) sweepRow {
	i := slices.IndexFunc(s, func(row sweepRow) bool { return row.size == headlineSize })
	if i < 0 {
		i = slices.IndexFunc(s, func(row sweepRow) bool { return row.size > 0 })
	}
	if !small || i < 0 {
		i = len(s) - 1
	}
	return s[i]
}
