package message

import (
	"fmt"

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

// MeasuredAgain is for a benchmark of which nothing counts yet: each of its attempts was disturbed, or measured too little.
func MeasuredAgain(why string, attempts, most int) string {
	return quantity.Clip(fmt.Sprintf("measured again (attempt %d of at most %d): %s", attempts+1, most, why), Longest)
}

// StaysDisturbed is for a benchmark that was given up, as none of so many attempts counts.
func StaysDisturbed(why string, attempts int) string {
	return ending(why, fmt.Sprintf("; so it was in each of %s: free the devices, then start another run", several(attempts, "attempt")))
}

// AttemptCountsNot is why an attempt follows one that was disturbed, or measured too little.
func AttemptCountsNot(attempt int32, reason string) string {
	return fmt.Sprintf("attempt %d does not count (%s)", attempt, reason)
}
