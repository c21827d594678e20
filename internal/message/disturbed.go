package message

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Disturbed is for an attempt beside which something else used the devices; who is what the program saw of it.
func Disturbed(who string) string {
	return because("something else used the devices while they were measured", who)
}

// NotComparable is for an attempt that measured something smaller than it was to; what says how much, and what holds the memory.
func NotComparable(what string) string {
	return because("less was measured than asked for, so it cannot be compared", what)
}

// Interrupted is for an attempt whose program a signal stopped; why is what the program says of it.
func Interrupted(why string) string { return because("a signal stopped the program", why) }

// NotCompleted is for an attempt that ended in an error of the program, or of how it was started.
func NotCompleted(why string) string { return because("the program could not measure everything", why) }

// MeasuredAgain is for a benchmark of which nothing counts yet: each of its attempts was disturbed, or measured too little.
func MeasuredAgain(why string, attempts, most int) string {
	return quantity.Clip(fmt.Sprintf("measured again (attempt %d of at most %d): %s", attempts+1, most, why), Longest)
}

// StaysDisturbed is for a benchmark that was given up, as none of so many attempts counts; reason and why are those of the last one.
func StaysDisturbed(reason, why string, attempts int) string {
	advice := "free the devices"
	if reason == v1alpha1.ReasonInterrupted {
		advice = "find out what stops programs on this node"
	}
	return ending(why, fmt.Sprintf("; none of %s counts: %s, then start another run", several(attempts, "attempt"), advice))
}

// AttemptCountsNot is why an attempt follows one that was disturbed, or measured too little.
func AttemptCountsNot(attempt int32, reason string) string {
	return fmt.Sprintf("attempt %d does not count (%s)", attempt, reason)
}

// PausesAfter says when the next attempt follows one that does not count.
func PausesAfter(attempt int32, reason string, until time.Time) string {
	return fmt.Sprintf("%s; attempt %d is due at %s", AttemptCountsNot(attempt, reason), attempt+1, until.UTC().Format(time.RFC3339))
}
