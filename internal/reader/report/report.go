// Package report is a run and everything that was found in it, as one document: what tables, pages and dashboards show, and
// what `kubectl assay report -o json` prints. It puts together what the API holds; it judges nothing and writes no sentence.
package report

import (
	"io"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/reader/export"
)

// Schema names the shape of Report in JSON. Fields may be added to it; none changes its name or its meaning.
const Schema = "assay.dev/report/v2"

// Report is a run and everything that was found. A field that is absent in JSON was not known.
type Report struct {
	Schema string `json:"schema"`
	Run    Run    `json:"run"`
	// Fleet sums up each headline metric over the nodes.
	Fleet []FleetMetric `json:"fleet,omitempty"`
	// Findings about links, boundaries and sets of nodes, which no single node is to blame for.
	Findings []v1alpha1.FabricFinding `json:"findings,omitempty"`
	// Nodes, worst first, then by name.
	Nodes []Node `json:"nodes"`
	// Groups of nodes that were measured together, worst first, then by the names of their nodes.
	Groups []Group `json:"groups,omitempty"`
}

// Run is the run itself.
type Run struct {
	// Cluster where it ran. Empty: not known.
	Cluster  string           `json:"cluster,omitempty"`
	Name     string           `json:"name"`
	UID      string           `json:"uid"`
	Finished bool             `json:"finished"`
	Verdict  v1alpha1.Verdict `json:"verdict"`
	// Reason and Message of the condition Finished.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Progress is the number of nodes done, of all: "3/4".
	Progress string     `json:"progress,omitempty"`
	Started  *time.Time `json:"started,omitempty"`
	Ended    *time.Time `json:"ended,omitempty"`
	// Seconds from Started to Ended.
	Seconds float64             `json:"seconds,omitempty"`
	Summary v1alpha1.RunSummary `json:"summary"`
	// Cost of all that was measured, on nodes and groups. Absent: nothing held a GPU, or it is not known.
	Cost *v1alpha1.Cost `json:"cost,omitempty"`
	// Taint that the run puts on a failed node, as kubectl writes it. Empty: none.
	Taint string `json:"taint,omitempty"`
	// NewlyFailed are the nodes that failed and had passed when they were last measured by the same benchmarks, NoLongerFailed those that passed and
	// had failed. A node of which no earlier run is known is neither.
	NewlyFailed    []string `json:"newlyFailed,omitempty"`
	NoLongerFailed []string `json:"noLongerFailed,omitempty"`
	// PlaceLabel is the label of the nodes that gives their places. Empty: not known.
	PlaceLabel string `json:"placeLabel,omitempty"`
}

// FleetMetric is one headline metric over all nodes; a node counts with its worst part.
type FleetMetric struct {
	Benchmark string `json:"benchmark"`
	Metric    string `json:"metric"`
	// Unit of all values but PercentOfPeak.
	Unit string `json:"unit"`
	// Nodes that have a value.
	Nodes  int32    `json:"nodes"`
	Median *float64 `json:"median,omitempty"`
	Min    *float64 `json:"min,omitempty"`
	Max    *float64 `json:"max,omitempty"`
	// P5 and P95 are the 5th and the 95th percentile.
	P5  *float64 `json:"p5,omitempty"`
	P95 *float64 `json:"p95,omitempty"`
	// PercentOfPeak of the median.
	PercentOfPeak *float64 `json:"percentOfPeak,omitempty"`
}

// Node is one node with its benchmarks, in the order they ran.
type Node struct {
	Name    string           `json:"name"`
	Verdict v1alpha1.Verdict `json:"verdict"`
	Reason  string           `json:"reason,omitempty"`
	Message string           `json:"message,omitempty"`
	// Note says what was, or could not be, done about the verdict, and what else to know of the node: a taint that was refused, a
	// measurement that a taint still asks for.
	Note    string `json:"note,omitempty"`
	Tainted bool   `json:"tainted"`
	// Taint on the node, or on its devices, as kubectl writes it, and the run that put it there. Empty: not tainted, or not known.
	Taint     string `json:"taint,omitempty"`
	TaintedBy string `json:"taintedBy,omitempty"`
	// OutOfService are the devices that have the taint in place of the node. Absent: the node has it, if any.
	OutOfService *cause.OutOfService `json:"outOfService,omitempty"`
	Benchmarks   []Benchmark         `json:"benchmarks,omitempty"`
	// Cost of what was measured on this node alone; groups have theirs.
	Cost *v1alpha1.Cost `json:"cost,omitempty"`
	// Faults of a node that failed, by their causes.
	Faults []Fault `json:"faults,omitempty"`
	// Before is how it did in earlier runs. Absent: not known.
	Before *Before `json:"before,omitempty"`
	// Place where it stands: its rack, or its switch.
	Place string `json:"place,omitempty"`
}

