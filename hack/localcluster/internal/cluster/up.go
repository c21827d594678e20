package cluster

import (
	"context"

	"github.com/assay-dev/assay/hack/localcluster/internal/binaries"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
	"github.com/assay-dev/assay/hack/localcluster/internal/network"
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
	_, dead := m.running()
	if len(dead) == 0 {
		m.step("cluster %s runs already", m.Name)
	} else {
		m.step("restarting %s", shorten(dead))
	}
	if err := m.makeRoom(dead...); err != nil {
		return err
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
	if err := m.makeRoom(m.daemons()...); err != nil {
		m.State = nil
		return err
	}
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
