package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/explain"
	"github.com/assay-dev/assay/internal/reader/export"
)

func explainCommand(connect Connect) *cobra.Command {
	s := source{connect: connect}
	cmd := &cobra.Command{
		Use:   "explain NODE",
		Short: "Show why a node is tainted, gated or failed, and what to do",
		Long: `Show why a node is tainted, gated or failed, and what to do.

It shows the taint and each rule that was broken, with the value, the bound, the
median of the run and the part's own past; clock, power, temperature and
throttling while it was measured; what has changed since the node last passed;
which other nodes have the same; the other ends of slow links; what policies
and their gates say; and what to do next.

With -f it is what saved files know, without a cluster: the gate and the
policies are not known then. Where files of several clusters have a node of this
name, write CLUSTER/NODE.`,
		Example: `  kubectl assay explain node-4
  kubectl assay explain node-4 -f rack-7.jsonl.gz`,
		ValidArgsFunction: firstArgument(completeNodes(connect)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneNode(cmd.CommandPath(), args, 1); err != nil {
				return err
			}
			in, err := s.explained(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return writeSections(cmd.OutOrStdout(), explain.New(*in))
		},
	}
	cmd.Flags().StringArrayVarP(&s.files, "filename", "f", nil, "Saved `file` to read runs from, or - for standard input; may be repeated")
	return cmd
}

func writeSections(w io.Writer, all []explain.Section) error {
	for i, s := range all {
		between(w, i)
		if _, err := fmt.Fprintln(w, strings.Join(append([]string{clean(s.Title)}, cleanAll(s.Lines)...), "\n  ")); err != nil {
			return err
		}
	}
	return nil
}

// explained reads all that explains a node.
func (s source) explained(ctx context.Context, name string) (*explain.Input, error) {
	in := &explain.Input{Node: bareNode(name)}
	var err error
	if len(s.files) > 0 {
		in.Runs, err = s.readNode(ctx, nil, name, true)
		return in, err
	}
	c, err := s.connect()
	if err != nil {
		return nil, err
	}
	if in.Runs, err = s.readNode(ctx, c, name, true); err != nil {
		return nil, err
	}
	newest := explain.Newest(in.Node, in.Runs)
	if err := readOthers(ctx, c, in.Node, newest); err != nil {
		return nil, err
	}
	in.OthersCut = failuresCut(newest.Run)
	if in.Live, err = readLive(ctx, c, in.Node); err != nil {
		return nil, err
	}
	err = eachOf(ctx, c, &v1alpha1.ValidationPolicyList{}, labels.Everything(), func(p *v1alpha1.ValidationPolicy) error {
		in.Policies = append(in.Policies, *p)
		return nil
	})
	if err != nil && !apierrors.IsForbidden(err) && !meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("%s: %w", message.ExplainListingPolicies(), err)
	}
	return in, nil
}

// readOthers adds to a run what failed on its other nodes, as far as its table lists those: it has the worst ones.
func readOthers(ctx context.Context, c client.Client, node string, run *export.Run) error {
	to := ofNode{node: node, others: true, Collected: export.Collected{Runs: []export.Run{{}}}}
	rows := run.Run.Status.Nodes
	for i := range rows {
		if rows[i].Name == node || rows[i].Verdict == v1alpha1.VerdictPass {
			continue
		}
		r := &v1alpha1.ValidationResult{}
		name := v1alpha1.ResultName(run.Run, rows[i].Name)
		err := c.Get(ctx, client.ObjectKey{Name: name}, r)
		if apierrors.IsNotFound(err) || err == nil && r.Run.UID != run.Run.UID {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", message.CommandReading("ValidationResult", name), err)
		}
		if err := to.Result(r); err != nil {
			return err
		}
	}
	run.Results = append(run.Results, to.Runs[0].Results...)
	return nil
}

// failuresCut says whether the table of a run, worst nodes first, has no room for all that did not pass.
func failuresCut(run *v1alpha1.ValidationRun) bool {
	rows, summary := run.Status.Nodes, run.Status.Summary
	return summary != nil && len(rows) > 0 && len(rows) < int(summary.Nodes) && rows[len(rows)-1].Verdict != v1alpha1.VerdictPass
}

// readLive reads the node as it is now; nil where it is gone or may not be read.
func readLive(ctx context.Context, c client.Client, name string) (*corev1.Node, error) {
	n := &corev1.Node{}
	err := c.Get(ctx, client.ObjectKey{Name: name}, n)
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", message.CommandReading("Node", name), err)
	}
	return n, nil
}
