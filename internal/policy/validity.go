package policy

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/workload"
)

// standing of a node by one benchmark, the weightier the later: what is said of a node is its weightiest.
type standing int

const (
	// passed: it holds a valid pass.
	passed standing = iota
	// exempt: the benchmark does not apply to the node.
	exempt
	expired
	// never: it was not measured yet.
	never
	// changed: the pass is of another machine, or of another measurement.
	changed
	// requested: it is older than a request to measure all nodes.
	requested
	// unmeasured: the latest measurement came to neither Pass nor Fail.
	unmeasured
	// failed: the newest Pass or Fail is a Fail.
	failed
)

// finding is what one benchmark says of a node.
type finding struct {
	standing
	// at: when it was measured; zero: never.
	at time.Time
	// run that measured last, and in which the outcome is told.
	run types.UID
	// change that cost the pass, of a benchmark that changed.
	change v1alpha1.Change
	// verdict and reason of an unmeasured one.
	verdict v1alpha1.Verdict
	reason  string
	// failedBefore: the newest result as the policy asks is a Fail, whatever a weaker run found later.
	failedBefore bool
}

// find says how a node stands by one benchmark. What failed, a pass alone puts right: not a program that cannot run here any more, nor fewer
// devices.
func (t *terms) find(b *Benchmark, n *Node, h *v1alpha1.BenchmarkHistory) finding {
	entry, unproved := newest(h)
	measured := finding{standing: never}
	if entry != nil {
		if entry.Verdict == v1alpha1.VerdictFail {
			return finding{standing: failed, at: entry.Time.Time, run: entry.RunUID}
		}
		if measured = t.weigh(b, n, entry); measured.standing == passed {
			return measured
		}
		measured.failedBefore = t.failedBefore(b, h)
	}
	switch {
	case fewDevices(b.Object, n) && !measured.failedBefore:
		return finding{standing: exempt}
	case unproved == nil || entry != nil && !unproved.Time.After(entry.Time.Time):
		return measured
	case unproved.Reason == v1alpha1.ReasonCannotRunHere && !measured.failedBefore:
		return t.refused(n, unproved)
	case t.counts(unproved.Time.Time):
		return finding{standing: unmeasured, at: unproved.Time.Time, run: unproved.RunUID, verdict: unproved.Verdict, reason: unproved.Reason,
			failedBefore: measured.failedBefore}
	case entry == nil:
		return finding{standing: requested, at: unproved.Time.Time, run: unproved.RunUID}
	}
	return measured
}

// failedBefore: of what the policy asks, the newest result is a Fail.
func (t *terms) failedBefore(b *Benchmark, h *v1alpha1.BenchmarkHistory) bool {
	for i := len(h.History) - 1; i >= 0; i-- {
		if e := &h.History[i]; t.asks(b, e) {
			return e.Verdict == v1alpha1.VerdictFail
		}
	}
	return false
}

// newest Pass or Fail, and the newest run that came to neither.
func newest(h *v1alpha1.BenchmarkHistory) (entry *v1alpha1.HistoryEntry, unproved *v1alpha1.UnprovedRun) {
	if h == nil {
		return nil, nil
	}
	if n := len(h.History); n > 0 {
		entry = &h.History[n-1]
	}
	if n := len(h.Unproved); n > 0 {
		unproved = &h.Unproved[n-1]
	}
	return entry, unproved
}

// weigh a pass: what it still says.
func (t *terms) weigh(b *Benchmark, n *Node, e *v1alpha1.HistoryEntry) finding {
	f := finding{at: e.Time.Time, run: e.RunUID}
	switch {
	case !t.counts(f.at):
		f.standing = requested
	case !t.asFor(b, e):
		f.standing, f.change = changed, v1alpha1.ChangeBenchmark
	default:
		if f.change = t.changeOf(b, n, e.Machine); f.change != "" {
			f.standing = changed
		} else if !t.young(f.at) {
			f.standing = expired
		}
	}
	return f
}

// changeOf a node since it was this machine. In the cache the benchmarks of a node share one where they can, which is compared once.
func (t *terms) changeOf(b *Benchmark, n *Node, was *v1alpha1.Machine) v1alpha1.Change {
	resource := b.Object.Spec.Needs.DeviceResource
	if last := &t.compared; last.was != was || last.resource != resource || last.node != n {
		*last = compared{was, resource, n, t.on.differ(was, t.machines.of(n.Object, b.Object))}
	}
	return t.compared.change
}

// asFor: the pass is one of what the policy asks for. What an earlier release recorded says neither what was asked nor of which machine.
func (t *terms) asFor(b *Benchmark, e *v1alpha1.HistoryEntry) bool {
	return e.Machine != nil && t.asks(b, e)
}

// asks: the policy asks for what was measured then.
func (t *terms) asks(b *Benchmark, e *v1alpha1.HistoryEntry) bool {
	if e.Asked == "" {
		return false
	}
	if b.Own || t.on.benchmark {
		return e.Asked == b.Asked
	}
	return !e.OwnParameters && !e.OwnExpectations
}

// refused: the program itself said that it cannot run on this node. That holds until the node boots, and as long as a pass would.
func (t *terms) refused(n *Node, u *v1alpha1.UnprovedRun) finding {
	f := finding{standing: exempt, at: u.Time.Time, run: u.RunUID, reason: u.Reason}
	switch {
	case !t.counts(f.at):
		f.standing = requested
	case u.BootID != n.Object.Status.NodeInfo.BootID:
		f.standing, f.change = changed, v1alpha1.ChangeReboot
	case !t.young(f.at):
		f.standing = expired
	}
	return f
}

// fewDevices: the node has devices, but fewer than the benchmark is about: one GPU has no peer. A node that offers fewer than its label
// says has lost some, or has not registered all yet.
func fewDevices(b *v1alpha1.Benchmark, n *Node) bool {
	if b.Spec.Needs.DeviceResource == "" || b.Spec.Needs.MinDevices == nil {
		return false
	}
	devices := workload.Devices(b, n.Object)
	have := devices.Value()
	return have >= 1 && have < int64(*b.Spec.Needs.MinDevices) && labelled(n.Object.Labels[labelCount], have)
}
