// Package history is every value that is still known of one node, in order of time: what its NodeHistory keeps of runs that are
// gone, and what the results of runs say that are there. It is pure, and judges nothing.
package history

import (
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/reader/export"
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
