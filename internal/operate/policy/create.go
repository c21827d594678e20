package policy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// put nodes into a run, with partners for what is measured in groups.
func (s *serving) put(reason string, nodes, partners []*node) {
	name := s.runName()
	for _, n := range nodes {
		n.seen.Tried, n.wants = s.tried(n, name), ""
	}
	all, with := slices.Concat(nodes, partners), ""
	if len(partners) > 0 { // which hold a pass, and are measured with the others
		with = fmt.Sprintf(", with %s to measure them with", message.Several(len(partners), "valid node"))
	}
	for _, n := range all {
		n.run = name
	}
	if s.budget.limit > 0 {
		s.budget.spend(name, s.costs(all), s.now)
	}
	s.create = append(s.create, Run{Name: name, Reason: reason, Spec: s.runSpec(slices.Sorted(slices.Values(names(all))), nodes[0].gated),
		Message: fmt.Sprintf("created run %s over %s%s: %s", name, message.Several(len(nodes), "node"), with, reason)})
}

func names(nodes []*node) []string {
	return list.Map(nodes, func(n *node) string { return n.Object.Name })
}

// tried is what is to be known of a node that is put into a run.
func (u *understood) tried(n *node, run string) Tried {
	t := Tried{Run: run, At: u.now, Cause: n.Cause, Change: n.Change, Boot: n.Object.Status.NodeInfo.BootID, Fabric: u.terms.FabricOf(n.Object), Times: 1}
	if n.triedInVain() {
		t.Times += n.seen.Tried.Times
	}
	return t
}

// deadline of a run. Gated nodes get their verdicts together, so one that hangs keeps the others waiting no longer than the gate's timeout; a
// timeout that is too short for the benchmarks gives them twice the time that they take.
func (u *understood) deadline(gated bool) *int64 {
	limit := u.spec.Run.ActiveDeadlineSeconds
	if !gated {
		return limit
	}
	soonest := max(u.gate.TimeoutSeconds, 2*takes(u.Benchmarks))
	if limit != nil && *limit <= soonest {
		return limit
	}
	return &soonest
}

func (u *understood) runSpec(names []string, gated bool) v1alpha1.ValidationRunSpec {
	asks := u.spec.DeepCopy()
	return v1alpha1.ValidationRunSpec{NodeNames: names, Suite: asks.Suite, Benchmarks: asks.Benchmarks, Overrides: asks.Overrides,
		MaxConcurrentNodes: asks.Run.MaxConcurrentNodes, BusyNodes: cmp.Or(asks.Run.BusyNodes, v1alpha1.BusySkip), Confirmations: asks.Run.Confirmations,
		OnFailure: asks.Run.OnFailure, ActiveDeadlineSeconds: u.deadline(gated)}
}

// longestName that a run may have.
const longestName = 63

// runName follows from the newest run of the policy, as each name does. So whatever a leader that was overtaken is about to create has the name of a run that
// is there by now, whichever nodes and causes it is for. Where the clock was set back, the newest run is not the last one: then a name may be taken, and the
// next one is.
func (s *serving) runName() string {
	last := ""
	if run := s.lastRun(); run != nil {
		last = run.Name
	}
	if n := len(s.create); n > 0 {
		last = s.create[n-1].Name
	}
	for {
		last = runNameAfter(s.Policy, last)
		if s.runs.named(last) == nil {
			return last
		}
	}
}

func runNameAfter(policy *v1alpha1.ValidationPolicy, last string) string {
	h := sha256.Sum256([]byte(string(policy.UID) + " " + last))
	end := "-" + hex.EncodeToString(h[:])[:8]
	start := policy.Name
	if len(start)+len(end) > longestName {
		start = strings.TrimRight(start[:longestName-len(end)], "-.")
	}
	return start + end
}
