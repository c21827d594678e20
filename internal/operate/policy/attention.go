package policy

import (
	"cmp"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
	"github.com/assay-dev/assay/internal/quantity"
)

// longestRow that the API takes.
const longestRow = 512

// row of a node in the status.
func (r *reporting) row(n *node) v1alpha1.NodeAttention {
	reason, text := r.reason(n)
	return v1alpha1.NodeAttention{Name: n.Object.Name, Reason: reason, Message: quantity.Clip(text, longestRow),
		Since: metav1.Time{Time: r.rowSince(n).UTC()}, Gated: n.gated, Overdue: n.overdue}
}

// reason of a row, and its text.
func (r *reporting) reason(n *node) (reason, text string) {
	switch {
	case n.State == validity.Valid && r.spec.Suspend:
		return v1alpha1.ReasonSuspended, "the node holds a valid pass; its gate opens once spec.suspend is false"
	case n.State == validity.Valid && !r.gate.allowed:
		return v1alpha1.ReasonGateNotAllowed, gateKeyNotAllowed(r.gate.taint.Key)
	case n.State == validity.Valid:
		return v1alpha1.ReasonGateConflict,
			fmt.Sprintf("the node holds a valid pass; its gate stays closed because policy %s has the same gate for it", r.gate.rivalOf(n.Object))
	case r.letInByHand(n):
		return v1alpha1.ReasonGateOpenedByHand, "let in by hand, without a valid pass: " + r.why(n)
	}
	return r.dueFor(n), r.why(n)
}

// dueFor is why a node holds no valid pass, the reason first that somebody has to do something about.
func (r *reporting) dueFor(n *node) string {
	switch {
	case n.State == validity.Unfit && n.Standing != validity.Failed:
		return v1alpha1.ReasonUnfit
	case n.State == validity.Unfit:
		return v1alpha1.ReasonFailed
	case n.stuck:
		return v1alpha1.ReasonGateStuck
	case n.lack.Any():
		return n.lack.Reason
	case n.Standing == validity.Unmeasured:
		return v1alpha1.ReasonUnmeasured
	case r.busy(n) != "":
		return v1alpha1.ReasonNodeBusy
	case r.outside(n):
		return v1alpha1.ReasonOutsideWindow
	case n.waits && n.run == "":
		return v1alpha1.ReasonOverBudget
	}
	return dueReasons[n.Standing]
}

// dueReasons of nodes that are due, by how they stand.
var dueReasons = map[validity.Standing]string{validity.Requested: v1alpha1.ReasonRequested, validity.Changed: v1alpha1.ReasonChanged,
	validity.Expired: v1alpha1.ReasonExpired, validity.Never: v1alpha1.ReasonNeverValidated}

// why a node holds no valid pass, and what happens next.
func (u *understood) why(n *node) string {
	return u.cause(n) + "; " + u.prospect(n)
}

func (u *understood) cause(n *node) string {
	b := ""
	if n.Benchmark != nil {
		b = n.Benchmark.Object.Name
	}
	switch {
	case n.State == validity.Unfit && n.Standing != validity.Failed:
		return fmt.Sprintf("%s convicted the node (%s), and no later measurement has refuted that", n.Conviction.Benchmark,
			cmp.Or(n.Conviction.Metric, "data"))
	case n.Standing == validity.Failed:
		return fmt.Sprintf("failed %s at %s in run %s", b, message.At(n.At), n.newest().Run)
	case n.Standing == validity.Unmeasured:
		return fmt.Sprintf("%s came to neither Pass nor Fail at %s (%s)", b, message.At(n.At), n.Finding.Reason)
	case n.Standing == validity.Requested:
		return fmt.Sprintf("the annotation assay.dev/validate-now asked for all nodes at %s", message.At(u.terms.Requested))
	case n.Standing == validity.Changed && n.Change == v1alpha1.ChangeBenchmark && n.newest().Machine == nil:
		return fmt.Sprintf("passed %s at %s, but the record does not say what was asked or of which machine: it is an earlier release's, "+
			"or the node changed before its result was read", b, message.At(n.At))
	case n.Standing == validity.Changed && n.Change == v1alpha1.ChangeDevices && validity.OnlyFabric(n.newest().Machine, u.terms.Machine(n.Object, n.Benchmark.Object)):
		return fmt.Sprintf("passed %s at %s, but its fabric has changed since", b, message.At(n.At))
	case n.Standing == validity.Changed:
		return fmt.Sprintf("passed %s at %s, but %s", b, message.At(n.At), hasChanged[n.Change])
	case n.Standing == validity.Expired:
		return fmt.Sprintf("passed %s at %s, more than validForSeconds (%d) ago", b, message.At(n.At), *u.spec.ValidForSeconds)
	}
	return "never measured by " + b
}

// newest result of the benchmark that is told.
func (n *node) newest() *v1alpha1.HistoryEntry {
	return validity.Newest(n.Validation.Benchmark(n.Benchmark.Object.Name), n.Benchmark.Asked)
}

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

// letInByHand: somebody else opened the node's gate, and it was not judged since.
func (r *reporting) letInByHand(n *node) bool {
	if n.gated || r.gate.Gate == nil {
		return false
	}
	if n.seen.ByHand {
		return true
	}
	record, ok := v1alpha1.GateRecordOf(n.Object.Annotations)
	return ok && record.By == v1alpha1.GateOpenedBySomebody && record.Policy == r.Policy.Name && !r.judgedSince(n, record.OpenedAt.Time)
}

// judgedSince a time: the node failed, or passed all that applies to it.
func (r *reporting) judgedSince(n *node, since time.Time) bool {
	whole := true
	for i := range r.Benchmarks {
		b := r.Benchmarks[i].Object
		entry := validity.Newest(validity.Known(n.subject()).Benchmark(b.Name), r.Benchmarks[i].Asked)
		switch {
		case entry != nil && entry.Time.After(since):
			if entry.Verdict == v1alpha1.VerdictFail {
				return true
			}
		case needs.Exempts(b, n.Object):
		default:
			whole = false
		}
	}
	return whole
}

// rowSince is since when a node needs attention: a valid one is listed for its gate.
func (r *reporting) rowSince(n *node) time.Time {
	if n.State == validity.Valid {
		return n.seen.ClosedSince
	}
	return n.since
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

// hasChanged says what is no longer as it was when the node passed.
var hasChanged = map[v1alpha1.Change]string{
	v1alpha1.ChangeReboot:    "the node has rebooted since",
	v1alpha1.ChangeKernel:    "its kernel has changed since",
	v1alpha1.ChangeDriver:    "its driver has changed since",
	v1alpha1.ChangeDevices:   "its devices have changed since",
	v1alpha1.ChangeBenchmark: "by another image, command or expectation than the policy asks for",
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
