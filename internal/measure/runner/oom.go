package runner

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var oomKill = regexp.MustCompile(`(?m)^oom_kill ([0-9]{1,18})$`)

// oomKills is how many processes of this control group the kernel has killed for lack of memory so far. 0 where no
// counter can be read.
func oomKills(root string) int64 {
	for _, path := range oomCounters(root) {
		if match := oomKill.FindStringSubmatch(readText(path)); match != nil {
			kills, _ := strconv.ParseInt(match[1], 10, 64) // 18 digits fit
			return kills
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
