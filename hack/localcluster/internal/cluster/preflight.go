package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrCannotRun says that this machine cannot run a cluster at all.
var ErrCannotRun = errors.New("a local cluster cannot run here")

const capSysResource = 24

// cniDirs is where distributions put the CNI plugins.
var cniDirs = []string{"/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"}

// Preflight names everything that the machine lacks at once.
func Preflight() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("%w: it needs Linux, this is %s", ErrCannotRun, runtime.GOOS)
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("%w: it needs root, for namespaces, mounts and cgroups", ErrCannotRun)
	}
	// Where they are built in, or modprobe is missing, this fails and does not
	// matter: what counts is checked below.
	for _, module := range []string{"overlay", "br_netfilter"} {
		_ = exec.Command("modprobe", "-q", module).Run()
	}
	var missing []string
	for _, program := range []string{"runc", "iptables", "iptables-save", "conntrack", "mount"} {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, "program "+program)
		}
	}
	if _, err := cniDir(); err != nil {
		missing = append(missing, err.Error())
	}
	if err := checkOverlay(); err != nil {
		missing = append(missing, err.Error())
	}
	if err := exec.Command("iptables", "-t", "nat", "-S").Run(); err != nil {
		missing = append(missing, fmt.Sprintf("kernel feature iptables nat (iptables -t nat -S: %v)", err))
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: missing\n  %s\nhack/setup/cluster.sh installs the programs", ErrCannotRun, strings.Join(missing, "\n  "))
	}
	return nil
}

func cniDir() (string, error) {
	for _, dir := range cniDirs {
		if _, err := os.Stat(filepath.Join(dir, "bridge")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("CNI plugins (looked in %s)", strings.Join(cniDirs, ", "))
}

// checkOverlay mounts one, which tells more than /proc/filesystems: the folder
// may be on a file system that overlayfs does not take.
func checkOverlay() error {
	const base = "/var/lib/assay-cluster"
	if err := os.MkdirAll(base, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(base, ".overlay-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, sub := range []string{"lower", "upper", "work", "merged"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	merged := filepath.Join(dir, "merged")
	options := fmt.Sprintf("lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", dir, dir, dir)
	if err := unix.Mount("overlay", merged, "overlay", 0, options); err != nil {
		return fmt.Errorf("kernel feature overlayfs on %s (mounting one: %w)", base, err)
	}
	return unix.Unmount(merged, unix.MNT_DETACH)
}

// lacksSysResource says whether OOM scores can only be raised.
func lacksSysResource() bool {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "CapEff:"); ok {
			caps, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
			return err != nil || caps&(1<<capSysResource) == 0
		}
	}
	return true
}
