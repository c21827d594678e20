package policy

import (
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
func (p *pass) row(n *node) v1alpha1.NodeAttention {
	return v1alpha1.NodeAttention{Name: n.Object.Name, Reason: p.reason(n), Message: quantity.Clip(p.rowText(n), longestRow),
		Since: metav1.Time{Time: p.rowSince(n).UTC()}, Gated: n.gated, Overdue: n.overdue}
}

// reason of a row, the one first that somebody has to do something about.
func (p *pass) reason(n *node) string {
	switch {
	case n.State == validity.Valid:
		return p.gateReason()
	case p.letInByHand(n):
		return v1alpha1.ReasonGateOpenedByHand
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
	case p.busy(n) != "":
		return v1alpha1.ReasonNodeBusy
	case p.outside(n):
		return v1alpha1.ReasonOutsideWindow
	}
	return dueReason(n.Standing)
}

// gateReason is why the gate of a valid node is closed.
func (p *pass) gateReason() string {
	switch {
	case p.spec.Suspend:
		return v1alpha1.ReasonSuspended
	case !p.gate.allowed:
		return v1alpha1.ReasonGateNotAllowed
	}
	return v1alpha1.ReasonGateConflict
}

func dueReason(s validity.Standing) string {
	switch s {
	case validity.Requested:
		return v1alpha1.ReasonRequested
	case validity.Changed:
		return v1alpha1.ReasonChanged
	case validity.Expired:
		return v1alpha1.ReasonExpired
	}
	return v1alpha1.ReasonNeverValidated
}

func (p *pass) rowText(n *node) string {
	switch {
	case n.State == validity.Valid && p.spec.Suspend:
		return message.GateWaitsSuspended()
	case n.State == validity.Valid && !p.gate.allowed:
		return message.GateKeyNotAllowed(p.gate.taint.Key)
	case n.State == validity.Valid:
		return message.GateHasRival(p.gate.rivalOf(n.Object))
	case p.letInByHand(n):
		return message.LetInByHand(p.why(n))
	}
	return p.why(n)
}

// why a node holds no valid pass, and what happens next.
func (p *pass) why(n *node) string {
	return message.PolicyNode(p.cause(n), p.prospect(n))
}

func (p *pass) cause(n *node) string {
	b := ""
	if n.Benchmark != nil {
		b = n.Benchmark.Object.Name
	}
	switch {
	case n.State == validity.Unfit && n.Standing != validity.Failed:
		return message.NodeConvicted(n.Conviction.Benchmark, n.Conviction.Metric)
	case n.Standing == validity.Failed:
		return message.NodeFailedBenchmark(b, n.failedIn(), n.At)
	case n.Standing == validity.Unmeasured:
		return message.NodeNotMeasuredBy(b, n.Finding.Reason, n.At)
	case n.Standing == validity.Requested:
		return message.NodeRequested(p.terms.Requested)
	case n.Standing == validity.Changed && n.Change == v1alpha1.ChangeBenchmark && n.ofEarlierRelease():
		return message.NodeRecordTooOld(b, n.At)
	case n.Standing == validity.Changed && n.Change == v1alpha1.ChangeDevices && validity.OnlyFabric(validity.Newest(n.Validation.Benchmark(b), n.Benchmark.Asked).Machine, p.terms.Machines.Of(n.Object, n.Benchmark.Object)):
		return message.NodeFabricChanged(b, n.At)
	case n.Standing == validity.Changed:
		return message.NodeChanged(b, string(n.Change), n.At)
	case n.Standing == validity.Expired:
		return message.NodePassExpired(b, n.At, *p.spec.ValidForSeconds)
	}
	return message.NodeNeverPassed(b)
}

// ofEarlierRelease: the newest result does not say what was asked, or of which machine.
func (n *node) ofEarlierRelease() bool {
	entry := validity.Newest(n.Validation.Benchmark(n.Benchmark.Object.Name), n.Benchmark.Asked)
	return entry != nil && entry.Machine == nil
}

// failedIn is the run that failed the node.
func (n *node) failedIn() string {
	return validity.Newest(n.Validation.Benchmark(n.Benchmark.Object.Name), n.Benchmark.Asked).Run
}

// prospect is what a node waits for.
func (p *pass) prospect(n *node) string {
	switch {
	case n.run != "":
		return message.ValidatedByRun(n.run)
	case p.spec.Suspend:
		return message.PolicyIsSuspended()
	case n.lack.Any():
		return n.lack.Text(n.Object)
	case n.State == validity.Unfit && n.wants == "" && n.Standing != validity.Failed:
		return message.ConvictionStands(n.Conviction.Benchmark)
	case n.wants == "":
		return message.RetriesSpent(retryLimit(p.spec.Retry), v1alpha1.AnnotationValidateNow)
	case n.when.After(p.now):
		return p.nextTry(n)
	case p.busy(n) != "":
		return message.WaitsUntilIdle(n.Look.Busy)
	case p.outside(n):
		_, opens := p.window.open(p.now)
		return message.WaitsForWindow(opens)
	case n.InGroups:
		return message.WaitsForPartner()
	case p.runs.active >= MaxActive:
		return message.WaitsForRuns(p.runs.active)
	}
	return message.WaitsForBatch()
}

// nextTry says when a node is tried again that has to wait until then.
func (p *pass) nextTry(n *node) string {
	switch {
	case n.wants != v1alpha1.ReasonRetry:
		return message.NextTryAt(n.when)
	case p.triedTooEarly(n):
		return message.EarlyRetryComes(len(n.tries.Early)+1, n.when)
	}
	return message.RetryComes(len(n.tries.Runs), retryLimit(p.spec.Retry), n.when)
}

// busy says what holds a node that would be measured if it were idle.
func (p *pass) busy(n *node) string {
	if n.seen.ReadySince.IsZero() || n.run != "" {
		return ""
	}
	return n.Look.Busy
}

// outside: only the schedule keeps the node from being measured.
func (p *pass) outside(n *node) bool {
	if n.seen.ReadySince.IsZero() || n.gated || n.run != "" || n.wants == v1alpha1.ReasonRequested {
		return false
	}
	open, _ := p.window.open(p.now)
	return !open
}

// letInByHand: somebody else opened the node's gate, and it was not judged since.
func (p *pass) letInByHand(n *node) bool {
	if n.gated || p.gate.Gate == nil {
		return false
	}
	if n.seen.ByHand {
		return true
	}
	record, ok := v1alpha1.GateRecordOf(n.Object.Annotations)
	return ok && record.By == v1alpha1.GateOpenedBySomebody && record.Policy == p.Policy.Name && !p.judgedSince(n, record.OpenedAt.Time)
}

// judgedSince a time: the node failed, or passed all that applies to it.
func (p *pass) judgedSince(n *node, since time.Time) bool {
	whole := true
	for i := range p.Benchmarks {
		b := p.Benchmarks[i].Object
		entry := validity.Newest(validity.Known(n.subject()).Benchmark(b.Name), p.Benchmarks[i].Asked)
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
func (p *pass) rowSince(n *node) time.Time {
	if n.State == validity.Valid {
		return n.seen.ClosedSince
	}
	return n.since
}
