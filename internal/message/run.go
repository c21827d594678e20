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
func NotMeasuredWithOthers() string { return "its measurements with other nodes were incomplete" }

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

// What a run waits for: its conditions.

// SuspendedAt is for a suspended run of which so many nodes are done, as "3/4".
func SuspendedAt(progress string) string {
	return fmt.Sprintf("suspended with %s nodes done: set spec.suspend to false to resume", progress)
}

// Suspended is for a suspended run that cannot go on as it is.
func Suspended() string { return "spec.suspend is true: set it to false to resume" }

// Measuring is for a run that goes on.
func Measuring(nodes int32, progress string) string {
	if nodes == 1 {
		return fmt.Sprintf("1 node is being measured, %s done", progress)
	}
	return fmt.Sprintf("%d nodes are being measured, %s done", nodes, progress)
}

// Ending is for a run that has all verdicts and waits for something.
func Ending(progress, waits string) string { return fmt.Sprintf("%s done; %s", progress, waits) }

// NodeWaits is for a run of which nothing goes on; node is the first that waits.
func NodeWaits(progress, node, why string) string {
	return fmt.Sprintf("%s done; node %s: %s", progress, node, why)
}

// PodToEnd is a pod that a run waits for.
func PodToEnd(pod, node string) string { return fmt.Sprintf("pod %s to end on node %s", pod, node) }

// JobToEnd is an MPIJob that a run waits for.
func JobToEnd(job string) string { return fmt.Sprintf("MPIJob %s to end", job) }

// WaitsForEnd says what a run waits for that has all verdicts: the first thing, and how many more.
func WaitsForEnd(first string, more int) string {
	switch {
	case first == "":
		return "storing the results"
	case more == 0:
		return "waiting for " + first
	}
	return fmt.Sprintf("waiting for %s, and for %d more", first, more)
}

// PodLeft is for a run that is over and has a pod left.
func PodLeft(pod, node string) string {
	return fmt.Sprintf("pod %s is still ending on node %s: a process may hang in a driver; check the node", pod, node)
}

// PodCutOff is for a run that is over and has a pod left on a node that nobody reaches.
func PodCutOff(pod, node string) string {
	return fmt.Sprintf("pod %s stays on node %s, which cannot be reached: it ends when the node is back, or with it", pod, node)
}

// JobLeft is for a run that is over and has an MPIJob left.
func JobLeft(job string) string { return fmt.Sprintf("MPIJob %s is still ending", job) }

// WriteRetried adds the last error of a write to the condition of a run that goes on.
func WriteRetried(message, err string) string { return message + "; trying again: " + err }

// WriteGivenUp adds the last error of a write to the condition of a run that is over.
func WriteGivenUp(message, err string) string {
	return message + "; given up at the deadline: " + err
}

// CannotStart is for a run that the API server keeps from its start.
func CannotStart(err error) string { return "the run cannot start: " + err.Error() }

// CannotRead is for a run that rests on what the operator cannot read.
func CannotRead(err error) string {
	return "the run cannot go on: " + err.Error() + ": it goes on once this can be read, and ends at its deadline otherwise"
}

// CannotCleanUp is for a deleted run of which not everything could be deleted, or seen.
func CannotCleanUp(err error) string { return "the run is being deleted: " + err.Error() }

// LetGo is for a deleted run of which something may be left that holds no node: it belongs to the run, so that Kubernetes deletes it.
func LetGo(err error) string {
	return "no pod of the run is left, and Kubernetes deletes what else belongs to it: " + err.Error()
}

// RunStarted is the event of a run's start.
func RunStarted(nodes int32, benchmarks int) string {
	return fmt.Sprintf("measuring %s by %s", several(int(nodes), "node"), several(benchmarks, "benchmark"))
}

// LaunchFailed is the event of a pod or MPIJob that could not be created.
func LaunchFailed(err string) string {
	return err + ": this delays the run, which tries again until its deadline"
}
