package nodes

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/guptarohit/asciigraph"
	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/cli/manual"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/cli/source"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/history"
)

var historyFormats = output.Formats{output.Table, output.JSON, output.YAML, output.CSV}

// historyFlags are what the command line says.
type historyFlags struct {
	source            source.Source
	format, at, bench string
}

// HistoryCommand is `kubectl assay history`.
func HistoryCommand(connect cluster.Connect) *cobra.Command {
	f := historyFlags{source: source.Source{Connect: connect}}
	cmd := manual.Of(&cobra.Command{
		Use:               "history NODE [METRIC]",
		Short:             "Show every stored value of a node, with baselines and drift",
		Args:              oneNode(2),
		ValidArgsFunction: completion.FirstArgument(completion.Nodes(connect)),
		RunE:              f.run,
	}, history.Schema)
	flags := cmd.Flags()
	historyFormats.Flag(cmd, &f.format)
	f.source.Bind(flags)
	flags.StringVar(&f.at, "at", "", "Only this `part`, for example gpu3")
	flags.StringVar(&f.bench, "benchmark", "", "Only this `benchmark`")
	completion.Flag(cmd, "benchmark", completion.Benchmarks(connect))
	return cmd
}

func (f *historyFlags) run(cmd *cobra.Command, args []string) error {
	runs, err := f.source.Node(cmd.Context(), args[0], false)
	if err != nil {
		return err
	}
	h := history.New(source.BareNode(args[0]), runs)
	metric := ""
	if len(args) == 2 {
		metric = args[1]
	}
	known := h.Series
	h.Series = list.Where(known, func(s history.Series) bool {
		return (metric == "" || s.Metric == metric) && (f.at == "" || s.At == f.at) && (f.bench == "" || s.Benchmark == f.bench)
	})
	if len(h.Series) == 0 {
		return f.nothing(h.Node, metric, known)
	}
	switch f.format {
	case output.JSON, output.YAML:
		return output.WriteDocument(cmd.OutOrStdout(), h, f.format)
	case output.CSV:
		return historyCSV(cmd.OutOrStdout(), &h)
	}
	if err := historyTable(cmd.OutOrStdout(), &h); err != nil || metric == "" {
		return err
	}
	return historyChart(cmd.OutOrStdout(), farthest(h.Series))
}

// nothing says that no stored value is of what was asked for, and of which metrics there are some.
func (f *historyFlags) nothing(node, metric string, known []history.Series) error {
	alike := list.Groups(known, func(s history.Series) string { return s.Metric })
	metrics := list.Map(alike, func(of []history.Series) string { return of[0].Metric })
	text := "no value is stored for " + node
	text = message.With(text, ", metric ", metric)
	text = message.With(text, ", part ", f.at)
	text = message.With(text, ", benchmark ", f.bench)
	return errors.New(output.Clean(message.With(text, ": its metrics are ", message.Names(metrics))))
}

// farthest from its baseline in its last value; the first where none has one.
func farthest(all []history.Series) *history.Series {
	best, most := &all[0], -1.0
	for i := range all {
		if change := all[i].Change(); change != nil && math.Abs(*change) > most {
			best, most = &all[i], math.Abs(*change)
		}
	}
	return best
}

func historyCSV(w io.Writer, h *history.History) error {
	rows := [][]string{{"node", "benchmark", "metric", "at", "time", "cluster", "run", "runUID", "attempt", "value", "unit", "baseline", "verdict", "configuration"}}
	for s := range list.Each(h.Series) {
		for _, p := range s.Points {
			attempt := ""
			if p.Attempt > 0 {
				attempt = strconv.Itoa(p.Attempt)
			}
			row := []string{h.Node, s.Benchmark, s.Metric, s.At, p.Time.Format(time.RFC3339), p.Cluster, p.Run, p.RunUID, attempt, export.Number(p.Value), s.Unit,
				export.Optional(s.Baseline), string(p.Verdict), s.Configuration}
			rows = append(rows, row)
		}
	}
	return output.WriteCSV(w, rows)
}

