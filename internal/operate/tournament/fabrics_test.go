package tournament

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
)

// TestSocketsProveNothing: a group whose NCCL went over sockets is neither fast nor slow where its nodes have RDMA, however fast it was.
func TestSocketsProveNothing(t *testing.T) {
	offered := func(s *scope) {
		for _, n := range s.Nodes {
			n.Object.Status.Allocatable = corev1.ResourceList{"rdma/hca": resource.MustParse("8")}
		}
	}
	shown := func(s *scope) {
		s.Nodes[1].Ports = peak.PortsIn([]v1alpha1.Fact{{Name: "rdmaState", At: "mlx5_0", Value: "ACTIVE"}, {Name: "rdmaGbps", At: "mlx5_0", Value: "400"}})
	}
	nothing := func(*scope) {}
	for name, c := range map[string]struct {
		nodes     func(*scope)
		transport string
		value     float64
		want      string
	}{
		"fast over sockets, RDMA offered":  {offered, "NET/Socket", 20, v1alpha1.ReasonNotOverRDMA},
		"slow over sockets, RDMA offered":  {offered, "NET/Socket", 5, v1alpha1.ReasonNotOverRDMA},
		"fast over sockets, a port active": {shown, "NET/IB, NET/Socket", 20, v1alpha1.ReasonNotOverRDMA},
		"fast over sockets, which are all": {nothing, "NET/Socket", 20, v1alpha1.ReasonPassed},
		"fast over RDMA":                   {offered, "NET/IB", 20, v1alpha1.ReasonPassed},
		"fast, and nobody knows over what": {offered, "", 20, v1alpha1.ReasonPassed},
	} {
		t.Run(name, func(t *testing.T) {
			s := setScope(4, 4, bandwidth(v1alpha1.Expectation{Min: "9"}))
			c.nodes(s)
			s.pass()
			for _, g := range s.sorted() {
				s.add(g, 0, parts{"": c.value})
				last := &g.Attempts[0]
				if c.transport != "" {
					last.Facts = []v1alpha1.Fact{{Name: v1alpha1.FactTransport, Value: c.transport}}
				}
			}
			s.pass()
			g := s.whole()
			if g.stored.Reason != c.want {
				t.Errorf("%s/%s: %s, want %s", g.stored.Verdict, g.stored.Reason, g.stored.Message, c.want)
			}
			if c.want != v1alpha1.ReasonNotOverRDMA {
				return
			}
			if len(s.out.Findings) > 0 || g.stored.Verdict != v1alpha1.VerdictInconclusive || g.due {
				t.Errorf("%s, findings of the run %v, due %v: it fails nobody, and another attempt goes the same way", g.stored.Verdict, s.out.Findings, g.due)
			}
			for _, n := range s.Nodes {
				if d := s.of(n); d.Verdict != v1alpha1.VerdictInconclusive {
					t.Errorf("%s is %s, want Inconclusive", n.Name, d.Verdict)
				}
			}
		})
	}
}
