package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
	"github.com/assay-dev/assay/internal/quantity"
)

// understood is what one pass knows of its policy before it looks at nodes. The stages ask it; nothing changes it but next.
type understood struct {
	Snapshot
	spec *v1alpha1.ValidationPolicySpec
	// now has no fractions of seconds, as times in the API have none; read is the time with them.
	now, read time.Time
	// request to measure all nodes that holds, if any; it is new where the status does not have it yet.
	request  *v1alpha1.ValidateNow
	isNew    bool
	terms    *validity.Terms
	needs    needs.Needs
	selector labels.Selector
	window   window
	// invalid says what keeps the policy from being enforced at all.
	invalid string
	runs    runs
	gate    gate
	// listed is what the status says of nodes so far.
	listed map[string]*v1alpha1.NodeAttention
	// next is when something follows from time alone; zero: never.
	next time.Time
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
	// waits for the budget, until then at least; zero: until a run ends.
	waits bool
	until time.Time
	tries validity.Tries
	// since when it holds no valid pass; where it failed, since its first failure.
	since   time.Time
	overdue bool
	seen    Seen
}

func understand(s Snapshot, now time.Time) *understood {
	u := &understood{Snapshot: s, spec: &s.Policy.Spec, now: now.UTC().Truncate(time.Second), read: now, request: s.Policy.Status.ValidateNow,
		runs: newRuns(&s, s.First, now), listed: make(map[string]*v1alpha1.NodeAttention, len(s.Policy.Status.Attention))}
	if !s.Policy.DeletionTimestamp.IsZero() {
		return u
	}
	for a := range list.Each(s.Policy.Status.Attention) {
		u.listed[a.Name] = a
	}
	u.request, u.isNew = requested(s.Policy, u.now)
	u.gate = newGate(s)
	if err := u.readSpec(); err != nil {
		u.invalid = err.Error()
	}
	return u
}

// requested is the request to measure all nodes that holds, and whether it is taken up now. One from a future that the clock was set back from is
// renewed: measurements of today would never be newer.
func requested(policy *v1alpha1.ValidationPolicy, now time.Time) (request *v1alpha1.ValidateNow, isNew bool) {
	value := quantity.Clip(policy.Annotations[v1alpha1.AnnotationValidateNow], 256)
	old := policy.Status.ValidateNow
	switch {
	case value != "" && (old == nil || old.Value != value):
	case old != nil && old.Time.After(now.Add(time.Minute)):
		value = old.Value
	default:
		return old, false
	}
	return &v1alpha1.ValidateNow{Value: value, Time: metav1.Time{Time: now}}, true
}

// readSpec once for all nodes. The error is for the user: what to correct.
func (u *understood) readSpec() error {
	if u.Unresolved != nil {
		return u.Unresolved
	}
	var err error
	if u.selector, err = u.spec.ByLabels(); err != nil {
		return selectorError(err)
	}
	if u.window, err = newWindow(u.spec, u.now); err != nil {
		return err
	}
	if err := tooShort(u.spec, u.Benchmarks); err != nil {
		return err
	}
	u.terms = validity.New(u.Policy, u.Benchmarks, u.Profiles, u.request, u.now)
	objects := list.Map(u.Benchmarks, func(b Benchmark) *v1alpha1.Benchmark { return b.Object })
	if u.needs, err = needs.New(objects, u.spec.Run.OnFailure); err != nil {
		return selectorError(err)
	}
	return nil
}

// Lack a node for a run of all benchmarks.
func (u *understood) lackOf(n *Node) needs.Lack {
	return u.needs.Lack(n.Object, cmp.Or(n.Validation, &v1alpha1.NodeValidation{}).Quarantine)
}

// wake at this moment, if it is to come.
func (u *understood) wake(at time.Time) { u.sooner(&u.next, at) }

// sooner is list.Sooner, of what is to come.
func (u *understood) sooner(first *time.Time, at time.Time) {
	if at.After(u.now) {
		list.Sooner(first, at)
	}
}

func selectorError(err error) error {
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
	return list.Sum(benchmarks, func(b *validity.Benchmark) int64 { return int64(b.Object.Spec.CostSeconds) })
}

// clamp keeps a time that the clock was set back from out of the future.
func (u *understood) clamp(at time.Time) time.Time { return list.Earliest(at, u.now) }

// Resolve finds the benchmarks that a policy asks for, cheapest first. The error is for the user: what to correct.
func Resolve(spec *v1alpha1.ValidationPolicySpec, all []v1alpha1.Benchmark) ([]validity.Benchmark, error) {
	objects, err := catalogue.Choose(all, spec.Suite, spec.Benchmarks, spec.Overrides)
	if err != nil {
		return nil, err
	}
	chosen := make([]validity.Benchmark, 0, len(objects))
	for i := range objects {
		ref := spec.Ref(objects[i].Name)
		if _, err := expect.Effective(&objects[i], ref.Expectations); err != nil { // no run could ask it
			return nil, err
		}
		hash, err := workload.Asked(&objects[i], ref)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, validity.Benchmark{Object: &objects[i], Asked: hash, Own: len(ref.Parameters)+len(ref.Expectations) > 0})
	}
	slices.SortFunc(chosen, func(a, b validity.Benchmark) int { return v1alpha1.CompareOrder(a.Object, b.Object) })
	return chosen, nil
}
