// Package benchmarks is `kubectl assay benchmarks` and `suites`: what can be measured, and how long it takes.
package benchmarks

import (
	_ "embed" // the script
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// Command is `kubectl assay benchmarks`.
func Command(connect cluster.Connect) *cobra.Command {
	var format, suite string
	var findings bool
	from := from{connect: connect}
	cmd := &cobra.Command{
		Use:   "benchmarks [NAME]",
		Short: "List what can be measured, or show one benchmark in full",
		Long: `List what can be measured, or show one benchmark in full.

TIME is about how long one measurement takes (costSeconds); a tournament of
pairs takes it once per round. NODES says whether a benchmark measures each
node alone or several together. PRIVILEGES are those beyond an ordinary
restricted container. -o wide adds what the headline metrics must reach.

With --found, what each benchmark has found by the results that the cluster
keeps, and what that took: those first that find most for their GPU time.

With a NAME, everything that a user of the benchmark needs to know: its
parameters, needs, metrics and what is expected of them.`,
		Example: `  kubectl assay benchmarks
  kubectl assay benchmarks --suite standard -o wide
  kubectl assay benchmarks --suite acceptance --found
  kubectl assay benchmarks stream
  kubectl assay benchmarks stream -o yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if findings && (len(args) > 0 || from.builtIn) {
				return errors.New(commandFoundByAll)
			}
			return atMostOne("NAME")(cmd, args)
		},
		ValidArgsFunction: completion.FirstArgument(completion.Benchmarks(connect)),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := from.all(cmd)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return oneBenchmark(cmd.OutOrStdout(), all, args[0], format)
			}
			if suite != "" {
				if all, err = OfSuite(all, suite); err != nil {
					return err
				}
			}
			if findings {
				return writeFound(cmd, connect, all, format)
			}
			return writeBenchmarks(cmd.OutOrStdout(), all, format)
		},
	}
	output.Lists.Flag(cmd, &format)
	cmd.Flags().StringVar(&suite, "suite", "", "Only the benchmarks of this `suite`")
	cmd.Flags().BoolVar(&findings, "found", false, "What each has found in the results that the cluster keeps, for its GPU time")
	from.bind(cmd)
	completion.Flag(cmd, "suite", completion.Suites(connect))
	return cmd
}

// OfSuite are the benchmarks of a suite that there is.
func OfSuite(all []v1alpha1.Benchmark, suite string) ([]v1alpha1.Benchmark, error) {
	chosen := catalogue.OfSuite(all, suite)
	if len(chosen) == 0 {
		return nil, errors.New(commandNoSuite(suite, catalogue.Suites(all)))
	}
	return chosen, nil
}

func oneBenchmark(w io.Writer, all []v1alpha1.Benchmark, name, format string) error {
	i := slices.IndexFunc(all, func(b v1alpha1.Benchmark) bool { return b.Name == name })
	if i < 0 {
		return errors.New(NoBenchmark(name, Names(all)))
	}
	switch format {
	case output.Table, output.Wide:
		return describeBenchmark(w, &all[i])
	case output.CSV:
		return listOfBenchmarks(all[i:i+1]).Write(w, format)
	}
	return cluster.PrintObject(w, &all[i], format, "")
}

// printBenchmarks as kubectl prints objects.
func printBenchmarks(w io.Writer, all []v1alpha1.Benchmark, format string) error {
	list := &corev1.List{}
	for i := range all {
		if format == output.Name {
			if err := cluster.PrintObject(w, &all[i], format, ""); err != nil {
				return err
			}
			continue
		}
		all[i].SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Benchmark"))
		list.Items = append(list.Items, runtime.RawExtension{Object: &all[i]})
	}
	if format == output.Name {
		return nil
	}
	return cluster.PrintObject(w, list, format, "")
}

func writeBenchmarks(w io.Writer, all []v1alpha1.Benchmark, format string) error {
	if slices.Contains([]string{output.YAML, output.JSON, output.Name}, format) {
		return printBenchmarks(w, all, format)
	}
	return listOfBenchmarks(all).Write(w, format)
}

func listOfBenchmarks(all []v1alpha1.Benchmark) *output.List {
	l := &output.List{None: commandNoBenchmarks, Narrow: 7,
		Header:    []string{"NAME", "NODES", "TIME", "DEVICES", "PRIVILEGES", "SUITES", "HEADLINE", "EXPECTED"},
		Narrowing: output.Narrowing{First: []string{"PRIVILEGES", "SUITES"}, Cut: "HEADLINE", Then: []string{"HEADLINE", "DEVICES"}},
		CSV:       [][]string{{"name", "nodes", "seconds", "devices", "privileges", "suites", "headlines"}}}
	for b := range list.Each(all) {
		names := headlines(b, headlineName)
		l.Rows = append(l.Rows, []string{b.Name, nodesOf(b), message.Duration(catalogue.Cost(b)), b.Spec.Needs.DeviceResource, strings.Join(privileges(b), ","),
			strings.Join(b.Suites(), ","), strings.Join(names, ", "), strings.Join(headlines(b, headlineExpected), "; ")})
		l.CSV = append(l.CSV, []string{b.Name, nodesOf(b), strconv.FormatInt(int64(catalogue.Cost(b).Seconds()), 10), b.Spec.Needs.DeviceResource,
			strings.Join(privileges(b), " "), strings.Join(b.Suites(), " "), strings.Join(names, " ")})
	}
	return l
}

// Names of benchmarks, in order.
func Names(all []v1alpha1.Benchmark) []string {
	names := list.Map(all, func(b v1alpha1.Benchmark) string { return b.Name })
	slices.Sort(names)
	return names
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
	if told := expectationTold(m); told != "" {
		return m.Name + ": " + told
	}
	return ""
}

// atMostOne argument, which is called so.
func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("expected at most one argument and got %d: %s [%s]", len(args), cmd.CommandPath(), what)
		}
		return nil
	}
}
