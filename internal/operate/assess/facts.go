package assess

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/term"
)

// convictedBy a task: the node's convictions that stand.
func convictedBy(t *Task, n *observedNode) []v1alpha1.Conviction {
	if n.validation == nil || n.node == nil || n.validation.Fingerprint.NodeUID != n.node.UID {
		return nil
	}
	var all []v1alpha1.Conviction
	for _, c := range n.validation.Convictions {
		if c.Benchmark == t.Name() {
			all = append(all, c)
		}
	}
	return all
}

// uncounted are the nodes that stand convicted by the task of a fact that most nodes have otherwise: among themselves they would be most.
// What this run is the first to convict of has its say still, for it is part of what convicted it.
func (s *Observed) uncounted(t *Task) []fact.Of {
	var all []fact.Of
	for _, n := range s.nodes {
		if n.validation == nil || n.node == nil || n.validation.Fingerprint.NodeUID != n.node.UID {
			continue
		}
		for i := range n.validation.Convictions {
			c := &n.validation.Convictions[i]
			if c.Benchmark == t.Name() && c.Rule == term.FactUniform && (c.Again || c.Run.UID != s.run.UID) {
				all = append(all, fact.Of{Node: n.name, Fact: c.Metric})
			}
		}
	}
	return all
}
