package benchmarks

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/config"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/local"
)

// from is where the benchmarks are read that are listed.
type from struct {
	connect cluster.Connect
	builtIn bool
}

func (f *from) bind(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.builtIn, "built-in", false, "List the catalogue of this release, without a cluster")
}

// all benchmarks of the cluster; of this release, where that is asked for, or where no cluster is configured.
func (f *from) all(cmd *cobra.Command) ([]v1alpha1.Benchmark, error) {
	if f.builtIn {
		return builtIn()
	}
	c, err := f.connect()
	if errors.Is(err, cluster.ErrNoCluster) {
		fmt.Fprintln(cmd.ErrOrStderr(), "no cluster is configured, so this is the catalogue of this release (--built-in)")
		return builtIn()
	}
	if err != nil {
		return nil, err
	}
	return cluster.Benchmarks(cmd.Context(), c)
}

func builtIn() ([]v1alpha1.Benchmark, error) {
	c, err := local.ReadCatalogue(config.Catalogue)
	slices.SortFunc(c.Benchmarks, func(a, b v1alpha1.Benchmark) int { return v1alpha1.CompareOrder(&a, &b) })
	return c.Benchmarks, err
}
