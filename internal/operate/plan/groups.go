package plan

import (
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/list"
)

// deleteJobs deletes the jobs that are of no more use. It returns the nodes that are not free, each with the reason: a job
// still measures them.
func (p *Plan) deleteJobs(groups []Group, stop string, now time.Time) map[string]string {
	taken := map[string]string{}
	for _, g := range groups {
		for _, job := range g.Jobs {
			for _, n := range g.Nodes {
				taken[n] = nodeInGroup
			}
			reason := stop
			switch {
			case job.Ended:
				reason = attemptStored(job.Attempt)
			case stop == "" && (!g.Wanted || job.Attempt != g.Attempt):
				reason = "the nodes of the run have changed"
			case stop == "":
				reason = job.GivenUp
			}
			if reason != "" || job.Terminating {
				list.Sooner(&p.Recheck, now.Add(BusyRecheck)) // MPIJobs are not watched, and one without pods goes unnoticed
			}
			if reason != "" && !job.Terminating {
				p.Actions = append(p.Actions, Action{Kind: Delete, Group: g.ID, Benchmark: g.Benchmark, Pod: job.Name, Reason: reason})
			}
		}
	}
	p.Active += len(taken)
	return taken
}

// launchGroups starts the groups whose nodes are all free, as many as fit into MaxConcurrent. A group that is larger than that
// is measured alone: there is no other way to measure it.
func (p *Plan) launchGroups(s Snapshot, nodes []Node, taken map[string]string, now time.Time) {
	byName := make(map[string]Node, len(nodes))
	for _, n := range nodes {
		byName[n.Name] = n
	}
	for _, g := range s.Groups {
		if len(g.Jobs) > 0 || !g.Wanted {
			continue
		}
		if why := p.groupWaits(g, s, byName, taken, now); why != "" {
			for _, n := range g.Nodes {
				if taken[n] != nodeInGroup {
					p.Waiting[n] = why
				}
			}
			continue
		}
		for _, n := range g.Nodes {
			taken[n] = nodeInGroup
		}
		p.Active += len(g.Nodes)
		p.Actions = append(p.Actions, Action{Kind: Launch, Group: g.ID, Benchmark: g.Benchmark, Attempt: g.Attempt, Reason: g.Reason})
	}
}

// groupWaits says why a group cannot start now; empty: it can.
func (p *Plan) groupWaits(g Group, s Snapshot, byName map[string]Node, taken map[string]string, now time.Time) string {
	if g.Awaits.For != "" {
		list.Sooner(&p.Recheck, g.Awaits.Until)
		return g.Awaits.For
	}
	if i := slices.IndexFunc(g.Nodes, func(n string) bool { return taken[n] != "" }); i >= 0 {
		return waitsForNode(g.Nodes[i], taken[g.Nodes[i]])
	}
	for _, name := range g.Nodes {
		n := byName[name]
		if reason, why, wait := n.Unavailable(now); reason != "" {
			list.Sooner(&p.Recheck, wait)
			return waitsForNode(name, why)
		}
		if n.Awaits.For != "" {
			list.Sooner(&p.Recheck, n.Awaits.Until)
			return BusyNodeOfGroup(name, n.Awaits.For)
		}
		if n.Busy != "" {
			list.Sooner(&p.Recheck, now.Add(BusyRecheck))
			return BusyNodeOfGroup(name, n.Busy)
		}
	}
	if p.Active > 0 && p.Active+len(g.Nodes) > s.MaxConcurrent {
		return WaitsForItsTurn(s.MaxConcurrent)
	}
	return ""
}
