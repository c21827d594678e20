package policy

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// prospect is what a node waits for.
func (u *understood) prospect(n *node) string {
	switch {
	case n.run != "":
		return fmt.Sprintf("run %s includes the node now", n.run)
	case u.spec.Suspend:
		return policyIsSuspended
	case n.lack.Any():
		return n.lack.Text(n.Object)
	case n.State == validity.Unfit && n.wants == "" && n.Standing != validity.Failed:
		return fmt.Sprintf("repair the node, then start a run with %s", n.Conviction.Benchmark)
	case n.wants == "":
		return retriesSpent(retryLimit(u.spec.Retry))
	case n.when.After(u.now):
		return u.nextTry(n)
	case u.busy(n) != "":
		return "measured as soon as it is idle: " + n.Look.Busy
	case u.outside(n):
		_, opens := u.window.open(u.now)
		return fmt.Sprintf("spec.schedule lets runs start again at %s", message.At(opens))
	case n.waits:
		return waitsForBudget(*u.spec.GPUSecondsPerDay, n.until)
	case n.InGroups:
		return "measured as soon as enough other nodes are idle to measure it with"
	case u.runs.active >= maxActive:
		return fmt.Sprintf("waiting for one of %d runs of the policy to end", u.runs.active)
	}
	return "the next run takes it"
}

// nextTry says when a node is tried again that has to wait until then.
func (u *understood) nextTry(n *node) string {
	switch {
	case n.wants != v1alpha1.ReasonRetry:
		return fmt.Sprintf("the last run over the node changed nothing; the next may come at %s", message.At(n.when))
	case u.triedTooEarly(n):
		return fmt.Sprintf("nothing could run on this new node yet: attempt %d is due at %s, and does not count as a retry", len(n.tries.Early)+1,
			message.At(n.when))
	}
	return fmt.Sprintf("retry %d of %d is due at %s", len(n.tries.Runs), retryLimit(u.spec.Retry), message.At(n.when))
}

// busy says what holds a node that would be measured if it were idle.
func (u *understood) busy(n *node) string {
	if n.seen.ReadySince.IsZero() || n.run != "" {
		return ""
	}
	return n.Look.Busy
}

// outside: only the schedule keeps the node from being measured.
func (u *understood) outside(n *node) bool {
	if n.seen.ReadySince.IsZero() || n.gated || n.run != "" || n.wants == v1alpha1.ReasonRequested {
		return false
	}
	open, _ := u.window.open(u.now)
	return !open
}

// waitsForBudget until then at least; zero: until a run of the policy ends.
func waitsForBudget(limit int64, until time.Time) string {
	text := fmt.Sprintf("spec.gpuSecondsPerDay (%d) leaves too little for it now; measured", limit)
	if until.IsZero() {
		return text + " once a run of the policy has ended and left enough, or a day after"
	}
	return text + " from " + message.At(until) + " on, in the order in which nodes became due"
}

const policyIsSuspended = "spec.suspend is true, so no run is started and no gate is opened: set it to false to resume"

func gateKeyNotAllowed(key string) string {
	return fmt.Sprintf("gates with taint key %s stay closed: have an administrator add the key to --allowed-gate-keys (chart value "+
		"gate.allowedTaintKeys)", key)
}

// retriesSpent is for a node that no retry is left for.
func retriesSpent(limit int) string {
	retries := fmt.Sprintf("%d retries ended the same way", limit)
	switch limit {
	case 0:
		retries = "spec.retry.limit is 0"
	case 1:
		retries = "1 retry ended the same way"
	}
	return fmt.Sprintf("%s: repair and reboot the node, start a run over it, or set the annotation %s of the policy to a new value", retries,
		v1alpha1.AnnotationValidateNow)
}
