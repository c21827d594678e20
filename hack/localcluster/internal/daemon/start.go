package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/vishvananda/netns"

	"github.com/assay-dev/assay/hack/localcluster/internal/mountns"
)

// Spec is a process to start.
type Spec struct {
	// Name is for messages.
	Name string
	// Path is the program, Args its arguments without the program's name.
	Path string
	Args []string
	// Env is added to a clean environment.
	Env []string
	// Log gets stdout and stderr, appended.
	Log string
	// PIDFile gets the identity.
	PIDFile string
	// NetNS is the named network namespace to run in, MountNS the file of a
	// mount namespace; empty for the machine's.
	NetNS, MountNS string
	// Started is told the pid, before Start returns.
	Started func(pid int) error
}

// Start starts the process in a session of its own.
func Start(s Spec) (Identity, error) {
	log, err := openLog(s.Log)
	if err != nil {
		return Identity{}, fmt.Errorf("starting %s: %w", s.Name, err)
	}
	defer log.Close()
	cmd := exec.Command(s.Path, s.Args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = s.Env
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := inNamespaces(s.NetNS, s.MountNS, cmd.Start); err != nil {
		return Identity{}, fmt.Errorf("starting %s: %w", s.Name, err)
	}
	go func() { _ = cmd.Wait() }() // reaps it; how it ended is in its log
	if s.Started != nil {
		if err := s.Started(cmd.Process.Pid); err != nil {
			_ = cmd.Process.Kill()
			return Identity{}, fmt.Errorf("starting %s: %w", s.Name, err)
		}
	}
	id, err := Identify(cmd.Process.Pid)
	if err != nil {
		return Identity{}, fmt.Errorf("starting %s: it ended at once, see %s", s.Name, s.Log)
	}
	return id, id.Save(s.PIDFile)
}

func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
}

// InNetNS runs f on a thread that is in the named network namespace.
func InNetNS(name string, f func() error) error { return inNamespaces(name, "", f) }

// inNamespaces runs f on a thread in the namespaces. Processes that f starts
// are in them too; goroutines that f starts are not.
func inNamespaces(netNS, mountNS string, f func() error) error {
	failed := make(chan error, 1)
	go func() {
		// Never unlocked: a thread in the wrong namespace must end with its
		// goroutine instead of serving another one.
		runtime.LockOSThread()
		if netNS != "" {
			if err := enterNetNS(netNS); err != nil {
				failed <- err
				return
			}
		}
		if mountNS != "" {
			if err := mountns.Enter(mountNS); err != nil {
				failed <- err
				return
			}
		}
		failed <- f()
	}()
	return <-failed
}

func enterNetNS(name string) error {
	target, err := netns.GetFromName(name)
	if err != nil {
		return fmt.Errorf("opening network namespace %s: %w", name, err)
	}
	defer target.Close()
	if err := netns.Set(target); err != nil {
		return fmt.Errorf("entering network namespace %s: %w", name, err)
	}
	return nil
}
