package assess

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

const driverLabel = "nvidia.com/cuda.driver-version.full"

// TestAMeasurementIsOfTheMachineThatItsPodWasMadeFor, if the node is still that when its result is read.
func TestAMeasurementIsOfTheMachineThatItsPodWasMadeFor(t *testing.T) {
	known := &v1alpha1.Machine{BootID: "boot", Driver: "580"}
	for name, c := range map[string]struct {
		change func(*corev1.Node)
		seal   string
		want   *v1alpha1.Machine
	}{
		"nothing changed":              {func(*corev1.Node) {}, nodevalidation.Seal(*known), known},
		"the driver was reloaded":      {func(n *corev1.Node) { n.Labels[driverLabel] = "590" }, nodevalidation.Seal(*known), nil},
		"the node was rebooted":        {func(n *corev1.Node) { n.Status.NodeInfo.BootID = "next boot" }, nodevalidation.Seal(*known), nil},
		"an earlier release's pod":     {func(*corev1.Node) {}, "", nil},
		"another machine has its name": {func(n *corev1.Node) { n.UID = "another" }, nodevalidation.Seal(*known), nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := soloRun("a", "b")
			n := in.Nodes[0]
			n.Labels, n.Status.NodeInfo.BootID = map[string]string{driverLabel: "580"}, "boot"
			in.pod("a", 1, ended(measuredAt(t, 10), 0)).Annotations[v1alpha1.AnnotationMachine] = c.seal
			c.change(n)
			out, err := Run(in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, out.Nodes[0].Result.Benchmarks[0].Attempts[0].Machine); diff != "" {
				t.Errorf("machine of the attempt (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPodsBearTheSealOfTheirNode as it is when they are created.
func TestPodsBearTheSealOfTheirNode(t *testing.T) {
	in := soloRun("a")
	in.Nodes[0].Status.NodeInfo.BootID = "boot"
	out, err := Run(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := nodevalidation.Seal(v1alpha1.Machine{BootID: "boot"}); len(out.LaunchPods) != 1 || out.LaunchPods[0].Machine != want {
		t.Errorf("launched %+v, want one pod with seal %s", out.LaunchPods, want)
	}
}

// TestGroupsMeasureTheMachinesThatTheyWereMadeFor: each member that is still the same was measured as that.
func TestGroupsMeasureTheMachinesThatTheyWereMadeFor(t *testing.T) {
	s := pairScope(3, 0, bandwidth(v1alpha1.Expectation{}))
	task, same, other, third := &s.tasks[0], s.nodes[0], s.nodes[1], s.nodes[2]
	seal := func(n *Node) string { return nodevalidation.Seal(task.machineOf(n.node, nil)) }
	pair := func(a, b *Node) *Group {
		g := s.groupOf(0, []string{a.name, b.name})
		s.add(g, 1, parts{"": 10})
		g.attempts()[0].Machines = seal(a) + seal(b)
		return g
	}
	for _, n := range s.nodes {
		n.node.Status.NodeInfo.BootID = "boot of " + n.name
	}
	first := pair(same, other)
	other.node.Status.NodeInfo.KernelVersion = "6.9"
	second := pair(other, third)
	earlier := s.groupOf(0, []string{same.name, third.name})
	s.add(earlier, 2, parts{"": 10})

	known := func(n *Node) *v1alpha1.Machine { return &v1alpha1.Machine{BootID: "boot of " + n.name} }
	for name, c := range map[string]struct{ got, want *v1alpha1.Machine }{
		"a member that is the same":              {s.machineIn(same, first, first.attempts()[0]), known(same)},
		"a member that changed":                  {s.machineIn(other, first, first.attempts()[0]), nil},
		"the same in all of its pairs":           {s.machineOfAll(third, []*Group{second}), known(third)},
		"changed between its pairs":              {s.machineOfAll(other, []*Group{first, second}), nil},
		"measured by an earlier release as well": {s.machineOfAll(same, []*Group{first, earlier}), nil},
		"no pair of it was measured":             {s.machineOfAll(same, nil), nil},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: machine (-want +got):\n%s", name, diff)
		}
	}
}
