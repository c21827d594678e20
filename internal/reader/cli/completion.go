package cli

import (
	"context"
	_ "embed" // the script
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

// completionTime is what a shell waits for names of the cluster, at most. Those that came until then are offered.
const completionTime = 3 * time.Second

// completionScript is what kubectl runs to complete the command line of a plugin, if it is on the PATH by this name.
//
//go:embed kubectl_complete-assay
var completionScript string

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion",
		Short: "Print the script by which kubectl completes this plugin's command lines",
		Long: `Print the script by which kubectl completes this plugin's command lines.

kubectl looks for an executable named kubectl_complete-assay on the PATH. With
it, the Tab key completes subcommands, flags and the names of runs, nodes,
benchmarks and suites of the cluster, wherever kubectl's own completion is set
up ("kubectl completion --help").`,
		Example: `  kubectl assay completion > ~/.local/bin/kubectl_complete-assay
  chmod +x ~/.local/bin/kubectl_complete-assay`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), completionScript)
			return err
		},
	}
}

// offer lists what a word may be.
type offer func(ctx context.Context) []string

// complete offers words for a flag of a command. A flag may hold several, with commas between them.
func complete(cmd *cobra.Command, flag string, o offer) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := ""
		if f := cmd.Flags().Lookup(flag); f.Value.Type() == "stringSlice" {
			before = typed[:strings.LastIndex(typed, ",")+1]
		}
		return words(cmd, o, before), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the command has no such flag
	}
}

// firstArgument offers words for the only argument of a command.
func firstArgument(o offer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(cmd, o, ""), cobra.ShellCompDirectiveNoFileComp
	}
}

// everyArgument offers words for each argument of a command, once.
func everyArgument(o offer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return slices.DeleteFunc(words(cmd, o, ""), func(word string) bool { return slices.Contains(args, word) }), cobra.ShellCompDirectiveNoFileComp
	}
}

// words that are offered after what is typed already, each once.
func words(cmd *cobra.Command, o offer, before string) []cobra.Completion {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	given := strings.Split(before, ",")
	var all []cobra.Completion
	for _, word := range o(ctx) {
		if !slices.Contains(given, word) {
			all = append(all, before+word)
		}
	}
	return all
}

// fixed words.
func fixed(all ...string) offer { return func(context.Context) []string { return all } }

func completeRuns(connect Connect) offer {
	return namesOf(connect, v1alpha1.GroupVersion.WithKind("ValidationRunList"))
}

func completeBenchmarks(connect Connect) offer {
	return namesOf(connect, v1alpha1.GroupVersion.WithKind("BenchmarkList"))
}

func completePolicies(connect Connect) offer {
	return namesOf(connect, v1alpha1.GroupVersion.WithKind("ValidationPolicyList"))
}

// completeNodes offers nodes of the cluster, or, where they may not be read, those that Assay knows.
func completeNodes(connect Connect) offer {
	nodes := namesOf(connect, corev1.SchemeGroupVersion.WithKind("NodeList"))
	known := namesOf(connect, v1alpha1.GroupVersion.WithKind("NodeValidationList"))
	return func(ctx context.Context) []string {
		if all := nodes(ctx); len(all) > 0 {
			return all
		}
		return known(ctx)
	}
}

func completeSuites(connect Connect) offer {
	return func(ctx context.Context) []string {
		c, err := connect()
		if err != nil {
			return nil
		}
		all, err := readBenchmarks(ctx, c)
		if err != nil {
			return nil
		}
		return catalogue.Suites(all)
	}
}

// namesOf the objects of a kind. What goes wrong is not said: a shell that completes has no place for it.
func namesOf(connect Connect, kind schema.GroupVersionKind) offer {
	return func(ctx context.Context) []string {
		c, err := connect()
		if err != nil {
			return nil
		}
		var names []string
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind)
		_ = eachOf(ctx, c, list, labels.Everything(), func(o *metav1.PartialObjectMetadata) error {
			names = append(names, o.Name)
			return nil
		})
		return names
	}
}

// atMostOne argument, which is called so.
func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return errors.New(message.CommandTooMany(cmd.CommandPath(), what, len(args)))
		}
		return nil
	}
}
