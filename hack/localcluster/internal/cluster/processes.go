package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// builtIn is part of the path of every program that we built. A person's
// editor or pager on a file of the cluster is not a process of the cluster.
const builtIn = "/assay/localcluster/"

// matching finds processes of programs that we built with the folder (ending
// in a slash) in their arguments, wherever a crash may have left them.
func matching(folder string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		program, err := os.Readlink(filepath.Join("/proc", entry.Name(), "exe"))
		if err != nil || !strings.Contains(program, builtIn) {
			continue
		}
		arguments, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		if err == nil && strings.Contains(string(arguments), folder) {
			found = append(found, pid)
		}
	}
	return found
}

// killMatching kills them and returns when they are gone.
func killMatching(folder string, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for {
		left := matching(folder)
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v with %s in their arguments do not die", left, folder)
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
