package controllers_test

import (
	"fmt"
	"hash/crc32"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/result"
)

// fabric is a model of how fast nodes and links are: what a pair reaches is what the slowest of its two ends and the link
// between them allow, 10 GB/s where nothing is slow, with a noise of half a percent.
type fabric struct {
	// nodes and links that are slow, as a share of what is normal. A link is named by its two nodes in order: "ab"; one that is
	// slow one way only by both and an arrow: "b>a".
	nodes, links map[string]float64
}

func share(slow map[string]float64, name string) float64 {
	if s, ok := slow[name]; ok {
		return s
	}
	return 1
}

// way is the share that is reached from one node to another.
func (f fabric) way(from, to string) float64 {
	return min(share(f.nodes, from), share(f.nodes, to), share(f.links, min(from, to)+max(from, to)), share(f.links, from+">"+to))
}

// noise of a measurement: within half a percent, and the same in every run of the test.
func (j job) noise(what string) float64 {
	sum := crc32.ChecksumIEEE(fmt.Appendf(nil, "%v %s %d %d", j.nodes, what, j.attempt, j.round))
	return 1 + 0.01*(float64(sum%1000)/1000-0.5)
}

// measure is what the programs of all group benchmarks measure; each Benchmark names the metrics that it is about.
func (f fabric) measure(l *lab, j job) []result.Measurement {
	worst := 1.0
	for i, a := range j.nodes {
		for _, b := range j.nodes[i+1:] {
			worst = min(worst, f.way(a, b), f.way(b, a))
		}
	}
	one := func(name, unit string, better result.Better, at string, value float64) result.Measurement {
		return result.Measurement{Name: name, Unit: unit, Better: better, Parts: []result.Part{{At: at, Value: value}}}
	}
	out := []result.Measurement{
		one("busBandwidth", "GB/s", result.BetterHigher, result.NodePart, 20*worst*j.noise("bus")),
		one("hpl", "GFLOP/s", result.BetterHigher, result.NodePart, 30*float64(len(j.nodes))*worst*j.noise("hpl")),
	}
	if len(j.nodes) != 2 {
		return out
	}
	a, b := j.nodes[0], j.nodes[1]
	bandwidth := one("bandwidth", "GB/s", result.BetterHigher, l.node(a)+"->"+l.node(b), 10*f.way(a, b)*j.noise("there"))
	bandwidth.Parts = append(bandwidth.Parts, result.Part{At: l.node(b) + "->" + l.node(a), Value: 10 * f.way(b, a) * j.noise("back")})
	return append(out, bandwidth,
		one("latency", "us", result.BetterLower, l.node(a)+"<->"+l.node(b), 2/worst*j.noise("latency")))
}

// groupEnvelope is what the runner leaves in the launcher.
func (l *lab) groupEnvelope(f fabric, j job, p performance, began time.Time) string {
	l.t.Helper()
	text, err := result.Encode(result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured,
		Start: began, End: l.clock.Now(),
		Document: &result.Document{Schema: result.Schema, Benchmark: j.benchmark, Version: "1", Measurements: f.measure(l, j),
			Checks: []result.Check{{Name: "data", OK: !p.wrongData}}}})
	l.must(err)
	return text
}
