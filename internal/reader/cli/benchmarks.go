package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

func benchmarksCommand(connect Connect) *cobra.Command {
	var format, suite string
	cmd := &cobra.Command{
		Use:   "benchmarks [NAME]",
		Short: "List what can be measured, or show one benchmark in full",
		Long: `List what can be measured, or show one benchmark in full.

TIME is about how long one measurement takes (costSeconds); a tournament of
pairs takes it once per round. NODES says whether a benchmark measures each
node alone or several together. PRIVILEGES are those beyond an ordinary
restricted container. -o wide adds what the headline metrics must reach.

With a NAME, everything that a user of the benchmark needs to know: its
parameters, needs, metrics and what is expected of them.`,
		Example: `  kubectl assay benchmarks
  kubectl assay benchmarks --suite standard -o wide
  kubectl assay benchmarks stream
  kubectl assay benchmarks stream -o yaml`,
		Args:              atMostOne("NAME"),
		ValidArgsFunction: firstArgument(completeBenchmarks(connect)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choose(format, formatTable, formatWide, formatYAML, formatJSON, formatName); err != nil {
				return err
			}
			c, err := connect()
			if err != nil {
				return err
			}
			all, err := readBenchmarks(cmd.Context(), c)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return oneBenchmark(cmd.OutOrStdout(), all, args[0], format)
			}
			if suite != "" {
				if all, err = ofSuite(all, suite); err != nil {
					return err
				}
			}
			return writeBenchmarks(cmd.OutOrStdout(), all, format)
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", formatTable, "Output `format`: table, wide, yaml, json or name")
	cmd.Flags().StringVar(&suite, "suite", "", "Only the benchmarks of this `suite`")
	complete(cmd, "suite", completeSuites(connect))
	complete(cmd, "output", fixed(formatTable, formatWide, formatYAML, formatJSON, formatName))
	return cmd
}

// readBenchmarks of the cluster, the cheapest first, which is the order in which a run measures.
func readBenchmarks(ctx context.Context, c client.Client) ([]v1alpha1.Benchmark, error) {
	var all []v1alpha1.Benchmark
	err := eachOf(ctx, c, &v1alpha1.BenchmarkList{}, labels.Everything(), func(b *v1alpha1.Benchmark) error {
		all = append(all, *b)
		return nil
	})
	switch {
	case meta.IsNoMatchError(err):
		return nil, errors.New(message.CommandNoAPI())
	case err != nil:
		return nil, fmt.Errorf("%s: %w", message.CommandReadingAll("Benchmarks"), err)
	}
	slices.SortFunc(all, func(a, b v1alpha1.Benchmark) int {
		return v1alpha1.CompareOrder(&a, &b)
	})
	return all, nil
}

// ofSuite are the benchmarks of a suite that there is.
func ofSuite(all []v1alpha1.Benchmark, suite string) ([]v1alpha1.Benchmark, error) {
	chosen := catalogue.OfSuite(all, suite)
	if len(chosen) == 0 {
		return nil, errors.New(message.CommandNoSuite(suite, catalogue.Suites(all)))
	}
	return chosen, nil
}

func oneBenchmark(w io.Writer, all []v1alpha1.Benchmark, name, format string) error {
	i := slices.IndexFunc(all, func(b v1alpha1.Benchmark) bool { return b.Name == name })
	if i < 0 {
		return errors.New(message.CommandNoBenchmark(name, benchmarkNames(all)))
	}
	if format == formatTable || format == formatWide {
		return describeBenchmark(w, &all[i])
	}
	return printObject(w, &all[i], format, "")
}

// printBenchmarks as kubectl prints objects.
func printBenchmarks(w io.Writer, all []v1alpha1.Benchmark, format string) error {
	list := &corev1.List{}
	for i := range all {
		if format == formatName {
			if err := printObject(w, &all[i], format, ""); err != nil {
				return err
			}
			continue
		}
		all[i].SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Benchmark"))
		list.Items = append(list.Items, runtime.RawExtension{Object: &all[i]})
	}
	if format == formatName {
		return nil
	}
	return printObject(w, list, format, "")
}

func writeBenchmarks(w io.Writer, all []v1alpha1.Benchmark, format string) error {
	if format != formatTable && format != formatWide {
		return printBenchmarks(w, all, format)
	}
	header := []string{"NAME", "NODES", "TIME", "DEVICES", "PRIVILEGES", "SUITES", "HEADLINE"}
	if format == formatWide {
		header = append(header, "EXPECTED")
	}
	var rows [][]string
	for i := range all {
		b := &all[i]
		row := []string{b.Name, nodesOf(b), message.Duration(costOf(b)), b.Spec.Needs.DeviceResource, strings.Join(privileges(b), ","),
			strings.Join(b.Spec.Suites, ","), strings.Join(headlines(b, headlineName), ", ")}
		if format == formatWide {
			row = append(row, strings.Join(headlines(b, headlineExpected), "; "))
		}
		rows = append(rows, row)
	}
	return grid(w, header, rows)
}

func benchmarkNames(all []v1alpha1.Benchmark) []string {
	var names []string
	for i := range all {
		names = append(names, all[i].Name)
	}
	slices.Sort(names)
	return names
}

// defaultRounds of a tournament of pairs, where the Benchmark sets none.
const defaultRounds = 4

// costOf one measurement; of a tournament or a curve, of all its rounds.
func costOf(b *v1alpha1.Benchmark) time.Duration {
	cost := time.Duration(cmp.Or(b.Spec.CostSeconds, 60)) * time.Second
	return cost * time.Duration(roundsOf(b))
}

// roundsOf a tournament of pairs, or of a group that is measured at several sizes; 1 of all else.
func roundsOf(b *v1alpha1.Benchmark) int32 {
	switch g := b.Spec.Group; {
	case g == nil:
		return 1
	case g.Size.StrVal != "" || g.Size.IntVal != 2:
		return 1 + int32(len(g.Sizes))
	case g.Rounds == nil:
		return defaultRounds
	default:
		return *g.Rounds
	}
}

// nodesOf says how many nodes one measurement spans.
func nodesOf(b *v1alpha1.Benchmark) string {
	if b.Spec.Group == nil {
		return "1"
	}
	return strings.ToLower(b.Spec.Group.Size.String())
}

// privileges beyond an ordinary container, as the API names them.
func privileges(b *v1alpha1.Benchmark) []string {
	var all []string
	for name, has := range map[string]bool{"privileged": b.Spec.Privileges.Privileged, "hostNetwork": b.Spec.Privileges.HostNetwork,
		"hostIPC": b.Spec.Privileges.HostIPC, "runAsRoot": b.Spec.Privileges.RunAsRoot} {
		if has {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	all = append(all, b.Spec.Privileges.HostPaths...)
	return append(all, b.Spec.Privileges.Capabilities...)
}

func headlines(b *v1alpha1.Benchmark, tell func(*v1alpha1.Metric) string) []string {
	var all []string
	for i := range b.Spec.Metrics {
		if m := &b.Spec.Metrics[i]; m.Headline {
			if text := tell(m); text != "" {
				all = append(all, text)
			}
		}
	}
	return all
}

func headlineName(m *v1alpha1.Metric) string { return m.Name }

func headlineExpected(m *v1alpha1.Metric) string {
	if told := message.ExpectationTold(m); told != "" {
		return m.Name + ": " + told
	}
	return ""
}
