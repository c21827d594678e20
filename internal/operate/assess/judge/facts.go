package judge

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// convictedBy a task: the node's convictions that stand.
func convictedBy(t *observe.Task, n *observe.ObservedNode) []v1alpha1.Conviction {
	if n.Validation == nil || n.Node == nil || n.Validation.Fingerprint.NodeUID != n.Node.UID {
		return nil
	}
	return list.Where(n.Validation.Convictions, func(c v1alpha1.Conviction) bool { return c.Benchmark == t.Name() })
}

// uncounted are the nodes that stand convicted by the task of a fact that most nodes have otherwise: among themselves they would be most.
// What this run is the first to convict of has its say still, for it is part of what convicted it.
func (s *Judged) uncounted(t *observe.Task) []fact.Of {
	var all []fact.Of
	for _, n := range s.Nodes {
		if n.Validation == nil || n.Node == nil || n.Validation.Fingerprint.NodeUID != n.Node.UID {
			continue
		}
		for c := range list.Each(n.Validation.Convictions) {
			if c.Benchmark == t.Name() && c.Rule == term.FactUniform && (c.Again || c.Run.UID != s.Run.UID) {
				all = append(all, fact.Of{Node: n.Name, Fact: c.Metric})
			}
		}
	}
	return all
}
