package cluster

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
	"github.com/assay-dev/assay/hack/localcluster/internal/mountns"
)

// start starts what does not run and returns when all nodes are Ready.
func (m *Manager) start(ctx context.Context) error {
	control, nodes := errgroup.Group{}, errgroup.Group{}
	control.Go(func() error { return m.startAPI(ctx) })
	for _, node := range m.realNodes() {
		nodes.Go(func() error { return m.startContainerd(ctx, node) })
	}
	if err := errors.Join(control.Wait(), nodes.Wait()); err != nil {
		return err
	}
	m.step("API server and containerds answer")
	api, err := m.connect()
	if err != nil {
		return err
	}
	if err := api.allowDNS(ctx); err != nil {
		return err
	}
	if m.hasMPI() {
		if err := m.installMPI(ctx, api); err != nil {
			return err
		}
	}
	if err := m.startRest(); err != nil {
		return err
	}
	if err := m.degradeAgain(); err != nil {
		return err
	}
	if err := m.limitAgain(); err != nil {
		return err
	}
	if m.State.KwokNodes > 0 {
		if err := api.createKwokNodes(ctx, m.State.KwokNodes); err != nil {
			return err
		}
		m.step("%d kwok nodes registered", m.State.KwokNodes)
	}
	if err := m.waitForNodes(ctx, api); err != nil {
		return err
	}
	if m.hasMPI() {
		if err := m.waitForMPI(ctx, api); err != nil {
			return err
		}
	}
	m.step("%d nodes are Ready", len(m.realNodes())+m.State.KwokNodes)
	return nil
}

func (m *Manager) startAPI(ctx context.Context) error {
	if err := m.ensure(etcd, "etcd", m.etcdArgs()...); err != nil {
		return err
	}
	// The API server retries until etcd answers.
	if err := m.ensure(apiServer, "kube-apiserver", m.apiServerArgs()...); err != nil {
		return err
	}
	api, err := m.connect()
	if err != nil {
		return err
	}
	if err := m.waitFor(ctx, apiPatience, []string{etcd, apiServer}, api.ready); err != nil {
		return fmt.Errorf("waiting for the API server: %w", err)
	}
	return nil
}

func (m *Manager) startContainerd(ctx context.Context, node layout.Node) error {
	if err := mountns.Create(node); err != nil {
		return err
	}
	if err := m.ensureIn(node.MountNS(), node.Containerd(), "containerd", containerdArgs(node)...); err != nil {
		return err
	}
	if err := m.waitFor(ctx, containerdPatience, []string{node.Containerd()}, func(ctx context.Context) error {
		return m.ctr(ctx, node, "version")
	}); err != nil {
		return fmt.Errorf("waiting for containerd of %s: %w", node.Name(), err)
	}
	return m.importImage(ctx, node, m.programs.PauseArchive())
}

// startRest starts everything that needs the API server.
func (m *Manager) startRest() error {
	type program struct {
		name, binary string
		args         []string
	}
	programs := []program{
		{controllerManager, controllerManager, m.controllerManagerArgs()},
		{scheduler, scheduler, m.schedulerArgs()},
	}
	if m.State.Nodes > 0 {
		programs = append(programs, program{proxy, proxy, m.proxyArgs()}, program{dns, dns, m.dnsArgs()})
	}
	if m.hasMPI() {
		programs = append(programs, program{mpiOperator, mpiOperator, m.mpiArgs()})
	}
	if m.State.KwokNodes > 0 {
		args, err := m.kwokArgs()
		if err != nil {
			return err
		}
		programs = append(programs, program{kwok, kwok, args})
	}
	for _, p := range programs {
		if err := m.ensure(p.name, p.binary, p.args...); err != nil {
			return err
		}
	}
	for _, node := range m.realNodes() {
		if err := m.startKubelet(node); err != nil {
			return err
		}
	}
	return nil
}

// startKubelet starts the node's DRA driver, too, where it has one.
func (m *Manager) startKubelet(node layout.Node) error {
	if err := m.ensureIn(node.MountNS(), node.Kubelet(), "kubelet", kubeletArgs(node, m.joined(node))...); err != nil {
		return err
	}
	return m.startDriver(node)
}

// daemons are the names of all that should run.
func (m *Manager) daemons() []string {
	all := []string{etcd, apiServer, controllerManager, scheduler}
	if m.State.Nodes > 0 {
		all = append(all, proxy, dns)
	}
	if m.hasMPI() {
		all = append(all, mpiOperator)
	}
	if m.State.KwokNodes > 0 {
		all = append(all, kwok)
	}
	for _, node := range m.realNodes() {
		all = append(all, m.daemonsOf(node)...)
	}
	return all
}

func (m *Manager) daemonsOf(node layout.Node) []string {
	all := []string{node.Containerd(), node.Kubelet()}
	if _, driven := m.State.Drivers[node.Name()]; driven {
		all = append(all, node.DRADriver())
	}
	return all
}

// running counts the daemons that run.
func (m *Manager) running() (alive int, dead []string) {
	for _, name := range m.daemons() {
		if _, ok := daemon.Load(m.PIDFile(name)); ok {
			alive++
		} else {
			dead = append(dead, name)
		}
	}
	return alive, dead
}
