package runner

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// processes keeps track of the children. The runner may be process 1 of its container, and makes itself the one that
// orphans fall to in any case: it reaps those it never started, and leaves its own children to whoever waits for them.
type processes struct {
	mu    sync.Mutex
	own   map[int]bool
	child chan os.Signal
}

func newProcesses() *processes {
	p := &processes{own: map[int]bool{}, child: make(chan os.Signal, 1)}
	// Without this (it takes Linux 3.4), orphans of the program would escape to the host's init on a bare host.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	signal.Notify(p.child, syscall.SIGCHLD)
	go func() {
		for range p.child {
			p.reap()
		}
	}()
	return p
}

func (p *processes) close() {
	signal.Stop(p.child) // from here on, no signal is sent there
	close(p.child)
}

// start starts a child that the caller waits for by wait.
func (p *processes) start(cmd *exec.Cmd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", cmd.Args[0], err)
	}
	p.own[cmd.Process.Pid] = true
	return nil
}

func (p *processes) wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	p.mu.Lock()
	delete(p.own, cmd.Process.Pid)
	p.mu.Unlock()
	return err
}

// reap collects every ended child that nobody waits for.
func (p *processes) reap() {
	for _, pid := range p.orphans() {
		_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // it may still run, or be gone by now
	}
}

// killDescendants ends whatever the program left behind, also what moved to another process group. Killing one makes its
// children ours, so it goes on until there are none; a process that the kernel cannot end (stuck in a driver) is given up.
func (p *processes) killDescendants() {
	deadline := time.Now().Add(5 * time.Second)
	for time.Now().Before(deadline) {
		left := p.orphans()
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		p.reap()
		<-time.After(5 * time.Millisecond)
	}
}

// orphans are the children of this process that it did not start.
func (p *processes) orphans() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	self := os.Getpid()
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && !p.own[pid] && parentOf(pid) == self {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parentOf reads the parent from /proc/PID/stat, where the program's name is in brackets and may hold anything.
func parentOf(pid int) int {
	stat := readText("/proc", strconv.Itoa(pid), "stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1]) // 0 of what is no number
	return parent
}

// signalName is the name people know, for example SIGTERM.
func signalName(s os.Signal) string {
	if number, ok := s.(syscall.Signal); ok {
		if name := unix.SignalName(number); name != "" {
			return name
		}
	}
	return s.String()
}
