// Package plan is `kubectl assay plan`: what a policy would do, before it does it.
package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/operate/forecast"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/cli/manual"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/local"
)

// flags are those of `kubectl assay plan`.
type flags struct {
	connect           cluster.Connect
	file, ahead, form string
	now               func() time.Time
}

var formats = output.Formats{output.Table, output.Wide, output.JSON, output.YAML, output.CSV}

// Command is `kubectl assay plan`.
func Command(connect cluster.Connect) *cobra.Command {
	return command(&flags{connect: connect, now: time.Now})
}

func command(f *flags) *cobra.Command {
	cmd := manual.Of(&cobra.Command{
		Use:               "plan (-f FILE | POLICY)",
		Short:             "Show what a policy would measure, when, and what that takes",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completion.FirstArgument(completion.Policies(f.connect)),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}, schema)
	cmd.Flags().StringVarP(&f.file, "filename", "f", "", "Read the policy from this `file`; - is standard input")
	cmd.Flags().StringVar(&f.ahead, "for", "4w", "Look ahead for this `duration`, for example 10d or 12w")
	formats.Flag(cmd, &f.form)
	return cmd
}

// longest is as far as a plan looks ahead.
const longest = 366 * 24 * time.Hour

func (f *flags) run(cmd *cobra.Command, args []string) error {
	ahead, err := model.ParseDuration(f.ahead)
	switch {
	case err != nil || ahead <= 0 || time.Duration(ahead) > longest:
		return fmt.Errorf("--for is %q, expected up to a year: write it as 10d or 12w", f.ahead)
	case (f.file == "") == (len(args) == 0):
		return errors.New("say which policy: either one of a file (kubectl assay plan -f policy.yaml), or one of the cluster (kubectl assay plan POLICY)")
	}
	var given local.Catalogue
	if f.file != "" {
		if given, err = readFile(f.file, cmd.InOrStdin()); err != nil {
			return err
		}
	}
	c, err := f.connect()
	if err != nil {
		return err
	}
	in, err := read(cmd.Context(), c, given)
	if err != nil {
		return err
	}
	if in.Policy, err = chosen(in.Policies, given.Policies, args); err != nil {
		return err
	}
	now := f.now().UTC().Truncate(time.Second)
	found := forecast.New(in, now, now.Add(time.Duration(ahead)))
	if found.Invalid != "" {
		return fmt.Errorf("policy %s cannot be enforced: %s", in.Policy.Name, output.Clean(found.Invalid))
	}
	return show(cmd.OutOrStdout(), in.Policy, found, f.form)
}

// readFile reads the objects of a file, of which one is a policy.
func readFile(name string, in io.Reader) (given local.Catalogue, err error) {
	var data []byte
	if name == "-" {
		data, err = io.ReadAll(in)
	} else {
		data, err = os.ReadFile(name)
	}
	if err == nil {
		given, err = local.ReadFile(data)
	}
	switch {
	case err != nil:
		return given, fmt.Errorf("reading %s: %w", name, err)
	case len(given.Policies) != 1:
		return given, fmt.Errorf("%s has %d ValidationPolicies, expected one", name, len(given.Policies))
	}
	return given, nil
}

// chosen is the policy as it would be in the cluster. One that is there already keeps what is known of it.
func chosen(there, given []v1alpha1.ValidationPolicy, args []string) (*v1alpha1.ValidationPolicy, error) {
	named := func(name string) *v1alpha1.ValidationPolicy {
		return list.First(there, func(p *v1alpha1.ValidationPolicy) bool { return p.Name == name }).DeepCopy()
	}
	if len(given) == 0 {
		if p := named(args[0]); p != nil {
			return p, nil
		}
		return nil, fmt.Errorf("there is no policy %q: kubectl get validationpolicies lists all policies", args[0])
	}
	p := named(given[0].Name)
	if p == nil {
		p = given[0].DeepCopy()
		p.UID = "planned" // which says of no run that it is the policy's
		return p, nil
	}
	given[0].Spec.DeepCopyInto(&p.Spec)
	p.Generation++
	return p, nil
}

// read the cluster.
func read(ctx context.Context, c client.Client, given local.Catalogue) (in forecast.Input, err error) {
	if in.Benchmarks, err = cluster.All[v1alpha1.Benchmark](ctx, c, &v1alpha1.BenchmarkList{}, "Benchmarks"); err != nil {
		return in, err
	}
	if in.Profiles, err = cluster.All[v1alpha1.HardwareProfile](ctx, c, &v1alpha1.HardwareProfileList{}, "HardwareProfiles"); err != nil {
		return in, err
	}
	in.Benchmarks = instead(in.Benchmarks, given.Benchmarks, func(b *v1alpha1.Benchmark) string { return b.Name })
	in.Profiles = instead(in.Profiles, given.Profiles, func(p *v1alpha1.HardwareProfile) string { return p.Name })
	if in.Policies, err = cluster.All[v1alpha1.ValidationPolicy](ctx, c, &v1alpha1.ValidationPolicyList{}, "ValidationPolicies"); err != nil {
		return in, err
	}
	if in.Runs, err = cluster.All[v1alpha1.ValidationRun](ctx, c, &v1alpha1.ValidationRunList{}, "ValidationRuns"); err != nil {
		return in, err
	}
	if in.Validations, err = cluster.All[v1alpha1.NodeValidation](ctx, c, &v1alpha1.NodeValidationList{}, "NodeValidations"); err != nil {
		return in, err
	}
	if in.Nodes, err = cluster.All[corev1.Node](ctx, c, &corev1.NodeList{}, "nodes"); err != nil {
		return in, err
	}
	all, _, err := cluster.Slices(ctx, c)
	byNode := dra.ByNode(all)
	if err != nil && !apierrors.IsForbidden(err) {
		return in, err
	}
	for n := range list.Each(in.Nodes) {
		*n = *dra.ShowBy(n, byNode[n.Name])
	}
	return in, nil
}

// instead of those of the cluster stand those of the file that have their names.
func instead[T any](there, given []T, name func(*T) string) []T {
	for i := range given {
		there = append(slices.DeleteFunc(there, func(t T) bool { return name(&t) == name(&given[i]) }), given[i])
	}
	return there
}
