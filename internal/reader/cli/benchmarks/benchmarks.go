// Package benchmarks is `kubectl assay benchmarks` and `suites`: what can be measured, and how long it takes.
package benchmarks

import (
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
	"github.com/assay-dev/assay/internal/reader/cli/manual"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// Command is `kubectl assay benchmarks`.
func Command(connect cluster.Connect) *cobra.Command {
	var format, suite string
	var findings bool
	from := from{connect: connect}
	cmd := manual.Of(&cobra.Command{
		Use:   "benchmarks [NAME]",
		Short: "List what can be measured, or show one benchmark in full",
		Args: func(cmd *cobra.Command, args []string) error {
			if findings && (len(args) > 0 || from.builtIn) {
				return errors.New(commandFoundByAll)
			}
			if len(args) > 1 {
				return fmt.Errorf("expected at most one argument and got %d: %s [NAME]", len(args), cmd.CommandPath())
			}
			return nil
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
	})
	output.Lists.Flag(cmd, &format)
	cmd.Flags().StringVar(&suite, "suite", "", "Only the benchmarks of this `suite`")
	cmd.Flags().BoolVar(&findings, "found", false, "What each has found in the results that the cluster keeps, for its GPU time")
	from.bind(cmd)
	completion.Flag(cmd, "suite", completion.Suites(connect))
	return cmd
}

const commandNoBenchmarks = "this cluster has no Benchmark: install the catalogue (kubectl apply -k config/catalogue)"

// writeBenchmarks as a list, or as kubectl prints objects.
func writeBenchmarks(w io.Writer, all []v1alpha1.Benchmark, format string) error {
	if format != output.YAML && format != output.JSON {
		return listOfBenchmarks(all).Write(w, format)
	}
	objects := &corev1.List{}
	for b := range list.Each(all) {
		b.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Benchmark"))
		objects.Items = append(objects.Items, runtime.RawExtension{Object: b})
	}
	return cluster.PrintObject(w, objects, format, "")
}

func listOfBenchmarks(all []v1alpha1.Benchmark) *output.List {
	l := &output.List{None: commandNoBenchmarks, Narrow: 7,
		Header:    []string{"NAME", "NODES", "TIME", "DEVICES", "PRIVILEGES", "SUITES", "HEADLINE", "EXPECTED"},
		Narrowing: output.Narrowing{First: []string{"PRIVILEGES", "SUITES"}, Cut: "HEADLINE", Then: []string{"HEADLINE", "DEVICES"}},
		CSV:       [][]string{{"name", "nodes", "seconds", "devices", "privileges", "suites", "headlines"}}}
	for b := range list.Each(all) {
		names, expected := headlines(b)
		l.Names = append(l.Names, "benchmark."+v1alpha1.GroupVersion.Group+"/"+b.Name)
		l.Rows = append(l.Rows, []string{b.Name, nodesOf(b), message.Duration(catalogue.Cost(b)), b.Spec.Needs.DeviceResource, strings.Join(privileges(b), ","),
			strings.Join(b.Suites(), ","), strings.Join(names, ", "), strings.Join(expected, "; ")})
		l.CSV = append(l.CSV, []string{b.Name, nodesOf(b), strconv.FormatInt(int64(catalogue.Cost(b).Seconds()), 10), b.Spec.Needs.DeviceResource,
			strings.Join(privileges(b), " "), strings.Join(b.Suites(), " "), strings.Join(names, " ")})
	}
	return l
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

// headlines are the names of these metrics, and what they must reach.
func headlines(b *v1alpha1.Benchmark) (names, expected []string) {
	for m := range list.Each(b.Spec.Metrics) {
		if !m.Headline {
			continue
		}
		names = append(names, m.Name)
		if told := expectationTold(m); told != "" {
			expected = append(expected, m.Name+": "+told)
		}
	}
	return names, expected
}