// historyTable has a row for each part.
func historyTable(w io.Writer, h *history.History) error {
	header := []string{"BENCHMARK", "METRIC", "WHERE", "VALUES", "TREND", "LAST", "BASELINE", "CHANGE", "MEASURED", "VERDICT"}
	var rows [][]string
	for s := range list.Each(h.Series) {
		last, baseline := lastAndBaseline(s)
		rows = append(rows, []string{s.Benchmark, s.Metric, whichPart(h, s), strconv.Itoa(len(s.Points)), s.Sparkline(), last, baseline,
			output.Deviation(s.Change()), s.Last().Time.Format(time.DateOnly), verdictOn(s.Last())})
	}
	if err := output.Grid(w, header, rows); err != nil {
		return err
	}
	for s := range list.Each(h.Series) {
		for _, warning := range s.Warnings {
			fmt.Fprintf(w, "\n%s\n", output.Clean(message.Warned(s.Benchmark, warning, 0)))
		}
	}
	if h.OutOfService != nil {
		fmt.Fprintf(w, "\n%s\n", output.Clean(h.OutOfService.Says()))
	}
	return nil
}

// verdictOn a part: none where the benchmark failed by others.
func verdictOn(p history.Point) string {
	if p.Holds() {
		return output.Unknown
	}
	return string(p.Verdict)
}

// where the values were measured, as far as it is kept.
func where(s *history.Series) string { return cmp.Or(s.At, "worst part") }

// whichPart is where the values were measured, with UUIDs if other GPUs had the name before.
func whichPart(h *history.History, s *history.Series) string {
	alike := list.Count(h.Series, func(o history.Series) bool { return o.Benchmark == s.Benchmark && o.Metric == s.Metric && o.At == s.At })
	if alike > 1 && len(s.UUIDs) > 0 {
		return where(s) + " (" + strings.Join(s.UUIDs, ", ") + ")"
	}
	return where(s)
}

// lastAndBaseline in one unit. A baseline that still moves is marked.
func lastAndBaseline(s *history.Series) (last, baseline string) {
	if s.Baseline == nil {
		return quantity.Format(s.Last().Value, s.Unit), output.Unknown
	}
	both := quantity.NewScale(s.Unit, s.Last().Value, *s.Baseline)
	baseline = both.Format(*s.Baseline)
	if !s.Frozen() {
		baseline = fmt.Sprintf("%s (of %d)", baseline, s.Passes)
	}
	return both.Format(s.Last().Value), baseline
}

// Size of a chart, for a terminal of 80 columns.
const (
	chartHeight = 10
	chartWidth  = 60
)

// historyChart draws the values of a part, and lists them.
func historyChart(w io.Writer, s *history.Series) error {
	values := s.Values()
	scale := quantity.NewScale(s.Unit, values...)
	first, last := s.Points[0].Time.Format(time.DateOnly), s.Last().Time.Format(time.DateOnly)
	fmt.Fprintf(w, "\n%s\n\n", output.Clean(fmt.Sprintf("%s %s of %s, %s to %s", s.Benchmark, s.Metric, where(s), first, last)))
	if len(values) > 1 {
		options := []asciigraph.Option{asciigraph.Height(chartHeight), asciigraph.YAxisValueFormatter(scale.Format)}
		if len(values) > chartWidth {
			options = append(options, asciigraph.Width(chartWidth))
		}
		fmt.Fprintf(w, "%s\n\n", asciigraph.Plot(values, options...))
	}
	header := []string{"MEASURED", "RUN", "ATTEMPT", "VALUE", "VS BASELINE", "VERDICT"}
	var rows [][]string
	for _, p := range s.Points {
		rows = append(rows, []string{p.Time.Format(time.RFC3339), runOf(p), output.Attempts(p.Attempt), scale.Format(p.Value), output.Deviation(s.ChangeOf(p.Value)), verdictOn(p)})
	}
	if err := output.Grid(w, header, rows); err != nil || s.Baseline == nil || s.Since == nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", baselineTold(s))
	return err
}

// baselineTold explains a baseline.
func baselineTold(s *history.Series) string {
	passes, moves := "the first 5 passes", "It is frozen."
	if !s.Frozen() {
		moves = "It moves until there are 5."
		if passes = fmt.Sprintf("%d passes", s.Passes); s.Passes == 1 {
			passes = "1 pass"
		}
	}
	return fmt.Sprintf("The baseline is %s, the median of %s since %s. %s", quantity.Format(*s.Baseline, s.Unit), passes, message.Day(*s.Since), moves)
}

// runOf a point: its name, with the cluster where that is known, or else its UID.
func runOf(p history.Point) string {
	switch {
	case p.Run == "":
		return p.RunUID
	case p.Cluster == "":
		return p.Run
	}
	return p.Cluster + "/" + p.Run
}
