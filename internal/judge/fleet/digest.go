package fleet

import (
	"math"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// Digest is what one node measured by one benchmark, read once: numbers only, in groups of like parts. It is all that a fleet needs of
// a node, small enough to be kept for every node of a cluster.
type Digest struct {
	// Node that was measured. Its own values are no part of the fleet that it is compared with.
	Node string
	// Time of the measurement, of what is remembered; zero: it was measured in this run.
	Time time.Time
	// Host is the kind of machine, where no device tells it; see On.
	Host string

	groups []group
	// residuals of the parts from the median of their group, as fractions of it: group by group.
	residuals []float32

	// Facts, of nodes of one kind of machine, which the products of its devices tell until On says the rest.
	Facts   []unique.Handle[v1alpha1.Fact]
	Machine string
}

// group are the like parts of a node.
type group struct {
	pool  unique.Handle[Pool]
	level float64 // their median
	// before is what they reached in the middle, in the first and in the last of their passing runs, of what is remembered; 0: it is not known.
	before [2]float64
	parts  int32
	// layout has the names of the parts, in the order of their residuals, each with a newline.
	layout unique.Handle[string]
	// residuals of so many parts are kept: of all, or of none where they have no spread to speak of.
	residuals int32
}

// Pool names a set of like parts: the same metric, the same kind of part, on the same kind of device, in the same configuration. devices
// are all of the node: a GPU among 3 others reaches fewer peers than one among 7. Where there are none, host is the kind of machine.
type Pool struct {
	Metric, Unit, Likeness, Hardware, Devices, Host, Configuration string
}

// DigestAttempt reads of an attempt what is compared. It is empty where nothing was measured, or where the data was wrong: such numbers prove nothing.
func DigestAttempt(metrics []v1alpha1.Metric, a *v1alpha1.Attempt) Digest {
	if a == nil || a.Verdict != v1alpha1.VerdictPass || attempt.WrongData(a) {
		return Digest{}
	}
	d := digester{hardware: part.HardwareOf(a.Devices), configuration: a.Configuration}
	for m := range list.Each(metrics) {
		if !expect.Compared(m) {
			continue
		}
		for _, p := range attempt.Values(a, m) {
			d.add(m.Name, m.Unit, p.At, p.Value)
		}
	}
	digest := d.close()
	digest.Facts, digest.Machine = digestFacts(a)
	return digest
}

// On says on what kind of host the digest was measured. Where no device tells one machine from another, only those of one kind are
// compared; elsewhere it changes nothing.
func (d Digest) On(host string) Digest {
	if len(d.Facts) > 0 {
		// Nodes of one type may differ in how many CPUs and devices they offer, and should not.
		kind := host
		if words := strings.Fields(host); len(words) > 2 { // "p5.48xlarge 192 CPUs"
			kind = words[0]
		}
		d.Machine = kind + "\n" + d.Machine
	}
	groups := slices.Clone(d.groups)
	for i := range groups {
		p := groups[i].pool.Value()
		if p.Devices != "" {
			return d
		}
		p.Host = host
		groups[i].pool = unique.Make(p)
	}
	d.Host, d.groups = host, groups
	return d
}

// DigestPasses reads what a node reached in the newest of its passing runs.
func DigestPasses(p *v1alpha1.PassHistory) Digest {
	if len(p.Runs) == 0 {
		return Digest{}
	}
	d := digester{hardware: part.HardwareOf(p.Devices), configuration: p.Configuration}
	for m := range list.Each(p.Metrics) {
		for j := range m.Parts {
			recent := m.Parts[j].Recent
			if len(recent) == 0 {
				continue
			}
			if v, ok := quantity.ParseDecimal(v1alpha1.Decimal(recent[len(recent)-1])); ok {
				d.add(m.Metric, m.Unit, m.Parts[j].At, v).remember(&m.Parts[j])
			}
		}
	}
	digest := d.close()
	digest.Time = p.Runs[len(p.Runs)-1].Time.Time
	return digest
}

// digester sorts parts into groups.
type digester struct {
	hardware      part.Hardware
	configuration string
	pools         []pooled
}

// pooled are the parts of a pool: their values and names, and what is remembered of them.
type pooled struct {
	Pool
	values []float64
	before [2][]float64 // first and last
	layout []byte
}

// add a part to its pool.
func (d *digester) add(metric, unit, at string, value float64) *pooled {
	where := part.Read(at)
	p := Pool{Metric: metric, Unit: unit, Likeness: where.Likeness, Hardware: d.hardware.Of(where), Devices: d.hardware.All, Configuration: d.configuration}
	to := list.Among(&d.pools, func(known *pooled) bool { return known.Pool == p }, pooled{Pool: p})
	to.values = append(to.values, value)
	to.layout = append(append(to.layout, at...), '\n')
	return to
}

// close keeps what a fleet needs of the values. Digests are kept for long, so that their lists have no room to spare.
func (d *digester) close() Digest {
	if len(d.pools) == 0 {
		return Digest{}
	}
	groups := make([]group, len(d.pools))
	var residuals []float32
	for i, p := range d.pools {
		g := group{pool: unique.Make(p.Pool), level: stat.Median(p.values), parts: int32(len(p.values)), layout: unique.Make(string(p.layout)),
			before: [2]float64{stat.Median(p.before[0]), stat.Median(p.before[1])}}
		others := len(residuals)
		residuals = appendResiduals(residuals, p.values, g.level)
		g.residuals = int32(len(residuals) - others)
		groups[i] = g
	}
	return Digest{groups: groups, residuals: slices.Clone(residuals)}
}

// appendResiduals of like parts whose median is the level.
func appendResiduals(to []float32, values []float64, level float64) []float32 {
	if len(values) < 2 || level == 0 {
		return to
	}
	for _, v := range values {
		to = append(to, float32(max(-math.MaxFloat32, min(math.MaxFloat32, (v-level)/math.Abs(level)))))
	}
	return to
}

// group of a digest by its pool; nil where there is none.
func (d *Digest) group(p unique.Handle[Pool]) *group {
	if d == nil {
		return nil
	}
	return list.First(d.groups, func(g *group) bool { return g.pool == p })
}

// digestFacts keeps the facts of a node: most nodes share them.
func digestFacts(a *v1alpha1.Attempt) (facts []unique.Handle[v1alpha1.Fact], products string) {
	if len(a.Facts) == 0 {
		return nil, ""
	}
	facts = make([]unique.Handle[v1alpha1.Fact], len(a.Facts))
	for i, f := range a.Facts {
		facts[i] = unique.Make(f)
	}
	names := list.Map(a.Devices, func(d v1alpha1.Device) string { return d.Product })
	slices.Sort(names)
	return facts, strings.Join(slices.Compact(names), ", ")
}
