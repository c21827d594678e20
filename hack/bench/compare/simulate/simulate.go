// Package simulate draws fleets with known differences, and counts how often a comparison of two of their runs is right.
package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/compare"
	"github.com/assay-dev/assay/internal/reader/export"
)

// World is a fleet that is measured twice, or two fleets of which each is measured once.
type World struct {
	// Nodes a side, with so many Parts each.
	Nodes, Parts int
	// Paired says that the same nodes are measured on both sides.
	Paired bool
	// Pairs says that the nodes are measured in pairs, each node with every other one, and that the value of a pair is that of both its nodes.
	Pairs bool
	// Metrics of the benchmark. The first one differs by Effect, as a fraction.
	Metrics int
	Effect  float64
	// Run, Part and Node are the standard deviations there are, and Claim is what the Benchmark says of them, as a multiple.
	Run, Part, Node float64
	Claim           float64
	// Heavy tails: every tenth measurement scatters five times as much.
	Heavy bool
}

// Score of comparisons.
type Score struct {
	Trials int
	// Found the metric that differs, the right way.
	Found int
	// Wrong counts where another metric was said to differ, or the first one the wrong way.
	Wrong int
	// Covered counts where the interval of the first metric holds the difference.
	Covered int
}

// Play comparisons of so many draws from a world.
func (w World) Play(trials int, seed uint64) Score {
	s := Score{Trials: trials}
	for trial := range trials {
		r := rand.New(rand.NewPCG(seed, uint64(trial)))
		a, b := w.sides(r)
		c := compare.New(a, b, compare.Options{})
		wrong := false
		for i, row := range c.Rows {
			called := row.Outcome == compare.Better || row.Outcome == compare.Worse
			switch {
			case i == 0 && w.Effect != 0 && called && (row.Estimate.Percent > 0) == (w.Effect > 0):
				s.Found++
			case called:
				wrong = true
			}
			if e := row.Estimate; i == 0 && e.Low <= 100*w.Effect && 100*w.Effect <= e.High {
				s.Covered++
			}
		}
		if wrong {
			s.Wrong++
		}
	}
	return s
}

// sides are the two runs.
func (w World) sides(r *rand.Rand) (a, b *compare.Side) {
	first := w.fleet(r)
	second := first
	offset := 0
	if !w.Paired {
		second, offset = w.fleet(r), w.Nodes
	}
	return side{w, r, first, 0, 0}.measure("a"), side{w, r, second, offset, w.Effect}.measure("b")
}

// fleet is what each metric of each part reaches, on average over all runs, as the logarithm of a ratio: metric, node, part.
func (w World) fleet(r *rand.Rand) [][][]float64 {
	all := make([][][]float64, w.Metrics)
	for m := range all {
		all[m] = make([][]float64, w.Nodes)
		for n := range all[m] {
			node := w.Node * r.NormFloat64()
			for range w.Parts {
				all[m][n] = append(all[m][n], node+w.Part*r.NormFloat64())
			}
		}
	}
	return all
}

// side of a comparison: what each metric of each part of its nodes reaches, the number of its first node, and by how much the first metric is off.
type side struct {
	World
	r      *rand.Rand
	fleet  [][][]float64
	offset int
	effect float64
}

func (w side) measure(name string) *compare.Side {
	run := &v1alpha1.ValidationRun{}
	run.Name, run.UID = name, types.UID(name)
	e := &export.Run{Run: run, Catalogue: &catalogue.Snapshot{Benchmarks: []catalogue.Benchmark{{Name: "bench", Spec: w.spec()}}}}
	if w.Pairs {
		for n := range w.Nodes {
			for other := range n {
				e.Results = append(e.Results, w.result(run, n, other))
			}
		}
	} else {
		for n := range w.Nodes {
			e.Results = append(e.Results, w.result(run, n))
		}
	}
	s := compare.NewSide(name)
	s.Begin("", e.Run, e.Catalogue)
	for i := range e.Results {
		s.AddResult(&e.Results[i], compare.Keep{})
	}
	return s
}

func (w World) spec() v1alpha1.BenchmarkSpec {
	claim := func(v float64) v1alpha1.Fraction { return v1alpha1.Fraction(quantity.Decimal(v*w.Claim, 6)) }
	var spec v1alpha1.BenchmarkSpec
	for m := range w.Metrics {
		spec.Metrics = append(spec.Metrics, v1alpha1.Metric{Name: fmt.Sprintf("m%d", m), Unit: "GB/s", Headline: true,
			Noise: v1alpha1.Noise{Run: claim(w.Run), Part: claim(w.Part), Node: claim(w.Node)}})
	}
	return spec
}

// result of a node, or of a group of nodes.
func (w side) result(run *v1alpha1.ValidationRun, nodes ...int) v1alpha1.ValidationResult {
	a := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass}
	for m := range w.Metrics {
		got := v1alpha1.Measurement{Name: fmt.Sprintf("m%d", m), Unit: "GB/s", Better: v1alpha1.Higher}
		shared := w.scatter(w.r) / math.Sqrt2 // half of the noise of a run is that of its node
		for p := range w.Parts {
			log := shared + w.scatter(w.r)/math.Sqrt2
			for _, n := range nodes {
				log += w.fleet[m][n][p]
			}
			if m == 0 {
				log += math.Log1p(w.effect)
			}
			got.Parts = append(got.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", p), Value: quantity.Decimal(1000*math.Exp(log), 9)})
		}
		a.Measurements = append(a.Measurements, got)
	}
	out := v1alpha1.ValidationResult{Run: v1alpha1.ObjectReference{Name: run.Name, UID: run.UID}}
	var refs []v1alpha1.ObjectReference
	for _, n := range nodes {
		name := fmt.Sprintf("node-%d", w.offset+n)
		refs = append(refs, v1alpha1.ObjectReference{Name: name, UID: types.UID(name)})
	}
	if len(refs) > 1 {
		out.Group = &v1alpha1.GroupReference{Nodes: refs}
	} else {
		out.Node = refs[0]
	}
	out.Benchmarks = []v1alpha1.BenchmarkResult{{Name: "bench", Attempts: []v1alpha1.Attempt{a}}}
	return out
}

// scatter of one measurement. With heavy tails, it has the same standard deviation.
func (w World) scatter(r *rand.Rand) float64 {
	v := w.Run * r.NormFloat64()
	if !w.Heavy {
		return v
	}
	v /= math.Sqrt(0.9 + 0.1*25)
	if r.IntN(10) == 0 {
		v *= 5
	}
	return v
}
