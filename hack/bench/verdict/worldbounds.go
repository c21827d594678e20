package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// What a rule has to pay for not knowing in which world it is. Of all rules that find a fault as often as Assay does where hardware is as
// recorded, the one that fails the fewest healthy nodes of another world compares two likelihoods (Neyman and Pearson, 1933): that of what was
// measured with the fault, as recorded, and that without it, in the other world. It knows the noise of both worlds, how large the fault is,
// and that its own node has it or none. The level that healthy parts have in common is not known; that of nodes is taken to be the same, which helps it.

const (
	// boundDraws of fleets with the fault, and of healthy ones, each.
	boundDraws = 40_000
	// levels that the common level is tried at, up to so many standard deviations of its estimate to each side.
	levels      = 41
	levelsReach = 5.0
)

// density of what a part of a node is off, as the mean of all attempts: its logarithm, at multiples of step.
type density struct {
	step float64
	logs []float64
}

const (
	densityPoints = 4001
	densityReach  = 40.0 // standard deviations of what is recorded, to each side
)

// densityOf a part in a world: what lasts, and what is left of the noise from run to run.
func densityOf(w nature, lasts, momentary float64) density {
	sigma := math.Hypot(lasts, momentary)
	d := density{step: 2 * densityReach * sigma / (densityPoints - 1), logs: make([]float64, densityPoints)}
	for i := range d.logs {
		x := float64(i-densityPoints/2) * d.step
		if w.tails == 0 {
			d.logs[i] = -x*x/(2*sigma*sigma) - math.Log(sigma)
			continue
		}
		// Student's t is a normal distribution whose variance is drawn: the mean over quantiles of that is exact enough, and fast.
		sum := 0.0
		for _, scale := range mixtures(w.tails) {
			s := math.Hypot(lasts*scale, momentary)
			sum += math.Exp(-x*x/(2*s*s)) / s
		}
		d.logs[i] = math.Log(max(sum/float64(len(mixtures(w.tails))), math.SmallestNonzeroFloat64))
	}
	return d
}

// mixtures are the standard deviations of normal distributions that make a Student's t of variance 1 together, by equal shares.
func mixtures(degrees int) []float64 {
	if known := mixed[degrees]; known != nil {
		return known
	}
	r := rand.New(rand.NewPCG(7, uint64(degrees)))
	out := make([]float64, 4000)
	for i := range out {
		chi := 0.0
		for range degrees {
			v := r.NormFloat64()
			chi += v * v
		}
		out[i] = math.Sqrt(float64(degrees-2) / chi)
	}
	mixed[degrees] = out
	return out
}

var mixed = map[int][]float64{}

func (d density) log(x float64) float64 {
	at := x/d.step + densityPoints/2
	i := min(max(int(at), 0), densityPoints-2)
	share := min(max(at-float64(i), 0), 1)
	return d.logs[i]*(1-share) + d.logs[i+1]*share
}

// rival is the best rule against another world.
type rival struct {
	nodes, parts   int
	size           float64
	lasts, repeats float64 // standard deviations as recorded; repeats is of the mean of all attempts
	other          nature
	otherLasts     float64
	recorded, wide density
}

func newRival(x *metricModel, s setup, size float64, other nature) *rival {
	own := max(x.run*x.run, square(x.noise.own)) / oracleAttempts
	v := &rival{nodes: s.nodes, parts: s.gpus, size: size, lasts: x.part, repeats: math.Sqrt(own), other: other}
	v.otherLasts, _ = other.spreadOf(x)
	v.recorded = densityOf(nature{}, v.lasts, v.repeats)
	v.wide = densityOf(other, v.otherLasts, v.repeats*max(1, other.wider))
	return v
}

// draw what all parts of all nodes are off; the first node's come first.
func (v *rival) draw(r *rand.Rand, w nature, lasts, repeats float64) []float64 {
	out := make([]float64, v.nodes*v.parts)
	for i := range out {
		out[i] = lasts*w.lasting(r) + repeats*r.NormFloat64()
	}
	return out
}

