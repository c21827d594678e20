package judge

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// due: another attempt would be started now, if the node had what it takes.
func (s *Judged) due(n *JudgedNode, i int) bool {
	d, attempts := n.Decisions[i], len(n.Attempts(s.Tasks[i].Name()))
	return d.Verdict == v1alpha1.VerdictPending && (attempts == 0 || d.NeedsAttempt) && s.Startable(n.CollectedNode, i)
}

// MayConvict: the node failed as devices were missing, and is not convicted of it yet as they are waited for once more: they were back for a while, or
// the operator started anew.
func (s *Judged) MayConvict(n *JudgedNode) bool {
	if _, gone := s.Unavailable(n.ObservedNode); gone || s.Overdue() {
		return false
	}
	for i := range s.Tasks {
		name := s.Tasks[i].Name()
		if n.Lacks[i].Waits() && n.Decisions[i].Reason == v1alpha1.ReasonDevicesMissing && !taint.Convicted(n.Validation, s.Run.UID, name, term.Devices) {
			return true
		}
	}
	return false
}

// noteMissing fails a node that is left out of its groups, as it lost devices, by an attempt that says so: as it fails by what it is measured for alone.
func (s *Judged) noteMissing(n *JudgedNode, i int) {
	switch l := n.Lacks[i]; {
	case collect.MissedDevices(n.Attempts(s.Tasks[i].Name())) != nil:
		n.Grouped[i] = n.MeasuredBy(s.Tasks[i].Name()).Attempts
	case l.Missing() && n.Decisions[i].Reason == l.Reason && len(n.Grouped[i]) == 0 && observe.Started(s.Run) && !s.Run.Spec.Suspend:
		n.Grouped[i] = []v1alpha1.Attempt{s.MissingAttempt(n.CollectedNode, i)}
	default:
		return
	}
	n.Decisions[i] = decideMissing(collect.MissedDevices(n.Grouped[i]))
}

// decideMissing fails a benchmark by an attempt that found devices missing. A count has no noise: it is not confirmed.
func decideMissing(a *v1alpha1.Attempt) verdict.Decision {
	fact := func(name string) *v1alpha1.Fact {
		return cmp.Or(list.First(a.Facts, func(f *v1alpha1.Fact) bool { return f.Name == name }), &v1alpha1.Fact{})
	}
	offered, expected := fact(collect.FactOffered), v1alpha1.Decimal(fact(collect.FactExpected).Value)
	numbers := v1alpha1.RuleNumbers{Limit: expected, Value: v1alpha1.Decimal(offered.Value), Bound: expected, Parts: 1}
	return verdict.Decision{Verdict: v1alpha1.VerdictFail, Reason: a.Reason, Message: a.Message,
		Findings: []v1alpha1.Finding{{Metric: term.DevicesMetric, Rule: term.Devices, Verdict: v1alpha1.VerdictFail, Message: a.Message, RuleNumbers: numbers}},
		Terms:    term.Terms{Broken: []term.Term{{Metric: term.DevicesMetric, Rule: term.Devices, At: offered.At, RuleNumbers: numbers}}}}
}

// DevicesHeld is the term that refutes a conviction of missing devices, whichever benchmark convicted: the benchmark measured the node with all devices that
// it is to have. Only a node that stands convicted of that needs it.
func (s *Judged) DevicesHeld(n *JudgedNode, i int) []term.Term {
	t := &s.Tasks[i]
	convicted := n.Validation != nil && slices.ContainsFunc(n.Validation.Convictions, func(c v1alpha1.Conviction) bool {
		return observe.ConvictedOf(&c, t.Benchmark.Spec.Needs.DeviceResource)
	})
	attempts := n.Attempts(t.Name())
	if t.IsGroup() {
		attempts = n.Grouped[i]
	}
	if !convicted || n.Lacks[i] != nil || len(attempts) == 0 || collect.MissedDevices(attempts) != nil || attempts[len(attempts)-1].Machine == nil {
		return nil
	}
	had, _ := observe.DevicesOf(attempts[len(attempts)-1].Machine)
	if offered := workload.Devices(t.Benchmark, n.Node); had < offered.Value() {
		return nil
	}
	count := v1alpha1.Decimal(strconv.FormatInt(had, 10))
	return []term.Term{{Metric: term.DevicesMetric, Rule: term.Devices, RuleNumbers: v1alpha1.RuleNumbers{Limit: count, Value: count, Parts: 1},
		Kinds: []v1alpha1.HeldValue{{Kind: observe.PartOf(t.Benchmark.Spec.Needs.DeviceResource), Value: count}}}}
}

// awaitsDevices says which node keeps a group benchmark from beginning, as it may yet offer what that takes; empty: none does. Past the deadline nothing is
// waited for.
func (s *Judged) awaitsDevices(i int) string {
	if s.Overdue() || len(tournament.Begun(s.groupsOf(i))) > 0 {
		return ""
	}
	for _, n := range s.Nodes {
		if _, gone := s.Unavailable(n.ObservedNode); !gone && n.Lacks[i].Waits() {
			return plan.BusyNodeOfGroup(n.Name, n.Lacks[i].Message)
		}
	}
	return ""
}
