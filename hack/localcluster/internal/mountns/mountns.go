// Package mountns gives a node a mount namespace of its own, so that the
// folders whose paths kubelets, device plugins, shims and CNI plugins take for
// granted are the node's and not the machine's: the GPU plugin of one node
// does not register with the kubelet of another. What is mounted inside stays
// inside, and is gone with the node.
package mountns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

// Create makes the node's namespace and pins it to a file, by which Enter
// finds it. Nothing happens if it is there.
func Create(n layout.Node) error {
	if Exists(n) {
		return nil
	}
	if err := makePrivate(filepath.Dir(n.MountNS())); err != nil {
		return err
	}
	for inside, outside := range n.OwnFolders() {
		for _, dir := range []string{inside, outside} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
	}
	if err := os.WriteFile(n.MountNS(), nil, 0o600); err != nil {
		return err
	}
	made, pinned, failed := make(chan int), make(chan struct{}), make(chan error, 1)
	go func() {
		// The thread ends with the goroutine: it is in the wrong namespace.
		runtime.LockOSThread()
		if err := isolate(n.OwnFolders()); err != nil {
			failed <- err
			return
		}
		made <- unix.Gettid()
		<-pinned // the namespace lives as long as its only thread
	}()
	defer close(pinned)
	select {
	case err := <-failed:
		return fmt.Errorf("creating the mount namespace of %s: %w", n.Name(), err)
	case thread := <-made:
		source := fmt.Sprintf("/proc/self/task/%d/ns/mnt", thread)
		if err := unix.Mount(source, n.MountNS(), "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("pinning the mount namespace of %s: %w", n.Name(), err)
		}
		return nil
	}
}

// Exists says whether the node's namespace is pinned.
func Exists(n layout.Node) bool {
	var stat unix.Statfs_t
	return unix.Statfs(n.MountNS(), &stat) == nil && stat.Type == unix.NSFS_MAGIC
}

// makePrivate makes the folder a mount that propagates nowhere, as the kernel
// demands of a folder with pinned mount namespaces.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var parent, own unix.Stat_t
	if err := errors.Join(unix.Stat(filepath.Dir(dir), &parent), unix.Stat(dir, &own)); err != nil {
		return err
	}
	if parent.Dev != own.Dev {
		return nil // mounted for an earlier node
	}
	if err := unix.Mount("assay", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=64k,mode=700"); err != nil {
		return fmt.Errorf("mounting %s: %w", dir, err)
	}
	return unix.Mount("", dir, "", unix.MS_PRIVATE, "")
}

// isolate moves the calling thread into a new mount namespace. It sees what is
// mounted outside later; the outside sees nothing of it. Shared again inside,
// so that pods may use mount propagation.
func isolate(folders map[string]string) error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return err
	}
	for _, propagation := range []uintptr{unix.MS_SLAVE, unix.MS_SHARED} {
		if err := unix.Mount("", "/", "", unix.MS_REC|propagation, ""); err != nil {
			return fmt.Errorf("setting mount propagation: %w", err)
		}
	}
	for inside, outside := range folders {
		if err := unix.Mount(outside, inside, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mounting %s on %s: %w", outside, inside, err)
		}
	}
	return nil
}

// Enter moves the calling thread, which must be locked and end with its
// goroutine, into the namespace pinned to the file.
func Enter(file string) error {
	target, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("opening mount namespace %s: %w", file, err)
	}
	defer target.Close()
	// The kernel refuses a thread that shares its working folder with others.
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("entering mount namespace %s: %w", file, err)
	}
	if err := unix.Setns(int(target.Fd()), unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("entering mount namespace %s: %w", file, err)
	}
	return nil
}

// RemoveMountPoints removes the folders that Create made on the machine to
// mount upon, if nobody uses them.
func RemoveMountPoints() error {
	for inside := range (layout.Node{}).OwnFolders() {
		err := os.Remove(inside) // refuses what is not empty
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.EBUSY) {
			return fmt.Errorf("removing mount point %s: %w", inside, err)
		}
	}
	return nil
}
