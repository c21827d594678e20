package plan

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/forecast"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/export"
)

// schema names the shape of the JSON document.
const schema = "assay.dev/plan/v1"

// show a forecast in a format.
func show(w io.Writer, p *v1alpha1.ValidationPolicy, f forecast.Forecast, format string) error {
	zone := time.UTC
	if at, err := time.LoadLocation(p.Spec.TimeZone); err == nil {
		zone = at
	}
	switch format {
	case output.JSON, output.YAML:
		return output.WriteDocument(w, struct {
			Schema string `json:"schema"`
			Policy string `json:"policy"`
			forecast.Forecast
		}{schema, p.Name, f}, format)
	case output.CSV:
		return output.WriteCSV(w, runsAsCSV(f.Runs))
	}
	n := f.Nodes
	now := [][]string{{number(n.Selected), number(n.Valid), number(n.Due), number(n.Unmeasurable), number(n.Failed), number(n.Gated)}}
	if err := output.Grid(w, []string{"NODES", "VALID", "DUE", "UNMEASURABLE", "FAILED", "GATED"}, now); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := output.Grid(w, []string{"BENCHMARK", "TIME", "NODES"}, benchmarkRows(f.Benchmarks)); err != nil {
		return err
	}
	if len(f.Runs) > 0 {
		fmt.Fprintln(w)
		header, rows := dayRows(f.Runs, zone)
		if format == output.Wide {
			header, rows = runRows(f.Runs, zone)
		}
		if err := output.Grid(w, header, rows); err != nil {
			return err
		}
	}
	for _, line := range summary(p, &f, zone) {
		if err := output.Paragraph(w, line); err != nil {
			return err
		}
	}
	return nil
}

func number(n int32) string { return strconv.Itoa(int(n)) }

func benchmarkRows(all []forecast.Benchmark) (rows [][]string) {
	for _, b := range all {
		took := message.Duration(time.Duration(b.Seconds) * time.Second)
		if b.Together {
			took += " together"
		}
		rows = append(rows, []string{b.Name, took, strconv.Itoa(b.Nodes)})
	}
	return rows
}

// clock of a run.
const clock = "15:04"

func runRows(runs []forecast.Run, zone *time.Location) (header []string, rows [][]string) {
	for r := range list.Each(runs) {
		rows = append(rows, []string{r.At.In(zone).Format(time.DateOnly), r.At.In(zone).Format(clock), message.Duration(r.Ends.Sub(r.At)), r.Reason,
			strconv.Itoa(len(r.Nodes)), hours(r.NodeHours), hours(gpuHours(r)), message.Nodes(r.Nodes)})
	}
	return []string{"DAY", "AT", "TAKES", "WHY", "NODES", "NODE HOURS", "GPU HOURS", "NAMES"}, rows
}

func runsAsCSV(runs []forecast.Run) [][]string {
	rows := [][]string{{"at", "ends", "reason", "nodes", "nodeHours", "gpuHours", "names"}}
	for r := range list.Each(runs) {
		rows = append(rows, []string{r.At.Format(time.RFC3339), r.Ends.Format(time.RFC3339), r.Reason, strconv.Itoa(len(r.Nodes)),
			export.Number(r.NodeHours), export.Number(quantity.Round(gpuHours(r), forecast.Digits)), strings.Join(r.Nodes, " ")})
	}
	return rows
}

// dayRows sum up the runs that begin on a day.
func dayRows(runs []forecast.Run, zone *time.Location) (header []string, rows [][]string) {
	for _, of := range list.Groups(runs, func(r forecast.Run) string { return r.At.In(zone).Format(time.DateOnly) }) {
		reasons := map[string]int{}
		for _, r := range of {
			reasons[r.Reason] += len(r.Nodes)
		}
		var why []string
		for _, reason := range slices.Sorted(maps.Keys(reasons)) {
			why = append(why, fmt.Sprintf("%d %s", reasons[reason], reason))
		}
		first, last := of[0].At.In(zone), list.Latest(list.Map(of, func(r forecast.Run) time.Time { return r.Ends })...).In(zone)
		measured, nodeHours, gpus := sums(of)
		rows = append(rows, []string{first.Format(time.DateOnly), strconv.Itoa(len(of)), strconv.Itoa(measured),
			first.Format(clock) + "-" + last.Add(time.Minute-time.Second).Format(clock), hours(nodeHours), hours(gpus), strings.Join(why, ", ")})
	}
	return []string{"DAY", "RUNS", "NODES", "HOURS", "NODE HOURS", "GPU HOURS", "WHY"}, rows
}
