package runner

import (
	"path/filepath"
	"strconv"
	"strings"
)

// oomKills is how many processes of this control group the kernel has killed for lack of memory so far. 0 where no
// counter can be read.
func oomKills(root string) int64 {
	for _, path := range oomCounters(root) {
		if text := readText(path); text != "" {
			return counter(text, "oom_kill")
		}
	}
	return 0
}

// oomCounters lists where the counter may be: under the process' own path where the whole hierarchy is visible, at the
// mount's root where the container sees only its own group; version 2 before version 1.
func oomCounters(root string) []string {
	v2, v1 := "", ""
	for line := range strings.Lines(readText(root, "proc/self/cgroup")) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		if fields[0] == "0" {
			v2 = fields[2]
		}
		if strings.Contains(","+fields[1]+",", ",memory,") {
			v1 = fields[2]
		}
	}
	group := filepath.Join(root, "sys/fs/cgroup")
	return []string{
		filepath.Join(group, v2, "memory.events"), filepath.Join(group, "memory.events"),
		filepath.Join(group, "memory", v1, "memory.oom_control"), filepath.Join(group, "memory/memory.oom_control"),
	}
}

// counter reads one "name value" line.
func counter(text, name string) int64 {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 2 || fields[0] != name {
			continue
		}
		if value, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			return value
		}
	}
	return 0
}
