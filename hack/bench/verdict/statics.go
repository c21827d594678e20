package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// static is a threshold as others ship them: it says of the parts of one metric whether any is too slow.
type static struct {
	name string
	slow func(l *lab, x *metricModel, values []float64) bool
}

var statics = []static{
	{"0.9 of the healthy level", func(_ *lab, x *metricModel, values []float64) bool { return slices.Min(values) < 0.9*x.level() }},
	{"0.8 of the data sheet", func(l *lab, x *metricModel, values []float64) bool {
		peak := l.peak(x)
		return peak > 0 && slices.Min(values) < 0.8*peak
	}},
	{"5% below the node's average", func(_ *lab, _ *metricModel, values []float64) bool { return slices.Min(values) < 0.95*average(values) }},
}

// peak of a metric in the profile; 0: none.
func (l *lab) peak(x *metricModel) float64 {
	for _, peak := range l.profile.Spec.Peaks {
		if peak.Name == x.Peak && peak.Unit == x.Unit {
			v, _ := strconv.ParseFloat(string(peak.Value), 64)
			return v
		}
	}
	return 0
}

// staticTable prints from which size on static thresholds find a fault, and how many healthy nodes they fail. One node suffices: they look
// at no other, and at no past.
func (p *program) staticTable(gpus int) {
	fmt.Fprintf(p.out, "### Static thresholds on the same machines, %d GPUs a node\n\n| slow |", gpus)
	for _, s := range statics {
		fmt.Fprintf(p.out, " %s: found from | healthy nodes failed, %% |", s.name)
	}
	fmt.Fprintln(p.out, "\n|---|"+strings.Repeat("---|", 2*len(statics)))
	for _, f := range faults {
		fmt.Fprintf(p.out, "| %s |", f.name)
		for _, s := range statics {
			found := p.staticRecall(s, f, gpus)
			fmt.Fprintf(p.out, " %s | %s |", foundFrom(found[1:]), found[0].percent())
		}
		fmt.Fprintln(p.out)
	}
	fmt.Fprintln(p.out)
}

// foundFrom is the smallest size from which on a fault is found.
func foundFrom(found []tally) string {
	text := "never"
	for i := len(found) - 1; i >= 0 && found[i].share() >= want; i-- {
		text = fmt.Sprintf("%g%%", 100*sizes[i])
	}
	return text
}

// staticRecall counts by size, the first without a fault.
func (p *program) staticRecall(s static, f fault, gpus int) []tally {
	b, at := p.lab.named(f.benchmark), append([]float64{0}, sizes...)
	out := make([]tally, len(at))
	for _, found := range each(p.trials, func(k int) []bool {
		r := rand.New(rand.NewPCG(5, uint64(k)))
		m := p.lab.machines(r, setup{nodes: 1, gpus: gpus}, []*bench{b})[0]
		slow := make([]bool, len(at))
		for i, size := range at {
			f := f
			f.size = size
			slow[i] = p.lab.anySlow(s, b, m.measure(r, b, &f, 0, 1), &f)
		}
		return slow
	}) {
		for i := range out {
			out[i].count(found[i])
		}
	}
	return out
}

func (l *lab) anySlow(s static, b *bench, a v1alpha1.Attempt, f *fault) bool {
	for i := range b.metrics {
		x := &b.metrics[i]
		if x.Unit == "count" || len(f.metrics) > 0 && !slices.Contains(f.metrics, x.metric()) {
			continue
		}
		var values []float64
		for _, p := range a.Measurements[i].Parts {
			v, _ := strconv.ParseFloat(string(p.Value), 64)
			values = append(values, v)
		}
		if s.slow(l, x, values) {
			return true
		}
	}
	return false
}
