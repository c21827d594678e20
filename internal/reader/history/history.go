// Package history is every value that is still known of one node, in order of time: what its NodeHistory keeps of runs that are
// gone, and what the results of runs say that are there. It is pure, and judges nothing.
package history

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/report"
)

// Schema names the shape of History in JSON. Fields may be added to it; none changes its name or its meaning.
const Schema = "assay.dev/history/v1"

// History of a node.
type History struct {
	Schema string `json:"schema"`
	Node   string `json:"node"`
	// OutOfService are the devices that are so now. Absent: none is, or the node as a whole.
	OutOfService *cause.OutOfService `json:"outOfService,omitempty"`
	Series       []Series            `json:"series"`
}

// Series is what one part reached of one metric. A GPU keeps its series when it changes slots.
type Series struct {
	Benchmark string `json:"benchmark"`
	Metric    string `json:"metric"`
	// At is what the part was called last. Empty: of some runs no more is kept than the value of the worst part.
	At string `json:"at,omitempty"`
	// UUIDs of the GPUs of the part.
	UUIDs []string `json:"uuids,omitempty"`
	// Unit of all values.
	Unit string `json:"unit"`
	// Configuration is the hash of image, command and environment. Only values of one configuration are compared.
	Configuration string `json:"configuration,omitempty"`
	// Baseline is the median of the part's first passes; frozen, once there are five.
	Baseline *float64 `json:"baseline,omitempty"`
	// Passes of the part, and the time of the first of them.
	Passes int        `json:"passes,omitempty"`
	Since  *time.Time `json:"since,omitempty"`
	// Warnings of the operator: that the part drifts, or is unstable.
	Warnings []string `json:"warnings,omitempty"`
	// Points, oldest first.
	Points []Point `json:"points"`
}

// Frozen says whether no later run changes the baseline.
func (s *Series) Frozen() bool { return s.Passes >= past.BaselinePasses }

// Last point.
func (s *Series) Last() Point { return s.Points[len(s.Points)-1] }

// Change of the last value from the baseline, in percent; nil where there is none.
func (s *Series) Change() *float64 { return s.ChangeOf(s.Last().Value) }

// ChangeOf a value from the baseline, in percent; nil where there is none.
func (s *Series) ChangeOf(value float64) *float64 {
	if s.Baseline == nil || *s.Baseline == 0 {
		return nil
	}
	return new((value/(*s.Baseline) - 1) * 100)
}

// mostBars of a sparkline: it shows the newest.
const mostBars = 20

// Values of the points, oldest first.
func (s *Series) Values() []float64 {
	return list.Map(s.Points, func(p Point) float64 { return p.Value })
}

// Sparkline of the values, a bar for each, from the lowest to the highest of them.
func (s *Series) Sparkline() string {
	bars := []rune("▁▂▃▄▅▆▇█")
	values := s.Values()
	values = values[max(0, len(values)-mostBars):]
	least, most := slices.Min(values), slices.Max(values)
	var line strings.Builder
	for _, v := range values {
		i := 3
		if most > least {
			i = int((v - least) / (most - least) * 7.999)
		}
		line.WriteRune(bars[i])
	}
	return line.String()
}

// Point is one value.
type Point struct {
	Time    time.Time `json:"time"`
	Cluster string    `json:"cluster,omitempty"`
	Run     string    `json:"run,omitempty"`
	RunUID  string    `json:"runUID"`
	// Attempt of the run; 0: the last one, of a run whose results are gone.
	Attempt int     `json:"attempt,omitempty"`
	Value   float64 `json:"value"`
	// Verdict of the run on the benchmark; empty: not known.
	Verdict v1alpha1.Verdict `json:"verdict,omitempty"`
	// Broken is the rule that fails the benchmark by this part of this metric. Absent where none does, and of runs whose results are gone.
	Broken bool `json:"broken,omitempty"`
}

// Holds says whether the part is none of those by which the run failed the benchmark. Only attempts tell.
func (p *Point) Holds() bool {
	return p.Attempt > 0 && !p.Broken && (p.Verdict == v1alpha1.VerdictFail || p.Verdict == v1alpha1.VerdictMissing)
}

// New puts together what runs say of a node. Of several NodeValidations the newest counts.
func New(node string, runs []export.Run) History {
	b := builder{node: node, series: map[key]*Series{}, kept: map[runBenchmark]bool{}}
	for r := range list.Each(runs) {
		b.addRun(r)
	}
	v, h := Newest(node, runs)
	if v != nil {
		b.addKnown(v, h)
	}
	all := b.finish()
	all.OutOfService = cause.OutOfServiceOn(v, nil)
	return all
}

