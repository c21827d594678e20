package campaign

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/sim"
)

// cluster is all of Kubernetes but the API server and the operator, and what is true of its machines.
type cluster struct {
	*sim.Simulation
	Case cases.Case
	api  *kube.Server
	// machines by the names of their Nodes.
	machines map[string]*machine
	truths   map[types.UID]*machineTruth
	programs map[types.UID]*program
	// strangers are pods that somebody else made, and that look like those of an operator.
	strangers map[types.UID]bool
	// slicesStay until then, although their nodes are gone.
	slicesStay time.Time
	// began is told of each program of a benchmark that begins, and how many devices it has.
	began func(p *program, has int)
}

func newCluster(s *sim.Simulation, c cases.Case, api *kube.Server) *cluster {
	return &cluster{Simulation: s, Case: c, api: api, machines: map[string]*machine{}, truths: map[types.UID]*machineTruth{}, programs: map[types.UID]*program{}, strangers: map[types.UID]bool{}}
}

// gateTaint is that of nodes which join gated.
var gateTaint = corev1.Taint{Key: v1alpha1.DefaultGateKey, Value: "pending", Effect: corev1.TaintEffectNoSchedule}

func (c *cluster) sortedMachines() []*machine {
	var all []*machine
	for _, m := range c.machines {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *machine) int { return strings.Compare(a.name, b.name) })
	return all
}

func (c *cluster) otherNodes(name string) (others []string) {
	for _, m := range c.sortedMachines() {
		if m.name != name {
			others = append(others, m.name)
		}
	}
	return others
}

// follow a change as the rest of Kubernetes does.
func (c *cluster) follow(change kube.Change) {
	if change.Kind == "Pod" && change.By != "kubelet" {
		key := client.ObjectKeyFromObject(change.Object())
		c.After(c.Between("kubelet/"+key.Name, 50*time.Millisecond, 2*time.Second), func() { c.kubelet(key) })
	}
	if change.Kind == "MPIJob" && change.Before == nil {
		key := client.ObjectKeyFromObject(change.After)
		c.After(c.Between("mpi/"+key.Name, 100*time.Millisecond, time.Second), func() { c.operate(key) })
	}
	if change.After == nil {
		c.After(c.Between("gc", time.Second, 4*time.Second), c.collectGarbage)
		if change.Kind == "Node" {
			c.After(c.Between("podgc", 40*time.Second, 70*time.Second), func() { c.forgetPods(change.Before.GetName()) })
		}
	}
}

// collectGarbage deletes what lost its owners.
func (c *cluster) collectGarbage() {
	for _, o := range c.api.Orphans() {
		if c.Now().Before(c.slicesStay) && c.api.KindOf(o) == "ResourceSlice" {
			continue
		}
		_ = c.api.Delete("gc", c.api.KindOf(o), client.ObjectKeyFromObject(o))
	}
}

// forgetPods of a node that is gone.
func (c *cluster) forgetPods(node string) {
	if kube.Find[*corev1.Node](c.api, node) != nil {
		return
	}
	for _, p := range kube.All[*corev1.Pod](c.api) {
		if p.Spec.NodeName == node {
			_ = c.api.Delete("podgc", "Pod", client.ObjectKeyFromObject(p), client.GracePeriodSeconds(0))
		}
	}
}

// edit a node, as people and other controllers do.
func (c *cluster) edit(by, name string, change func(*corev1.Node)) {
	if n := kube.Find[*corev1.Node](c.api, name); n != nil {
		next := n.DeepCopy()
		if next.Annotations == nil {
			next.Annotations = map[string]string{}
		}
		change(next)
		if _, err := c.api.Update(by, next, false); err != nil {
			c.Say("%-11s cannot change node %s: %v", by, name, err)
		}
	}
}
