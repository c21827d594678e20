// Package nodes is `kubectl assay nodes`, `history` and `explain`: what is known of the fleet, and of one node.
package nodes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/cli/manual"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// nodesFlags are those of `kubectl assay nodes`.
type nodesFlags struct {
	selector, policy, format string
	failed, watch            bool
	// pause of --watch, at least.
	pause time.Duration
}

// Command is `kubectl assay nodes`.
func Command(connect cluster.Connect) *cobra.Command {
	f := nodesFlags{pause: pauseLeast}
	cmd := manual.Of(&cobra.Command{
		Use:   "nodes",
		Short: "Show the fleet at a glance: which nodes are fit, since when, and which are not",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := connect()
			switch {
			case err != nil:
				return err
			case f.watch:
				return f.follow(cmd, c)
			}
			rows, err := readFleet(cmd.Context(), c, f, time.Now(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return listOf(rows, time.Now()).Write(cmd.OutOrStdout(), f.format)
		},
	})
	output.Lists.Flag(cmd, &f.format)
	cmd.Flags().StringVarP(&f.selector, "selector", "l", "", "Only nodes with these `labels`, for example pool=h200,zone!=b")
	cmd.Flags().StringVar(&f.policy, "policy", "", "Only nodes of this `policy`")
	cmd.Flags().BoolVar(&f.failed, "failed", false, "Only nodes that are Unfit or Failed")
	cmd.Flags().BoolVarP(&f.watch, "watch", "w", false, "Go on, and show nodes again when something happens to them")
	completion.Flag(cmd, "policy", completion.Policies(connect))
	return cmd
}

// readFleet reads what is known of the nodes, page by page, and keeps what is shown.
func readFleet(ctx context.Context, c client.Client, f nodesFlags, now time.Time, notes io.Writer) ([]*fleetNode, error) {
	selector, err := labels.Parse(f.selector)
	if err != nil {
		return nil, errors.New(cluster.BadSelector(f.selector, err))
	}
	policies, err := cluster.All[v1alpha1.ValidationPolicy](ctx, c, &v1alpha1.ValidationPolicyList{}, "ValidationPolicies")
	if err != nil {
		return nil, err
	}
	if f.policy != "" && !slices.ContainsFunc(policies, func(p v1alpha1.ValidationPolicy) bool { return p.Name == f.policy }) {
		return nil, fmt.Errorf("there is no policy %q: kubectl get validationpolicies lists all policies", f.policy)
	}
	benchmarks, err := cluster.Benchmarks(ctx, c)
	if err != nil && !apierrors.IsForbidden(err) {
		return nil, err
	}
	fleet := newFleet(policies, benchmarks, now)
	byLabels := client.MatchingLabelsSelector{Selector: selector}
	err = cluster.Each(ctx, c, &corev1.NodeList{}, func(n *corev1.Node) error { fleet.addNode(n); return nil }, byLabels)
	hidden := apierrors.IsForbidden(err)
	switch {
	case err != nil && !hidden:
		return nil, fmt.Errorf("listing nodes: %w", err)
	case hidden && (f.selector != "" || f.policy != ""):
		return nil, errors.New("--selector and --policy need the labels of nodes, and you may not list nodes of the cluster: ask an administrator " +
			"for the right to get and list nodes")
	case hidden:
		fmt.Fprintln(notes, "you may not list nodes of the cluster, so that only those that were measured are shown, without gates and policies: "+
			"ask an administrator for the right to get and list nodes")
	}
	err = cluster.Each(ctx, c, &v1alpha1.NodeValidationList{}, func(v *v1alpha1.NodeValidation) error {
		fleet.addValidation(v, hidden)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing NodeValidations: %w", err)
	}
	return slices.DeleteFunc(fleet.rows(), func(n *fleetNode) bool { return !f.wants(n) }), nil
}

// wants says whether a node is to be shown.
func (f nodesFlags) wants(n *fleetNode) bool {
	if f.policy != "" && !slices.Contains(n.Policies, f.policy) {
		return false
	}
	return !f.failed || n.State == v1alpha1.ReasonUnfit || n.State == v1alpha1.ReasonFailed
}

// The fleet is read again after so many times what reading it took, so that a large one is not read all the time; and not at once.
const (
	pauseTimes = 10
	pauseLeast = 2 * time.Second
)

// follow shows the fleet, and then nodes to which something happens, until it is interrupted. An API server that does not answer is asked again.
func (f nodesFlags) follow(cmd *cobra.Command, c client.Client) error {
	if f.format != output.Table && f.format != output.Wide {
		return errors.New("-w shows a table that goes on: leave out -w, or -o " + f.format)
	}
	ctx, out, notes := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	shown := map[string]string{}
	var away time.Time // since when the server does not answer
	for first := true; ; {
		began := time.Now()
		rows, err := readFleet(ctx, c, f, began, notes)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			if err := f.showNews(out, rows, shown, first); err != nil {
				return err
			}
			first, away = false, time.Time{}
			notes = io.Discard // what the user may not read was said
		case first || cluster.Lasting(err):
			return err
		case away.IsZero():
			away = began
			fmt.Fprintf(cmd.ErrOrStderr(), "the API server does not answer, and is asked again: %s\n", output.Clean(err.Error()))
		case began.Sub(away) > cluster.Patience:
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(max(f.pause, pauseTimes*time.Since(began))):
		}
	}
}

// showNews shows the nodes that are not as they were shown, whatever is typical now; the first time, all.
func (f nodesFlags) showNews(w io.Writer, rows []*fleetNode, shown map[string]string, first bool) error {
	var news []*fleetNode
	for _, n := range rows {
		is := fmt.Sprintf("%q %v %v", []string{n.State, n.Message, n.tainted(), n.LastRun}, n.Gated, ptr.Deref(n.ProvedAt, time.Time{}).Unix())
		if shown[n.Name] != is {
			shown[n.Name] = is
			news = append(news, n)
		}
	}
	now := time.Now()
	switch {
	case first:
		return listOf(rows, now).Write(w, f.format)
	case len(news) == 0:
		return nil
	}
	fmt.Fprintf(w, "\n%s\n", now.Format(time.TimeOnly))
	list := listOf(news, now)
	list.Below = ""
	return list.Write(w, f.format)
}