// ratio is the logarithm of how much likelier the values are with the fault, as recorded, than healthy in the other world.
func (v *rival) ratio(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := sorted[len(sorted)/2]
	sigma := max(math.Hypot(v.lasts, v.repeats), math.Hypot(v.otherLasts, v.repeats)) * math.Sqrt(math.Pi/2/float64(len(values)))
	var slow, fine []float64
	for k := range levels {
		level := middle + levelsReach*sigma*(2*float64(k)/(levels-1)-1)
		all, other := 0.0, 0.0
		for _, x := range values {
			all += v.recorded.log(x - level)
			other += v.wide.log(x - level)
		}
		fine = append(fine, other)
		for _, x := range values[:v.parts] {
			slow = append(slow, all-v.recorded.log(x-level)+v.recorded.log(x-level+v.size)-math.Log(float64(v.parts)))
		}
	}
	return logSum(slow) - logSum(fine)
}

// logSum is the logarithm of a sum whose terms are given by theirs.
func logSum(logs []float64) float64 {
	most, sum := slices.Max(logs), 0.0
	for _, l := range logs {
		sum += math.Exp(l - most)
	}
	return most + math.Log(sum)
}

// least share of healthy nodes of the other world that fail by any rule with this recall.
func (v *rival) least(recall float64, seed uint64) float64 {
	const chunk = 500
	look := func(stream uint64, draw func(r *rand.Rand) []float64) []float64 {
		return slices.Concat(each(boundDraws/chunk, func(k int) []float64 {
			r, out := rand.New(rand.NewPCG(seed+stream, uint64(k))), make([]float64, chunk)
			for i := range out {
				out[i] = v.ratio(draw(r))
			}
			return out
		})...)
	}
	slow := look(1, func(r *rand.Rand) []float64 {
		values := v.draw(r, nature{}, v.lasts, v.repeats)
		values[r.IntN(v.parts)] -= v.size
		return values
	})
	fine := look(2, func(r *rand.Rand) []float64 { return v.draw(r, v.other, v.otherLasts, v.repeats*max(1, v.other.wider)) })
	bound := boundOf(slow, recall)
	failed := 0
	for _, x := range fine {
		if x > bound {
			failed++
		}
	}
	return float64(failed) / float64(len(fine))
}

// rivalTable prints what the best rules fail that find one GPU as often as Assay does.
func (p *program) rivalTable(setups []setup) {
	worlds := slices.DeleteFunc(slices.Clone(natures), func(w nature) bool { return w.wider == 0 && w.tails == 0 })
	fmt.Fprintf(p.out, "### Healthy nodes that any rule with this recall fails at least, %%\n\n| slow | fleet | found |")
	for _, w := range worlds {
		fmt.Fprintf(p.out, " %s |", w.name)
	}
	fmt.Fprintln(p.out, "\n|---|---|---|"+strings.Repeat("---|", len(worlds)))
	for _, s := range setups {
		passed := slices.Repeat([]float64{1}, len(worlds))
		for _, f := range faultsOf(p.only(fleetGoals)) {
			if f.where != onGPU {
				continue
			}
			found := recallOf(p.lab, s, []fault{f}, p.trials, 9000)[cell{s, f.name, f.size}].found.share()
			found = min(found, 1-1/float64(p.trials+1)) // of some trials, none was missed: one in a few more may be
			fmt.Fprintf(p.out, "| %s, %g%% | %s | %.2f |", f.name, 100*f.size, s, found)
			for i, w := range worlds {
				failed := newRival(newOracle(p.lab, s, &f, false).metricModel, s, f.size, w).least(found, uint64(40+i))
				passed[i] *= 1 - failed
				fmt.Fprintf(p.out, " %.2f |", 100*failed)
			}
			fmt.Fprintln(p.out)
		}
		fmt.Fprintf(p.out, "| any of them | %s | |", s)
		for _, share := range passed {
			fmt.Fprintf(p.out, " %.2f |", 100*(1-share))
		}
		fmt.Fprintln(p.out)
	}
	fmt.Fprintln(p.out)
}