// Newest NodeValidation of a node, and the NodeHistory that was saved with it; nil for what there is not.
func Newest(node string, runs []export.Run) (newest *v1alpha1.NodeValidation, with *v1alpha1.NodeHistory) {
	for i := range runs {
		for v := range list.Each(runs[i].Validations) {
			if v.Name == node && (newest == nil || newest.ValidatedAt.Before(&v.ValidatedAt)) {
				newest, with = v, historyOf(v, runs[i].Histories)
			}
		}
	}
	return newest, with
}

// historyOf a node among others: that which its NodeValidation names, or else the last.
func historyOf(v *v1alpha1.NodeValidation, all []v1alpha1.NodeHistory) (found *v1alpha1.NodeHistory) {
	for h := range list.Each(all) {
		if h.Name != v.Name || h.NodeUID != v.Fingerprint.NodeUID {
			continue
		}
		found = h
		if is := v.NodeHistory; is != nil && is.UID == h.UID && is.Generation == h.Generation {
			return h
		}
	}
	return found
}

type key struct{ benchmark, configuration, metric, identity, unit string }

type runBenchmark struct {
	run       types.UID
	benchmark string
}

type builder struct {
	node   string
	series map[key]*Series
	order  []key
	// kept are the runs whose own values are known.
	kept map[runBenchmark]bool
}

// of a part: its series, new where there is none, and what to multiply a value by.
func (b *builder) of(k key) (s *Series, factor float64) {
	unit := k.unit
	k.unit = ""
	if s = b.series[k]; s != nil {
		if f, ok := quantity.Factor(unit, s.Unit); ok {
			return s, f
		}
		k.unit = unit // in a unit that says something else, it is another series
		if s = b.series[k]; s != nil {
			return s, 1
		}
	}
	s = &Series{Benchmark: k.benchmark, Metric: k.metric, Unit: unit, Configuration: k.configuration}
	b.series[k] = s
	b.order = append(b.order, k)
	return s, 1
}

// addRun adds what its result has of the node.
func (b *builder) addRun(r *export.Run) {
	for v := range list.Each(r.Results) {
		if v.Group != nil || v.Node.Name != b.node {
			continue
		}
		for of, a := range export.Attempts(v) {
			b.addAttempt(r, of, a)
		}
	}
}

func (b *builder) addAttempt(r *export.Run, of *v1alpha1.BenchmarkResult, a *v1alpha1.Attempt) {
	ids := part.NewIdentities(a.Devices)
	for m := range export.Numbers(a.Measurements) {
		s, factor := b.of(key{of.Name, a.Configuration, m.Name, ids.Of(m.At), m.Unit})
		s.At, s.UUIDs = m.At, part.UUIDs(m.At, a.Devices)
		s.Points = append(s.Points, Point{Time: timeOf(r, a), Cluster: r.Cluster, Run: r.Run.Name, RunUID: string(r.Run.UID),
			Attempt: int(a.Number), Value: m.Value * factor, Verdict: of.Verdict, Broken: broken(of, m.Name, m.At)})
		b.kept[runBenchmark{r.Run.UID, of.Name}] = true
	}
}

// broken says whether a rule that fails a benchmark names a part of a metric, or the node as a whole.
func broken(of *v1alpha1.BenchmarkResult, metric, at string) bool {
	return slices.ContainsFunc(of.Findings, func(f v1alpha1.Finding) bool {
		return (f.Verdict == v1alpha1.VerdictFail || f.Verdict == v1alpha1.VerdictMissing) &&
			(f.Metric == metric || f.Metric == "") && (f.At == at || f.At == "")
	})
}

// timeOf an attempt: as the node's history dates it, or else when the run was created.
func timeOf(r *export.Run, a *v1alpha1.Attempt) time.Time {
	return cmp.Or(a.LaunchTime, a.StartTime, a.EndTime, &r.Run.CreationTimestamp).UTC()
}

// finish puts the series in order, and their points.
func (b *builder) finish() History {
	h := History{Schema: Schema, Node: b.node, Series: []Series{}}
	for _, k := range b.order {
		s := b.series[k]
		if len(s.Points) == 0 {
			continue
		}
		slices.SortStableFunc(s.Points, func(x, y Point) int { return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.Attempt, y.Attempt)) })
		h.Series = append(h.Series, *s)
	}
	slices.SortStableFunc(h.Series, func(x, y Series) int {
		return cmp.Or(cmp.Compare(x.Benchmark, y.Benchmark), cmp.Compare(x.Metric, y.Metric), report.CompareNatural(x.At, y.At),
			x.Last().Time.Compare(y.Last().Time))
	})
	return h
}
