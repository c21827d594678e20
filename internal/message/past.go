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

// Drifts warns of a part that has left its baseline: by how much, in percent, in the mean of so many of its latest passes, and since
// when; earlier: the change came before that, which is as far back as values are kept.
func Drifts(deviation, baseline float64, passes int, onset time.Time, earlier bool, s quantity.Scale) string {
	mean := "in its last pass"
	if passes > 1 {
		mean = fmt.Sprintf("mean of its last %d passes", passes)
	}
	since := "since " + day(onset)
	if earlier {
		since = "since before " + day(onset)
	}
	return fmt.Sprintf("%s %s its own baseline of %s %s (%s)", quantity.Percent(math.Abs(deviation)), side(deviation), s.Format(baseline),
		since, mean)
}

// DriftsBy says how fast a part gets worse, in percent a week.
func DriftsBy(percent float64, since time.Time) string {
	return fmt.Sprintf("it has got worse by %s a week since %s", quantity.Percent(percent), day(since))
}

// Warned is for a node that fails by none of its warnings; others is how many more there are.
func Warned(benchmark, warning string, others int) string {
	if others == 0 {
		return fmt.Sprintf("%s warns: %s", benchmark, warning)
	}
	return fmt.Sprintf("%s warns: %s (and %s)", benchmark, warning, several(others, "more warning"))
}

// Unstable warns of a part that was suspect again and again, and each time as good as ever when it was measured once more.
func Unstable(part string, uuids, metrics []string, times, runs int, last time.Time) string {
	return fmt.Sprintf("%s fell short in %d of the last %d runs (%s) and was fine each time it was measured again, last on %s: look for an intermittent cause, such as heat, power or a loose link",
		partWith(part, uuids), times, runs, names(metrics), day(last))
}
