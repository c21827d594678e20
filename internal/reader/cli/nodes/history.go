package nodes

import (
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/cli/source"
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
	cmd := &cobra.Command{
		Use:   "history NODE [METRIC]",
		Short: "Show every stored value of a node, with baselines and drift",
		Long: `Show every stored value of a node, with baselines and drift.

Each row is one part (a GPU, a link, a socket) of one metric: its values in
order of time as a sparkline, the last one, and how far that is from the
part's baseline, which is the median of its first five passes, and frozen. A
GPU keeps its past when it changes slots. With METRIC there is a chart, too, and
every value of one part: of --at, or else of the part that is farthest from its
baseline.

The values are those of the results of runs that are still there, and of
earlier runs what the node's NodeValidation keeps: the last ten passes of each
part, and the worst part's value of runs that failed.

With -f the values are those of saved files, without a cluster. Where they have
a node of this name in several clusters, write CLUSTER/NODE. The JSON document
has the schema ` + history.Schema + `.`,
		Example: `  kubectl assay history node-4
  kubectl assay history node-4 hbmTriad --at gpu3
  kubectl assay history node-4 -o csv >node-4.csv
  kubectl assay history node-4 hbmTriad -f 2025.jsonl.gz -f 2026.jsonl.gz`,
		ValidArgsFunction: completion.FirstArgument(completion.Nodes(connect)),
		RunE:              f.run,
	}
	flags := cmd.Flags()
	historyFormats.Flag(cmd, &f.format)
	f.source.Bind(flags)
	flags.StringVar(&f.at, "at", "", "Only this `part`, for example gpu3")
	flags.StringVar(&f.bench, "benchmark", "", "Only this `benchmark`")
	completion.Flag(cmd, "benchmark", completion.Benchmarks(connect))
	return cmd
}

func (f *historyFlags) run(cmd *cobra.Command, args []string) error {
	if err := oneNode(cmd.CommandPath(), args, 2); err != nil {
		return err
	}
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
	h.Series = f.chosen(known, metric)
	if len(h.Series) == 0 {
		return errors.New(output.Clean(historyNothing(h.Node, metric, f.at, f.bench, metricsOf(known))))
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

// chosen are the series that the flags ask for.
func (f *historyFlags) chosen(all []history.Series, metric string) []history.Series {
	return slices.DeleteFunc(slices.Clone(all), func(s history.Series) bool {
		return metric != "" && s.Metric != metric || f.at != "" && s.At != f.at || f.bench != "" && s.Benchmark != f.bench
	})
}

// metricsOf a node, each once.
func metricsOf(all []history.Series) []string {
	var names []string
	for i := range all {
		if !slices.Contains(names, all[i].Metric) {
			names = append(names, all[i].Metric)
		}
	}
	return names
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
		baseline := ""
		if s.Baseline != nil {
			baseline = csvNumber(*s.Baseline)
		}
		for _, p := range s.Points {
			attempt := ""
			if p.Attempt > 0 {
				attempt = strconv.Itoa(p.Attempt)
			}
			row := []string{h.Node, s.Benchmark, s.Metric, s.At, p.Time.Format(time.RFC3339), p.Cluster, p.Run, p.RunUID, attempt, csvNumber(p.Value), s.Unit,
				baseline, string(p.Verdict), s.Configuration}
			rows = append(rows, row)
		}
	}
	return output.WriteCSV(w, rows)
}

func csvNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
