package policy

import (
	"iter"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// measurement is one that was made, and what the node was then. The world writes it down beside all that the operator keeps, so that the promise
// about gates can be checked apart from the code that decides.
type measurement struct {
	node      types.UID
	benchmark string
	at        time.Time
	verdict   v1alpha1.Verdict
	// own: the run set parameters or expectations. ownTerms: only these failed it. image is what was measured, asked all that the run asked for.
	own, ownTerms bool
	image, asked  string
	// was the node when it was measured; nil: nobody knows.
	was *condition
}

// condition of a node, as far as it tells; what is empty it does not tell.
type condition struct{ boot, kernel, driver, product, devices string }

func (n *worldNode) condition() *condition {
	offers := n.Status.Allocatable["nvidia.com/gpu"]
	return &condition{n.Status.NodeInfo.BootID, n.Status.NodeInfo.KernelVersion, n.Labels[labelDriverTest], n.Labels[v1alpha1.LabelGPUProduct], offers.String()}
}

// checkGates holds the gates that are opened to what is promised: none is opened without a pass, of what is there now, of every benchmark that the
// policy asks for and the node's declared hardware can run; with onTimeout Open, none after a failure.
func (w *world) checkGates(p *worldPolicy, plan Plan) {
	w.t.Helper()
	for _, o := range plan.Open {
		n := w.node(o.Node)
		if n.validation != nil && len(n.validation.Convictions) > 0 {
			w.t.Errorf("%s: the gate of %s is opened, and the node is convicted", w.now, o.Node)
		}
		passes := 0
		asks := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Suite: p.Spec.Suite, Benchmarks: p.Spec.Benchmarks, Overrides: p.Spec.Overrides}}
		for _, b := range w.asked(asks) {
			asked := ""
			if ref := asks.Spec.Ref(b.Name); len(ref.Parameters)+len(ref.Expectations) > 0 {
				asked = w.hashOf(asks, b)
			}
			newest := w.newest(n, b, asked)
			switch passed := newest != nil && newest.verdict == v1alpha1.VerdictPass; {
			case o.Record.By == v1alpha1.GateOpenedByTimeout:
				if last := w.lastWord(n, b, w.hashOf(asks, b), asked != ""); last != nil && last.verdict != v1alpha1.VerdictPass {
					w.t.Errorf("%s: the gate of %s is opened as time is over, and %s came to %s", w.now, o.Node, b.Name, last.verdict)
				}
			case passed && newest.holds(p, b, n, asked, w.now):
				passes++
			case canRun(b, n):
				w.t.Errorf("%s: the gate of %s is opened without a pass of what is there now by %s", w.now, o.Node, b.Name)
			}
		}
		if passes == 0 && o.Record.By != v1alpha1.GateOpenedByTimeout {
			w.t.Errorf("%s: the gate of %s is opened, and nothing has passed", w.now, o.Node)
		}
	}
}

// newest measurement that is a word on the node for the policy; nil: none is. Passes are one on its own terms, or, where it has none, on the Benchmark's; failures
// are one, unless only a run's own terms failed, and the policy has none. asked, by a policy with terms of its own; empty: it has none.
func (w *world) newest(n *worldNode, b *v1alpha1.Benchmark, asked string) (newest *measurement) {
	for m := range w.of(n, b) {
		passed, failed := m.verdict == v1alpha1.VerdictPass, m.verdict == v1alpha1.VerdictFail
		switch {
		case passed && (asked == "" && !m.own || asked != "" && m.asked == asked), failed && (asked != "" || !m.ownTerms):
			newest = m
		case passed && !m.own && newest != nil && newest.failedTheBenchmark(): // and what the policy asks for was not measured since
			newest = nil
		}
	}
	return newest
}

// lastWord of a benchmark on a node for a policy that asks for this, where what nothing could judge is one, too, whatever it asked for.
func (w *world) lastWord(n *worldNode, b *v1alpha1.Benchmark, asked string, own bool) (last *measurement) {
	for m := range w.of(n, b) {
		counts := map[v1alpha1.Verdict]bool{v1alpha1.VerdictFail: own || !m.ownTerms, v1alpha1.VerdictInconclusive: true,
			v1alpha1.VerdictPass: m.asked == asked || !m.own && (!own || last == nil || !last.ownTerms)}
		if counts[m.verdict] {
			last = m
		}
	}
	return last
}

// failedTheBenchmark, and not only a run's own terms.
func (m *measurement) failedTheBenchmark() bool {
	return m.verdict == v1alpha1.VerdictFail && !m.ownTerms
}

// of a node by a benchmark, in order of time.
func (w *world) of(n *worldNode, b *v1alpha1.Benchmark) iter.Seq[*measurement] {
	all := list.Those(w.measured, func(m *measurement) bool { return m.node == n.UID && m.benchmark == b.Name })
	slices.SortStableFunc(all, func(a, b *measurement) int { return a.at.Compare(b.at) })
	return slices.Values(all)
}

// holds: it measured what the policy asks for, on what is there now, and not too long ago.
func (m *measurement) holds(p *worldPolicy, b *v1alpha1.Benchmark, n *worldNode, asked string, now time.Time) bool {
	if m.was == nil || asked != "" && m.asked != asked || asked == "" && m.own {
		return false
	}
	if v := p.Spec.ValidForSeconds; v != nil && !now.Before(m.at.Add(seconds(*v))) {
		return false
	}
	if r := p.Status.ValidateNow; r != nil && m.at.Before(r.Time.Time) {
		return false
	}
	is, unknown := n.condition(), "" // a label that is gone, or was not there yet, tells of no change
	for _, change := range p.Spec.RevalidateOn {
		differs := map[v1alpha1.Change]bool{
			v1alpha1.ChangeReboot:    m.was.boot != is.boot,
			v1alpha1.ChangeKernel:    m.was.kernel != is.kernel,
			v1alpha1.ChangeDriver:    m.was.driver != is.driver && m.was.driver != unknown && is.driver != unknown,
			v1alpha1.ChangeDevices:   m.was.devices != is.devices || m.was.product != is.product && m.was.product != unknown && is.product != unknown,
			v1alpha1.ChangeBenchmark: m.image != b.Spec.Image,
		}
		if differs[change] {
			return false
		}
	}
	return true
}

// canRun says whether the hardware that a node declares can run a benchmark, by what the catalogue says of that. A node without any device, or
// without a label, declares nothing yet.
func canRun(b *v1alpha1.Benchmark, n *worldNode) bool {
	needs := &b.Spec.Needs
	if s := needs.Selector; s != nil {
		for key, want := range s.MatchLabels {
			if is := n.Labels[key]; is != "" && is != want {
				return false
			}
		}
		for _, e := range s.MatchExpressions {
			if is := n.Labels[e.Key]; is != "" && slices.Contains(e.Values, is) != (e.Operator == "In") {
				return false
			}
		}
	}
	offers, has := n.Status.Allocatable["nvidia.com/gpu"], n.Status.Capacity["nvidia.com/gpu"]
	labelled, _ := strconv.ParseInt(n.Labels[labelCountTest], 10, 64)
	declared := max(offers.Value(), has.Value(), labelled)
	return needs.MinDevices == nil || declared == 0 || declared >= int64(*needs.MinDevices)
}
