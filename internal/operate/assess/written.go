package assess

import (
	"maps"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/quantity"
)

// Written is what the writes of a pass found out.
type Written struct {
	// Err is all that could not be written.
	Err error
	// Catalogue is what the run was started with; nil: it is not stored yet.
	Catalogue *v1alpha1.PinnedCatalogue
	// GroupRefused: the API server would not take a group's result as it was judged, and who knows which nodes were judged by it.
	GroupRefused bool
	// Stored is how many nodes' results were stored.
	Stored int
	// Nodes by name; one that nothing was found out about is left out.
	Nodes map[string]NodeWritten
	// Recheck is the earliest time at which the run has to be looked at without a change; zero: none.
	Recheck time.Time
}

// NodeWritten is what the writes of a pass found out about one node.
type NodeWritten struct {
	// Refused: the API server would not take the node's result as it was judged.
	Refused bool
	// Unstored says why the node's result could not be stored.
	Unstored error
	// Busy is what a live look found to hold the node, so that nothing was started on it; empty: nothing.
	Busy string
	// Note is what was, or was not, done about the verdict, and what the node still owes; for its row.
	Note string
	// Tainted: the node carries Assay's taint; nil: as it was read.
	Tainted *bool
}

// conclude is what was planned as it is once the writes are done.
func conclude(p *Planned, w Written) *Concluded {
	s := &Concluded{Planned: p, recheck: p.recheck, plan: p.withoutBusy(w)}
	// The run has had its time, and what this pass wrote was stored of no node. It is not tried for all of a large fleet, a piece in each pass.
	storesNothing := s.PastCleanup() && w.Err != nil && w.Stored == 0
	list.Sooner(&s.recheck, w.Recheck)
	for _, n := range p.Nodes {
		found := w.Nodes[n.Name]
		c := &concludedNode{JudgedNode: n, verdict: n.Verdict, reason: n.Reason, message: n.Message, note: found.Note, tainted: ptr.Deref(found.Tainted, n.Tainted())}
		if w.GroupRefused || found.Refused {
			// The verdict rests on what could not be stored; the next pass, which is due at once, judges anew.
			c.verdict, c.reason, c.message = v1alpha1.VerdictPending, "", ""
			list.Sooner(&s.recheck, s.Now)
		}
		if n.Changed {
			n.Memory.Tried(found.Unstored)
		}
		if n.Postponed && !storesNothing {
			c.verdict, c.reason, c.message = v1alpha1.VerdictPending, "", ""
		}
		s.nodes = append(s.nodes, c)
	}
	return s
}

// withoutBusy is the plan without what was not started, as a live look found a node busy: its nodes wait, as they did before the look.
func (s *Planned) withoutBusy(w Written) plan.Plan {
	p := s.plan
	p.Waiting = maps.Clone(p.Waiting)
	p.Actions = slices.DeleteFunc(slices.Clone(p.Actions), func(a plan.Action) bool {
		if a.Kind != plan.Launch {
			return false
		}
		nodes := []string{a.Node}
		if a.Group != "" {
			nodes = s.Groups[a.Group].Names()
		}
		i := slices.IndexFunc(nodes, func(n string) bool { return w.Nodes[n].Busy != "" })
		if i < 0 {
			return false
		}
		why := w.Nodes[nodes[i]].Busy
		if a.Group != "" {
			why = plan.BusyNodeOfGroup(nodes[i], why)
		}
		p.Active -= len(nodes)
		for _, n := range nodes {
			p.Waiting[n] = why
		}
		return true
	})
	return p
}

// writeOff nodes whose result the API server would not store to the end: what nobody can look up is no verdict.
func (s *Concluded) writeOff(w Written) {
	for _, n := range s.nodes {
		text := ""
		if err := w.Nodes[n.Name].Unstored; err != nil {
			text = "measured, but the result could not be stored: " + err.Error()
		} else if n.Postponed {
			text = "measured, but the result was not stored, as no other could be: " + w.Err.Error()
		}
		if text != "" {
			n.verdict, n.reason, n.message = v1alpha1.VerdictError, v1alpha1.ReasonNotStored, quantity.Clip(text, maxRowMessage)
		}
	}
}

// Concluded is what was planned, with what the writes found out.
type Concluded struct {
	*Planned
	nodes   []*concludedNode
	plan    plan.Plan
	recheck time.Time
}

// concludedNode is a node as it is once the writes are done.
type concludedNode struct {
	*judge.JudgedNode
	verdict         v1alpha1.Verdict
	reason, message string
	// note is what was, or was not, done about the verdict, and what the node still owes; for its row.
	note string
	// tainted: the node carries Assay's taint.
	tainted bool
}

func (n *concludedNode) final() bool { return n.verdict != v1alpha1.VerdictPending }
