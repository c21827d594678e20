package blame

import (
	"cmp"
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/stat"
)

const (
	// outlierChance is that of any healthy link being taken for an outlier on one side, which says nothing of noise.
	outlierChance = 0.04
	// mostOutliers is the largest share of the links that may be: 1 of so many.
	mostOutliers = 3
	// fewLinks are too few to know noise from.
	fewLinks = 8
)

// startNoise is the spread of the links above the level: no fault makes a link fast.
func (f *fit) startNoise() float64 {
	overs := list.Some(f.links, func(l *link) (float64, bool) { return f.over(l) * math.Sqrt(l.m), f.over(l) > 0 })
	most, squares := 3*stat.Median(overs)/stat.NormalCritical(0.25), 0.0 // a pair that is fast for a reason of its own is not noise
	for _, over := range overs {
		squares += min(over, most) * min(over, most)
	}
	return math.Sqrt(squares / float64(max(1, len(overs))))
}

// estimateNoise splits the spread of links into that of measurements and that between healthy nodes. A measurement has the
// variance noise + 2 x between; the mean of n pairs of a node has between + (noise + between) / n. The links of a slow node
// count around its own effect.
func (f *fit) estimateNoise() {
	links := f.quiet()
	squares, count, slow := 0.0, 0.0, map[*slot]bool{}
	for _, l := range links {
		for _, y := range l.counted() {
			distance := y - l.y + f.around(l)
			squares += distance * distance
			count++
		}
		for _, slot := range []*slot{l.a, l.b} {
			if slot.slow {
				slow[slot] = true
			}
		}
	}
	freedom := count - 1 - float64(len(slow))
	if freedom < 1 {
		return
	}
	total := squares / freedom
	means, n, nodes := f.ofNodes(links)
	own := 0.0
	if n > 1 {
		own = min(max(0, (means-total/n)/(1-1/n)), total/4) // at least half of what is seen is noise
	}
	f.between, f.seen = math.Sqrt(own), math.Sqrt(total-2*own)
	f.apart = f.between
	if f.o.Between != 0 { // few pairs of few nodes hardly show it, so that what is claimed has a say
		f.apart = math.Sqrt((claimOfNodes*f.o.Between*f.o.Between + nodes*own) / (claimOfNodes + nodes))
	}
	f.sigma = math.Max(f.o.NoiseFloor, f.seen)
	f.freedom = math.Max(1, freedom-f.shrinkage(n)*nodes)
}

// claimOfNodes is how much the claimed spread between nodes weighs, in nodes.
const claimOfNodes = 20

// around is how far a link is from what it should reach, where one end is slow from what that end reaches.
func (f *fit) around(l *link) float64 {
	over := f.over(l)
	for _, slot := range []*slot{l.a, l.b} {
		if slot.slow {
			over -= slot.effect
		}
	}
	return over
}

// ofNodes is the mean square of what the links of a healthy node show together, how many of them a node has, and how many
// nodes.
func (f *fit) ofNodes(links []*link) (squares, each, nodes float64) {
	sums, counts := map[*slot]float64{}, map[*slot]float64{}
	for _, l := range links {
		if f.clean(l) {
			for _, slot := range []*slot{l.a, l.b} {
				sums[slot] += f.over(l)
				counts[slot]++
			}
		}
	}
	var some []float64
	for _, slot := range f.slots {
		if n := counts[slot]; n > 0 {
			squares += sums[slot] / n * sums[slot] / n
			some = append(some, n)
		}
	}
	nodes = float64(len(some))
	return squares / max(1, nodes), stat.Median(some), nodes
}

// quiet are the links with a good end but for those that chance does not make of the others. The generalized test of Rosner
// (1983) begins with the most that may be outliers, so that they do not hide each other.
func (f *fit) quiet() []*link {
	var links, more []*link
	for _, l := range f.links {
		if f.clean(l) {
			links = append(links, l)
		} else if l.boundary == 0 && !(l.a.slow && l.b.slow) {
			more = append(more, l)
		}
	}
	if len(links) < fewLinks {
		links = append(links, more...)
	}
	far := func(l *link) float64 { return math.Abs(f.around(l)) * math.Sqrt(l.m) }
	slices.SortFunc(links, func(x, y *link) int { return cmp.Or(cmp.Compare(far(y), far(x)), cmp.Compare(x.number, y.number)) })
	n, most, squares := float64(len(links)), len(links)/mostOutliers, 0.0
	for _, l := range links[most:] {
		squares += far(l) * far(l)
	}
	for ; most > 0; most-- {
		furthest, rest := far(links[most-1]), n-float64(most)
		spread := math.Max(f.o.NoiseFloor, math.Sqrt(squares/rest))
		if furthest >= stat.StudentCritical(outlierChance*float64(most)/n, rest-1)*spread {
			break
		}
		squares += furthest * furthest
	}
	return links[most:]
}

// hidden is how slow a node with as many pairs as most may be without being suspected.
func (f *fit) hidden() float64 {
	counts := make([]float64, len(f.slots))
	for i, slot := range f.slots {
		for _, l := range slot.links {
			counts[i] += l.m
		}
	}
	return screenNodes * f.sigma / math.Sqrt(max(1, stat.Median(counts)))
}

// beyond is how many of the standard errors reckoned with chance exceeds with probability p only: of the floor, which is
// known, and of the noise seen, which is an estimate.
func (f *fit) beyond(p float64) float64 {
	return math.Max(stat.NormalCritical(p)*f.o.NoiseFloor, stat.StudentCritical(p, f.freedom)*f.seen) / f.sigma
}
