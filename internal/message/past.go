package message

import (
	"fmt"
	"math"
	"time"

	"github.com/assay-dev/assay/internal/quantity"
)

// OffBaseline compares a part with its own first passing runs. Deviations are in percent; allowed is the one that is expected at most.
func OffBaseline(deviation, baseline float64, passes int, since time.Time, allowed float64, s quantity.Scale) string {
	return offOwn(deviation, "baseline", baseline, fmt.Sprintf("first %d passes, since %s", passes, day(since)), allowed, s)
}

// OffRecentPasses compares a part with its own latest passing runs.
func OffRecentPasses(deviation, median float64, passes int, allowed float64, s quantity.Scale) string {
	return offOwn(deviation, "median", median, fmt.Sprintf("last %d passes", passes), allowed, s)
}

func offOwn(deviation float64, what string, level float64, of string, allowed float64, s quantity.Scale) string {
	off, most := math.Abs(deviation), math.Abs(allowed)
	return fmt.Sprintf("%s %s its own %s of %s (%s), at most %s expected", quantity.PercentBeside(off, most), side(deviation), what,
		s.Format(level), of, quantity.PercentBeside(most, off))
}

// day of a time, as people write it.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// TooFewPasses explains why a part has no baseline.
func TooFewPasses(passes, needed int) string {
	return fmt.Sprintf("it has %s in this configuration, and a baseline needs %d", several(passes, "earlier passing result"), needed)
}
