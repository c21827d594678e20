package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/hack/localcluster/internal/cluster"
	"github.com/assay-dev/assay/hack/localcluster/internal/network"
)

func mpiCommand(name *string) *cobra.Command {
	cmd := &cobra.Command{Use: "mpi-operator", Short: "Stop or start the MPI Operator alone"}
	cmd.AddCommand(&cobra.Command{
		Use: "stop", Short: "Stop it: nobody looks after MPIJobs", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return with(*name, (*cluster.Manager).StopMPI) },
	}, &cobra.Command{
		Use: "start", Short: "Start it again and wait until it leads", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return with(*name, func(m *cluster.Manager) error { return m.StartMPI(cmd.Context()) })
		},
	})
	return cmd
}

func netCommand(name *string) *cobra.Command {
	cmd := &cobra.Command{Use: "net", Short: "Make the network of pods slow for real, or fast again"}
	var l network.Limit
	limit := &cobra.Command{
		Use: "limit", Short: "Limit what the pods of a node send and receive, or what those of two nodes send each other", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := l.Check(); err != nil {
				return fmt.Errorf("%w: %w", errUsage, err)
			}
			return with(*name, func(m *cluster.Manager) error { return m.LimitNetwork(l) })
		},
	}
	limit.Flags().StringVar(&l.Node, "node", "", "the node")
	limit.Flags().StringVar(&l.To, "to", "", "only between these two nodes, both ways")
	limit.Flags().StringVar(&l.Rate, "rate", "100mbit", "the rate: a number and kbit, mbit or gbit")
	var node string
	restore := &cobra.Command{
		Use: "restore", Short: "Take back all limits that name the node", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if node == "" {
				return fmt.Errorf("%w: set --node", errUsage)
			}
			return with(*name, func(m *cluster.Manager) error { return m.RestoreNetwork(node) })
		},
	}
	restore.Flags().StringVar(&node, "node", "", "the node")
	cmd.AddCommand(limit, restore)
	return cmd
}
