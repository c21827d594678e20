// Package cli is what `kubectl assay` does: it reads a run and its results and shows them to a person or a script. It
// judges nothing and writes nothing to the cluster; every verdict it shows is the operator's.
package cli

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/verdict"
)

// Schema names the shape of Report in JSON. Fields may be added to it; none changes its meaning.
const Schema = "assay.dev/report/v1"

// Report is a run and everything that was found, ready to be shown. It is also the document of `-o json`: a field that
// is absent there was not known.
type Report struct {
	Schema string `json:"schema"`
	Run    Run    `json:"run"`
	// Fleet sums up each headline metric over the nodes.
	Fleet []FleetLine `json:"fleet,omitempty"`
	// Findings about links and sets of nodes, which no single node is to blame for.
	Findings []Finding `json:"findings,omitempty"`
	// Nodes, worst first, then by name.
	Nodes []Node `json:"nodes"`
}

// Finding is one about a link, a boundary or a set of nodes.
type Finding struct {
	Kind      string   `json:"kind"`
	Benchmark string   `json:"benchmark"`
	Metric    string   `json:"metric,omitempty"`
	Members   []string `json:"members"`
	Message   string   `json:"message"`
}

// Run is the run itself.
type Run struct {
	Name     string              `json:"name"`
	UID      string              `json:"uid"`
	Finished bool                `json:"finished"`
	Verdict  v1alpha1.Verdict    `json:"verdict"`
	Reason   string              `json:"reason,omitempty"`
	Message  string              `json:"message,omitempty"`
	Progress string              `json:"progress,omitempty"`
	Started  *time.Time          `json:"started,omitempty"`
	Ended    *time.Time          `json:"ended,omitempty"`
	Seconds  float64             `json:"seconds,omitempty"`
	Summary  v1alpha1.RunSummary `json:"summary"`
	// Taint that the run puts on a failed node, as kubectl writes it. Empty: none.
	Taint string `json:"taint,omitempty"`
}

// FleetLine is one headline metric over all nodes; a node counts with its worst part.
type FleetLine struct {
	Benchmark     string   `json:"benchmark"`
	Metric        string   `json:"metric"`
	Unit          string   `json:"unit"`
	Nodes         int32    `json:"nodes"`
	Median        *float64 `json:"median,omitempty"`
	Min           *float64 `json:"min,omitempty"`
	Max           *float64 `json:"max,omitempty"`
	P5            *float64 `json:"p5,omitempty"`
	P95           *float64 `json:"p95,omitempty"`
	PercentOfPeak *float64 `json:"percentOfPeak,omitempty"`
}

// Node is one node with its benchmarks, in the order they ran.
type Node struct {
	Name       string           `json:"name"`
	Verdict    v1alpha1.Verdict `json:"verdict"`
	Reason     string           `json:"reason,omitempty"`
	Message    string           `json:"message,omitempty"`
	Tainted    bool             `json:"tainted"`
	Benchmarks []Benchmark      `json:"benchmarks,omitempty"`
}

// Benchmark is one benchmark on one node.
type Benchmark struct {
	Name     string           `json:"name"`
	Verdict  v1alpha1.Verdict `json:"verdict"`
	Reason   string           `json:"reason,omitempty"`
	Message  string           `json:"message,omitempty"`
	Attempts int              `json:"attempts"`
	Metrics  []Metric         `json:"metrics,omitempty"`
}

// Metric is one headline metric with its worst part.
type Metric struct {
	Name                  string           `json:"name"`
	At                    string           `json:"at,omitempty"`
	Value                 *float64         `json:"value,omitempty"`
	Unit                  string           `json:"unit"`
	Expected              *float64         `json:"expected,omitempty"`
	PercentOfPeak         *float64         `json:"percentOfPeak,omitempty"`
	FleetDeviationPercent *float64         `json:"fleetDeviationPercent,omitempty"`
	Verdict               v1alpha1.Verdict `json:"verdict"`
}

