package report

import (
	"cmp"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
)

// Input is what a report is made of. Only the run must be there.
type Input struct {
	// Cluster where it ran. Empty: not known.
	Cluster string
	Run     *v1alpha1.ValidationRun
	// Results of the run's nodes and groups. Those of another run are left out, whatever their labels say.
	Results []v1alpha1.ValidationResult
	// Validations of nodes that are tainted: they say by which taint, and since which run.
	Validations []v1alpha1.NodeValidation
	// Before is how nodes did in earlier runs, as far as that is known.
	Before map[string]*Before
	// Places of the nodes, and the label by which.
	Places     export.Places
	PlaceLabel string
}

// New puts a run and what is known of it together.
func New(in Input) Report {
	report := Report{Schema: Schema, Run: describe(in.Run), Fleet: list.Map(in.Run.Status.Benchmarks, fleetMetric), Findings: in.Run.Status.Findings}
	report.Run.Cluster, report.Run.PlaceLabel = in.Cluster, in.PlaceLabel
	nodes, results := map[string]Node{}, map[string]*v1alpha1.ValidationResult{}
	for r := range list.Each(in.Results) {
		switch {
		case r.Run.UID != in.Run.UID:
		case r.Group != nil:
			names := list.Map(r.Group.Nodes, func(n v1alpha1.ObjectReference) string { return n.Name })
			report.Groups = append(report.Groups, Group{Nodes: names, Verdict: r.Verdict, Reason: r.Reason, Message: r.Message,
				Benchmarks: benchmarksOf(r), Cost: r.Cost().OrNone()})
		default:
			results[r.Node.Name] = r
			nodes[r.Node.Name] = Node{Name: r.Node.Name, Verdict: r.Verdict, Reason: r.Reason, Message: r.Message, Benchmarks: benchmarksOf(r),
				Cost: r.Cost().OrNone(), Faults: faultsOf(r)}
		}
	}
	for row := range list.Each(in.Run.Status.Nodes) {
		nodes[row.Name] = withRow(nodes[row.Name], row)
	}
	for v := range list.Each(in.Validations) {
		if n, ok := nodes[v.Name]; ok && n.Tainted {
			nodes[v.Name] = withTaint(n, v, results[v.Name])
		}
	}
	report.Nodes = make([]Node, 0, len(nodes))
	for _, n := range nodes {
		n.Before, n.Place = in.Before[n.Name], in.Places[n.Name][in.PlaceLabel]
		report.Nodes = append(report.Nodes, n)
	}
	report.sort()
	report.Run.NewlyFailed, report.Run.NoLongerFailed = changed(report.Nodes)
	return report
}

// sort puts the worst first, and what is as bad by name.
func (r *Report) sort() {
	slices.SortFunc(r.Nodes, func(a, b Node) int {
		return cmp.Or(worstFirst(a.Verdict, b.Verdict), CompareNatural(a.Name, b.Name))
	})
	slices.SortFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(worstFirst(a.Verdict, b.Verdict), slices.CompareFunc(a.Nodes, b.Nodes, CompareNatural),
			slices.CompareFunc(a.Benchmarks, b.Benchmarks, func(x, y Benchmark) int { return cmp.Compare(x.Name, y.Name) }))
	})
}

func worstFirst(a, b v1alpha1.Verdict) int {
	return cmp.Compare(verdict.Severity(b), verdict.Severity(a))
}

func describe(run *v1alpha1.ValidationRun) Run {
	d := Run{Name: run.Name, UID: string(run.UID), Verdict: cmp.Or(run.Status.Verdict, v1alpha1.VerdictPending), Progress: run.Status.Progress, Cost: run.Status.Cost}
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
		d.Taint = (&corev1.Taint{Key: f.Taint.Key, Value: f.Taint.Value, Effect: f.Taint.Effect}).ToString()
	}
	return d
}

func fleetMetric(s v1alpha1.BenchmarkSummary) FleetMetric {
	return FleetMetric{
		Benchmark: s.Name, Metric: s.Metric, Unit: s.Unit, Nodes: s.Nodes, Median: quantity.Known(s.Median), Min: quantity.Known(s.Min),
		Max: quantity.Known(s.Max), P5: quantity.Known(s.P5), P95: quantity.Known(s.P95), PercentOfPeak: quantity.Known(s.PercentOfPeak),
	}
}

// CompareNatural orders node-2 before node-10, and only equal names as equal.
func CompareNatural(a, b string) int {
	return cmp.Or(compareNumbers(a, b), cmp.Compare(a, b))
}

// compareNumbers compares names as if each number in them were one character, so that node-1 and node-01 are alike.
func compareNumbers(a, b string) int {
	for a != "" && b != "" {
		na, restA := leadingNumber(a)
		nb, restB := leadingNumber(b)
		if na >= 0 && nb >= 0 {
			if na != nb {
				return cmp.Compare(na, nb)
			}
			a, b = restA, restB
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// leadingNumber cuts off the number that a text starts with; -1 where it starts with none.
func leadingNumber(text string) (int, string) {
	end := 0
	for end < len(text) && end < 9 && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(text[:end])
	if err != nil {
		return -1, text
	}
	return n, text[end:]
}
