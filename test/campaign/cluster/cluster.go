// Package cluster is all of Kubernetes but the API server (package kube) and the operator: machines and their kubelets, device plugins and DRA drivers,
// scheduler, garbage collector, node lifecycle and MPI Operator, and the programs that run on the machines. What is true of a machine is here, too,
// whatever the API server is told of it.
package cluster

import (
	"maps"
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

// Cluster is all of Kubernetes but the API server and the operator, and what is true of its machines.
type Cluster struct {
	*sim.Simulation
	// Case that is played, and API server that everybody speaks to.
	Case cases.Case
	API  *kube.Server
	// Machines by the names of their Nodes.
	Machines map[string]*Machine
	truths   map[types.UID]*Truth
	programs map[types.UID]*Program
	// Strangers are pods that somebody else made, and that look like those of an operator.
	Strangers map[types.UID]bool
	// Labelled are the labels that pods were made with, by name, where a webhook took them away.
	Labelled map[string]map[string]string
	// SlicesStay until then, although their nodes are gone.
	SlicesStay time.Time
	// RecordsStay until then, although their nodes are gone.
	RecordsStay time.Time
	// MPIAway: the MPI Operator does nothing until then. Grief is what the next launchers come to.
	MPIAway time.Time
	Grief   []string
	ways    ways
	// edits of nodes that somebody wants to make.
	edits map[editor][]edit
	// Began is told of each program of a benchmark that begins, and how many devices it has.
	Began func(p *Program, has int)
}

// New is a cluster without nodes, in which a case is to be played.
func New(s *sim.Simulation, c cases.Case, api *kube.Server) *Cluster {
	return &Cluster{Simulation: s, Case: c, API: api, Machines: map[string]*Machine{}, truths: map[types.UID]*Truth{}, edits: map[editor][]edit{},
		programs: map[types.UID]*Program{}, Strangers: map[types.UID]bool{}, Labelled: map[string]map[string]string{}}
}

// GateTaint is that of nodes which join gated.
var GateTaint = corev1.Taint{Key: v1alpha1.DefaultGateKey, Value: "pending", Effect: corev1.TaintEffectNoSchedule}

// SortedMachines by the names of their Nodes.
func (c *Cluster) SortedMachines() []*Machine {
	return slices.SortedFunc(maps.Values(c.Machines), func(a, b *Machine) int { return strings.Compare(a.Name, b.Name) })
}

func (c *Cluster) otherNodes(name string) (others []string) {
	for _, m := range c.SortedMachines() {
		if m.Name != name {
			others = append(others, m.Name)
		}
	}
	return others
}

// Follow a change as the rest of Kubernetes does.
func (c *Cluster) Follow(change kube.Change) {
	if change.Kind == "Pod" && change.By != "kubelet" {
		key := client.ObjectKeyFromObject(change.Object())
		c.After(c.Between("kubelet/"+key.Name, 50*time.Millisecond, 2*time.Second), func() { c.kubelet(key) })
	}
	if change.Kind == "MPIJob" && change.Before == nil {
		key := client.ObjectKeyFromObject(change.After)
		c.After(c.Between("mpi/"+key.Name, 100*time.Millisecond, time.Second), func() { c.operate(key) })
	}
	if change.After == nil {
		c.After(c.Between("gc", time.Second, 4*time.Second), c.CollectGarbage)
		if change.Kind == "Node" {
			c.After(c.Between("podgc", 40*time.Second, 70*time.Second), func() { c.forgetPods(change.Before.GetName()) })
		}
	}
}

// CollectGarbage deletes what lost its owners.
func (c *Cluster) CollectGarbage() {
	for _, o := range c.API.Orphans() {
		switch c.API.KindOf(o) {
		case "ResourceSlice":
			if c.Now().Before(c.SlicesStay) {
				continue
			}
		case "NodeValidation", "NodeHistory":
			if c.Now().Before(c.RecordsStay) {
				continue
			}
		}
		_ = c.API.Delete("gc", c.API.KindOf(o), client.ObjectKeyFromObject(o))
	}
}

// forgetPods of a node that is gone.
func (c *Cluster) forgetPods(node string) {
	if kube.Find[*corev1.Node](c.API, node) != nil {
		return
	}
	for _, p := range kube.All[*corev1.Pod](c.API) {
		if p.Spec.NodeName == node {
			_ = c.API.Delete("podgc", "Pod", client.ObjectKeyFromObject(p), client.GracePeriodSeconds(0))
		}
	}
}

// Edit a node, as people and other controllers do. Where one of them is refused, they try again for ten minutes, and do in that order what they want to do next.
func (c *Cluster) Edit(by, name string, change func(*corev1.Node)) {
	who := editor{by, name}
	c.edits[who] = append(c.edits[who], edit{change, 60})
	if len(c.edits[who]) == 1 {
		c.goOn(who)
	}
}

// editor of a node.
type editor struct{ by, node string }

// edit of a node, which is still tried so often.
type edit struct {
	change func(*corev1.Node)
	tries  int
}

// goOn with what somebody wants to do with a node.
func (c *Cluster) goOn(who editor) {
	for ; len(c.edits[who]) > 0; c.edits[who] = c.edits[who][1:] {
		e := &c.edits[who][0]
		n := kube.Find[*corev1.Node](c.API, who.node)
		if n == nil {
			continue
		}
		next := n.DeepCopy()
		if next.Annotations == nil {
			next.Annotations = map[string]string{}
		}
		e.change(next)
		if _, err := c.API.Update(who.by, next, false); err != nil {
			c.Say("%-11s cannot change node %s: %v", who.by, who.node, err)
			if e.tries--; e.tries > 0 {
				c.After(10*time.Second, func() { c.goOn(who) })
				return
			}
		}
	}
}
