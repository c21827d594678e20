package policy

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// pass over one policy.
type pass struct {
	Snapshot
	spec *v1alpha1.ValidationPolicySpec
	// now has no fractions of seconds, as times in the API have none; read is the time with them.
	now, read time.Time
	terms     *terms
	needs     []needs
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
	judgement
	// gated: it carries the gate's taint. opens: this pass takes it away. stuck: it carries it for longer than the gate's timeout.
	gated, opens, stuck bool
	// run that has it now; empty: none.
	run  string
	lack lack
	// wants is the reason of the run that it is to be put into, at when; empty: it is not.
	wants string
	when  time.Time
	tries tries
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
	p.terms = newTerms(p.Policy, p.Benchmarks, p.Profiles, p.plan.Status.ValidateNow, p.now)
	for i := range p.Benchmarks {
		n, err := newNeeds(p.Benchmarks[i].Object)
		if fail(selectorError(err)) {
			return
		}
		p.needs = append(p.needs, n)
	}
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
