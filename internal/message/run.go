package message

import "fmt"

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
