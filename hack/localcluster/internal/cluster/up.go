package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/hack/localcluster/internal/binaries"
	"github.com/assay-dev/assay/hack/localcluster/internal/config"
	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
	"github.com/assay-dev/assay/hack/localcluster/internal/mountns"
	"github.com/assay-dev/assay/hack/localcluster/internal/network"
	"github.com/assay-dev/assay/hack/localcluster/internal/pause"
	"github.com/assay-dev/assay/hack/localcluster/internal/pki"
)

// Label marks every node of a local cluster.
const Label = "assay.dev/localcluster"

// Up makes the cluster be what params say: it leaves a healthy one alone,
// restarts what died, and makes a new one where that does not help.
func (m *Manager) Up(ctx context.Context, params Params, programs binaries.Set) error {
	if reason := m.unusable(params, programs); reason != "" {
		if m.State != nil {
			m.step("removing the old cluster: %s", reason)
		}
		return m.recreate(ctx, params, programs)
	}
	if _, dead := m.running(); len(dead) == 0 {
		m.step("cluster %s runs already", m.Name)
	} else {
		m.step("restarting %s", shorten(dead))
	}
	err := m.start(ctx)
	if err != nil && ctx.Err() == nil {
		m.step("repairing did not help: %v", err)
		return m.recreate(ctx, params, programs)
	}
	return err
}

// unusable says why an existing cluster cannot be kept.
func (m *Manager) unusable(params Params, programs binaries.Set) string {
	switch {
	case m.State == nil:
		return "there is none"
	case !m.State.Prepared:
		return "it was not finished"
	case m.State.Params != params:
		return "it was started with other parameters (" + m.State.Params.String() + ")"
	case m.State.Programs != programs.Dir:
		return "it runs other versions"
	case !network.Exists(m.Cluster):
		return "its network is gone (did the machine restart?)"
	case !m.cgroups.Exists(m.CGroup()):
		return "its cgroups are gone (did the machine restart?)"
	}
	return ""
}

func (m *Manager) recreate(ctx context.Context, params Params, programs binaries.Set) error {
	if err := m.remove(); err != nil {
		return err
	}
	subnet, err := network.FreeSubnet(layout.PreferredSubnet(m.Name))
	if err != nil {
		return err
	}
	m.Subnet, m.programs = subnet, programs
	m.State = &State{Params: params, Subnet: subnet, Programs: programs.Dir}
	if err := m.State.save(m.Name); err != nil {
		return err
	}
	if err := m.prepare(); err != nil {
		return err
	}
	m.State.Prepared = true
	if err := m.State.save(m.Name); err != nil {
		return err
	}
	m.step("prepared network %s, certificates and configuration", m.CIDR())
	return m.start(ctx)
}

// prepare makes everything that the daemons find when they start.
func (m *Manager) prepare() error {
	if err := pki.Make(m.Cluster, m.State.Nodes); err != nil {
		return err
	}
	machine, err := m.machine()
	if err != nil {
		return err
	}
	files, err := config.ForCluster(m.Cluster, machine)
	if err != nil {
		return err
	}
	if err := writeFiles(files); err != nil {
		return err
	}
	for _, node := range m.Nodes(m.State.Nodes) {
		if err := m.prepareNode(node, machine); err != nil {
			return err
		}
	}
	if err := m.cgroups.Create(m.SystemCGroup()); err != nil {
		return err
	}
	if err := network.Create(m.Cluster, m.State.Nodes); err != nil {
		return err
	}
	if err := network.AllowOutbound(m.Cluster); err != nil {
		m.step("pods will not reach other machines: %v", err)
	}
	return nil
}

func (m *Manager) prepareNode(node layout.Node, machine config.Machine) error {
	files, err := config.ForNode(node, machine)
	if err != nil {
		return err
	}
	if err := writeFiles(files); err != nil {
		return err
	}
	return m.cgroups.Create(node.CGroup())
}

func (m *Manager) machine() (config.Machine, error) {
	runc, err := exec.LookPath("runc")
	if err != nil {
		return config.Machine{}, err
	}
	plugins, err := cniDir()
	if err != nil {
		return config.Machine{}, err
	}
	resolvConf, _ := os.ReadFile("/etc/resolv.conf") // a machine without one has no resolvers
	return config.Machine{
		CGroupV2:         m.cgroups.V2,
		RestrictOOMScore: lacksSysResource(),
		Runc:             runc,
		CNIBin:           plugins,
		PauseImage:       pause.Image,
		Resolvers:        config.Resolvers(string(resolvConf)),
	}, nil
}

func writeFiles(files map[string][]byte) error {
	for path, content := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

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
		if err := m.waitForMPI(ctx, api, nil); err != nil {
			return err
		}
	}
	m.step("%d nodes are Ready", len(m.realNodes())+m.State.KwokNodes)
	return nil
}

func (m *Manager) startAPI(ctx context.Context) error {
	if _, err := m.ensure(etcd, "etcd", m.etcdArgs()...); err != nil {
		return err
	}
	// The API server retries until etcd answers.
	ended, err := m.ensure(apiServer, "kube-apiserver", m.apiServerArgs()...)
	if err != nil {
		return err
	}
	api, err := m.connect()
	if err != nil {
		return err
	}
	if err := waitFor(ctx, apiPatience, ended, api.ready); err != nil {
		return fmt.Errorf("waiting for the API server: %w; %s", err, m.logTail(apiServer))
	}
	return nil
}

func (m *Manager) startContainerd(ctx context.Context, node layout.Node) error {
	if err := mountns.Create(node); err != nil {
		return err
	}
	ended, err := m.ensureIn(node.MountNS(), node.Containerd(), "containerd", containerdArgs(node)...)
	if err != nil {
		return err
	}
	if err := waitFor(ctx, containerdPatience, ended, func(ctx context.Context) error {
		return m.ctr(ctx, node, "version")
	}); err != nil {
		return fmt.Errorf("waiting for containerd of %s: %w; %s", node.Name(), err, m.logTail(node.Containerd()))
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
		if _, err := m.ensure(p.name, p.binary, p.args...); err != nil {
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

func (m *Manager) startKubelet(node layout.Node) error {
	_, err := m.ensureIn(node.MountNS(), node.Kubelet(), "kubelet", kubeletArgs(node, m.joined(node))...)
	return err
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
		all = append(all, node.Containerd(), node.Kubelet())
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
