package reports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/cli/manual"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/cli/source"
	"github.com/assay-dev/assay/internal/reader/export"
)

// ExportFormats are those of saved runs.
var ExportFormats = output.Formats{output.Lines, output.CSV, output.OpenMetrics}

// exporting is what the command line says.
type exporting struct {
	version         string
	source          source.Source
	format, to      string
	all             bool
	selector, since string
}

// ExportCommand is `kubectl assay export`.
func ExportCommand(version string, connect cluster.Connect) *cobra.Command {
	e := exporting{version: version, source: source.Source{Connect: connect, Places: true}}
	cmd := manual.Of(&cobra.Command{
		Use:               "export [RUN...] [--to FILE]",
		Short:             "Save runs with everything that is known of them",
		ValidArgsFunction: completion.EveryArgument(completion.Runs(connect)),
		RunE:              e.run,
	}, export.Schema)
	flags := cmd.Flags()
	ExportFormats.Flag(cmd, &e.format)
	flags.StringVar(&e.to, "to", "", "`File` to write; without it, standard output")
	e.source.Bind(flags)
	flags.BoolVar(&e.all, "all", false, "Export all runs")
	flags.StringVarP(&e.selector, "selector", "l", "", "Export runs with these `labels`, for example assay.dev/policy=nightly")
	flags.StringVar(&e.since, "since", "", "Export runs that were created within this `duration`, for example 30d")
	return cmd
}

func (e *exporting) run(cmd *cobra.Command, names []string) error {
	want, err := e.wanted(names)
	if err != nil {
		return err
	}
	return output.Into(e.to, cmd.OutOrStdout(), func(w io.Writer) error { return e.write(cmd, w, names, want) })
}

// wanted says which runs the flags choose.
func (e *exporting) wanted(names []string) (func(*v1alpha1.ValidationRun) bool, error) {
	chosen := e.all || e.selector != "" || e.since != ""
	switch {
	case chosen && len(names) > 0:
		return nil, errors.New("runs are named and chosen by flags: give either names, or --all, --selector and --since")
	case !chosen && len(names)+len(e.source.Files) == 0:
		return nil, errors.New("no run is named: kubectl assay export RUN..., or choose with --all, --selector or --since")
	}
	selector, err := labels.Parse(e.selector)
	if err != nil {
		return nil, fmt.Errorf("reading --selector: %w", err)
	}
	var after time.Time
	if e.since != "" {
		age, err := model.ParseDuration(e.since)
		if err != nil {
			return nil, fmt.Errorf("--since %s is no duration: write it as 12h, 30d or 2w", strconv.Quote(e.since))
		}
		after = time.Now().Add(-time.Duration(age))
	}
	return func(run *v1alpha1.ValidationRun) bool {
		return selector.Matches(labels.Set(run.Labels)) && !run.CreationTimestamp.Time.Before(after)
	}, nil
}

// write the runs, from the files or from the cluster.
func (e *exporting) write(cmd *cobra.Command, w io.Writer, names []string, want func(*v1alpha1.ValidationRun) bool) error {
	var c client.WithWatch
	name := ""
	if len(e.source.Files) == 0 {
		var err error
		if c, err = e.source.Connect(); err != nil {
			return err
		}
		name, e.source.Connect = cluster.NameOf(c), func() (client.WithWatch, error) { return c, nil }
	}
	sink, err := e.sink(w, name)
	if err != nil {
		return err
	}
	to := &chosen{Writer: sink, notes: cmd.ErrOrStderr(), want: want}
	if c == nil || len(names) > 0 {
		err = e.source.Pour(cmd.Context(), names, to)
	} else {
		err = e.fromCluster(cmd.Context(), c, to)
	}
	switch {
	case err != nil:
		return err
	case to.runs == 0:
		return errors.New("no run matches the flags: kubectl get validationruns --show-labels lists all runs")
	}
	return to.Close()
}

// fromCluster pours all runs that are wanted. One that is deleted meanwhile is passed over, with a note.
func (e *exporting) fromCluster(ctx context.Context, c client.Client, to *chosen) error {
	var names []string
	err := cluster.Each(ctx, c, &v1alpha1.ValidationRunList{}, func(run *v1alpha1.ValidationRun) error {
		if to.want(run) {
			names = append(names, run.Name)
		}
		return nil
	})
	if err != nil {
		return cluster.While(err, "listing runs")
	}
	for _, name := range names {
		run, err := cluster.Run(ctx, c, name)
		var gone *cluster.NoRunError
		if errors.As(err, &gone) {
			to.note("run %s was deleted meanwhile and is not exported", name)
			continue
		}
		if err != nil {
			return err
		}
		if err := e.source.PourRun(ctx, c, run, to); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporting) sink(w io.Writer, cluster string) (export.Writer, error) {
	switch e.format {
	case output.CSV:
		return export.NewTable(w)
	case output.OpenMetrics:
		return export.NewSamples(w)
	default:
		return export.NewLines(w, e.version, cluster)
	}
}

// chosen is a Writer that passes on the runs that are wanted, and notes what they lack.
type chosen struct {
	export.Writer
	notes io.Writer
	want  func(*v1alpha1.ValidationRun) bool
	runs  int
	skip  bool
}

func (s *chosen) note(format, run string) {
	fmt.Fprintln(s.notes, "note:", output.Clean(fmt.Sprintf(format, run)))
}

func (s *chosen) Begin(cluster string, run *v1alpha1.ValidationRun, started *catalogue.Snapshot) error {
	if s.skip = !s.want(run); s.skip {
		return nil
	}
	s.runs++
	if started == nil && run.Status.Catalogue != nil {
		s.note("run %s is exported without its catalogue: what the operator kept of it is gone or may not be read, and the Benchmarks have changed since", run.Name)
	}
	if run.Status.CompletionTime == nil {
		s.note("run %s is not over, and is exported as it stands: export it again when it is", run.Name)
	}
	return s.Writer.Begin(cluster, run, started)
}

func (s *chosen) Add(p export.Piece) error {
	if s.skip {
		return nil
	}
	return s.Writer.Add(p)
}
