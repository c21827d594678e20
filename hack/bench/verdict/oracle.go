package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The oracle is what no rule can surpass: it knows how much healthy hardware differs and from run to run varies, which is for a rule to learn,
// and which fault to look for. It measures three times, and weighs all values by their covariance (generalized least squares).

const (
	// oracleMistakes is the share of healthy nodes that it may convict by a metric: what internal/judge/verdict allows itself.
	oracleMistakes = 6e-4
	oracleAttempts = 1 + confirmations
	// oracleDraws of healthy nodes fix its bound.
	oracleDraws = 40_000
	// oracleTrials of a fault.
	oracleTrials = 10_000
	// unknown is the variance of a level that nothing is known of.
	unknown = 1e3
)

// oracle looks for one fault, in a setup.
type oracle struct {
	setup
	*metricModel
	parts     int
	byPast    bool
	own, all  float64     // variances of one measurement: of each part, and common to the parts
	weights   [][]float64 // of the parts' values, for each place where the fault may be; the first is where it is
	size      float64
	faultHits []bool
}

// newOracle looks for any fault but those of links.
func newOracle(l *lab, s setup, f *fault, byPast bool) *oracle {
	b := l.named(f.benchmark)
	x := &b.metrics[max(0, slices.IndexFunc(b.metrics, func(x metricModel) bool { return slices.Contains(f.metrics, x.metric()) }))]
	parts := l.parts[s.gpus][x.metric()]
	o := &oracle{setup: s, metricModel: x, parts: len(parts), byPast: byPast, size: f.size,
		own: max(x.run*x.run, square(x.noise.own)), all: square(x.noise.common)}
	covariance := o.covariance()
	for i, p := range parts {
		hit := f.hits(x, p)
		o.faultHits = append(o.faultHits, hit)
		place := make([]float64, len(parts))
		if place[i] = 1; f.where == onNode {
			place = slices.Repeat([]float64{1}, len(parts))
		}
		switch w := weigh(covariance, place); {
		case f.where == onNode && i > 0: // one place
		case hit:
			o.weights = slices.Insert(o.weights, 0, w)
		default:
			o.weights = append(o.weights, w)
		}
	}
	return o
}

// covariance of the values that look looks at.
func (o *oracle) covariance() [][]float64 {
	each, shared := o.part*o.part+o.own/oracleAttempts, o.node*o.node+o.all/oracleAttempts+unknown
	if others := float64(o.nodes - 1 + o.known); others > 0 {
		shared += (o.node*o.node+o.all+(o.part*o.part+o.own)/float64(o.parts))/others - unknown
	}
	if o.byPast {
		times := 1./oracleAttempts + 1/float64(o.past)
		each, shared = o.own*times, o.all*times
	}
	out := make([][]float64, o.parts)
	for i := range out {
		out[i] = slices.Repeat([]float64{shared}, o.parts)
		out[i][i] += each
	}
	return out
}

// look draws a node and what it is compared with, and returns by how many standard deviations it is slow in each place.
func (o *oracle) look(r *rand.Rand, size float64) []float64 {
	values, before := o.drawNode(r, oracleAttempts, o.past)
	for i, hit := range o.faultHits {
		if hit {
			values[i] *= 1 - size
		}
	}
	others, n := 0.0, float64(o.nodes-1+o.known)
	for range o.nodes - 1 + o.known {
		level, _ := o.drawNode(r, 1, 0)
		others += average(level) / n
	}
	for i := range values {
		if o.byPast {
			values[i] = values[i]/before[i] - 1
		} else {
			values[i] -= others
		}
	}
	out := make([]float64, len(o.weights))
	for i, weights := range o.weights {
		for k, w := range weights {
			out[i] -= w * values[k]
		}
	}
	return out
}

// drawNode is what the parts of a healthy node reach, as the mean of so many attempts, and of as many as there are earlier runs.
func (o *oracle) drawNode(r *rand.Rand, attempts, past int) (values, before []float64) {
	values, before = make([]float64, o.parts), make([]float64, o.parts)
	node := 1 + o.node*r.NormFloat64()
	for i := range values {
		values[i] = node * (1 + o.part*r.NormFloat64())
	}
	copy(before, values)
	mean := func(of []float64, times int) {
		sum := make([]float64, o.parts)
		for range times {
			common := o.drawCommon(r)
			for i := range sum {
				sum[i] += (common + o.drawOwn(r)) / float64(times)
			}
		}
		for i := range of {
			of[i] *= 1 + sum[i]
		}
	}
	mean(values, attempts)
	mean(before, past)
	return values, before
}

// recall of the oracle.
func (o *oracle) recall(trials int, seed uint64) tally {
	const chunk = 1000
	var worst []float64
	for _, w := range each(oracleDraws/chunk, func(k int) []float64 {
		r, worst := rand.New(rand.NewPCG(seed, uint64(k))), make([]float64, chunk)
		for i := range worst {
			worst[i] = slices.Max(o.look(r, 0))
		}
		return worst
	}) {
		worst = append(worst, w...)
	}
	bound := boundOf(worst, oracleMistakes)
	var found tally
	r := rand.New(rand.NewPCG(seed+1, 0))
	for range trials {
		found.count(o.look(r, o.size)[0] > bound)
	}
	return found
}

// boundOf healthy values is exceeded by this share of them.
func boundOf(healthy []float64, share float64) float64 {
	slices.Sort(healthy)
	return healthy[len(healthy)-1-int(share*float64(len(healthy)))]
}

// weigh is the linear combination of values with this covariance that tells best whether they are less by a multiple of place. Its variance is 1.
func weigh(covariance [][]float64, place []float64) []float64 {
	w := solve(covariance, place)
	variance := 0.0
	for i := range w {
		variance += w[i] * place[i]
	}
	for i := range w {
		w[i] /= math.Sqrt(variance)
	}
	return w
}

// solve a x = b for a positive definite a, by Gauss.
func solve(a [][]float64, b []float64) []float64 {
	n, x := len(b), slices.Clone(b)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = slices.Clone(a[i])
	}
	for k := range n {
		for i := k + 1; i < n; i++ {
			factor := rows[i][k] / rows[k][k]
			for j := k; j < n; j++ {
				rows[i][j] -= factor * rows[k][j]
			}
			x[i] -= factor * x[k]
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			x[k] -= rows[k][j] * x[j]
		}
		x[k] /= rows[k][k]
	}
	return x
}

func square(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v * v / float64(len(values))
	}
	return sum
}
