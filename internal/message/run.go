package message

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/quantity"
)

// What a node does that has no verdict yet: its row in the run's status.

// PodRuns is for a node whose program runs.
func PodRuns(pod string) string { return fmt.Sprintf("pod %s is running", pod) }

// GroupRuns is for a node that is measured with others.
func GroupRuns(benchmark, others, job string) string {
	return fmt.Sprintf("%s is measuring the node with %s (MPIJob %s)", benchmark, others, job)
}

// AttemptStarts is for a node whose next pod or MPIJob is being created.
func AttemptStarts(benchmark string, attempt int32) string {
	return fmt.Sprintf("attempt %d of %s is starting", attempt, benchmark)
}

// AttemptCollected is for an attempt that is stored, until its pod or MPIJob is gone.
func AttemptCollected(attempt int32, source string) string {
	return fmt.Sprintf("attempt %d is stored; %s is being removed", attempt, source)
}

// AttemptRepeated is for an attempt whose pod or MPIJob was deleted by somebody while it ran.
func AttemptRepeated(attempt int32, source string) string {
	return fmt.Sprintf("somebody deleted %s while it was running: attempt %d starts again once it is gone", source, attempt)
}

// PodRemoved is for a pod that belongs to no attempt of the run.
func PodRemoved(pod string) string { return fmt.Sprintf("pod %s is being removed", pod) }

// AttemptStopped is for an attempt whose pod or MPIJob the run stops, as it is suspended or overdue.
func AttemptStopped(attempt int32, source string) string {
	return fmt.Sprintf("attempt %d was stopped; %s is being removed", attempt, source)
}

// What a node waited for when the deadline passed.

// NotMeasuredInTime is for a node that was not measured within the run's deadline. waited says what kept it; empty: nothing that is
// known.
func NotMeasuredInTime(waited string, seconds int64) string {
	if waited == "" {
		return fmt.Sprintf("not measured within activeDeadlineSeconds (%d): raise it, or measure more nodes at once", seconds)
	}
	return fmt.Sprintf("%s; activeDeadlineSeconds (%d) passed first: remove what delayed the node, or raise it", waited, seconds)
}

// PodNotStarted is for a pod whose program had not started, and nothing is known to have kept it.
func PodNotStarted(pod string) string { return fmt.Sprintf("pod %s had not started its program", pod) }

// ProgramRan is for a program that still ran; limit is the Benchmark's timeoutSeconds.
func ProgramRan(ran, limit time.Duration) string {
	return fmt.Sprintf("the program had run for %d s (its timeoutSeconds allows %d)", int(ran.Seconds()), int(limit.Seconds()))
}

// WaitsForBenchmark is for a benchmark whose turn on the node had not come.
func WaitsForBenchmark(benchmark string) string {
	return fmt.Sprintf("%s, which comes before it on the node, had not ended", benchmark)
}

// NotMeasuredWithOthers is for a node whose group had not been measured to the end.
func NotMeasuredWithOthers() string { return "its measurements with other nodes were not complete" }

// What was measured of a node in pairs with others.

// PairsReading is what the pairs of a node measured of a metric: the median over so many pairs, and its range.
func PairsReading(metric, unit string, median, low, high float64, pairs int) string {
	if pairs == 1 {
		return fmt.Sprintf("%s %s in its only pair", metric, quantity.Format(median, unit))
	}
	scale := quantity.NewScale(unit, median, low, high)
	return fmt.Sprintf("%s %s (median of %d pairs, %s to %s)", metric, scale.Format(median), pairs, scale.Number(low), scale.Format(high))
}

// WithReading adds what was measured to what was found; an empty reading adds nothing.
func WithReading(found, reading string) string {
	if reading == "" {
		return quantity.Clip(found, Longest)
	}
	return ending(found, "; measured: "+reading)
}
