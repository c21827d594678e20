// Package cgroup creates, fills, limits, empties and removes the cgroups of a
// cluster, under cgroup v1 and v2. It knows paths below the hierarchies' roots
// and nothing of clusters.
package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Hierarchies are the cgroup file systems of a machine.
type Hierarchies struct {
	// V2 says that there is one, unified hierarchy.
	V2 bool
	// Roots are the mount points; exactly one under v2.
	Roots []string
}

// Detect reads which hierarchies are mounted.
func Detect() (Hierarchies, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return Hierarchies{}, err
	}
	h := parseMounts(string(mounts))
	if len(h.Roots) == 0 {
		return h, errors.New("no cgroup file system is mounted below /sys/fs/cgroup")
	}
	return h, nil
}

// parseMounts takes what is mounted at or below /sys/fs/cgroup. On a machine
// with both versions the controllers are in v1 and v2 is one more hierarchy,
// in which runc makes cgroups too.
func parseMounts(mounts string) Hierarchies {
	var h Hierarchies
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		switch point, kind := fields[1], fields[2]; {
		case kind == "cgroup2" && point == "/sys/fs/cgroup":
			return Hierarchies{V2: true, Roots: []string{point}}
		case (kind == "cgroup" || kind == "cgroup2") && strings.HasPrefix(point, "/sys/fs/cgroup/"):
			h.Roots = append(h.Roots, point)
		}
	}
	return h
}

// Create makes the cgroup in every hierarchy, with all controllers usable by
// its children.
func (h Hierarchies) Create(path string) error {
	for _, root := range h.Roots {
		dir := root
		for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
			if h.V2 {
				if err := enableControllers(dir); err != nil {
					return err
				}
			}
			parent := dir
			dir = filepath.Join(dir, part)
			if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("creating cgroup %s: %w", dir, err)
			}
			if !h.V2 {
				if err := inheritCPUSet(parent, dir); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// inheritCPUSet fills a new v1 cpuset, which is empty and takes no process
// until it is filled.
func inheritCPUSet(parent, dir string) error {
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		own, err := os.ReadFile(filepath.Join(dir, file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another controller's hierarchy
		}
		if err == nil && strings.TrimSpace(string(own)) != "" {
			continue
		}
		value, err := os.ReadFile(filepath.Join(parent, file))
		if err != nil {
			return fmt.Errorf("reading the parent's %s: %w", file, err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), value, 0o644); err != nil {
			return fmt.Errorf("filling %s of %s: %w", file, dir, err)
		}
	}
	return nil
}

// required are the controllers without which a kubelet does not start.
var required = []string{"cpu", "cpuset", "memory", "pids"}

// enableControllers lets the children of a v2 cgroup use every controller.
func enableControllers(dir string) error {
	available, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return fmt.Errorf("reading the controllers of %s: %w", dir, err)
	}
	control := filepath.Join(dir, "cgroup.subtree_control")
	for controller := range strings.FieldsSeq(string(available)) {
		err := os.WriteFile(control, []byte("+"+controller), 0o644)
		if errors.Is(err, syscall.EBUSY) {
			// A cgroup that is not the machine's real root (we are in a
			// container) may not have both processes and controllers.
			if err = moveAll(dir, filepath.Join(dir, "init")); err == nil {
				err = os.WriteFile(control, []byte("+"+controller), 0o644)
			}
		}
		if err != nil && slices.Contains(required, controller) {
			return fmt.Errorf("enabling controller %s in %s: %w", controller, dir, err)
		}
	}
	return nil
}

func moveAll(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, pid := range procs(from) {
		err := os.WriteFile(filepath.Join(to, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o644)
		if err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// Add moves a process into the cgroup.
func (h Hierarchies) Add(path string, pid int) error {
	for _, root := range h.Roots {
		file := filepath.Join(root, path, "cgroup.procs")
		if err := os.WriteFile(file, []byte(strconv.Itoa(pid)), 0o644); err != nil {
			return fmt.Errorf("moving process %d into cgroup %s: %w", pid, path, err)
		}
	}
	return nil
}

// Exists says whether any hierarchy has the cgroup.
func (h Hierarchies) Exists(path string) bool {
	for _, root := range h.Roots {
		if _, err := os.Stat(filepath.Join(root, path)); err == nil {
			return true
		}
	}
	return false
}

// Procs are the processes in the cgroup and all below it.
func (h Hierarchies) Procs(path string) []int {
	seen := map[int]bool{}
	var all []int
	for _, root := range h.Roots {
		for _, pid := range procsBelow(filepath.Join(root, path)) {
			if !seen[pid] {
				seen[pid] = true
				all = append(all, pid)
			}
		}
	}
	return all
}

// Kill kills every process in the cgroup and below it, those that are started
// meanwhile too, and returns when none is left.
func (h Hierarchies) Kill(path string, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for {
		left := h.Procs(path)
		if len(left) == 0 {
			return nil
		}
		for _, pid := range left {
			if pid > 1 { // 0 is a process of another pid namespace
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v of cgroup %s do not die", left, path)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Remove deletes the cgroup and all below it. They must be empty.
func (h Hierarchies) Remove(path string) error {
	var failed error
	for _, root := range h.Roots {
		if err := removeTree(filepath.Join(root, path)); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

func removeTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeTree(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	// A process that has just died still holds its cgroup for a moment.
	for range 100 {
		if err = syscall.Rmdir(dir); !errors.Is(err, syscall.EBUSY) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil && !errors.Is(err, syscall.ENOENT) {
		return fmt.Errorf("removing cgroup %s: %w", dir, err)
	}
	return nil
}

func procsBelow(dir string) []int {
	var all []int
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			all = append(all, procs(path)...)
		}
		return nil // a cgroup that vanishes meanwhile has no processes
	})
	return all
}

func procs(dir string) []int {
	content, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return nil
	}
	var all []int
	for field := range strings.FieldsSeq(string(content)) {
		if pid, err := strconv.Atoi(field); err == nil {
			all = append(all, pid)
		}
	}
	return all
}
