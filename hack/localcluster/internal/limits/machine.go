package limits

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// machine is what the kernel allows and what is taken.
type machine struct {
	instances, usedInstances int
	watches, usedWatches     int
	pidMax, threadsMax       int
	threads                  int
	// pidsMax is 0 where there is no such limit.
	pidsMax, pidsUsed int
	// memory and disk are what is left, in MiB.
	memory, disk int
	files        int
}

const unlimited = 1 << 40

func look(disk string) machine {
	m := machine{
		instances:  number(sysctls + "/fs/inotify/max_user_instances"),
		watches:    number(sysctls + "/fs/inotify/max_user_watches"),
		pidMax:     number(sysctls + "/kernel/pid_max"),
		threadsMax: number(sysctls + "/kernel/threads-max"),
		threads:    threads(),
		memory:     availableMemory(),
		disk:       freeDisk(disk),
		files:      openFiles(),
	}
	m.usedInstances, m.usedWatches = inotify("/proc")
	m.pidsMax, m.pidsUsed = pids()
	return m
}

// number reads a file with one number. What cannot be read limits nothing: the daemon that runs into it says so.
func number(path string) int {
	content, err := os.ReadFile(path)
	if err != nil {
		return unlimited
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return unlimited
	}
	return n
}

// inotify counts what all processes of this user have. The limits are each user's, and the daemons run as who starts them.
func inotify(proc string) (instances, watches int) {
	links, err := filepath.Glob(filepath.Join(proc, "[0-9]*", "fd", "*"))
	if err != nil {
		return 0, 0
	}
	for _, link := range links {
		target, err := os.Readlink(link)
		if err != nil || target != "anon_inode:inotify" {
			continue
		}
		process, descriptor := filepath.Dir(filepath.Dir(link)), filepath.Base(link)
		if !mine(process) {
			continue
		}
		instances++
		info, err := os.ReadFile(filepath.Join(process, "fdinfo", descriptor))
		if err == nil {
			watches += bytes.Count(info, []byte("inotify wd:"))
		}
	}
	return instances, watches
}

func mine(process string) bool {
	var stat unix.Stat_t
	return unix.Stat(process, &stat) == nil && int(stat.Uid) == os.Geteuid()
}

// threads is the second number of the fourth field of loadavg: "0.5 0.4 0.3 2/456 7890".
func threads() int {
	content, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(content))
	if len(fields) < 4 {
		return 0
	}
	_, all, _ := strings.Cut(fields[3], "/")
	n, _ := strconv.Atoi(all)
	return n
}

func availableMemory() int {
	content, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return unlimited
	}
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemAvailable:" {
			if kib, err := strconv.Atoi(fields[1]); err == nil {
				return kib / 1024
			}
		}
	}
	return unlimited
}

func freeDisk(path string) int {
	var stat unix.Statfs_t
	for ; unix.Statfs(path, &stat) != nil; path = filepath.Dir(path) {
		if path == "/" {
			return unlimited
		}
	}
	return int(stat.Bavail * uint64(stat.Bsize) >> 20)
}

func openFiles() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Max > unlimited {
		return unlimited
	}
	return int(limit.Max)
}

// pids is the limit of a container that this session is in, of cgroups v2 or v1: the cluster's cgroups are below it. On a bare machine the
// files are not there.
func pids() (most, used int) {
	for _, dir := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/pids"} {
		if most := number(filepath.Join(dir, "pids.max")); most < unlimited {
			return most, number(filepath.Join(dir, "pids.current"))
		}
	}
	return 0, 0
}
