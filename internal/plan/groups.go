package plan

import (
	"fmt"
	"slices"
	"time"
)

// measuredWithOthers is why a node of a job is held, in words that go on after its name.
const measuredWithOthers = ", which is measured with others"

// removeJobs deletes the jobs that are of no more use and returns the nodes that a job still holds, and why.
func (p *Plan) removeJobs(groups []Group, stop string, now time.Time) map[string]string {
	held := map[string]string{}
	for _, g := range groups {
		for _, job := range g.Jobs {
			for _, n := range g.Nodes {
				held[n] = measuredWithOthers
			}
			reason := stop
			switch {
			case job.Ended:
				reason = fmt.Sprintf("attempt %d is stored", job.Attempt)
			case stop == "" && (!g.Wanted || job.Attempt != g.Attempt):
				reason = "the nodes of the run have changed"
			case stop == "":
				reason = job.GivenUp
			}
			if reason != "" || job.Terminating {
				p.lookAgain(now.Add(BusyRecheck)) // MPIJobs are not watched, and one without pods goes unnoticed
			}
			if reason != "" && !job.Terminating {
				p.Actions = append(p.Actions, Action{Kind: Delete, Group: g.ID, Benchmark: g.Benchmark, Pod: job.Name, Reason: reason})
			}
		}
	}
	p.Active += len(held)
	return held
}

// launchGroups starts the groups whose nodes are all free, as many as fit into MaxConcurrent. A group that is larger than that
// is measured alone: there is no other way to measure it.
func (p *Plan) launchGroups(s Snapshot, nodes []Node, held map[string]string, now time.Time) {
	byName := make(map[string]Node, len(nodes))
	for _, n := range nodes {
		byName[n.Name] = n
	}
	for _, g := range s.Groups {
		if len(g.Jobs) > 0 {
			p.Settled = false
			continue
		}
		if !g.Wanted {
			continue
		}
		p.Settled = false
		if why := p.groupWaits(g, s, byName, held, now); why != "" {
			for _, n := range g.Nodes {
				if held[n] != measuredWithOthers {
					p.Waiting[n] = why
				}
			}
			continue
		}
		for _, n := range g.Nodes {
			held[n] = measuredWithOthers
		}
		p.Active += len(g.Nodes)
		p.Actions = append(p.Actions, Action{Kind: Launch, Group: g.ID, Benchmark: g.Benchmark, Attempt: g.Attempt, Reason: g.Reason})
	}
}

// groupWaits says why a group cannot start now; empty: it can.
func (p *Plan) groupWaits(g Group, s Snapshot, byName map[string]Node, held map[string]string, now time.Time) string {
	if i := slices.IndexFunc(g.Nodes, func(n string) bool { return held[n] != "" }); i >= 0 {
		return fmt.Sprintf("waiting for node %s%s", g.Nodes[i], held[g.Nodes[i]])
	}
	for _, name := range g.Nodes {
		n := byName[name]
		if reason, message, wait := n.Unavailable(now); reason != "" {
			if !wait.IsZero() {
				p.lookAgain(wait)
			}
			return fmt.Sprintf("waiting for node %s: %s", name, message)
		}
		if n.Occupied != "" {
			p.lookAgain(now.Add(BusyRecheck))
			return fmt.Sprintf("node %s: %s", name, n.Occupied)
		}
	}
	if p.Active > 0 && p.Active+len(g.Nodes) > s.MaxConcurrent {
		return fmt.Sprintf("waiting for its turn: %d nodes are measured at once", s.MaxConcurrent)
	}
	return ""
}
