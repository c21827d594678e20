package cluster

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

// ctr runs containerd's own client in the namespace of Kubernetes' images.
func (m *Manager) ctr(ctx context.Context, node layout.Node, args ...string) error {
	cmd := exec.CommandContext(ctx, m.programs.Path("ctr"), append([]string{"-a", node.Socket(), "-n", "k8s.io"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ctr %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
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
	for _, node := range m.Nodes(m.State.Nodes) {
		group.Go(func() error { return m.importImage(ctx, node, archive, flags...) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	m.step("%s is on %d nodes", archive, m.State.Nodes)
	return nil
}
