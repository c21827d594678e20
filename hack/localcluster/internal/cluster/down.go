package cluster

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
	"github.com/assay-dev/assay/hack/localcluster/internal/limits"
	"github.com/assay-dev/assay/hack/localcluster/internal/mountns"
	"github.com/assay-dev/assay/hack/localcluster/internal/network"
)

const killPatience = 15 * time.Second

// Down removes the cluster and everything that belongs to it, or what a crash
// left of it.
func (m *Manager) Down() error {
	existed := m.State != nil || len(m.Leftovers()) > 0
	if err := m.remove(); err != nil {
		return err
	}
	if left := m.Leftovers(); len(left) > 0 {
		return fmt.Errorf("removing cluster %s: still there: %s", m.Name, strings.Join(left, "; "))
	}
	if existed {
		m.step("cluster %s is gone", m.Name)
	} else {
		m.step("there is no cluster %s", m.Name)
	}
	return nil
}

// remove kills before it unmounts, and unmounts before it deletes: a mount
// below a folder must never be deleted through.
func (m *Manager) remove() error {
	if err := m.cgroups.Kill(m.CGroup(), killPatience); err != nil {
		return err
	}
	for _, dir := range []string{m.Dir(), m.RunDir()} {
		if err := killMatching(dir+"/", killPatience); err != nil {
			return err
		}
	}
	// A shim may have started a process between the two.
	if err := m.cgroups.Kill(m.CGroup(), killPatience); err != nil {
		return err
	}
	if err := m.unmount(); err != nil {
		return err
	}
	if err := network.Delete(m.Cluster); err != nil {
		return err
	}
	if err := m.cgroups.Remove(m.CGroup()); err != nil {
		return err
	}
	for _, dir := range []string{m.Dir(), m.RunDir()} {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("removing %s: %w", dir, err)
		}
	}
	m.State = nil
	if !anyCluster() {
		if err := mountns.RemoveMountPoints(); err != nil {
			return err
		}
		if err := network.RestoreForwarding(); err != nil {
			return fmt.Errorf("switching packet forwarding off again: %w", err)
		}
		if err := limits.Restore(layout.RaisedLimits); err != nil {
			return err
		}
	}
	return nil
}

// mounts are the mount points below the cluster's folders, innermost first.
func (m *Manager) mounts() ([]string, error) { return mountsOf(m.owns) }

func mountsOf(owns func(path string) bool) ([]string, error) {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var points []string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20) // an overlay of many layers has a long line
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 4 && owns(fields[4]) {
			points = append(points, fields[4])
		}
	}
	slices.Reverse(points)
	return points, lines.Err()
}

func (m *Manager) owns(path string) bool {
	return strings.HasPrefix(path, m.Dir()+"/") || strings.HasPrefix(path, m.RunDir()+"/")
}

func (m *Manager) unmount() error { return unmount(m.owns) }

func unmount(owns func(path string) bool) error {
	points, err := mountsOf(owns)
	if err != nil {
		return err
	}
	for _, point := range points {
		err := unix.Unmount(point, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
		// Unmounting one of a shared group unmounts the others with it.
		if err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("unmounting %s: %w", point, err)
		}
	}
	if points, err = mountsOf(owns); err == nil && len(points) > 0 {
		return fmt.Errorf("unmounting: still mounted: %s", shorten(points))
	}
	return err
}

// Leftovers names everything of the cluster that is still there.
func (m *Manager) Leftovers() []string {
	left := network.Leftovers(m.Cluster)
	if pids := m.cgroups.Procs(m.CGroup()); len(pids) > 0 {
		left = append(left, fmt.Sprintf("%d processes", len(pids)))
	}
	for _, dir := range []string{m.Dir(), m.RunDir()} {
		if pids := matching(dir + "/"); len(pids) > 0 {
			left = append(left, fmt.Sprintf("processes %v", pids))
		}
		if _, err := os.Stat(dir); err == nil {
			left = append(left, "folder "+dir)
		}
	}
	if m.cgroups.Exists(m.CGroup()) {
		left = append(left, "cgroup "+m.CGroup())
	}
	if points, err := m.mounts(); err == nil && len(points) > 0 {
		left = append(left, fmt.Sprintf("%d mounts", len(points)))
	}
	return left
}
