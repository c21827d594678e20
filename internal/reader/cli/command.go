// Package cli is what `kubectl assay` does: it starts runs, and shows what was found to a person or a script. It judges nothing and writes
// nothing else to the cluster; every verdict it shows is the operator's.
package cli

import (
	"context"
	_ "embed" // the script
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/benchmarks"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/compare"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/cli/doctor"
	"github.com/assay-dev/assay/internal/reader/cli/local"
	"github.com/assay-dev/assay/internal/reader/cli/manual"
	"github.com/assay-dev/assay/internal/reader/cli/nodes"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/cli/plan"
	"github.com/assay-dev/assay/internal/reader/cli/reports"
	"github.com/assay-dev/assay/internal/reader/cli/runs"
)

// Main runs the command and returns the exit code: 0 fine, 1 the command has found what it looks for (nodes or links that failed, a
// regression, an installation that is not sound), 2 anything else.
func Main(ctx context.Context, version string, args []string, out, errOut io.Writer) int {
	var flags cluster.Flags
	root := NewCommand(version, flags.Connect)
	flags.Bind(root.PersistentFlags())
	withColors(root, out)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	var exit *output.ExitError
	switch {
	case err == nil:
		return output.Pass
	case errors.As(err, &exit):
		return exit.Code
	default:
		fmt.Fprintln(errOut, "error:", worded(err))
		return output.Undecided
	}
}

// withColors adds --color, and colours what the commands write.
func withColors(root *cobra.Command, out io.Writer) {
	var when string
	root.PersistentFlags().StringVar(&when, "color", output.ColorAuto, "Colour verdicts: auto (on a terminal, unless NO_COLOR is set), always or never")
	completion.Flag(root, "color", completion.Fixed(output.Colors...))
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		w, err := output.Colored(out, when)
		if err == nil {
			root.SetOut(w)
		}
		return err
	}
}

// worded is an error as users read it: it says which right is missing, and that an administrator can grant it. A quota or an admission policy forbids, too.
func worded(err error) string {
	if apierrors.IsForbidden(err) && strings.Contains(err.Error(), fmt.Sprintf("in API group %q", v1alpha1.GroupVersion.Group)) {
		return err.Error() + ": ask an administrator to bind you to the ClusterRole assay-viewer"
	}
	return err.Error()
}

// NewCommand is `kubectl assay` with its subcommands.
func NewCommand(version string, connect cluster.Connect) *cobra.Command {
	root := &cobra.Command{
		Use:   "kubectl assay",
		Short: "Measure the nodes of a cluster, and show what was found",
		Long: `Measure the nodes of a cluster, and show what was found.

"kubectl assay run" measures nodes, "kubectl assay watch RUN" follows that until
it is over, "kubectl assay report RUN" shows what was measured and why nodes did
not pass, and "kubectl assay nodes" shows the whole fleet.`,
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl assay"},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w: %s --help lists the flags", err, cmd.CommandPath())
	})
	root.CompletionOptions.DisableDefaultCmd = true // its script would take the place of kubectl's own
	root.AddCommand(runs.Command(connect), runs.WatchCommand(connect), reports.Command(connect), reports.ExportCommand(version, connect),
		compare.Command(connect), nodes.Command(connect), nodes.HistoryCommand(connect), nodes.ExplainCommand(connect), plan.Command(connect),
		benchmarks.Command(connect), benchmarks.SuitesCommand(connect), doctor.Command(version, connect), local.Command(version),
		versionCommand(version), completionCommand())
	return root
}

// versionCommand is `kubectl assay version`, as kubectl has it: --version says the same. That of the operator is doctor's.
func versionCommand(version string) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program (kubectl assay doctor shows the operator's)",
		Example: `  kubectl assay version
  kubectl assay doctor`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version)
			return err
		},
	}
}

// completionScript is what kubectl runs to complete the command line of a plugin, if it is on the PATH by this name.
//
//go:embed kubectl_complete-assay
var completionScript string

func completionCommand() *cobra.Command {
	return manual.Of(&cobra.Command{
		Use:   "completion",
		Short: "Print the script by which kubectl completes this plugin's command lines",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), completionScript)
			return err
		},
	})
}