// NewReport puts a run and its results together. Results of another run are left out, whatever their labels say.
func NewReport(run *v1alpha1.ValidationRun, results []v1alpha1.ValidationResult) Report {
	report := Report{Schema: Schema, Run: describe(run)}
	for i := range run.Status.Benchmarks {
		report.Fleet = append(report.Fleet, fleetLine(&run.Status.Benchmarks[i]))
	}
	for _, f := range run.Status.Findings {
		report.Findings = append(report.Findings, Finding(f))
	}
	nodes := map[string]Node{}
	for i := range results {
		if r := &results[i]; r.Run.UID == run.UID && r.Group == nil {
			nodes[r.Node.Name] = fromResult(r)
		}
	}
	for i := range run.Status.Nodes {
		row := &run.Status.Nodes[i]
		nodes[row.Name] = withRow(nodes[row.Name], row)
	}
	report.Nodes = make([]Node, 0, len(nodes))
	for _, n := range nodes {
		report.Nodes = append(report.Nodes, n)
	}
	slices.SortFunc(report.Nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(verdict.Severity(b.Verdict), verdict.Severity(a.Verdict)), compareNatural(a.Name, b.Name))
	})
	return report
}

func describe(run *v1alpha1.ValidationRun) Run {
	d := Run{Name: run.Name, UID: string(run.UID), Verdict: run.Status.Verdict, Progress: run.Status.Progress}
	if d.Verdict == "" {
		d.Verdict = v1alpha1.VerdictPending
	}
	if c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished); c != nil {
		d.Finished, d.Reason, d.Message = c.Status == metav1.ConditionTrue, c.Reason, c.Message
	}
	if s := run.Status.Summary; s != nil {
		d.Summary = *s
	}
	if t := run.Status.StartTime; t != nil {
		d.Started = new(t.UTC())
	}
	if t := run.Status.CompletionTime; t != nil {
		d.Ended = new(t.UTC())
		if d.Started != nil {
			d.Seconds = d.Ended.Sub(*d.Started).Seconds()
		}
	}
	if f := run.Spec.OnFailure; f != nil && f.Taint != nil {
		d.Taint = f.Taint.Key + "=" + f.Taint.Value + ":" + string(f.Taint.Effect)
	}
	return d
}

func fleetLine(s *v1alpha1.BenchmarkSummary) FleetLine {
	return FleetLine{
		Benchmark: s.Name, Metric: s.Metric, Unit: s.Unit, Nodes: s.Nodes, Median: number(s.Median), Min: number(s.Min),
		Max: number(s.Max), P5: number(s.P5), P95: number(s.P95), PercentOfPeak: number(s.PercentOfPeak),
	}
}

func fromResult(r *v1alpha1.ValidationResult) Node {
	n := Node{Name: r.Node.Name, Verdict: r.Verdict, Reason: r.Reason, Message: r.Message}
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		line := Benchmark{Name: b.Name, Verdict: b.Verdict, Reason: b.Reason, Message: b.Message, Attempts: len(b.Attempts)}
		for j := range b.Headline {
			line.Metrics = append(line.Metrics, metric(&b.Headline[j]))
		}
		n.Benchmarks = append(n.Benchmarks, line)
	}
	return n
}

// withRow adds what the run's own table knows of a node: it is written last, and it is all there is of a node that was
// never measured.
func withRow(n Node, row *v1alpha1.NodeRow) Node {
	n.Name, n.Verdict, n.Tainted = row.Name, row.Verdict, row.Tainted
	if n.Message == "" || row.Reason != n.Reason {
		n.Reason, n.Message = row.Reason, row.Message
	}
	if len(n.Benchmarks) > 0 {
		return n
	}
	for i := range row.Metrics {
		h := &row.Metrics[i]
		if last := len(n.Benchmarks) - 1; last < 0 || n.Benchmarks[last].Name != h.Benchmark {
			n.Benchmarks = append(n.Benchmarks, Benchmark{Name: h.Benchmark})
		}
		b := &n.Benchmarks[len(n.Benchmarks)-1]
		b.Metrics = append(b.Metrics, metric(h))
		b.Verdict = verdict.Worst(b.Verdict, h.Verdict)
	}
	return n
}

func metric(h *v1alpha1.HeadlineValue) Metric {
	return Metric{
		Name: h.Metric, At: h.At, Value: number(h.Value), Unit: h.Unit, Expected: number(h.Expected),
		PercentOfPeak: number(h.PercentOfPeak), FleetDeviationPercent: number(h.FleetDeviationPercent), Verdict: h.Verdict,
	}
}

// number reads a decimal of the API; nil where there is none.
func number(d v1alpha1.Decimal) *float64 {
	v, err := strconv.ParseFloat(string(d), 64)
	if err != nil {
		return nil
	}
	return &v
}
