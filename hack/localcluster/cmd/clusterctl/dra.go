package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/hack/localcluster/internal/cluster"
	"github.com/assay-dev/assay/hack/localcluster/internal/gpus"
)

func draCommand(name *string) *cobra.Command {
	cmd := &cobra.Command{Use: "dra", Short: "Let a node offer GPUs by a DRA driver, to be claimed"}
	var count int
	var file string
	var driver cluster.Driver
	start := &cobra.Command{
		Use: "start NODE", Short: "Publish GPUs of the node, instead of what it published before", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			devices, err := devicesOf(*name, args[0], count, file)
			if err != nil {
				return err
			}
			return with(*name, func(m *cluster.Manager) error { return m.StartDRA(cmd.Context(), args[0], devices, driver) })
		},
	}
	start.Flags().IntVar(&count, "gpus", 8, "simulated GPUs")
	start.Flags().StringVar(&file, "devices", "", "JSON file with a list of Devices of resource.k8s.io/v1 to publish instead")
	start.Flags().StringVar(&driver.CDIKind, "cdi-kind", "", "kind of the devices' CDI devices, named by UUID, where the node has such files (nvidia.com/gpu)")
	start.Flags().StringSliceVar(&driver.Slow, "slow", nil, "device that simulated programs are to find slow, such as gpu-3; may be repeated")
	cmd.AddCommand(start, &cobra.Command{
		Use: "stop NODE", Short: "Take the driver and its devices away; what runs goes on", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return with(*name, func(m *cluster.Manager) error { return m.StopDRA(cmd.Context(), args[0]) })
		},
	})
	return cmd
}

func devicesOf(clusterName, node string, count int, file string) ([]resourceapi.Device, error) {
	if file == "" {
		if count < 0 || count > gpus.Most {
			return nil, fmt.Errorf("%w: --gpus %d: want 0 to %d", errUsage, count, gpus.Most)
		}
		return gpus.Simulated(clusterName, node, count), nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUsage, err)
	}
	var devices []resourceapi.Device
	if err := json.Unmarshal(content, &devices); err != nil {
		return nil, fmt.Errorf("%w: --devices %s: %w", errUsage, file, err)
	}
	return devices, nil
}
