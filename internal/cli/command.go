package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Connect opens a client to the cluster that the user means.
type Connect func() (client.WithWatch, error)

// ExitError ends the program with a code; a nil Err means that everything was said already.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// Main runs the command and returns the exit code: 0 fine (watch: the run passed), 1 watch: nodes or links failed, 2 anything else.
func Main(ctx context.Context, version string, args []string, out, errOut io.Writer) int {
	var flags connection
	root := NewCommand(version, flags.connect)
	flags.bind(root.PersistentFlags())
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitPass
	}
	var exit *ExitError
	if !errors.As(err, &exit) {
		exit = &ExitError{Code: exitUnknown, Err: err}
	}
	if exit.Err != nil {
		fmt.Fprintln(errOut, "error:", exit.Err)
	}
	return exit.Code
}

// NewCommand is `kubectl assay` with its subcommands.
func NewCommand(version string, connect Connect) *cobra.Command {
	root := &cobra.Command{
		Use:           "kubectl assay",
		Short:         "Shows what Assay found about the nodes of a cluster",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl assay"},
	}
	root.AddCommand(reportCommand(connect), watchCommand(connect))
	return root
}

func reportCommand(connect Connect) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Print what a run found, node by node, and its verdict",
		Long: `Print what a run found, node by node, and its verdict.

A line is one headline metric of one benchmark on one node: the value of the part that failed worst, else of the node as a whole,
else of its worst part (-o wide says which, and what was expected). OF PEAK compares it with the HardwareProfile, OF FLEET with
the median of like parts; "-" is not known. Below are the findings about links, and why each node did not pass.

The JSON document has the schema assay.dev/report/v1; what is absent in it was not known. The exit code is 0 where there is a
report, whatever it says, and 2 where there is none: "kubectl assay watch" tells by its exit code how the run went.`,
		Example: `  kubectl assay report rack-7
  kubectl assay report rack-7 -o wide
  kubectl assay report rack-7 -o json | jq '.nodes[] | select(.verdict == "Fail") | .name'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := connect()
			if err != nil {
				return err
			}
			run := &v1alpha1.ValidationRun{}
			if err := c.Get(cmd.Context(), client.ObjectKey{Name: args[0]}, run); err != nil {
				return fmt.Errorf("reading run %s: %w", args[0], err)
			}
			return writeReport(cmd.Context(), c, run, cmd.OutOrStdout(), format)
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", formatTable, "table, wide, json or markdown")
	return cmd
}

func watchCommand(connect Connect) *cobra.Command {
	return &cobra.Command{
		Use:   "watch RUN",
		Short: "Show a run until it is over",
		Long: `Show a run until it is over.

The exit code is 0 where every node that was measured passed, 1 where nodes or links between them failed, and 2 where the run
proved neither: it was inconclusive, invalid, deleted, or could not be read.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := connect()
			if err != nil {
				return err
			}
			run, err := watchRun(cmd.Context(), c, args[0], newScreen(cmd.OutOrStdout()))
			if err != nil {
				return err
			}
			report := NewReport(run, nil)
			fmt.Fprintln(cmd.OutOrStdout(), report.verdictText())
			if code := exitCode(run); code != exitPass {
				return &ExitError{Code: code}
			}
			return nil
		},
	}
}

func newScreen(w io.Writer) *screen {
	s := &screen{w: w}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		s.terminal = true
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			s.width = width
		}
	}
	return s
}

func writeReport(ctx context.Context, c client.Client, run *v1alpha1.ValidationRun, w io.Writer, format string) error {
	var results v1alpha1.ValidationResultList
	if err := c.List(ctx, &results, client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)}); err != nil {
		return fmt.Errorf("reading the results of run %s: %w", run.Name, err)
	}
	report := NewReport(run, results.Items)
	return report.Write(w, format)
}
