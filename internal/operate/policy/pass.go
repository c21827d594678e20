package policy

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
	"github.com/assay-dev/assay/internal/quantity"
)

// pass over one policy.
type pass struct {
	Snapshot
	spec *v1alpha1.ValidationPolicySpec
	// now has no fractions of seconds, as times in the API have none; read is the time with them.
	now, read time.Time
	terms     *validity.Terms
	needs     needs.Needs
	selector  labels.Selector
	window    window
	// invalid says what keeps the policy from being enforced at all.
	invalid string
	runs    runs
	gate    gate
	// listed is what the status says of nodes so far.
	listed map[string]*v1alpha1.NodeAttention
	nodes  []node
	// worst of the nodes that need attention: a failed one before any other; nil: none does.
	worst *node
	// reservedNodes keeps one that the selector takes in and Kubernetes keeps for itself, and counts them.
	reservedNode  *corev1.Node
	reservedNodes int
	next          time.Time
	plan          Plan
}

// node is a selected node.
type node struct {
	*Node
	validity.Judgement
	// gated: it carries the gate's taint. opens: this pass takes it away. stuck: it carries it for longer than the gate's timeout.
	gated, opens, stuck bool
	// run that has it now; empty: none.
	run  string
	lack needs.Lack
	// wants is the reason of the run that it is to be put into, at when; empty: it is not.
	wants string
	when  time.Time
	tries validity.Tries
	// since when it holds no valid pass; where it failed, since its first failure.
	since   time.Time
	overdue bool
	seen    Seen
}

func newPass(s Snapshot, now time.Time) *pass {
	p := &pass{Snapshot: s, spec: &s.Policy.Spec, now: now.UTC().Truncate(time.Second), read: now}
	p.plan.Seen = map[types.UID]Seen{}
	p.plan.Overdue = map[string]bool{}
	s.Policy.Status.DeepCopyInto(&p.plan.Status)
	if s.Policy.DeletionTimestamp.IsZero() {
		p.request()
		p.understand()
	}
	p.runs = newRuns(s.Policy, s.Runs)
	return p
}

// request takes up a new request to measure all nodes. One from a future that the clock was set back from is renewed: measurements of
// today would never be newer.
func (p *pass) request() {
	value := quantity.Clip(p.Policy.Annotations[v1alpha1.AnnotationValidateNow], 256)
	old := p.plan.Status.ValidateNow
	switch {
	case value != "" && (old == nil || old.Value != value):
	case old != nil && old.Time.After(p.now.Add(time.Minute)):
		value = old.Value
	default:
		return
	}
	p.plan.ValidateNow = &v1alpha1.ValidateNow{Value: value, Time: metav1.Time{Time: p.now}}
	p.plan.Status.ValidateNow = p.plan.ValidateNow.DeepCopy()
}

// understand reads the spec once for all nodes.
func (p *pass) understand() {
	var err error
	fail := func(err error) bool {
		if err != nil && p.invalid == "" {
			p.invalid = err.Error()
		}
		return err != nil
	}
	if fail(p.Unresolved) {
		return
	}
	if p.selector, err = p.spec.ByLabels(); fail(selectorError(err)) {
		return
	}
	p.window, err = newWindow(p.spec, p.now)
	if fail(err) || fail(tooShort(p.spec, p.Benchmarks)) {
		return
	}
	p.terms = validity.New(p.Policy, p.Benchmarks, p.Profiles, p.plan.Status.ValidateNow, p.now)
	objects := make([]*v1alpha1.Benchmark, len(p.Benchmarks))
	for i := range p.Benchmarks {
		objects[i] = p.Benchmarks[i].Object
	}
	p.needs, err = needs.New(objects, p.spec.Run.OnFailure)
	fail(selectorError(err))
}

// Lack a node for a run of all benchmarks.
func (p *pass) lackOf(n *Node) needs.Lack {
	var quarantine *v1alpha1.Quarantine
	if n.Validation != nil {
		quarantine = n.Validation.Quarantine
	}
	return p.needs.Lack(n.Object, quarantine)
}

// wake notes that something follows from time alone at this moment.
func (p *pass) wake(at time.Time) {
	if at.After(p.now) && (p.next.IsZero() || at.Before(p.next)) {
		p.next = at
	}
}

// again is when to look again: never at once.
func (p *pass) again() time.Time {
	if soonest := p.read.Add(time.Second); !p.next.IsZero() && p.next.Before(soonest) {
		return soonest
	}
	return p.next
}

func selectorError(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(message.SelectorUnreadable("spec.selector", err))
}

// tooShort: passes would expire while the suite still runs.
func tooShort(spec *v1alpha1.ValidationPolicySpec, benchmarks []validity.Benchmark) error {
	if len(benchmarks) == 0 {
		return errors.New(message.SuiteUnknown(spec.Suite))
	}
	if v, cost := spec.ValidForSeconds, takes(benchmarks); v != nil && *v < cost {
		return fmt.Errorf("spec.validForSeconds is %d, and the benchmarks take about %d s: a pass would expire before its run ends. Raise "+
			"validForSeconds", *v, cost)
	}
	return nil
}

// takes so many seconds to measure one node.
func takes(benchmarks []validity.Benchmark) (seconds int64) {
	for i := range benchmarks {
		seconds += int64(benchmarks[i].Object.Spec.CostSeconds)
	}
	return seconds
}

// clamp keeps a time that the clock was set back from out of the future.
func (p *pass) clamp(at time.Time) time.Time {
	if at.After(p.now) {
		return p.now
	}
	return at
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
