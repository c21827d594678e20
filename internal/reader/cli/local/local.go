// Package local is `kubectl assay local`: this host is measured without a cluster.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/config"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/cli/benchmarks"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/cli/reports"
	"github.com/assay-dev/assay/internal/reader/cli/source"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/local"
)

// localFlags are what a user asks of a measurement of this host.
type localFlags struct {
	name, suite, catalogue, profile, format, to   string
	benchmarks, parameters, least, past, programs []string
	confirmations                                 int32
	deadline                                      time.Duration
	list, verbose                                 bool
	// tool writes the file that is saved.
	tool string
}

// Command is `kubectl assay local`.
func Command(version string) *cobra.Command {
	f := localFlags{tool: "kubectl-assay " + version}
	cmd := &cobra.Command{
		Use:   "local",
		Short: "Measure this host without Kubernetes",
		Long: `Measure this host without Kubernetes.

Runs the benchmarks of a suite one after the other, judges them as the operator
does, measures what is suspect again, and shows the same report. Benchmarks of
several nodes are left out. Nothing is tainted, and no setting is changed.

The benchmarks are those of this release, or those of a folder (--catalogue).
Programs are looked for in --programs, then in PATH. A host is compared with the
HardwareProfile of its GPUs, as GPU feature discovery would label them, or with
the one you name (--profile), and with its own past (--past), where the same
program was measured. Nothing else may use the host meanwhile.

The progress goes to stderr, the report to stdout. Ctrl-C ends the run with what
was measured by then.

The exit code is 0 if the host passed and 1 if it failed. It is 2 if there is no
proof either way.`,
		Example: `  kubectl assay local --suite cpu --programs build/kernels/bin
  kubectl assay local --benchmark stream,dgemm --parameter stream.seconds=5
  kubectl assay local --suite quick --programs /opt/assay/bin --to today.jsonl
  kubectl assay local --suite quick --past yesterday.jsonl -o wide
  kubectl assay local --list`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.bind(cmd)
	return cmd
}

func (f *localFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "local", "Name of the run")
	flags.StringVar(&f.suite, "suite", "", "Measure the benchmarks of this suite (default quick on a host with GPUs, else cpu)")
	flags.StringSliceVar(&f.benchmarks, "benchmark", nil, "Measure by these benchmarks, by `name`, in place of a suite")
	flags.StringArrayVar(&f.parameters, "parameter", nil, "Set a parameter: `BENCHMARK.PARAMETER=VALUE` (repeatable)")
	flags.StringArrayVar(&f.least, "min", nil, "Expect at least so much: `BENCHMARK.METRIC=VALUE` in the unit of the metric (repeatable)")
	flags.StringVar(&f.catalogue, "catalogue", "", "Read Benchmarks and HardwareProfiles from this `folder`")
	flags.StringArrayVar(&f.programs, "programs", nil, "Look for programs in this `folder` first (repeatable)")
	flags.StringVar(&f.profile, "profile", "", "Judge by this HardwareProfile: its `name` or a YAML file")
	flags.StringArrayVar(&f.past, "past", nil, "Compare with what this host reached in a saved `file` (repeatable)")
	flags.Int32Var(&f.confirmations, "confirmations", 2, "How often to measure a suspect again at most")
	flags.DurationVar(&f.deadline, "deadline", 4*time.Hour, "End after this time, with what was measured")
	reports.Formats.Flag(cmd, &f.format)
	flags.StringVar(&f.to, "to", "", "Save the run to this `file`, which report, compare and --past read; compressed if it ends in .gz")
	flags.BoolVar(&f.list, "list", false, "List the benchmarks and their suites, and measure nothing")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "Show what the programs print, too")
	cmd.MarkFlagsMutuallyExclusive("suite", "benchmark")
}

// run measures the host and reports.
func (f *localFlags) run(ctx context.Context, out, errOut io.Writer) error {
	if f.deadline < time.Second {
		return errors.New(cluster.BadDeadline(f.deadline))
	}
	options, err := f.options(ctx, errOut)
	if err != nil {
		return err
	}
	if f.list {
		return f.listLocal(out, options.Catalogue.Benchmarks)
	}
	if !local.Supported {
		return errors.New("the benchmark programs run on Linux only: run kubectl assay local on the host that you want to measure")
	}
	if err := f.canSave(); err != nil {
		return err
	}
	measured, err := local.Run(ctx, options)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		fmt.Fprintln(errOut, "interrupted: the report has what was measured until then")
	}
	shown := reports.Show(out, measured, f.format) // what fails to be saved is shown at least, and the reverse
	if err := errors.Join(shown, f.save(measured, errOut)); err != nil {
		return err
	}
	return output.Ended(measured.Run)
}