// Group is a group of nodes that were measured together.
type Group struct {
	Nodes      []string         `json:"nodes"`
	Verdict    v1alpha1.Verdict `json:"verdict"`
	Reason     string           `json:"reason,omitempty"`
	Message    string           `json:"message,omitempty"`
	Benchmarks []Benchmark      `json:"benchmarks,omitempty"`
	Cost       *v1alpha1.Cost   `json:"cost,omitempty"`
}

// Benchmark is one benchmark on one node or group.
type Benchmark struct {
	Name    string           `json:"name"`
	Verdict v1alpha1.Verdict `json:"verdict"`
	Reason  string           `json:"reason,omitempty"`
	Message string           `json:"message,omitempty"`
	// Attempts made; 0 where they are not known.
	Attempts int      `json:"attempts"`
	Metrics  []Metric `json:"metrics,omitempty"`
	// Curves are the metrics that were measured at several sizes.
	Curves []Curve `json:"curves,omitempty"`
	// Facts that are not as they should be, what fails the node first.
	Facts []Fact `json:"facts,omitempty"`
}

// Curve is a metric at several sizes, the smallest first.
type Curve struct {
	Metric string `json:"metric"`
	// Of is what the sizes count: gpu, rank, thread or node.
	Of      string           `json:"of"`
	Unit    string           `json:"unit"`
	Scaling v1alpha1.Scaling `json:"scaling"`
	Points  []CurvePoint     `json:"points"`
}

// CurvePoint is one size. Message says why it has no value.
type CurvePoint struct {
	Size       int32    `json:"size"`
	Value      *float64 `json:"value,omitempty"`
	Efficiency *float64 `json:"efficiency,omitempty"`
	Message    string   `json:"message,omitempty"`
}

// Fact is one that a rule objects to.
type Fact struct {
	Name string `json:"name"`
	// At is the part, or the first of several. Empty: the node as a whole.
	At   string `json:"at,omitempty"`
	Rule string `json:"rule"`
	// Verdict is Fail, or Warning where it fails nobody.
	Verdict v1alpha1.Verdict `json:"verdict"`
	Message string           `json:"message"`
	// Value and Bound, where the rule judges a number.
	Value *float64 `json:"value,omitempty"`
	Bound *float64 `json:"bound,omitempty"`
}

// Metric is one headline metric with the value of its worst part.
type Metric struct {
	Name string `json:"name"`
	// At is that part. Empty: the node as a whole.
	At    string   `json:"at,omitempty"`
	Value *float64 `json:"value,omitempty"`
	// Unit of Value, Typical and Bound.
	Unit string `json:"unit"`
	// Typical is what like parts reach: their median. Absent: too few are known.
	Typical *float64 `json:"typical,omitempty"`
	// Bound that decided. Absent: there was none.
	Bound         *float64 `json:"bound,omitempty"`
	PercentOfPeak *float64 `json:"percentOfPeak,omitempty"`
	// DeviationPercent of Value from Typical; negative is below it.
	DeviationPercent *float64 `json:"deviationPercent,omitempty"`
	// FindsFromPercent is the least loss that would have been found in 99 of 100 cases, in percent of Typical, and FindsBy the rule that finds it.
	FindsFromPercent *float64 `json:"findsFromPercent,omitempty"`
	FindsBy          string   `json:"findsBy,omitempty"`
	// Watts that were used while it was measured, by WattsOf: the GPU, "gpus" (all of the node) or "node" (the whole machine).
	Watts   *float64 `json:"watts,omitempty"`
	WattsOf string   `json:"wattsOf,omitempty"`
	// PerWatt is Value over Watts, where Value is a rate.
	PerWatt *float64         `json:"perWatt,omitempty"`
	Verdict v1alpha1.Verdict `json:"verdict"`
}

// WriteJSON writes the document, indented.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := export.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
