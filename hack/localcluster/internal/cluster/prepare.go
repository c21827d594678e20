package cluster

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assay-dev/assay/hack/localcluster/internal/config"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
	"github.com/assay-dev/assay/hack/localcluster/internal/network"
	"github.com/assay-dev/assay/hack/localcluster/internal/pause"
	"github.com/assay-dev/assay/hack/localcluster/internal/pki"
)

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
