package benchmarks

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/config"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/local"
)

// OfSuite are the benchmarks of a suite that there is.
func OfSuite(all []v1alpha1.Benchmark, suite string) ([]v1alpha1.Benchmark, error) {
	chosen := catalogue.OfSuite(all, suite)
	if len(chosen) == 0 {
		return nil, noSuch("suite", suite, catalogue.Suites(all), commandNoSuites)
	}
	return chosen, nil
}

// noSuch names what there is, or says that there is none.
func noSuch(what, name string, known []string, none string) error {
	if len(known) > 0 {
		none = "choose one of " + strings.Join(known, ", ")
	}
	return fmt.Errorf("there is no %s %q: %s", what, name, none)
}

func oneBenchmark(w io.Writer, all []v1alpha1.Benchmark, name, format string) error {
	b, err := Named(all, name)
	switch {
	case err != nil:
		return err
	case format == output.Table || format == output.Wide:
		return describeBenchmark(w, b)
	case format == output.CSV:
		return listOfBenchmarks([]v1alpha1.Benchmark{*b}).Write(w, format)
	}
	return cluster.PrintObject(w, b, format, "")
}

// Named is the benchmark of a name that there is.
func Named(all []v1alpha1.Benchmark, name string) (*v1alpha1.Benchmark, error) {
	if b := list.First(all, func(b *v1alpha1.Benchmark) bool { return b.Name == name }); b != nil {
		return b, nil
	}
	names := list.Map(all, func(b v1alpha1.Benchmark) string { return b.Name })
	slices.Sort(names)
	return nil, noSuch("benchmark", name, names, "this cluster has none. Install the catalogue (kubectl apply -k config/catalogue)")
}

// Asked of a benchmark, by its name, among what is asked of some; of a suite, where others may be added; nil: nothing is.
func Asked(all *[]v1alpha1.BenchmarkRef, name, suite string) *v1alpha1.BenchmarkRef {
	ref := list.First(*all, func(r *v1alpha1.BenchmarkRef) bool { return r.Name == name })
	if ref == nil && suite != "" {
		*all = append(*all, v1alpha1.BenchmarkRef{Name: name})
		ref = &(*all)[len(*all)-1]
	}
	return ref
}

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
