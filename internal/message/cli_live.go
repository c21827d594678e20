package message

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/quantity"
)

// WatchFinding says what a run found that no single node is to blame for.
func WatchFinding(kind string, members []string, benchmark, message string) string {
	return ReportFinding(kind, members) + ": " + benchmark + ": " + message
}

// WatchAttempt names a benchmark that measures a suspect again.
func WatchAttempt(benchmark string, attempt int32) string {
	return fmt.Sprintf("%s, attempt %d", benchmark, attempt)
}

// WatchRound names a benchmark that measures pairs.
func WatchRound(benchmark string, round int32) string {
	return fmt.Sprintf("%s, round %d", benchmark, round)
}

// WatchElapsed says for how long a benchmark has run, and about how long it takes; 0: not known.
func WatchElapsed(elapsed, expected time.Duration) string {
	if expected == 0 {
		return durationShort(elapsed)
	}
	return fmt.Sprintf("%s of about %s", durationShort(elapsed), durationShort(expected))
}

// WatchValue is the last value of a node, with its percent of peak where that is known.
func WatchValue(metric, value string, percentOfPeak float64, known bool) string {
	text := "last: " + metric + " " + value
	if known {
		text += fmt.Sprintf(" (%s of peak)", quantity.Percent(percentOfPeak))
	}
	return text
}

// WatchLeft says how much of a run is done, from 0 to 1, and about how long the rest takes.
func WatchLeft(done float64, left time.Duration) string {
	if left < time.Second {
		return "takes longer than expected"
	}
	step := time.Second
	if left > 5*time.Minute {
		step = time.Minute
	}
	return fmt.Sprintf("%d%%, about %s left", int(100*done), durationShort(left.Round(step)))
}
