package message

import (
	"fmt"
	"time"
)

// Why a node holds no valid pass of a policy.

// PolicyNode joins why a node holds no valid pass and what happens next.
func PolicyNode(why, next string) string { return why + "; " + next }

// NodeNeverPassed is for a node that no run has measured.
func NodeNeverPassed(benchmark string) string { return "never measured by " + benchmark }

// NodePassExpired is for a pass that is too old.
func NodePassExpired(benchmark string, measured time.Time, validFor int64) string {
	return fmt.Sprintf("passed %s at %s, more than validForSeconds (%d) ago", benchmark, at(measured), validFor)
}

// NodeChanged is for a pass of what is no longer so; change is one that spec.revalidateOn may name.
func NodeChanged(benchmark, change string, measured time.Time) string {
	what := map[string]string{
		"Reboot":          "the node has rebooted since",
		"KernelChange":    "its kernel has changed since",
		"DriverChange":    "its driver has changed since",
		"DeviceChange":    "its devices have changed since",
		"BenchmarkChange": "by another image, command or expectation than the policy asks for",
	}[change]
	return fmt.Sprintf("passed %s at %s, but %s", benchmark, at(measured), what)
}

// NodeFabricChanged is for a pass over another fabric than the node has now.
func NodeFabricChanged(benchmark string, measured time.Time) string {
	return fmt.Sprintf("passed %s at %s, but its fabric has changed since", benchmark, at(measured))
}

// NodeRequested is for a node that all others are asked with.
func NodeRequested(since time.Time) string {
	return fmt.Sprintf("the annotation assay.dev/validate-now asked for all nodes at %s", at(since))
}

// NodeFailedBenchmark is for a node whose newest Pass or Fail is a Fail.
func NodeFailedBenchmark(benchmark, run string, measured time.Time) string {
	return fmt.Sprintf("failed %s at %s in run %s", benchmark, at(measured), run)
}

// NodeConvicted is for a node on which a conviction stands, by a benchmark of the policy or another one.
func NodeConvicted(benchmark, metric string) string {
	return fmt.Sprintf("%s convicted the node (%s), and no later measurement has refuted that", benchmark, partOr(metric, "data"))
}

// NodeNotMeasuredBy is for a node whose latest measurement came to neither Pass nor Fail.
func NodeNotMeasuredBy(benchmark, reason string, measured time.Time) string {
	return fmt.Sprintf("%s came to neither Pass nor Fail at %s (%s)", benchmark, at(measured), reason)
}

// What such a node waits for.

// ValidatedByRun is for a node that a run has.
func ValidatedByRun(run string) string { return fmt.Sprintf("run %s includes the node now", run) }

// ConvictionStands says what lifts a conviction that the policy's own runs do not refute.
func ConvictionStands(benchmark string) string {
	return fmt.Sprintf("repair the node, then start a run with %s", benchmark)
}

// RetriesSpent is for a node that no retry is left for.
func RetriesSpent(limit int, annotation string) string {
	retries := fmt.Sprintf("%d retries ended the same way", limit)
	switch limit {
	case 0:
		retries = "spec.retry.limit is 0"
	case 1:
		retries = "1 retry ended the same way"
	}
	return fmt.Sprintf("%s: repair and reboot the node, start a run over it, or set the annotation %s of the policy to a new value", retries, annotation)
}

// RetryComes says when.
func RetryComes(retry, limit int, when time.Time) string {
	return fmt.Sprintf("retry %d of %d is due at %s", retry, limit, at(when))
}

// NextTryAt is for a node that the last run over it left as it was.
func NextTryAt(when time.Time) string {
	return fmt.Sprintf("the last run over the node changed nothing; the next may come at %s", at(when))
}

// WaitsUntilIdle is for a node that somebody uses.
func WaitsUntilIdle(busy string) string {
	return "measured as soon as it is idle: " + busy
}

// WaitsForWindow is for a node that the schedule keeps waiting.
func WaitsForWindow(opens time.Time) string {
	return fmt.Sprintf("spec.schedule lets runs start again at %s", at(opens))
}

// WaitsForPartner is for a node of which only what is measured in groups is missing.
func WaitsForPartner() string {
	return "measured as soon as enough other nodes are idle to measure it with"
}

// WaitsForRuns is for a node while as many runs are active as may be.
func WaitsForRuns(active int) string {
	return fmt.Sprintf("waiting for one of %d runs of the policy to end", active)
}

// WaitsForBatch is for a node that is put into the next run.
func WaitsForBatch() string { return "the next run takes it" }

// PolicyNodeNotReady is for a node that is not Ready since a time.
func PolicyNodeNotReady(since time.Time) string {
	return fmt.Sprintf("measured once the node is Ready, which it has not been since %s", at(since))
}

// PolicyNodeCordoned is for a node with spec.unschedulable.
func PolicyNodeCordoned() string { return "measured once the node is uncordoned" }

// NodeOffersFewer is for a node with fewer devices than its label counts.
func NodeOffersFewer(resource string, offered int64, label, count string) string {
	return fmt.Sprintf("measured once the node offers all its devices: it offers %d %s, and its label %s says %s", offered, resource, label, count)
}

// PolicyNodeOverdue is the event of a node that is due for too long.
func PolicyNodeOverdue(policy string, since time.Time, why string) string {
	return fmt.Sprintf("policy %s: due since %s, longer than overdueSeconds: %s", policy, at(since), why)
}

func partOr(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}
