package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/hack/localcluster/internal/cluster"
)

func loadCommand(name *string) *cobra.Command {
	var image string
	cmd := &cobra.Command{
		Use:   "load ARCHIVE",
		Short: "Import an archive of images (OCI or Docker) into every real node",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			archive, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			if _, err := os.Stat(archive); err != nil {
				return fmt.Errorf("%w: %w", errUsage, err)
			}
			return with(*name, func(m *cluster.Manager) error { return m.Load(cmd.Context(), archive, image) })
		},
	}
	cmd.Flags().StringVar(&image, "image", "", "full name for the image, such as docker.io/local/x:1, instead of the archive's")
	return cmd
}

func degradeCommand(name *string) *cobra.Command {
	var cores float64
	cmd := &cobra.Command{
		Use:   "degrade NODE",
		Short: "Make all pods of a node share few cores",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return with(*name, func(m *cluster.Manager) error { return m.Degrade(args[0], cores) })
		},
	}
	cmd.Flags().Float64Var(&cores, "cpu", 0.5, "cores that all pods of the node share")
	return cmd
}

func restoreCommand(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "restore NODE",
		Short: "Give a degraded node all cores again",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return with(*name, func(m *cluster.Manager) error { return m.Restore(args[0]) })
		},
	}
}

func nodeStopCommand(name *string) *cobra.Command {
	var powerOff bool
	cmd := &cobra.Command{
		Use:   "node-stop NODE",
		Short: "Stop a node's kubelet; it is NotReady 30 to 45 s later",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return with(*name, func(m *cluster.Manager) error { return m.StopNode(args[0], powerOff) })
		},
	}
	cmd.Flags().BoolVar(&powerOff, "power-off", false, "kill its containerd and all its pods too")
	return cmd
}

func nodeStartCommand(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "node-start NODE",
		Short: "Start what node-stop stopped and wait until the node is Ready",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return with(*name, func(m *cluster.Manager) error { return m.StartNode(cmd.Context(), args[0]) })
		},
	}
}

func nodeJoinCommand(name *string) *cobra.Command {
	var labels, taints []string
	cmd := &cobra.Command{
		Use:   "node-join NODE",
		Short: "Let one more node join, with the images of the others, and wait until it is Ready",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return with(*name, func(m *cluster.Manager) error {
				return m.JoinNode(cmd.Context(), args[0], strings.Join(labels, ","), strings.Join(taints, ","))
			})
		},
	}
	cmd.Flags().StringSliceVar(&labels, "label", nil, "KEY=VALUE that its kubelet registers it with; may be repeated")
	cmd.Flags().StringSliceVar(&taints, "taint", nil, "KEY=VALUE:EFFECT that its kubelet registers it with; may be repeated")
	return cmd
}

func nodeLeaveCommand(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "node-leave NODE",
		Short: "Remove a node that joined, and everything of it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return with(*name, func(m *cluster.Manager) error { return m.LeaveNode(cmd.Context(), args[0]) })
		},
	}
}
