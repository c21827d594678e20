package policy

import (
	"time"

	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

func (s *surveyed) wantRetry(n *node) {
	n.tries = s.terms.TriesOf(n.subject(), s.overSameFabric(n), s.youngUntil(n))
	switch {
	case !s.terms.Counts(n.At):
		n.wants, n.when = v1alpha1.ReasonRequested, s.terms.Requested
	case n.tries.None() || fresh(n.Validation, s.terms.Machine(n.Object, n.Benchmark.Object)):
		n.wants, n.when = v1alpha1.ReasonChanged, n.since
	case s.triedTooEarly(n):
		n.wants, n.when = v1alpha1.ReasonRetry, s.soon(n)
	default:
		if at := retryAt(s.spec.Retry, n.tries); !at.IsZero() {
			n.wants, n.when = v1alpha1.ReasonRetry, at
		}
	}
}

// fresh: the node is not what it was when it was last judged; what is not known has not changed.
func fresh(nv *v1alpha1.NodeValidation, is v1alpha1.Machine) bool {
	was := &nv.Fingerprint
	differs := func(was, is string) bool { return was != "" && is != "" && was != is }
	return differs(was.BootID, is.BootID) || differs(was.Kernel, is.Kernel) || differs(was.Driver, is.Driver)
}

// overSameFabric: the last run of the policy over a node, if any, went over the fabric that the node has now.
func (s *surveyed) overSameFabric(n *node) bool {
	last := &n.seen.Tried
	return last.Run == "" || !workload.OtherFabric(last.Fabric, s.terms.FabricOf(n.Object))
}

// triedTooEarly: it only takes time until the node can be measured, as far as is known.
func (u *understood) triedTooEarly(n *node) bool {
	return n.Standing == validity.Unmeasured && n.tries.LastEarly && retryLimit(u.spec.Retry) > 0
}

// triedInVain: the last run left the node as it was, or the node has passed since and yet is due for the same change, without a reboot: what
// it is measured as is not what it is, whatever the reason.
func (n *node) triedInVain() bool {
	t := &n.seen.Tried
	if t.Cause == n.Cause {
		return true
	}
	return n.Standing == validity.Changed && n.Change == t.Change && n.Object.Status.NodeInfo.BootID == t.Boot && !n.At.Before(t.At.Truncate(time.Second))
}

// triedBefore is what a process that has just begun can tell of the last runs over a node by the runs themselves: they were for the same reason, and
// are newer than anything that is known of the node.
func (s *surveyed) triedBefore(n *node) Tried {
	var t Tried
	_, up := workload.Readiness(n.Object)
	known := n.At
	if n.Holds() {
		known = n.Oldest
	}
	for _, run := range s.runs.finished[n.Object.Name] {
		made := run.CreationTimestamp.Time
		switch {
		case !made.After(known) || made.Before(n.Object.CreationTimestamp.Time) || made.Before(s.terms.Requested) || s.triedUntil(Tried{Run: run.Name}).Before(up):
			return t
		case run.Labels[v1alpha1.LabelPolicyReason] != n.wants:
			continue
		case t.Run == "":
			t = Tried{Run: run.Name, At: made, Cause: n.Cause, Change: n.Change, Boot: n.Object.Status.NodeInfo.BootID, Fabric: s.terms.FabricOf(n.Object), Exists: true}
		}
		t.Times++
	}
	return t
}

// fruitless is how long a node waits that runs have left as it was, because it was busy again, say: a minute at first, at most as long as
// the last retry of a failed one.
func (s *surveyed) fruitless(times int) time.Duration {
	longest := seconds(s.spec.Retry.AfterSeconds) << max(0, retryLimit(s.spec.Retry)-1)
	return min(time.Minute<<min(times-1, 20), max(time.Minute, longest))
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
func (s *surveyed) triedUntil(t Tried) time.Time {
	if run := s.runs.named(t.Run); run != nil && run.Status.CompletionTime != nil {
		return s.clamp(run.Status.CompletionTime.Time)
	}
	return s.clamp(t.At)
}
