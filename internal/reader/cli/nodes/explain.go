package nodes

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/cli/manual"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/cli/source"
	"github.com/assay-dev/assay/internal/reader/explain"
)

// explainSchema names the shape of the JSON document.
const explainSchema = "assay.dev/explain/v1"

// explanation is the JSON document: the faults, as the report has them, and what the sections say.
type explanation struct {
	Schema   string            `json:"schema"`
	Node     string            `json:"node"`
	Faults   []cause.Told      `json:"faults,omitempty"`
	Sections []explain.Section `json:"sections"`
}

// ExplainCommand is `kubectl assay explain`.
func ExplainCommand(connect cluster.Connect) *cobra.Command {
	s := source.Source{Connect: connect}
	var format string
	cmd := manual.Of(&cobra.Command{
		Use:               "explain NODE",
		Short:             "Show why a node is tainted, gated or failed, and what to do",
		Args:              oneNode(1),
		ValidArgsFunction: completion.FirstArgument(completion.Nodes(connect)),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := explained(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			if format == output.Table {
				return writeSections(cmd.OutOrStdout(), explain.New(*in))
			}
			return output.WriteDocument(cmd.OutOrStdout(), explanation{explainSchema, in.Node, explain.Faults(*in), explain.New(*in)}, format)
		},
	}, explainSchema)
	s.Bind(cmd.Flags())
	output.Formats{output.Table, output.JSON, output.YAML}.Flag(cmd, &format)
	return cmd
}

func writeSections(w io.Writer, all []explain.Section) error {
	for i, s := range all {
		output.Between(w, i)
		if _, err := fmt.Fprintln(w, strings.Join(append([]string{output.Clean(s.Title)}, output.CleanAll(s.Lines)...), "\n  ")); err != nil {
			return err
		}
	}
	return nil
}

// explained reads all that explains a node.
func explained(ctx context.Context, s source.Source, name string) (*explain.Input, error) {
	in := &explain.Input{Node: source.BareNode(name)}
	var err error
	if in.Runs, err = s.Node(ctx, name, true); err != nil || len(s.Files) > 0 {
		return in, err
	}
	c, err := s.Connect()
	if err != nil {
		return nil, err
	}
	newest := explain.Newest(in.Node, in.Runs)
	if err := source.AddOthers(ctx, c, in.Node, newest); err != nil {
		return nil, err
	}
	in.OthersCut = failuresCut(newest.Run)
	if in.Live, err = cluster.ReadIf[corev1.Node](ctx, c, in.Node); err != nil {
		return nil, err
	}
	err = cluster.Each(ctx, c, &v1alpha1.ValidationPolicyList{}, func(p *v1alpha1.ValidationPolicy) error {
		in.Policies = append(in.Policies, *p)
		return nil
	})
	if err != nil && !cluster.Unreadable(err) {
		return nil, fmt.Errorf("listing ValidationPolicies: %w", err)
	}
	return in, nil
}

// failuresCut says whether the table of a run, worst nodes first, has no room for all that did not pass.
func failuresCut(run *v1alpha1.ValidationRun) bool {
	rows, summary := run.Status.Nodes, run.Status.Summary
	return summary != nil && len(rows) > 0 && len(rows) < int(summary.Nodes) && rows[len(rows)-1].Verdict != v1alpha1.VerdictPass
}

// oneNode asks for the name of a node, and perhaps a second word.
func oneNode(most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > most:
			return fmt.Errorf("too many arguments: %d were given, see %s --help", len(args), cmd.CommandPath())
		case len(args) == 0 || source.BareNode(args[0]) == "":
			return fmt.Errorf("no node is named: %s NODE", cmd.CommandPath())
		}
		return nil
	}
}
