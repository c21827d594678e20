// Package cli is what `kubectl assay` does: it starts runs, and shows what was found to a person or a script. It judges nothing and writes
// nothing else to the cluster; every verdict it shows is the operator's.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// Exit codes. Whatever proves the nodes neither fit nor unfit is exitUnknown.
const (
	exitPass    = 0
	exitFail    = 1
	exitUnknown = 2
)

// Connect opens a client to the cluster that the user means.
type Connect func() (client.WithWatch, error)

// ExitError ends the program with a code after everything was said.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return message.CommandExit(e.Code) }

// Main runs the command and returns the exit code: 0 fine, 1 the command has found what it looks for (nodes or links that failed, a
// regression, an installation that is not sound), 2 anything else.
func Main(ctx context.Context, version string, args []string, out, errOut io.Writer) int {
	var flags connection
	root := NewCommand(version, flags.connect)
	flags.bind(root.PersistentFlags())
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	var exit *ExitError
	switch {
	case err == nil:
		return exitPass
	case errors.As(err, &exit):
		return exit.Code
	default:
		fmt.Fprintln(errOut, "error:", worded(err))
		return exitUnknown
	}
}

// worded is an error as users read it: it says which right is missing, and that an administrator can grant it. A quota or an admission policy forbids, too.
func worded(err error) string {
	if apierrors.IsForbidden(err) && strings.Contains(err.Error(), fmt.Sprintf("in API group %q", v1alpha1.GroupVersion.Group)) {
		return err.Error() + ": " + message.CommandMayNot()
	}
	return err.Error()
}

// NewCommand is `kubectl assay` with its subcommands.
func NewCommand(version string, connect Connect) *cobra.Command {
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
		return fmt.Errorf("%w: %s", err, message.CommandFlags(cmd.CommandPath()))
	})
	root.CompletionOptions.DisableDefaultCmd = true // its script would take the place of kubectl's own
	root.AddCommand(reportCommand(connect), watchCommand(connect))
	root.AddCommand(compareCommand(connect))
	root.AddCommand(exportCommand(version, connect))
	root.AddCommand(historyCommand(connect))
	root.AddCommand(explainCommand(connect))
	root.AddCommand(runCommand(connect))
	root.AddCommand(nodesCommand(connect))
	root.AddCommand(suitesCommand(connect))
	root.AddCommand(benchmarksCommand(connect))
	root.AddCommand(completionCommand())
	root.AddCommand(localCommand(version), doctorCommand(version, connect))
	return root
}

// oneRun asks for the name of a run.
func oneRun(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New(message.CommandNeedsRun(cmd.CommandPath(), len(args)))
	}
	return nil
}
