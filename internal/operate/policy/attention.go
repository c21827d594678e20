package policy

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
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
	case n.state == valid:
		return p.gateReason()
	case p.letInByHand(n):
		return v1alpha1.ReasonGateOpenedByHand
	case n.state == unfit && n.standing != failed:
		return v1alpha1.ReasonUnfit
	case n.state == unfit:
		return v1alpha1.ReasonFailed
	case n.stuck:
		return v1alpha1.ReasonGateStuck
	case n.lack.any():
		return n.lack.reason
	case n.standing == unmeasured:
		return v1alpha1.ReasonUnmeasured
	case p.busy(n) != "":
		return v1alpha1.ReasonNodeBusy
	case p.outside(n):
		return v1alpha1.ReasonOutsideWindow
	}
	return dueReason(n.standing)
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

func dueReason(s standing) string {
	switch s {
	case requested:
		return v1alpha1.ReasonRequested
	case changed:
		return v1alpha1.ReasonChanged
	case expired:
		return v1alpha1.ReasonExpired
	}
	return v1alpha1.ReasonNeverValidated
}

func (p *pass) rowText(n *node) string {
	switch {
	case n.state == valid && p.spec.Suspend:
		return message.GateWaitsSuspended()
	case n.state == valid && !p.gate.allowed:
		return message.GateKeyNotAllowed(p.gate.taint.Key)
	case n.state == valid:
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
	if n.benchmark != nil {
		b = n.benchmark.Object.Name
	}
	switch {
	case n.state == unfit && n.standing != failed:
		return message.NodeConvicted(n.conviction.Benchmark, n.conviction.Metric)
	case n.standing == failed:
		return message.NodeFailedBenchmark(b, n.failedIn(), n.at)
	case n.standing == unmeasured:
		return message.NodeNotMeasuredBy(b, n.finding.reason, n.at)
	case n.standing == requested:
		return message.NodeRequested(p.terms.requested)
	case n.standing == changed && n.change == v1alpha1.ChangeBenchmark && n.ofEarlierRelease():
		return message.NodeRecordTooOld(b, n.at)
	case n.standing == changed && n.change == v1alpha1.ChangeDevices && onlyFabric(newest(n.Validation.Benchmark(b), n.benchmark.Asked).Machine, p.terms.machines.of(n.Object, n.benchmark.Object)):
		return message.NodeFabricChanged(b, n.at)
	case n.standing == changed:
		return message.NodeChanged(b, string(n.change), n.at)
	case n.standing == expired:
		return message.NodePassExpired(b, n.at, *p.spec.ValidForSeconds)
	}
	return message.NodeNeverPassed(b)
}

// ofEarlierRelease: the newest result does not say what was asked, or of which machine.
func (n *node) ofEarlierRelease() bool {
	entry := newest(n.Validation.Benchmark(n.benchmark.Object.Name), n.benchmark.Asked)
	return entry != nil && entry.Machine == nil
}

// failedIn is the run that failed the node.
func (n *node) failedIn() string {
	return newest(n.Validation.Benchmark(n.benchmark.Object.Name), n.benchmark.Asked).Run
}

// prospect is what a node waits for.
func (p *pass) prospect(n *node) string {
	switch {
	case n.run != "":
		return message.ValidatedByRun(n.run)
	case p.spec.Suspend:
		return message.PolicyIsSuspended()
	case n.lack.any():
		return n.lack.text(n.Object)
	case n.state == unfit && n.wants == "" && n.standing != failed:
		return message.ConvictionStands(n.conviction.Benchmark)
	case n.wants == "":
		return message.RetriesSpent(retryLimit(p.spec.Retry), v1alpha1.AnnotationValidateNow)
	case n.when.After(p.now):
		return p.nextTry(n)
	case p.busy(n) != "":
		return message.WaitsUntilIdle(n.Look.Busy)
	case p.outside(n):
		_, opens := p.window.open(p.now)
		return message.WaitsForWindow(opens)
	case n.inGroups:
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
		return message.EarlyRetryComes(len(n.tries.early)+1, n.when)
	}
	return message.RetryComes(len(n.tries.runs), retryLimit(p.spec.Retry), n.when)
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
		entry := newest(known(n.Node).Benchmark(b.Name), p.Benchmarks[i].Asked)
		switch {
		case entry != nil && entry.Time.After(since):
			if entry.Verdict == v1alpha1.VerdictFail {
				return true
			}
		case exempts(b, n.Object):
		default:
			whole = false
		}
	}
	return whole
}
