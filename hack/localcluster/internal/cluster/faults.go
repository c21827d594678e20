package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assay-dev/assay/hack/localcluster/internal/cgroup"
	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
	"github.com/assay-dev/assay/hack/localcluster/internal/network"
)

const stopPatience = 20 * time.Second

// Degrade makes all pods of the node share so many cores from now on.
func (m *Manager) Degrade(name string, cores float64) error {
	node, err := m.Node(name)
	if err != nil {
		return err
	}
	quota, err := cgroup.QuotaFor(cores)
	if err != nil {
		return err
	}
	// The kubelet rewrites kubepods, which is below; never this cgroup.
	if err := m.cgroups.Limit(node.CGroup(), quota); err != nil {
		return fmt.Errorf("degrading %s: %w", name, err)
	}
	if m.State.Degraded == nil {
		m.State.Degraded = map[string]float64{}
	}
	m.State.Degraded[name] = cores
	m.step("the pods of %s share %v cores (%s of every %s)", name, cores, quota.Quota, quota.Period)
	return m.State.save(m.Name)
}

// Restore takes back what Degrade did.
func (m *Manager) Restore(name string) error {
	node, err := m.Node(name)
	if err != nil {
		return err
	}
	if err := m.cgroups.Unlimit(node.CGroup()); err != nil {
		return fmt.Errorf("restoring %s: %w", name, err)
	}
	delete(m.State.Degraded, name)
	m.step("the pods of %s have all cores again", name)
	return m.State.save(m.Name)
}

// degradeAgain renews what was recorded, after a repair.
func (m *Manager) degradeAgain() error {
	for _, name := range slices.Sorted(maps.Keys(m.State.Degraded)) {
		if err := m.Degrade(name, m.State.Degraded[name]); err != nil {
			return err
		}
	}
	return nil
}

// LimitNetwork gives the pods of a node, or those of two nodes between them, a rate from now on.
func (m *Manager) LimitNetwork(l network.Limit) error {
	for _, name := range l.Ends() {
		if _, err := m.Node(name); err != nil {
			return err
		}
	}
	m.State.Limits = append(slices.DeleteFunc(m.State.Limits, l.Replaces), l)
	if err := network.SetLimits(m.Cluster, m.realNodes(), l.Ends(), m.State.Limits); err != nil {
		return fmt.Errorf("limiting the network of %s: %w", l.Node, err)
	}
	if l.To == "" {
		m.step("the pods of %s share %s each way", l.Node, l.Rate)
	} else {
		m.step("the pods of %s and of %s share %s each way between them", l.Node, l.To, l.Rate)
	}
	return m.State.save(m.Name)
}

// RestoreNetwork takes back all limits that name a node.
func (m *Manager) RestoreNetwork(name string) error {
	if _, err := m.Node(name); err != nil {
		return err
	}
	ends := []string{name}
	m.State.Limits = slices.DeleteFunc(m.State.Limits, func(l network.Limit) bool {
		concerned := slices.Contains(l.Ends(), name)
		if concerned {
			ends = append(ends, l.Ends()...)
		}
		return concerned
	})
	if err := network.SetLimits(m.Cluster, m.realNodes(), ends, m.State.Limits); err != nil {
		return fmt.Errorf("restoring the network of %s: %w", name, err)
	}
	m.step("the network of %s is as fast as it can be again", name)
	return m.State.save(m.Name)
}

// limitAgain renews what was recorded, after a repair.
func (m *Manager) limitAgain() error {
	var names []string
	for _, l := range m.State.Limits {
		names = append(names, l.Ends()...)
	}
	return network.SetLimits(m.Cluster, m.realNodes(), names, m.State.Limits)
}

// StopNode kills the node's kubelet, so that it becomes NotReady; its pods run
// on. With powerOff its containerd and pods die too, like those of a machine
// that lost its power.
func (m *Manager) StopNode(name string, powerOff bool) error {
	node, err := m.Node(name)
	if err != nil {
		return err
	}
	if err := daemon.Stop(m.PIDFile(node.Kubelet()), stopPatience); err != nil {
		return err
	}
	if !powerOff {
		m.step("the kubelet of %s is stopped", name)
		return nil
	}
	if err := m.killPods(node); err != nil {
		return err
	}
	m.step("%s is off: kubelet, containerd and pods are dead", name)
	return nil
}

// killPods kills the node's DRA driver, containerd and pods, after its kubelet.
func (m *Manager) killPods(node layout.Node) error {
	if err := daemon.Stop(m.PIDFile(node.DRADriver()), 0); err != nil {
		return err
	}
	if err := daemon.Stop(m.PIDFile(node.Containerd()), 0); err != nil {
		return err
	}
	if err := killMatching(ofNode(node), stopPatience); err != nil { // the shims
		return err
	}
	return m.cgroups.Kill(node.CGroup(), stopPatience)
}

// StartNode starts what StopNode stopped and returns when the node is Ready.
func (m *Manager) StartNode(ctx context.Context, name string) error {
	node, err := m.Node(name)
	if err != nil {
		return err
	}
	if err := m.makeRoom(m.daemonsOf(node)...); err != nil {
		return err
	}
	if err := m.startContainerd(ctx, node); err != nil {
		return err
	}
	return m.startUntilReady(ctx, node)
}

// startUntilReady starts the kubelet and returns when the node is Ready.
func (m *Manager) startUntilReady(ctx context.Context, node layout.Node) error {
	started := time.Now().Truncate(time.Second)
	if err := m.startKubelet(node); err != nil {
		return err
	}
	api, err := m.connect()
	if err != nil {
		return err
	}
	if err := m.waitFor(ctx, nodesPatience, append(m.daemonsOf(node), apiServer), func(ctx context.Context) error {
		return api.nodeIsReady(ctx, node, started)
	}); err != nil {
		return fmt.Errorf("waiting for %s: %w; its logs are in %s", node.Name(), err, m.Logs())
	}
	m.step("%s is Ready", node.Name())
	return nil
}

func ofNode(node layout.Node) string { return node.RunPath() + "/" }
