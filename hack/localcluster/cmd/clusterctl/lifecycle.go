package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/hack/localcluster/internal/binaries"
	"github.com/assay-dev/assay/hack/localcluster/internal/cluster"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

const kubernetesUsage = "another version of Kubernetes, such as 1.35.4, for the control plane, kubelets and kubectl (default " + binaries.KubernetesVersion + ")"

func buildCommand() *cobra.Command {
	var link, kubernetes string
	var kwok, dra bool
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build every program of a cluster into the cache",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			version, err := binaries.ParseVersion(kubernetes)
			if err != nil {
				return fmt.Errorf("%w: --kubernetes: %w", errUsage, err)
			}
			var extras []binaries.Extra
			if kwok {
				extras = append(extras, binaries.Kwok)
			}
			if dra {
				extras = append(extras, binaries.DRADriver)
			}
			set, err := binaries.Build(cmd.Context(), version, os.Stdout, extras...)
			if err != nil {
				return err
			}
			if link != "" {
				if err := linkPrograms(set, link); err != nil {
					return err
				}
			}
			fmt.Printf("programs: %s\n", set.Dir)
			return nil
		},
	}
	cmd.Flags().StringVar(&link, "link", "", "folder that gets the links kubectl and localcluster (all programs)")
	cmd.Flags().BoolVar(&kwok, "kwok", false, "build kwok too, for pretended nodes")
	cmd.Flags().BoolVar(&dra, "dra", false, "build the DRA driver too, for nodes whose GPUs are claimed")
	cmd.Flags().StringVar(&kubernetes, "kubernetes", "", kubernetesUsage)
	return cmd
}

// linkPrograms makes DIR/kubectl, and DIR/localcluster for KUBEBUILDER_ASSETS.
func linkPrograms(set binaries.Set, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for link, target := range map[string]string{"kubectl": set.Path("kubectl"), "localcluster": set.Dir} {
		path := filepath.Join(dir, link)
		if now, err := os.Readlink(path); err == nil && now == target {
			continue // somebody may be using it
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err := os.Symlink(target, path); err != nil {
			return err
		}
	}
	return nil
}

func upCommand(name *string) *cobra.Command {
	var params cluster.Params
	var degrade []string
	var kubernetes string
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start the cluster, or repair it, or say that it runs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := params.Check(); err != nil {
				return fmt.Errorf("%w: %w", errUsage, err)
			}
			slow, err := parseDegrade(degrade)
			if err != nil {
				return err
			}
			if params.KwokStages != "" {
				if params.KwokStages, err = filepath.Abs(params.KwokStages); err != nil {
					return err
				}
			}
			if err := cluster.Preflight(); err != nil {
				return err
			}
			set, err := findSet(kubernetes, params.KwokNodes > 0)
			if err != nil {
				return err
			}
			return with(*name, func(m *cluster.Manager) error { return up(cmd, m, params, set, slow) })
		},
	}
	cmd.Flags().IntVar(&params.Nodes, "nodes", 4, "real nodes, each with a containerd and a kubelet")
	cmd.Flags().IntVar(&params.KwokNodes, "kwok-nodes", 0, "pretended nodes, for scale; with them no node becomes NotReady by itself")
	cmd.Flags().StringVar(&params.KwokStages, "kwok-stages", "", "folder of more stage files for kwok")
	cmd.Flags().BoolVar(&params.NoMPI, "no-mpi-operator", false, "leave out the MPI Operator and its kind")
	cmd.Flags().StringArrayVar(&degrade, "degrade", nil, "NODE or NODE=CPU to degrade at once (CPU is 0.5 by default); may be repeated")
	cmd.Flags().StringVar(&kubernetes, "kubernetes", "", kubernetesUsage)
	return cmd
}

// findSet returns the programs of a version, which have to be built.
func findSet(kubernetes string, withKwok bool) (binaries.Set, error) {
	version, err := binaries.ParseVersion(kubernetes)
	if err != nil {
		return binaries.Set{}, fmt.Errorf("%w: --kubernetes: %w", errUsage, err)
	}
	set, built := binaries.Find(version)
	switch {
	case !built && version != "":
		return set, fmt.Errorf("the programs are not built: run clusterctl build --kubernetes %s", version)
	case !built:
		return set, errors.New("the programs are not built: run clusterctl build, or make cluster-binaries")
	case withKwok && !set.Has(binaries.Kwok):
		return set, errors.New("kwok is not built: run clusterctl build --kwok, or make cluster-binaries KWOK_NODES=1")
	}
	return set, nil
}

func up(cmd *cobra.Command, m *cluster.Manager, params cluster.Params, set binaries.Set, slow []slowNode) error {
	if err := m.Up(cmd.Context(), params, set); err != nil {
		return err
	}
	for _, s := range slow {
		if err := m.Degrade(s.node, s.cores); err != nil {
			return err
		}
	}
	fmt.Printf("\nTo use it:\n  export KUBECONFIG=%s\n  %s get nodes\n", m.Kubeconfig(), kubectl(set))
	return nil
}

// kubectl is the short path where `make` links it, if it does.
func kubectl(set binaries.Set) string {
	const short = "bin/kubectl"
	if _, err := os.Stat(short); err == nil {
		return short
	}
	return set.Path("kubectl")
}

type slowNode struct {
	node  string
	cores float64
}

func parseDegrade(args []string) ([]slowNode, error) {
	var all []slowNode
	for _, arg := range args {
		node, cores, given := strings.Cut(arg, "=")
		s := slowNode{node: node, cores: 0.5}
		if given {
			var err error
			if s.cores, err = strconv.ParseFloat(cores, 64); err != nil {
				return nil, fmt.Errorf("%w: --degrade %s: want NODE or NODE=CPU", errUsage, arg)
			}
		}
		all = append(all, s)
	}
	return all, nil
}

func downCommand(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Remove the cluster and everything of it",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return with(*name, (*cluster.Manager).Down)
		},
	}
}

func statusCommand(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show daemons and nodes; exit 3 where there is no cluster, 4 where it is not healthy",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return with(*name, func(m *cluster.Manager) error {
				health, err := m.Status(cmd.Context())
				if err == nil && health != cluster.Healthy {
					return healthError{health}
				}
				return err
			})
		},
	}
}

func kubeconfigCommand(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print the path of the administrator's kubeconfig",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := layout.CheckName(*name); err != nil {
				return fmt.Errorf("%w: %w", errUsage, err)
			}
			fmt.Println(layout.Cluster{Name: *name}.Kubeconfig())
			return nil
		},
	}
}
