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
	case n.State == validity.Valid && r.gate.rivalOf(n.Object) != "":
		return v1alpha1.ReasonGateConflict,
			fmt.Sprintf("the node holds a valid pass; its gate stays closed because policy %s has the same gate for it", r.gate.rivalOf(n.Object))
	case n.State == validity.Valid:
		return v1alpha1.ReasonGateClosed,
			fmt.Sprintf("the node holds a valid pass; its gate opens once run %s, which measures it as well, is over", r.runs.measures(n.Object, n.lastRun().UID).Name)
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
	case n.Standing == validity.Changed:
		return u.changed(n, b)
	case n.Standing == validity.Expired:
		return fmt.Sprintf("passed %s at %s, more than validForSeconds (%d) ago", b, message.At(n.At), *u.spec.ValidForSeconds)
	}
	return "never measured by " + b
}

// changed says what was measured last by a benchmark, and why that does not count.
func (u *understood) changed(n *node, b string) string {
	switch last := n.newest(); {
	case last.Verdict == v1alpha1.VerdictFail:
		return fmt.Sprintf("failed %s at %s in run %s, %s", b, message.At(n.At), last.Run, hasChanged[v1alpha1.ChangeBenchmark])
	case n.Change == v1alpha1.ChangeBenchmark && last.Machine == nil:
		return fmt.Sprintf("passed %s at %s, but the record does not say what was asked or of which machine: it is an earlier release's, "+
			"or the node changed before its result was read", b, message.At(n.At))
	case n.Change == v1alpha1.ChangeDevices && validity.OnlyFabric(last.Machine, u.terms.Machine(n.Object, n.Benchmark.Object)):
		return fmt.Sprintf("passed %s at %s, but its fabric has changed since", b, message.At(n.At))
	}
	return fmt.Sprintf("passed %s at %s, but %s", b, message.At(n.At), hasChanged[n.Change])
}

// newest result of the benchmark that is told.
func (n *node) newest() *v1alpha1.HistoryEntry {
	return n.Benchmark.Newest(n.Validation.Benchmark(n.Benchmark.Object.Name))
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
		entry := r.Benchmarks[i].Newest(validity.Known(n.subject()).Benchmark(b.Name))
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

// hasChanged says what is no longer as it was when the node passed.
var hasChanged = map[v1alpha1.Change]string{
	v1alpha1.ChangeReboot:    "the node has rebooted since",
	v1alpha1.ChangeKernel:    "its kernel has changed since",
	v1alpha1.ChangeDriver:    "its driver has changed since",
	v1alpha1.ChangeDevices:   "its devices have changed since",
	v1alpha1.ChangeBenchmark: "by another image, command or expectation than the policy asks for",
}
