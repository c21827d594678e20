package nodes

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/guptarohit/asciigraph"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/history"
)

// historyTable has a row for each part.
func historyTable(w io.Writer, h *history.History) error {
	header := []string{"BENCHMARK", "METRIC", "WHERE", "VALUES", "TREND", "LAST", "BASELINE", "CHANGE", "MEASURED", "VERDICT"}
	var rows [][]string
	for i := range h.Series {
		s := &h.Series[i]
		last, baseline := lastAndBaseline(s)
		rows = append(rows, []string{s.Benchmark, s.Metric, whichPart(h, s), strconv.Itoa(len(s.Points)), s.Sparkline(), last, baseline,
			output.Deviation(s.Change()), s.Last().Time.Format(time.DateOnly), verdictOn(s.Last())})
	}
	if err := output.Grid(w, header, rows); err != nil {
		return err
	}
	for i := range h.Series {
		for _, warning := range h.Series[i].Warnings {
			fmt.Fprintf(w, "\n%s\n", output.Clean(message.Warned(h.Series[i].Benchmark, warning, 0)))
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
func where(s *history.Series) string {
	if s.At == "" {
		return "worst part"
	}
	return s.At
}

// whichPart is where the values were measured, with UUIDs if other GPUs had the name before.
func whichPart(h *history.History, s *history.Series) string {
	alike := 0
	for i := range h.Series {
		if o := &h.Series[i]; o.Benchmark == s.Benchmark && o.Metric == s.Metric && o.At == s.At {
			alike++
		}
	}
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
	_, err := fmt.Fprintf(w, "\n%s\n", historyBaseline(quantity.Format(*s.Baseline, s.Unit), s.Passes, s.Frozen(), *s.Since))
	return err
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
