package tournament

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// reading is what the pairs of one node measured of one metric: the median, and from the lowest to the highest. That is what is shown
// of a node. What it would reach with a good partner is an estimate of the model; the rules judge that, because a node is not to
// blame for its partners.
type reading struct {
	metric            v1alpha1.Metric
	pairs             int
	median, low, high float64
}

// readPairs sums up the measurements of each node's pairs. A pair that was measured again counts once, with its median.
func readPairs(m v1alpha1.Metric, played []blame.Measurement) map[string]reading {
	ofPair := map[blame.Pair][]float64{}
	for _, p := range played {
		if len(p.Samples) > 0 {
			ofPair[p.Pair] = append(ofPair[p.Pair], worst(m, p.Samples))
		}
	}
	ofNode := map[string][]float64{}
	for pair, values := range ofPair {
		value := stat.Median(values)
		ofNode[pair.A], ofNode[pair.B] = append(ofNode[pair.A], value), append(ofNode[pair.B], value)
	}
	out := make(map[string]reading, len(ofNode))
	for name, values := range ofNode {
		slices.Sort(values)
		out[name] = reading{metric: m, pairs: len(values), median: stat.SortedMedian(values), low: values[0], high: values[len(values)-1]}
	}
	return out
}

// worst of the samples of a pair: of its two directions, mostly.
func worst(m v1alpha1.Metric, samples []blame.Sample) float64 {
	value := samples[0].Value
	for _, s := range samples[1:] {
		value = bounds.Worse(m.Better, value, s.Value)
	}
	if value <= blame.Nothing {
		return 0
	}
	return value
}

// levelsOf are the medians over the nodes, by metric; those that are blamed are not typical.
func levelsOf(all []*evidence) map[string]float64 {
	values, nodes := map[string][]float64{}, map[string]int{}
	for _, e := range all {
		for _, r := range e.readings {
			nodes[r.metric.Name]++
			if e.blamed(r.metric.Name) == nil {
				values[r.metric.Name] = append(values[r.metric.Name], r.median)
			}
		}
	}
	levels := map[string]float64{}
	for metric, v := range values {
		if nodes[metric] >= fewNodes {
			levels[metric] = stat.Median(v)
		}
	}
	return levels
}

// blamed says what the node is blamed for by a metric; nil: it is not.
func (e *evidence) blamed(metric string) *v1alpha1.Finding {
	return list.First(e.fails, func(f *v1alpha1.Finding) bool { return f.Metric == metric && f.Rule == term.Blame })
}

// decimal writes a value with as many digits as the API shows.
func decimal(v float64) v1alpha1.Decimal { return quantity.Decimal(v, 6) }

// measurement of a metric by one part.
func measurement(m v1alpha1.Metric, at string, value float64) v1alpha1.Measurement {
	return v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Better: m.Better, Parts: []v1alpha1.PartValue{{At: at, Value: decimal(value)}}}
}

// of a metric; nil: it was not measured.
func (e *evidence) of(metric string) *reading {
	return list.First(e.readings, func(r *reading) bool { return r.metric.Name == metric })
}

// judge lets the rules judge the node's estimates, and its past, which is made of what was measured, by what was measured now. few:
// there are so few nodes that whatever is slow convicts nobody.
func (e *evidence) judge(f *field, measured v1alpha1.Attempt, few bool) (d verdict.Decision, unproved string) {
	facts := rule.Given{Peaks: e.Peaks, Past: e.Past}
	estimated := measured
	estimated.Measurements = e.estimates
	others, past := apartFromFleet(f.Metrics)
	by := func(metrics []v1alpha1.Metric, a *v1alpha1.Attempt) (verdict.Decision, string) {
		fleet := verdict.NewJudge(f.Benchmark.Name, metrics, nil, nil, true)
		if few {
			return fleet.Alone(a, facts), ""
		}
		return fleet.JudgePairs(a, facts, e.reached, f.pairConfirmations())
	}
	d, unproved = by(others, &estimated)
	if len(past) == 0 {
		return d, unproved
	}
	p, doubt := by(past, &measured)
	if own, none := by(past, &estimated); none == "" && own.Verdict == v1alpha1.VerdictPass {
		p, doubt = own, "" // it is slower than it was with these partners, not by itself
	}
	d.Findings = append(d.Findings, p.Findings...)
	ofData := func(t term.Term) bool { return t.Metric == "" } // judged above
	p.Terms.Held = slices.DeleteFunc(p.Terms.Held, ofData)
	d.Terms.Held, d.Terms.Broken = append(d.Terms.Held, p.Terms.Held...), append(d.Terms.Broken, p.Terms.Broken...)
	if verdict.Severity(p.Verdict) > verdict.Severity(d.Verdict) {
		d.Verdict, d.Reason, d.Message = p.Verdict, p.Reason, p.Message
	}
	unproved = cmp.Or(unproved, doubt)
	return d, unproved
}

// showMeasured puts what was measured into the headline in place of the estimates, and compares it with what is typical.
func (e *evidence) showMeasured(headline []v1alpha1.HeadlineValue, levels map[string]float64) {
	for h := range list.Each(headline) {
		r := e.of(h.Metric)
		if r == nil {
			continue
		}
		value, level := r.median, levels[h.Metric]
		if f := e.blamed(h.Metric); f != nil {
			value, _ = quantity.ParseDecimal(f.Value)
			level, _ = quantity.ParseDecimal(f.Typical)
		}
		estimate, _ := quantity.ParseDecimal(h.Value)
		if percent, ok := quantity.ParseDecimal(h.PercentOfPeak); ok && estimate > 0 && value > 0 {
			share := value / estimate
			if r.metric.Better == v1alpha1.Lower {
				share = 1 / share
			}
			h.PercentOfPeak = quantity.DecimalPercent(percent * share)
		}
		if by, known := quantity.ParseDecimal(h.FindsFromPercent); e.isClear() && e.reached[h.Metric].Finds > 0 && (!known || 100*e.reached[h.Metric].Finds < by) {
			h.FindsFromPercent, h.FindsBy = quantity.DecimalPercent(100*e.reached[h.Metric].Finds), term.Blame
		}
		h.At, h.Value = "node", decimal(value)
		if level > 0 {
			h.Typical, h.FleetDeviationPercent = decimal(level), quantity.DecimalPercent(100*(value/level-1))
		}
	}
}

// reading of the task's first headline metric, in words: the median over its pairs, and its range; empty: it was not measured.
func (e *evidence) reading(metrics []v1alpha1.Metric) string {
	for _, m := range metrics {
		r := e.of(m.Name)
		switch {
		case r == nil || !m.Headline:
			continue
		case r.pairs == 1:
			return fmt.Sprintf("%s %s in its only pair", m.Name, quantity.Format(r.median, m.Unit))
		}
		scale := quantity.NewScale(m.Unit, r.median, r.low, r.high)
		return fmt.Sprintf("%s %s (median of %d pairs, %s to %s)", m.Name, scale.Format(r.median), r.pairs, scale.Number(r.low), scale.Format(r.high))
	}
	return ""
}
