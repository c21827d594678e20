// Package completion offers a shell the words that the command line may go on with.
package completion

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
)

// completionTime is what a shell waits for names of the cluster, at most. Those that came until then are offered.
const completionTime = 3 * time.Second

// Offer lists what a word may be.
type Offer func(ctx context.Context) []string

// Flag offers words for a flag of a command. A flag may hold several, with commas between them.
func Flag(cmd *cobra.Command, flag string, o Offer) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := ""
		if f := cmd.Flags().Lookup(flag); f.Value.Type() == "stringSlice" {
			before = typed[:strings.LastIndex(typed, ",")+1]
		}
		return words(cmd, o, before, strings.Split(before, ",")), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the command has no such flag
	}
}

// FirstArgument offers words for the only argument of a command.
func FirstArgument(o Offer) cobra.CompletionFunc { return arguments(o, 1) }

// EveryArgument offers words for each argument of a command, once.
func EveryArgument(o Offer) cobra.CompletionFunc { return arguments(o, math.MaxInt) }

func arguments(o Offer, most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(cmd, o, "", args), cobra.ShellCompDirectiveNoFileComp
	}
}

// words that are offered after what is typed already, but for those given.
func words(cmd *cobra.Command, o Offer, before string, given []string) []cobra.Completion {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	var all []cobra.Completion
	for _, word := range o(ctx) {
		if !slices.Contains(given, word) {
			all = append(all, before+word)
		}
	}
	return all
}

// Fixed words, offered without asking anybody.
func Fixed(all ...string) Offer { return func(context.Context) []string { return all } }

// Runs of the cluster.
func Runs(connect cluster.Connect) Offer {
	return namesOf(connect, v1alpha1.GroupVersion.WithKind("ValidationRun"))
}

// Benchmarks of the cluster.
func Benchmarks(connect cluster.Connect) Offer {
	return namesOf(connect, v1alpha1.GroupVersion.WithKind("Benchmark"))
}

// Policies of the cluster.
func Policies(connect cluster.Connect) Offer {
	return namesOf(connect, v1alpha1.GroupVersion.WithKind("ValidationPolicy"))
}

// Nodes offers nodes of the cluster, or, where they may not be read, those that Assay knows.
func Nodes(connect cluster.Connect) Offer {
	nodes := namesOf(connect, corev1.SchemeGroupVersion.WithKind("Node"))
	known := namesOf(connect, v1alpha1.GroupVersion.WithKind("NodeValidation"))
	return func(ctx context.Context) []string {
		if all := nodes(ctx); len(all) > 0 {
			return all
		}
		return known(ctx)
	}
}

// Suites of the cluster's benchmarks.
func Suites(connect cluster.Connect) Offer {
	return func(ctx context.Context) []string {
		c, err := connect()
		if err != nil {
			return nil
		}
		all, _ := cluster.Benchmarks(ctx, c)
		return catalogue.Suites(all)
	}
}

// namesOf the objects of a kind. What goes wrong is not said: a shell that completes has no place for it.
func namesOf(connect cluster.Connect, kind schema.GroupVersionKind) Offer {
	return func(ctx context.Context) []string {
		c, err := connect()
		if err != nil {
			return nil
		}
		var names []string
		_ = cluster.EachMeta(ctx, c, kind, func(o *metav1.PartialObjectMetadata) error {
			names = append(names, o.Name)
			return nil
		})
		return names
	}
}
