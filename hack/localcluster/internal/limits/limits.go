// Package limits compares what a cluster's daemons take of the machine with what the kernel still allows, raises what root may raise,
// and says in one sentence what is missing. A daemon that runs into such a limit dies with a message that nobody connects with it:
// "inotify_init: too many open files".
package limits

import (
	"fmt"
	"strings"
)

// Need is what daemons take when they are started.
type Need struct {
	// InotifyInstances and InotifyWatches are counted for each user of the machine.
	InotifyInstances, InotifyWatches int
	// Threads count against kernel.pid_max and kernel.threads-max.
	Threads int
	// Memory and Disk are in MiB. Memory is what the daemons use when nothing happens, Disk is logs, etcd and images.
	Memory, Disk int
}

// Plus adds what others need.
func (n Need) Plus(o Need) Need {
	return Need{
		InotifyInstances: n.InotifyInstances + o.InotifyInstances, InotifyWatches: n.InotifyWatches + o.InotifyWatches,
		Threads: n.Threads + o.Threads, Memory: n.Memory + o.Memory, Disk: n.Disk + o.Disk,
	}
}

// limit is one that the kernel sets, and what is taken of it.
type limit struct {
	// name is sysctl's.
	name         string
	allowed      int
	used, needed int
	// generous is what it is raised to at least.
	generous int
}

func (l limit) short() bool { return l.allowed-l.used < l.needed }

// tight leaves no room for what the tests start beside a cluster, and for a second one.
func (l limit) tight() bool { return l.allowed-l.used < 4*l.needed }

// raised is more than is allowed where that is tight, so that a second cluster does not change it again.
func (l limit) raised() int { return max(l.generous, l.used+4*l.needed) }

func (l limit) String() string {
	return fmt.Sprintf("%s is %d with %d in use, and %d more are needed (raise it: sysctl -w %s=%d)", l.name, l.allowed, l.used, l.needed, l.name, l.raised())
}

// sysctls is a variable for the tests.
var sysctls = "/proc/sys"

func (l limit) path() string { return sysctls + "/" + strings.ReplaceAll(l.name, ".", "/") }

// kernel are the limits that root may raise, in the order in which they are told.
func kernel(m machine, n Need) []limit {
	return []limit{
		{name: "fs.inotify.max_user_instances", allowed: m.instances, used: m.usedInstances, needed: n.InotifyInstances, generous: 1024},
		{name: "fs.inotify.max_user_watches", allowed: m.watches, used: m.usedWatches, needed: n.InotifyWatches, generous: 131072},
		{name: "kernel.pid_max", allowed: m.pidMax, used: m.threads, needed: n.Threads, generous: 131072},
		{name: "kernel.threads-max", allowed: m.threadsMax, used: m.threads, needed: n.Threads, generous: 131072},
	}
}

// missing is what nobody can raise.
func missing(m machine, n Need, disk string) []string {
	var all []string
	if m.memory < n.Memory {
		all = append(all, fmt.Sprintf("%d MiB of memory are available, and %d are needed", m.memory, n.Memory))
	}
	if m.disk < n.Disk {
		all = append(all, fmt.Sprintf("%d MiB are free below %s, and %d are needed", m.disk, disk, n.Disk))
	}
	if m.pidsMax > 0 && m.pidsMax-m.pidsUsed < n.Threads {
		all = append(all, fmt.Sprintf("the cgroup of this session allows %d processes with %d in use, and %d more are needed (pids.max)", m.pidsMax, m.pidsUsed, n.Threads))
	}
	if m.files < minFiles {
		all = append(all, fmt.Sprintf("a process may open %d files, and %d are needed (ulimit -Hn)", m.files, minFiles))
	}
	return all
}

// minFiles is what a kubelet, an API server and etcd have each open at most, and some more.
const minFiles = 4096
