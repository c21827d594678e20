package controllers_test

import (
	"fmt"
	"hash/crc32"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

// fabric is how fast nodes are: a group reaches what the slowest of them allows, with a noise of half a percent. Slow links are told in the
// stories of internal/operate/assess/tracetest.
type fabric struct {
	// nodes that are slow, as a share of what is normal.
	nodes map[string]float64
}

// share that a group reaches.
func (f fabric) share(nodes []string) float64 {
	slowest := 1.0
	for _, n := range nodes {
		if s, ok := f.nodes[n]; ok {
			slowest = min(slowest, s)
		}
	}
	return slowest
}

// noise of a measurement: within half a percent, and the same in every run of the test.
func (j job) noise(what string) float64 {
	sum := crc32.ChecksumIEEE(fmt.Appendf(nil, "%v %s %d %d", j.nodes, what, j.attempt, j.round))
	return 1 + 0.01*(float64(sum%1000)/1000-0.5)
}

// measure is what the programs of all group benchmarks measure; each Benchmark names the metrics that it is about.
func (f fabric) measure(l *lab, j job) []result.Measurement {
	share := f.share(j.nodes)
	one := func(name, unit string, better result.Better, at string, value float64) result.Measurement {
		return result.Measurement{Name: name, Unit: unit, Better: better, Parts: []result.Part{{At: at, Value: value}}}
	}
	out := []result.Measurement{
		one("busBandwidth", "GB/s", result.BetterHigher, result.NodePart, 20*share*j.noise("bus")),
		one("hpl", "GFLOP/s", result.BetterHigher, result.NodePart, 30*float64(len(j.nodes))*share*j.noise("hpl")),
	}
	if len(j.nodes) != 2 {
		return out
	}
	a, b := j.nodes[0], j.nodes[1]
	bandwidth := one("bandwidth", "GB/s", result.BetterHigher, l.node(a)+"->"+l.node(b), 10*share*j.noise("there"))
	bandwidth.Parts = append(bandwidth.Parts, result.Part{At: l.node(b) + "->" + l.node(a), Value: 10 * share * j.noise("back")})
	return append(out, bandwidth,
		one("latency", "us", result.BetterLower, l.node(a)+"<->"+l.node(b), 2/share*j.noise("latency")))
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
