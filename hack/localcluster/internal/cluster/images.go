package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

// ctr runs containerd's own client in the namespace of Kubernetes' images.
func (m *Manager) ctr(ctx context.Context, node layout.Node, args ...string) error {
	_, err := m.ctrOutput(ctx, node, args...)
	return err
}

func (m *Manager) ctrOutput(ctx context.Context, node layout.Node, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, m.programs.Path("ctr"), append([]string{"-a", node.Socket(), "-n", "k8s.io"}, args...)...)
	var complaint strings.Builder // containerd warns there too
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ctr %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(complaint.String()))
	}
	return string(out), nil
}

func (m *Manager) importImage(ctx context.Context, node layout.Node, archive string, flags ...string) error {
	args := append([]string{"images", "import"}, flags...)
	if err := m.ctr(ctx, node, append(args, archive)...); err != nil {
		return fmt.Errorf("importing %s into %s: %w", archive, node.Name(), err)
	}
	return nil
}

// Load imports an archive of images into every real node. With a name, the
// archive's image gets it; without, it keeps the name in the archive.
func (m *Manager) Load(ctx context.Context, archive, name string) error {
	if m.State == nil {
		return fmt.Errorf("cluster %s does not exist", m.Name)
	}
	var flags []string
	if name != "" {
		flags = append(flags, "--index-name", name)
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, node := range m.realNodes() {
		group.Go(func() error { return m.importImage(ctx, node, archive, flags...) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	m.step("%s is on %d nodes", archive, len(m.realNodes()))
	return nil
}

// copyImages gives a node that joins the images that the first node has.
func (m *Manager) copyImages(ctx context.Context, node layout.Node) error {
	first := m.realNodes()[0]
	listed, err := m.ctrOutput(ctx, first, "images", "list", "-q")
	if err != nil || first == node {
		return err
	}
	names := named(listed)
	if len(names) == 0 {
		return nil
	}
	archive := node.Path("images.tar")
	defer os.Remove(archive)
	if err := m.ctr(ctx, first, append([]string{"images", "export", "--local", archive}, names...)...); err != nil {
		return fmt.Errorf("exporting the images of %s: %w", first.Name(), err)
	}
	return m.importImage(ctx, node, archive)
}

// named are the images of a list that have a name: containerd lists each
// again by its digests.
func named(listed string) []string {
	return slices.DeleteFunc(strings.Fields(listed), func(name string) bool { return strings.Contains(name, "sha256:") })
}
