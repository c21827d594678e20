package observe

import (
	"cmp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/quantity"
)

// Launched notes what orders the attempt among those of all runs, and what it may be compared with: when the API server created the
// pod or MPIJob, the image that ran, and the fabric that it went over. One that was made for another configuration than the run measures is compared
// with nothing.
func (t Task) Launched(a *v1alpha1.Attempt, at time.Time, made string, fabric *v1alpha1.Fabric) {
	a.LaunchTime = &metav1.Time{Time: at}
	a.Configuration = workload.Over(workload.Configuration(t.Benchmark, t.Argv, imageDigest(t.Benchmark, a.ImageID)), fabric)
	if made != workload.Over(t.Configuration, fabric) {
		a.Configuration = quantity.Clip(nodevalidation.OtherConfiguration+made, 64)
	}
}

// imageDigest is the part of an image ID that names its content, without the registry that it came from: a tag may move, and a
// mirror may serve it. Where the runtime gives none, it is the Benchmark's reference.
func imageDigest(b *v1alpha1.Benchmark, imageID string) string {
	if i := strings.LastIndex(imageID, "sha256:"); i >= 0 {
		return imageID[i:]
	}
	return cmp.Or(imageID, b.Spec.Image)
}

// A measurement holds for a machine: the boot, kernel, driver and devices of the node, all as its kubelet and feature discovery tell them, and the
// fabric by which a group reached its other nodes.
// Each pod bears the seal of what its node was when it was created. Where the node is the same when its result is read, that was measured;
// else nobody can tell on which of the two the program ran, and the node is measured once more. What a program sees is no witness: under
// Kata or gVisor it runs on a kernel of its own. A kubelet may forge the seal, but the boot and the devices as well.

// MachineOf a node, as it is now.
func (t *Task) MachineOf(n *corev1.Node, fabric *v1alpha1.Fabric) v1alpha1.Machine {
	return nodevalidation.MachineOf(n, t.Benchmark.Spec.Needs.DeviceResource, workload.FabricName(fabric))
}

// MachineThen is the machine that a seal stands for, if the node is still that; nil: unknown.
func (t *Task) MachineThen(n *corev1.Node, uid types.UID, fabric *v1alpha1.Fabric, seal string) *v1alpha1.Machine {
	if n == nil || n.UID != uid {
		return nil
	}
	if m := t.MachineOf(n, fabric); nodevalidation.Seal(m) == seal {
		return &m
	}
	return nil
}

// FabricOf a group, as its nodes are in this pass.
func (s *Observed) FabricOf(g *ObservedGroup) *v1alpha1.Fabric {
	var said []*v1alpha1.Fabric
	var nodes []*corev1.Node
	for _, name := range g.Names() {
		if n := s.node(name); n.Node != nil {
			said, nodes = append(said, n.Peaks.Fabric), append(nodes, n.Node)
		}
	}
	return workload.FabricOf(said, nodes)
}

// fabricAlone is what one node's pods would be given.
func fabricAlone(n *ObservedNode) *v1alpha1.Fabric {
	return workload.FabricOf([]*v1alpha1.Fabric{n.Peaks.Fabric}, []*corev1.Node{n.Node})
}

func offersRDMA(n *ObservedNode) bool {
	f := fabricAlone(n)
	return f != nil && f.Resource != ""
}

// FabricAt a node, by a benchmark of groups; empty: it is alone, or the pod network is all.
func (s *Observed) FabricAt(n *ObservedNode, i int) string {
	if !s.Tasks[i].IsGroup() || n.Node == nil {
		return ""
	}
	return workload.FabricName(fabricAlone(n))
}

// PortsOf a node, as this run's inventory shows them.
func (n *ObservedNode) PortsOf() peak.Ports {
	if n.Packed == nil {
		return peak.Ports{}
	}
	for _, b := range n.Packed.Whole().Benchmarks {
		for _, a := range b.Attempts {
			if p := peak.PortsIn(a.Facts); p.Active > 0 {
				return p
			}
		}
	}
	return peak.Ports{}
}
