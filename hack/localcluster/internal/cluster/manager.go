package cluster

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assay-dev/assay/hack/localcluster/internal/binaries"
	"github.com/assay-dev/assay/hack/localcluster/internal/cgroup"
	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
	"github.com/assay-dev/assay/hack/localcluster/internal/lock"
)

// Manager acts on one cluster. It holds the cluster's lock from Open to Close.
type Manager struct {
	layout.Cluster
	// State is nil when there is no such cluster.
	State *State

	programs binaries.Set
	cgroups  cgroup.Hierarchies
	out      io.Writer
	release  func()
	started  time.Time
}

// Open takes the cluster's lock and reads its state.
func Open(name string, out io.Writer) (*Manager, error) {
	if err := layout.CheckName(name); err != nil {
		return nil, err
	}
	hierarchies, err := cgroup.Detect()
	if err != nil {
		return nil, err
	}
	c := layout.Cluster{Name: name}
	release, err := lock.Acquire(c.LockFile(), func() {
		fmt.Fprintf(out, "waiting for another command on cluster %s\n", name)
	})
	if err != nil {
		return nil, err
	}
	m := &Manager{Cluster: c, cgroups: hierarchies, out: out, release: release, started: time.Now()}
	if m.State, err = load(name); err != nil {
		release()
		return nil, err
	}
	if m.State != nil {
		m.Subnet = m.State.Subnet
		m.programs = binaries.Set{Dir: m.State.Programs}
	}
	return m, nil
}

// Close lets the next command on the cluster run.
func (m *Manager) Close() { m.release() }

// step tells what happens, with the time since the command began.
func (m *Manager) step(format string, args ...any) {
	fmt.Fprintf(m.out, "%5.1fs  %s\n", time.Since(m.started).Seconds(), fmt.Sprintf(format, args...))
}

// Node finds a running cluster's real node by name.
func (m *Manager) Node(name string) (layout.Node, error) {
	if m.State == nil {
		return layout.Node{}, fmt.Errorf("cluster %s does not exist", m.Name)
	}
	var names []string
	for _, node := range m.realNodes() {
		if node.Name() == name {
			return node, nil
		}
		names = append(names, node.Name())
	}
	return layout.Node{}, fmt.Errorf("cluster %s has no node %q: its nodes are %s", m.Name, name, strings.Join(names, ", "))
}

// realNodes are those that the cluster was made with, and those that joined.
func (m *Manager) realNodes() []layout.Node {
	all := m.Nodes(m.State.Nodes)
	for _, j := range m.State.Joined {
		all = append(all, layout.Node{Cluster: m.Cluster, Index: j.Index})
	}
	return all
}

// ensure starts a daemon of the control plane unless it runs.
func (m *Manager) ensure(name, program string, args ...string) error {
	return m.ensureIn("", name, program, args...)
}

// ensureIn is ensure for a daemon in a mount namespace.
func (m *Manager) ensureIn(mountNS, name, program string, args ...string) error {
	if _, alive := daemon.Load(m.PIDFile(name)); alive {
		return nil
	}
	_, err := daemon.Start(daemon.Spec{
		Name:    name,
		Path:    m.programs.Path(program),
		Args:    args,
		Env:     m.environment(),
		Log:     filepath.Join(m.Logs(), name+".log"),
		PIDFile: m.PIDFile(name),
		NetNS:   m.NetNS(),
		MountNS: mountNS,
		Started: func(pid int) error { return m.cgroups.Add(m.SystemCGroup(), pid) },
	})
	return err
}

// environment of a daemon. Where the caller has memory to spare, its GOGC is theirs, too.
func (m *Manager) environment() []string {
	all := []string{"PATH=" + m.programs.Dir + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"}
	if percent := os.Getenv("GOGC"); percent != "" {
		all = append(all, "GOGC="+percent)
	}
	return all
}
