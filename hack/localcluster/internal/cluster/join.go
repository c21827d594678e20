package cluster

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
	"github.com/assay-dev/assay/hack/localcluster/internal/network"
	"github.com/assay-dev/assay/hack/localcluster/internal/pki"
)

// JoinNode lets one more node join, whose kubelet registers it with these
// labels and taints, and returns when it is Ready. It has the images of the
// others before its kubelet starts.
func (m *Manager) JoinNode(ctx context.Context, name, labels, taints string) error {
	if m.State == nil {
		return fmt.Errorf("cluster %s does not exist", m.Name)
	}
	node, err := m.newNode(name)
	if err != nil {
		return err
	}
	if err := m.makeRoom(node.Containerd(), node.Kubelet()); err != nil {
		return err
	}
	// Written down first, so that what a crash leaves is found.
	m.forget(node)
	m.State.Joined = append(m.State.Joined, Joined{Index: node.Index, Labels: labels, Taints: taints})
	if err := m.State.save(m.Name); err != nil {
		return err
	}
	machine, err := m.machine()
	if err != nil {
		return err
	}
	if err := pki.MakeNode(node); err != nil {
		return err
	}
	if err := m.prepareNode(node, machine); err != nil {
		return err
	}
	if err := network.AddNode(node); err != nil {
		return err
	}
	if err := m.startContainerd(ctx, node); err != nil {
		return err
	}
	if err := m.copyImages(ctx, node); err != nil {
		return err
	}
	return m.startUntilReady(ctx, node)
}

// newNode finds the place of a node that is to join. One that joined already
// is repaired.
func (m *Manager) newNode(name string) (layout.Node, error) {
	for _, node := range m.Nodes(layout.MaxNodes)[m.State.Nodes:] {
		if node.Name() == name {
			return node, nil
		}
	}
	return layout.Node{}, fmt.Errorf("node %q cannot join cluster %s: want node-%d to node-%d", name, m.Name, m.State.Nodes+1, layout.MaxNodes)
}

// LeaveNode removes a node that joined, and everything of it.
func (m *Manager) LeaveNode(ctx context.Context, name string) error {
	node, err := m.Node(name)
	if err != nil {
		return err
	}
	if m.joined(node) == (Joined{}) {
		return fmt.Errorf("%s cannot leave: the cluster was made with it", name)
	}
	if err := daemon.Stop(m.PIDFile(node.Kubelet()), stopPatience); err != nil {
		return err
	}
	if err := m.killPods(node); err != nil {
		return err
	}
	api, err := m.connect()
	if err != nil {
		return err
	}
	if err := api.client.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting node %s: %w", name, err)
	}
	if err := m.removeNode(node); err != nil {
		return err
	}
	m.forget(node)
	m.step("%s is gone", name)
	return m.State.save(m.Name)
}

// removeNode unmounts before it deletes, as remove does.
func (m *Manager) removeNode(node layout.Node) error {
	if err := unmount(func(path string) bool {
		return path == node.MountNS() || strings.HasPrefix(path, node.Path()+"/") || strings.HasPrefix(path, node.RunPath()+"/")
	}); err != nil {
		return err
	}
	if err := network.RemoveNode(node); err != nil {
		return err
	}
	if err := m.cgroups.Remove(node.CGroup()); err != nil {
		return err
	}
	for _, path := range []string{node.Path(), node.RunPath(), node.MountNS()} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("removing %s: %w", path, err)
		}
	}
	return nil
}

// forget what is written down about a node.
func (m *Manager) forget(node layout.Node) {
	m.State.Joined = slices.DeleteFunc(m.State.Joined, func(j Joined) bool { return j.Index == node.Index })
	m.State.Limits = slices.DeleteFunc(m.State.Limits, func(l network.Limit) bool { return slices.Contains(l.Ends(), node.Name()) })
	delete(m.State.Degraded, node.Name())
	delete(m.State.Drivers, node.Name())
}

// joined says how a node joined; zero: the cluster was made with it.
func (m *Manager) joined(node layout.Node) Joined {
	for _, j := range m.State.Joined {
		if j.Index == node.Index {
			return j
		}
	}
	return Joined{}
}
