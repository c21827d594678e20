package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/hack/localcluster/internal/cluster"
	"github.com/assay-dev/assay/hack/localcluster/internal/network"
)

func mpiCommand(name *string) *cobra.Command {
	cmd := &cobra.Command{Use: "mpi-operator", Short: "Stop or start the MPI Operator alone"}
	for use, act := range map[string]func(*cluster.Manager) error{"stop": (*cluster.Manager).StopMPI, "start": (*cluster.Manager).StartMPI} {
		cmd.AddCommand(&cobra.Command{
			Use: use, Short: use + " it", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return with(*name, act) },
		})
	}
	return cmd
}

func netCommand(name *string) *cobra.Command {
	cmd := &cobra.Command{Use: "net", Short: "Make the network of pods slow for real, or fast again"}
	var l network.Limit
	limit := &cobra.Command{
		Use: "limit", Short: "Limit what pods of a node send and receive, or what pods of two nodes send each other", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := l.Check(); err != nil {
				return fmt.Errorf("%w: %w", errUsage, err)
			}
			return with(*name, func(m *cluster.Manager) error { return m.LimitNetwork(l) })
		},
	}
	limit.Flags().StringVar(&l.Node, "node", "", "the node")
	limit.Flags().StringVar(&l.To, "to", "", "only towards this node, both ways")
	limit.Flags().StringVar(&l.Rate, "rate", "100mbit", "the rate: a number and kbit, mbit or gbit")
	var node string
	restore := &cobra.Command{
		Use: "restore", Short: "Take back all limits that name a node", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return with(*name, func(m *cluster.Manager) error { return m.RestoreNetwork(node) })
		},
	}
	restore.Flags().StringVar(&node, "node", "", "the node")
	cmd.AddCommand(limit, restore)
	return cmd
}
