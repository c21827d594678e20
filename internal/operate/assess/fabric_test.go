package assess

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/pack"
)

// TestSocketsProveNothing: a group whose NCCL went over sockets is neither fast nor slow where its nodes have RDMA, however fast it was.
func TestSocketsProveNothing(t *testing.T) {
	offered := func(s *state) {
		for _, n := range s.nodes {
			n.node.Status.Allocatable = corev1.ResourceList{"rdma/hca": resource.MustParse("8")}
		}
	}
	shown := func(s *state) {
		v := &v1alpha1.ValidationResult{Benchmarks: []v1alpha1.BenchmarkResult{{Name: "inventory", Attempts: []v1alpha1.Attempt{{Facts: []v1alpha1.Fact{
			{Name: "rdmaState", At: "mlx5_0", Value: "ACTIVE"}, {Name: "rdmaGbps", At: "mlx5_0", Value: "400"}}}}}}}
		s.nodes[1].packed = new(pack.Packer).Pack(v)
	}
	nothing := func(*state) {}
	for name, c := range map[string]struct {
		nodes     func(*state)
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
			s.passSets()
			for _, g := range s.sortedGroups() {
				g.due = false
				s.add(g, 0, parts{"": c.value})
				last := &g.result.Benchmarks[0].Attempts[0]
				if c.transport != "" {
					last.Facts = []v1alpha1.Fact{{Name: v1alpha1.FactTransport, Value: c.transport}}
				}
			}
			s.passSets()
			g := s.whole()
			if g.stored.Reason != c.want {
				t.Errorf("%s/%s: %s, want %s", g.stored.Verdict, g.stored.Reason, g.stored.Message, c.want)
			}
			if c.want != v1alpha1.ReasonNotOverRDMA {
				return
			}
			if len(s.findings) > 0 || g.stored.Verdict != v1alpha1.VerdictInconclusive || g.due {
				t.Errorf("%s, findings of the run %v, due %v: it fails nobody, and another attempt goes the same way", g.stored.Verdict, s.findings, g.due)
			}
			for _, n := range s.nodes {
				if d := n.decisions[0]; d.Verdict != v1alpha1.VerdictInconclusive {
					t.Errorf("%s is %s, want Inconclusive", n.name, d.Verdict)
				}
			}
		})
	}
}

// TestAMeasurementIsOfTheFabricThatItWentOver: what went over another one is compared with nothing, and proves nothing of the node as it is.
func TestAMeasurementIsOfTheFabricThatItWentOver(t *testing.T) {
	rails := &v1alpha1.Fabric{Resource: "rdma/hca"}
	for name, c := range map[string]struct {
		made, is *v1alpha1.Fabric
		same     bool
	}{
		"the pod network, still":   {nil, nil, true},
		"the rails, still":         {rails, rails, true},
		"the rails came meanwhile": {nil, rails, false},
		"the rails went meanwhile": {rails, nil, false},
		"another count of them":    {rails, &v1alpha1.Fabric{Resource: "rdma/hca", Count: new(int32(4))}, false},
		"another interface":        {rails, &v1alpha1.Fabric{Resource: "rdma/hca", Interface: "bond0"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := pairScope(2, 0, bandwidth(v1alpha1.Expectation{}))
			task := &s.tasks[0]
			task.Configuration = workload.Configuration(task.Benchmark, nil, "")
			for _, n := range s.nodes {
				n.peaks = peak.Of(&v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Fabric: c.is}})
			}
			g := s.groupOf(0, []string{s.nodes[0].name, s.nodes[1].name})
			s.add(g, 1, parts{"": 10})
			a := &g.attempts()[0]
			for _, n := range s.nodes {
				a.Machines += nodevalidation.Seal(task.machineOf(n.node, c.made))
			}
			task.launched(a, s.now, workload.Over(task.Configuration, c.made), s.fabricOf(g))
			if is := !strings.HasPrefix(a.Configuration, nodevalidation.OtherConfiguration); is != c.same {
				t.Errorf("configuration %s; of what the run measures: %v, want %v", a.Configuration, is, c.same)
			}
			m := s.machineOfAll(s.nodes[0], []*Group{g})
			if (m != nil) != c.same || m != nil && m.Fabric != workload.FabricName(c.made) {
				t.Errorf("machine %+v; known: want %v", m, c.same)
			}
		})
	}
}

// TestAFabricIsNoneOfOneNode: what a single node measures does not go over it.
func TestAFabricIsNoneOfOneNode(t *testing.T) {
	in := soloRun("a")
	in.Nodes[0].Status.Allocatable = corev1.ResourceList{"rdma/hca": resource.MustParse("8")}
	in.Nodes[0].Status.NodeInfo.BootID = "boot"
	out, err := Run(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := nodevalidation.Seal(v1alpha1.Machine{BootID: "boot"}); len(out.LaunchPods) != 1 || out.LaunchPods[0].Machine != want {
		t.Errorf("launched %+v, want one pod with the seal %s of a machine without a fabric", out.LaunchPods, want)
	}
}
