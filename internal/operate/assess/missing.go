package assess

import (
	"maps"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// Names of the facts by which an attempt says which devices were missing.
const (
	factOffered  = "devicesOffered"
	factExpected = "devicesExpected"
)

// collectMissing gives nodes that lost devices an attempt that says so, by each task that uses them and is due. Nothing is started for it: what the node
// offers is read from the node, and a pod would only measure what is left.
func collectMissing(s *Collected, more *Collected, due func(k, i int) bool) (some bool) {
	if s.run.Spec.Suspend || !Started(s.run) || s.overdue() {
		return false
	}
	added := 0
	for k, n := range s.nodes {
		if added == mostStored { // a driver update may take a device from each node of a fleet
			soon(&more.recheck, s.now)
			break
		}
		for i := range s.tasks {
			if s.tasks[i].IsGroup() || !n.lacks[i].missing() || !due(k, i) {
				continue
			}
			if more.nodes[k] == n {
				c := *n
				c.own()
				more.nodes[k] = &c
				added++
			}
			s.addMissing(more.nodes[k], i)
		}
	}
	return added > 0
}

// collectUnmeasured does so where nothing was measured yet, before the first judgement: a fleet may be complete by it, and then other nodes are judged
// by their past.
func collectUnmeasured(s *Collected) *Collected {
	for {
		more := s.fork()
		due := func(k, i int) bool {
			n := s.nodes[k]
			return len(n.attempts(s.tasks[i].Name())) == 0 && s.decideUnmeasured(n, i).Verdict == v1alpha1.VerdictPending && s.startable(n, i)
		}
		if !collectMissing(s, more, due) {
			return s
		}
		s = more
	}
}

// fork makes what more is collected into.
func (s *Collected) fork() *Collected {
	more := *s
	more.nodes, more.groups = slices.Clone(s.nodes), maps.Clone(s.groups)
	return &more
}

// due: another attempt would be started now, if the node had what it takes.
func (s *Judged) due(n *judgedNode, i int) bool {
	d, attempts := n.decisions[i], len(n.attempts(s.tasks[i].Name()))
	return d.Verdict == v1alpha1.VerdictPending && (attempts == 0 || d.NeedsAttempt) && s.startable(n.collectedNode, i)
}

// startable: nothing but what the node lacks keeps another attempt from it.
func (s *Collected) startable(n *collectedNode, i int) bool {
	if len(n.attempts(s.tasks[i].Name())) >= plan.MaxAttempts || len(s.podsOf(n, i)) > 0 {
		return false
	}
	_, closed := s.closed(n, i)
	return !closed
}

// addMissing to the node's result.
func (s *Observed) addMissing(n *collectedNode, i int) {
	t, l := &s.tasks[i], n.lacks[i]
	machine := t.machineOf(n.node, nil)
	at := partOf(l.expected.resource)
	n.add(s.run, n.node.UID, t.Name(), v1alpha1.Attempt{Number: int32(len(n.attempts(t.Name()))) + 1, Verdict: v1alpha1.VerdictFail,
		Reason: v1alpha1.ReasonDevicesMissing, Message: l.message, LaunchTime: &metav1.Time{Time: s.now}, Configuration: t.Configuration, Machine: &machine,
		Facts: []v1alpha1.Fact{{Name: factExpected, At: at, Value: strconv.FormatInt(l.expected.count, 10)},
			{Name: factOffered, At: at, Value: strconv.FormatInt(l.offered, 10)}}})
}

// missedDevices is the last attempt, where it found devices missing; nil: it did not.
func missedDevices(attempts []v1alpha1.Attempt) *v1alpha1.Attempt {
	if n := len(attempts); n > 0 && foundMissing(&attempts[n-1]) {
		return &attempts[n-1]
	}
	return nil
}

// foundMissing: Assay itself made this attempt. What a pod says counts for no more than its own words.
func foundMissing(a *v1alpha1.Attempt) bool {
	return a.Reason == v1alpha1.ReasonDevicesMissing && a.Pod == ""
}

// mayConvict: the node failed as devices were missing, and is not convicted of it yet as they are waited for once more: they were back for a while, or
// the operator started anew.
func (s *Judged) mayConvict(n *judgedNode) bool {
	if _, gone := s.unavailable(n.observedNode); gone || s.overdue() {
		return false
	}
	for i := range s.tasks {
		name := s.tasks[i].Name()
		if n.lacks[i].waits() && n.decisions[i].Reason == v1alpha1.ReasonDevicesMissing && !taint.Convicted(n.validation, s.run.UID, name, term.Devices) {
			return true
		}
	}
	return false
}

// decideMissing fails a benchmark by an attempt that found devices missing. A count has no noise: it is not confirmed.
func decideMissing(a *v1alpha1.Attempt) verdict.Decision {
	fact := func(name string) (f v1alpha1.Fact) {
		if i := slices.IndexFunc(a.Facts, func(f v1alpha1.Fact) bool { return f.Name == name }); i >= 0 {
			f = a.Facts[i]
		}
		return f
	}
	offered, expected := fact(factOffered), v1alpha1.Decimal(fact(factExpected).Value)
	numbers := v1alpha1.RuleNumbers{Limit: expected, Value: v1alpha1.Decimal(offered.Value), Bound: expected, Parts: 1}
	return verdict.Decision{Verdict: v1alpha1.VerdictFail, Reason: a.Reason, Message: a.Message,
		Findings: []v1alpha1.Finding{{Metric: term.DevicesMetric, Rule: term.Devices, Verdict: v1alpha1.VerdictFail, Message: a.Message, RuleNumbers: numbers}},
		Terms:    term.Terms{Broken: []term.Term{{Metric: term.DevicesMetric, Rule: term.Devices, At: offered.At, RuleNumbers: numbers}}}}
}

// devicesHeld is the term that refutes a conviction of missing devices, whichever benchmark convicted: the benchmark measured the node with all devices that
// it is to have. Only a node that stands convicted of that needs it.
func (s *Judged) devicesHeld(n *judgedNode, i int) []term.Term {
	t := &s.tasks[i]
	convicted := n.validation != nil && slices.ContainsFunc(n.validation.Convictions, func(c v1alpha1.Conviction) bool {
		return convictedOf(&c, t.Benchmark.Spec.Needs.DeviceResource)
	})
	attempts := n.attempts(t.Name())
	if t.IsGroup() {
		attempts = n.grouped[i]
	}
	if !convicted || n.lacks[i] != nil || len(attempts) == 0 || missedDevices(attempts) != nil || attempts[len(attempts)-1].Machine == nil {
		return nil
	}
	had, _ := devicesOf(attempts[len(attempts)-1].Machine)
	if offered := workload.Devices(t.Benchmark, n.node); had < offered.Value() {
		return nil
	}
	count := v1alpha1.Decimal(strconv.FormatInt(had, 10))
	return []term.Term{{Metric: term.DevicesMetric, Rule: term.Devices, RuleNumbers: v1alpha1.RuleNumbers{Limit: count, Value: count, Parts: 1},
		Kinds: []v1alpha1.HeldValue{{Kind: partOf(t.Benchmark.Spec.Needs.DeviceResource), Value: count}}}}
}

// awaitsDevices says which node keeps a group benchmark from beginning, as it may yet offer what that takes; empty: none does.
func (s *Judged) awaitsDevices(i int) string {
	if len(tournament.Begun(s.groupsOf(i))) > 0 {
		return ""
	}
	for _, n := range s.nodes {
		if _, gone := s.unavailable(n.observedNode); !gone && n.lacks[i].waits() {
			return plan.BusyNodeOfGroup(n.name, n.lacks[i].message)
		}
	}
	return ""
}
