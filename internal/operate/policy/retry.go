package policy

import (
	"time"

	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// youngUntil is when the time of a gated node's gate is over: what could not be measured before that was too young. Zero: the node was not gated.
// After a restart, one that is gated for the second time counts as gated anew; the status may tell since when it is to be measured.
func (s *surveying) youngUntil(n *node) time.Time {
	if n.gated {
		return list.Earliest(n.seen.ClosedSince, n.since).Add(s.gate.timeout)
	}
	if record, ok := v1alpha1.GateRecordOf(n.Object.Annotations); ok && record.Policy == s.Policy.Name { // somebody opened the gate meanwhile
		return record.OpenedAt.Time
	}
	return time.Time{}
}

// soon is when a node is tried again on which nothing could run because it was too young: a minute after the last run, twice as long after the next
// one, and so on, at most as long as any other node waits.
func (s *surveying) soon(n *node) time.Time {
	delay := min(time.Minute<<min(len(n.tries.Early)-1, 20), seconds(s.spec.Retry.AfterSeconds))
	last := n.tries.Last
	if t := n.seen.Tried; t.Run != "" {
		last = list.Latest(last, s.triedUntil(t))
	}
	return last.Add(delay)
}

// retryAt is when the next try may be; zero: there is none left.
func retryAt(r v1alpha1.Retry, made validity.Tries) time.Time {
	n, limit := len(made.Runs), retryLimit(r)
	if n > limit || limit == 0 { // early tries are no retries, but what follows them is one
		return time.Time{}
	}
	return made.Last.Add(seconds(r.AfterSeconds) << max(0, n-1))
}

// defaultRetryLimit of spec.retry, where the API server did not fill it in.
const defaultRetryLimit = 3

func retryLimit(r v1alpha1.Retry) int {
	return int(ptr.Deref(r.Limit, defaultRetryLimit))
}

// triedUntil is when the last run over a node was over, or, where that is not known any more, when it was created.
func (s *surveying) triedUntil(t Tried) time.Time {
	if run := s.runs.named(t.Run); run != nil && run.Status.CompletionTime != nil {
		return s.clamp(run.Status.CompletionTime.Time)
	}
	return s.clamp(t.At)
}
