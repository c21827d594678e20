package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/report"
)

// Formats of the report.
const (
	formatTable    = "table"
	formatWide     = "wide"
	formatJSON     = "json"
	formatMarkdown = "markdown"
)

var formats = []string{formatTable, formatWide, formatJSON, formatMarkdown}

func reportCommand(connect Connect) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Show what a run found, node by node, and its verdict",
		Long: `Show what a run found, node by node, and its verdict.

Each row is one headline metric of one benchmark on one node. A metric has a
value for each part (a GPU, a link, a socket). The row shows the part that
failed worst, or else the node as a whole, or else its worst part; -o wide
names the part and the value that was expected.

OF PEAK compares the value with the HardwareProfile, VS FLEET with the median
of like parts of this run. "-" means not known. Below the table are findings
about links and groups of nodes, and why each node did not pass.

The JSON document has the schema ` + report.Schema + `. A field that it
lacks was not known.

The exit code is 0 if there is a report, whatever it says, and 2 if there is
none. For an exit code that says how the run went, use "kubectl assay watch".`,
		Example: `  kubectl assay report rack-7
  kubectl assay report rack-7 -o wide
  kubectl assay report rack-7 -o json | jq -r '.nodes[] | select(.verdict == "Fail") | .name'`,
		Args: oneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(formats, format) {
				return errors.New(message.CommandFormat(format, formats))
			}
			c, err := connect()
			if err != nil {
				return err
			}
			found, err := readReport(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			return write(cmd.OutOrStdout(), found, format)
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", formatTable, "Output `format`: table, wide, json or markdown")
	return cmd
}

func write(w io.Writer, r *report.Report, format string) error {
	switch format {
	case formatJSON:
		return r.WriteJSON(w)
	case formatMarkdown:
		return writeMarkdown(w, r)
	default:
		return writeTable(w, r, format == formatWide)
	}
}

// readReport reads all that is known of a run.
func readReport(ctx context.Context, c client.Client, name string) (*report.Report, error) {
	run, err := readRun(ctx, c, name)
	if err != nil {
		return nil, err
	}
	var results v1alpha1.ValidationResultList
	if err := c.List(ctx, &results, client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)}); err != nil {
		return nil, fmt.Errorf("%s: %w", message.CommandReadingResults(name), err)
	}
	validations, err := readValidations(ctx, c, run)
	if err != nil {
		return nil, err
	}
	found := report.New(report.Input{Run: run, Results: results.Items, Validations: validations})
	return &found, nil
}

// readValidations reads those of tainted nodes. A report goes without what is gone or may not be read.
func readValidations(ctx context.Context, c client.Client, run *v1alpha1.ValidationRun) ([]v1alpha1.NodeValidation, error) {
	var all []v1alpha1.NodeValidation
	for i := range run.Status.Nodes {
		row := &run.Status.Nodes[i]
		if !row.Tainted {
			continue
		}
		var v v1alpha1.NodeValidation
		err := c.Get(ctx, client.ObjectKey{Name: row.Name}, &v)
		switch {
		case err == nil:
			all = append(all, v)
		case !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err):
			return nil, fmt.Errorf("%s: %w", message.CommandReading("NodeValidation", row.Name), err)
		}
	}
	return all, nil
}
