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
	image := Image{Archive: archive, Name: name}
	group, ctx := errgroup.WithContext(ctx)
	for _, node := range m.realNodes() {
		group.Go(func() error { return m.importImage(ctx, node, archive, image.flags()...) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	m.step("%s is on %d nodes", archive, len(m.realNodes()))
	if !slices.Contains(m.State.Images, image) {
		m.State.Images = append(m.State.Images, image)
	}
	return m.State.save(m.Name)
}

// loadAgain imports into a node that joins what the others have.
func (m *Manager) loadAgain(ctx context.Context, node layout.Node) error {
	for _, image := range m.State.Images {
		if _, err := os.Stat(image.Archive); err != nil {
			m.step("%s is not on %s: %v", image.Archive, node.Name(), err)
			continue
		}
		if err := m.importImage(ctx, node, image.Archive, image.flags()...); err != nil {
			return err
		}
	}
	return nil
}

func (i Image) flags() []string {
	if i.Name == "" {
		return nil
	}
	return []string{"--index-name", i.Name}
}
