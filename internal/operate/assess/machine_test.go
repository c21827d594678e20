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
			addPod(&in, "a", 1, ended(measuredAt(t, 10), 0)).Annotations[v1alpha1.AnnotationMachine] = c.seal
			c.change(n)
			out, err := assessed(in)
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
	out, err := assessed(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := nodevalidation.Seal(v1alpha1.Machine{BootID: "boot"}); len(out.LaunchPods) != 1 || out.LaunchPods[0].Machine != want {
		t.Errorf("launched %+v, want one pod with seal %s", out.LaunchPods, want)
	}
}
