// Package daemon starts processes that outlive their starter, and recognises
// them again later. A pid alone is not an identity: the kernel gives it to
// another process one day. A pid and the process's start time are.
package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Identity names one process for as long as the machine is up.
type Identity struct {
	PID int
	// Start is in clock ticks since boot, as in /proc/PID/stat.
	Start uint64
}

// Identify returns the identity of a running process. A zombie does not run.
func Identify(pid int) (Identity, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Identity{}, err
	}
	state, start, err := parseStat(string(stat))
	if err != nil {
		return Identity{}, fmt.Errorf("reading the state of process %d: %w", pid, err)
	}
	if state == 'Z' || state == 'X' {
		return Identity{}, fmt.Errorf("process %d is dead: %w", pid, fs.ErrNotExist)
	}
	return Identity{PID: pid, Start: start}, nil
}

// parseStat reads past the command's name, which may hold spaces and brackets.
func parseStat(stat string) (state byte, start uint64, err error) {
	end := strings.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, 0, errors.New("no command in stat")
	}
	fields := strings.Fields(stat[end+1:])
	// Field 3 of stat is the first here; start time is field 22.
	if len(fields) < 20 || len(fields[0]) != 1 {
		return 0, 0, fmt.Errorf("only %d fields after the command", len(fields))
	}
	start, err = strconv.ParseUint(fields[19], 10, 64)
	return fields[0][0], start, err
}

// Alive says whether this very process still runs.
func (i Identity) Alive() bool {
	now, err := Identify(i.PID)
	return err == nil && now == i
}

// Save writes the identity to a pid file.
func (i Identity) Save(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, fmt.Appendf(nil, "%d %d\n", i.PID, i.Start), 0o644)
}

// Load reads a pid file and returns the process if it still runs.
func Load(path string) (Identity, bool) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Identity{}, false
	}
	var i Identity
	if _, err := fmt.Sscanf(string(content), "%d %d", &i.PID, &i.Start); err != nil || i.PID <= 1 {
		return Identity{}, false
	}
	return i, i.Alive()
}

// Stop ends the process that the pid file names, if it is still that process:
// politely first, then for good.
func Stop(path string, patience time.Duration) error {
	i, alive := Load(path)
	if !alive {
		return removePIDFile(path)
	}
	_ = syscall.Kill(i.PID, syscall.SIGTERM)
	if !i.waitUntilDead(patience) {
		_ = syscall.Kill(i.PID, syscall.SIGKILL)
		if !i.waitUntilDead(time.Minute) {
			return fmt.Errorf("stopping process %d of %s: it does not die", i.PID, path)
		}
	}
	return removePIDFile(path)
}

func (i Identity) waitUntilDead(patience time.Duration) bool {
	deadline := time.Now().Add(patience)
	for i.Alive() {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return true
}

func removePIDFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
