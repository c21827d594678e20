package tournament

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

// TestGroupsMeasureTheMachinesThatTheyWereMadeFor: each member that is still the same was measured as that.
func TestGroupsMeasureTheMachinesThatTheyWereMadeFor(t *testing.T) {
	s := pairScope(3, 0, bandwidth(v1alpha1.Expectation{}))
	same, other, third := s.Nodes[0], s.Nodes[1], s.Nodes[2]
	seal := func(n *Node) string { return nodevalidation.Seal(nodevalidation.MachineOf(n.Object, "", "")) }
	pair := func(a, b *Node) *Group {
		g := s.groupOf([]string{a.Name, b.Name})
		s.add(g, 1, parts{"": 10})
		g.Attempts[0].Machines = seal(a) + seal(b)
		return &g.Group
	}
	for _, n := range s.Nodes {
		n.Object.Status.NodeInfo.BootID = "boot of " + n.Name
	}
	first := pair(same, other)
	other.Object.Status.NodeInfo.KernelVersion = "6.9"
	second := pair(other, third)
	without := s.groupOf([]string{same.Name, third.Name})
	s.add(without, 2, parts{"": 10})
	vain := s.groupOf([]string{same.Name, third.Name})
	s.addAttempt(vain, v1alpha1.Attempt{Round: 3, Verdict: v1alpha1.VerdictError})
	inVain := Group{Nodes: vain.Nodes, Attempts: vain.Attempts[1:]}
	earlier, f := &without.Group, newField(s.input())

	known := func(n *Node) *v1alpha1.Machine { return &v1alpha1.Machine{BootID: "boot of " + n.Name} }
	for name, c := range map[string]struct{ got, want *v1alpha1.Machine }{
		"a member that is the same":              {f.machineIn(same, first, first.Attempts[0]), known(same)},
		"a member that changed":                  {f.machineIn(other, first, first.Attempts[0]), nil},
		"the same in all of its pairs":           {f.machineOfAll(third, []*Group{second}), known(third)},
		"the same, and tried in vain as well":    {f.machineOfAll(third, []*Group{second, &inVain}), known(third)},
		"changed between its pairs":              {f.machineOfAll(other, []*Group{first, second}), nil},
		"measured by an earlier release as well": {f.machineOfAll(same, []*Group{first, earlier}), nil},
		"no pair of it was measured":             {f.machineOfAll(same, nil), nil},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: machine (-want +got):\n%s", name, diff)
		}
	}
}