// canSave says why the run could not be saved, before hours are spent on it.
func (f *localFlags) canSave() error {
	if f.to == "" {
		return nil
	}
	there, err := os.Stat(f.to)
	switch {
	case err == nil && there.IsDir():
		return &fs.PathError{Op: "open", Path: f.to, Err: syscall.EISDIR}
	case err == nil && !there.Mode().IsRegular():
		return nil // to open a pipe would wait for its reader
	}
	probe, err := os.CreateTemp(filepath.Dir(f.to), ".assay-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.to, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// options of the run that the user asks for.
func (f *localFlags) options(ctx context.Context, errOut io.Writer) (local.Options, error) {
	o := local.Options{Name: f.name, Now: time.Now}
	var err error
	if o.Host, err = local.Discover(ctx); err != nil {
		return o, err
	}
	if trouble := o.Host.Trouble; trouble != nil {
		fmt.Fprintln(errOut, output.Clean(message.Because("no GPUs could be found, so none is measured", trouble.Error())))
	}
	if o.Catalogue, err = f.readCatalogue(); err != nil {
		return o, err
	}
	if o.Profile, err = f.chooseProfile(o.Catalogue.Profiles); err != nil {
		return o, err
	}
	if o.Past, err = (source.Source{Files: f.past}).Load(ctx, nil); err != nil {
		return o, err
	}
	if err := f.spec(&o); err != nil {
		return o, err
	}
	log := io.Discard
	if f.verbose {
		log = &cleaned{to: errOut}
	}
	programs := local.Programs{Folders: f.programs, Log: log}
	o.Execute, o.Has = programs.Execute, programs.Has
	tellLocal(errOut, &o)
	return o, nil
}

// spec of the run.
func (f *localFlags) spec(o *local.Options) error {
	seconds := int64(f.deadline / time.Second)
	o.Spec = v1alpha1.ValidationRunSpec{Suite: f.suite, Confirmations: &f.confirmations, ActiveDeadlineSeconds: &seconds,
		Benchmarks: list.Map(f.benchmarks, func(name string) v1alpha1.BenchmarkRef { return v1alpha1.BenchmarkRef{Name: name} })}
	if f.suite == "" && len(f.benchmarks) == 0 {
		o.Spec.Suite = "cpu"
		if len(o.Host.GPUs) > 0 {
			o.Spec.Suite = "quick"
		}
	}
	for _, text := range f.parameters {
		if err := change(o, "--parameter", text, func(r *v1alpha1.BenchmarkRef, name, value string) {
			r.Parameters = append(r.Parameters, v1alpha1.ParameterValue{Name: name, Value: value})
		}); err != nil {
			return err
		}
	}
	for _, text := range f.least {
		if err := change(o, "--min", text, func(r *v1alpha1.BenchmarkRef, name, value string) {
			expected := v1alpha1.Expectation{Min: v1alpha1.Decimal(value)}
			r.Expectations = append(r.Expectations, v1alpha1.ExpectationOverride{Metric: name, Expectation: expected})
		}); err != nil {
			return err
		}
	}
	return nil
}

// change what is asked of a benchmark: one that --benchmark names, or one of the suite.
func change(o *local.Options, flag, text string, apply func(r *v1alpha1.BenchmarkRef, name, value string)) error {
	key, value, found := strings.Cut(text, "=")
	dot := strings.LastIndexByte(key, '.')
	if !found || dot < 1 || dot == len(key)-1 || value == "" {
		if flag == "--min" {
			return fmt.Errorf("cannot read --min %q: expected BENCHMARK.METRIC=VALUE, such as stream.triad=150", text)
		}
		return fmt.Errorf("cannot read %s %q: expected BENCHMARK.PARAMETER=VALUE, such as stream.seconds=5", flag, text)
	}
	among := &o.Spec.Benchmarks
	if o.Spec.Suite != "" {
		among = &o.Spec.Overrides
	}
	ref := benchmarks.Asked(among, key[:dot], o.Spec.Suite)
	if ref == nil {
		return fmt.Errorf("%s names benchmark %q, which is not among those to be measured: add it with --benchmark", flag, key[:dot])
	}
	apply(ref, key[dot+1:], value)
	return nil
}

func (f *localFlags) readCatalogue() (local.Catalogue, error) {
	if f.catalogue == "" {
		return local.ReadCatalogue(config.Catalogue)
	}
	if _, err := os.Stat(f.catalogue); err != nil {
		return local.Catalogue{}, err
	}
	c, err := local.ReadCatalogue(os.DirFS(f.catalogue))
	if err == nil && len(c.Benchmarks) == 0 {
		err = fmt.Errorf("%s has no Benchmark: name a folder of their YAML files with --catalogue", f.catalogue)
	}
	return c, err
}

// chooseProfile that the user names; nil: none.
func (f *localFlags) chooseProfile(all []v1alpha1.HardwareProfile) (*v1alpha1.HardwareProfile, error) {
	if f.profile == "" {
		return nil, nil
	}
	if p := list.First(all, func(p *v1alpha1.HardwareProfile) bool { return p.Name == f.profile }); p != nil {
		return p, nil
	}
	data, err := os.ReadFile(f.profile)
	if errors.Is(err, os.ErrNotExist) {
		names := list.Map(all, func(p v1alpha1.HardwareProfile) string { return p.Name })
		return nil, fmt.Errorf("the catalogue has no HardwareProfile %q: choose one of %s, or name a file", f.profile, strings.Join(names, ", "))
	}
	if err != nil {
		return nil, err
	}
	read, err := local.ReadFile(data)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.profile, err)
	}
	if len(read.Profiles) != 1 {
		return nil, fmt.Errorf("%s has %s, expected 1", f.profile, message.Several(len(read.Profiles), "HardwareProfile"))
	}
	return &read.Profiles[0], nil
}

// save the run, if the user wants that.
func (f *localFlags) save(measured export.Run, errOut io.Writer) error {
	if f.to == "" {
		return nil
	}
	err := output.IntoFile(f.to, func(w io.Writer) error {
		lines, err := export.NewLines(w, f.tool, measured.Cluster)
		if err != nil {
			return err
		}
		return errors.Join(measured.Pour(lines), lines.Close())
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.to, err)
	}
	fmt.Fprintln(errOut, output.Clean(fmt.Sprintf("saved to %s: kubectl assay report -f %s shows it again", f.to, f.to)))
	return nil
}
