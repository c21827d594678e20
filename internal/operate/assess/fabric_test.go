package assess

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/plan"
)

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
			task := &s.Tasks[0]
			task.Configuration = workload.Configuration(task.Benchmark, nil, "")
			for _, n := range s.Nodes {
				n.Peaks = peak.Of(&v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Fabric: c.is}})
			}
			g := named(s, []string{s.Nodes[0].Name, s.Nodes[1].Name})
			addTo(s, g, 1, parts{"": 10})
			a := &g.Stored.Benchmarks[0].Attempts[0]
			for _, n := range s.Nodes {
				a.Machines += nodevalidation.Seal(task.MachineOf(n.Node, c.made))
			}
			task.Launched(a, s.Now, workload.Over(task.Configuration, c.made), s.FabricOf(g))
			if is := !strings.HasPrefix(a.Configuration, nodevalidation.OtherConfiguration); is != c.same {
				t.Errorf("configuration %s; of what the run measures: %v, want %v", a.Configuration, is, c.same)
			}
			for _, n := range s.Nodes {
				n.Facts = plan.Facts{Exists: true, Ready: true}
			}
			m := judge.Judge(collect.Collect(s)).Nodes[0].Grouped[0][0].Machine
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
	out, err := assessed(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := nodevalidation.Seal(v1alpha1.Machine{BootID: "boot"}); len(out.LaunchPods) != 1 || out.LaunchPods[0].Machine != want {
		t.Errorf("launched %+v, want one pod with the seal %s of a machine without a fabric", out.LaunchPods, want)
	}
}
