package tournament

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// TestNodesOfAGroupGetTheirDevicesAlike: the workers of an MPIJob are alike, and none that claims its devices fits where a device plugin hands them out.
func TestNodesOfAGroupGetTheirDevicesAlike(t *testing.T) {
	for sentence, c := range map[string]struct {
		size         int32
		nodes, claim int
		alone        []string
	}{
		"pairs":                            {2, 9, 4, nil},
		"pairs, and one claims alone":      {2, 5, 1, []string{"n0000"}},
		"pairs, and one is left of others": {2, 5, 4, []string{"n0004"}},
		"sets":                             {4, 9, 4, nil},
		"sets, and too few claim":          {4, 7, 3, []string{"n0000", "n0001", "n0002"}},
		"one set of all":                   {0, 5, 2, nil},
		"one set of all, and one claims":   {0, 5, 1, []string{"n0000"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := setScope(c.nodes, c.size, bandwidth(v1alpha1.Expectation{Min: "9"}))
			for _, n := range s.Nodes[:c.claim] {
				n.Class = "gpu.nvidia.com"
			}
			claims := func(name string) bool {
				return slices.ContainsFunc(s.Nodes[:c.claim], func(n *Node) bool { return n.Name == name })
			}
			for s.due() > 0 {
				for _, d := range s.out.Due {
					if of := list.Count(Nodes(d.Nodes).Names(), claims); of > 0 && of < len(d.Nodes) {
						t.Fatalf("%v are to be measured together", Nodes(d.Nodes).Names())
					}
				}
				s.measureDue(10)
			}
			var alone []string
			for _, n := range s.Nodes {
				d := s.of(n)
				if d.Verdict == v1alpha1.VerdictPass {
					continue
				}
				if alone = append(alone, n.Name); d.Reason != v1alpha1.ReasonNotGrouped || !strings.Contains(d.Message, "; its devices come from ") {
					t.Errorf("%s is %s/%s: %s", n.Name, d.Verdict, d.Reason, d.Message)
				}
			}
			if !slices.Equal(alone, c.alone) {
				t.Errorf("not measured are %v, want %v", alone, c.alone)
			}
		})
	}
}

// TestTwoNodesWhoseFabricIsAwayForAMomentStayInTheirTournament: the plugin of their devices starts anew, after they were measured with each other.
func TestTwoNodesWhoseFabricIsAwayForAMomentStayInTheirTournament(t *testing.T) {
	s := pairScope(6, 0, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.1"}))
	rdma := &v1alpha1.Fabric{Resource: "rdma/hca"}
	has := corev1.ResourceList{"rdma/hca": resource.MustParse("8")}
	for _, n := range s.Nodes {
		n.Object.Status.Allocatable = has
	}
	measure := func() {
		for _, g := range s.sorted() {
			if g.due {
				value := 10.0
				if slices.Contains(g.Names(), "n0000") {
					value = 5
				}
				s.add(g, g.Round, parts{"": value})
				g.Attempts[len(g.Attempts)-1].Configuration = workload.Over("cuda", rdma)
			}
		}
	}
	s.pass()
	first := s.sorted()[0]
	measure()
	away := list.Where(s.Nodes, func(n *Node) bool { return slices.Contains(first.Names(), n.Name) })
	for _, n := range away {
		n.Object.Status.Allocatable = nil
	}
	s.pass()
	for _, n := range away {
		if d := s.of(n); d.Verdict != v1alpha1.VerdictPending {
			t.Errorf("%s is %s while its fabric is away: %s", n.Name, d.Verdict, d.Message)
		}
		n.Object.Status.Allocatable = has
	}
	if first.due || first.Verdict != v1alpha1.VerdictPending {
		t.Errorf("what was measured over RDMA is a %s by itself, and due again: %v", first.Verdict, first.due)
	}
	for s.due() > 0 {
		measure()
	}
	for _, n := range s.Nodes {
		want := v1alpha1.VerdictPass
		if n.Name == "n0000" {
			want = v1alpha1.VerdictFail
		}
		if d := s.of(n); d.Verdict != want {
			t.Errorf("%s is %s, want %s: %s", n.Name, d.Verdict, want, d.Message)
		}
	}
}
