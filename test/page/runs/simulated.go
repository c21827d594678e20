package runs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/testdata"
)

// gpus of each simulated node.
const gpus = 8

// fault slows those parts of a node down whose name contains a text, in metrics of a benchmark whose name contains another.
type fault struct {
	place                 float64 // in the fleet, from 0 to 1
	benchmark, metric, at string
	factor                float64
}

// faults of the simulated fleet.
var faults = []fault{
	{0.055, "gemm", "", "gpu1", 0.88},
	{0.055, "gemm", "Clock", "gpu1", 0.8},
	{0.055, "gemm", "temperature", "gpu1", 1.35},
	{0.27, "gpustream", "hbm", "gpu5", 0.93},
	{0.585, "p2p", "writeBandwidth", "gpu2->gpu3", 0.81},
	{0.585, "p2p", "readBandwidth", "gpu3->gpu2", 0.81},
	{0.8, "hostlink", "Device", "gpu", 0.5},
}

// unmeasured is the place of the node that could not be measured.
const unmeasured = 0.97

// Simulated is a run over a fleet of nodes with eight H200s: what one machine was recorded to reach, with the noise that the catalogue
// knows, and some faults. One node could not be measured, and the link between two others is slow.
func Simulated(nodes int) export.Run { return simulated(nodes, 2) }

// simulated noise depends on the seed.
func simulated(nodes int, seed uint64) export.Run {
	f := cluster{name: "hall-3", took: 9 * time.Minute}
	for i := range nodes {
		f.nodes = append(f.nodes, fmt.Sprintf("gpu-%04d", i+1))
	}
	for _, name := range []string{"p2p", "hostlink", "gpustream", "gemm", "collectives"} {
		f.benchmarks = append(f.benchmarks, *testdata.Benchmark(name))
	}
	machine := testdata.Recorded("h200/node4")
	r := rand.New(rand.NewPCG(1, seed))
	f.attempt = func(node int, b *v1alpha1.Benchmark, n int) (v1alpha1.Attempt, bool) {
		if node == int(unmeasured*float64(nodes)) {
			return v1alpha1.Attempt{Number: int32(n + 1), Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonImagePullFailed,
				Message: "image registry.example.com/bench-cuda:1 cannot be pulled: not found"}, true
		}
		a, _ := attempt(machine, b, 0)
		a.Number = int32(n + 1)
		for _, all := range [][]v1alpha1.Measurement{a.Measurements, a.Telemetry} {
			vary(r, node, nodes, b, all)
		}
		a.Devices = nil
		for g := range int32(gpus) {
			a.Devices = append(a.Devices, v1alpha1.Device{Index: g, UUID: fmt.Sprintf("GPU-%08x-%04x", node*gpus+int(g), g), Product: "NVIDIA H200"})
		}
		return a, true
	}
	pairs(r, &f)
	return f.run()
}

// vary gives the parts of eight GPUs, each with noise and faults, to what four measured.
func vary(r *rand.Rand, node, nodes int, b *v1alpha1.Benchmark, all []v1alpha1.Measurement) {
	for i := range all {
		m := &all[i]
		noise := noiseOf(b, m.Name)
		level := 1 + 0.6*noise*r.NormFloat64()
		var parts []v1alpha1.PartValue
		for j, at := range partsOf(m) {
			v, _ := quantity.ParseDecimal(m.Parts[min(j, len(m.Parts)-1)].Value)
			if strings.HasPrefix(at, "gpu") {
				v, _ = quantity.ParseDecimal(m.Parts[0].Value)
			}
			v *= level * (1 + 0.3*noise*r.NormFloat64())
			for _, f := range faults {
				if int(f.place*float64(nodes)) == node && f.benchmark == b.Name && strings.Contains(m.Name, f.metric) && strings.Contains(at, f.at) {
					v *= f.factor
				}
			}
			parts = append(parts, v1alpha1.PartValue{At: at, Value: quantity.Decimal(v, 6), Samples: 10})
		}
		m.Parts = parts
		if m.Unit == "count" {
			for i := range m.Parts {
				m.Parts[i].Value = "7"
			}
		}
	}
}

func noiseOf(b *v1alpha1.Benchmark, metric string) float64 {
	for i := range b.Spec.Metrics {
		if m := &b.Spec.Metrics[i]; m.Name == metric {
			n, _ := quantity.ParseDecimal(m.Noise.Node)
			return n
		}
	}
	return 0.01
}

// partsOf are the parts that a metric of four GPUs has on a node with eight.
func partsOf(m *v1alpha1.Measurement) []string {
	first := m.Parts[0].At
	var all []string
	if !strings.HasPrefix(first, "gpu") {
		for i := range m.Parts {
			all = append(all, m.Parts[i].At)
		}
		return all
	}
	_, _, oneWay := strings.Cut(first, "->")
	_, _, bothWays := strings.Cut(first, "<->")
	for i := range gpus {
		if !oneWay {
			all = append(all, fmt.Sprintf("gpu%d", i))
			continue
		}
		for j := range gpus {
			switch {
			case bothWays && i < j:
				all = append(all, fmt.Sprintf("gpu%d<->gpu%d", i, j))
			case !bothWays && i != j:
				all = append(all, fmt.Sprintf("gpu%d->gpu%d", i, j))
			}
		}
	}
	return all
}

// pairs plays four rounds of a tournament; the link between the 7th and the 8th node is slow.
func pairs(r *rand.Rand, f *cluster) {
	for round := range 4 {
		order := r.Perm(len(f.nodes))
		if round == 0 { // each with its neighbour
			for i := range order {
				order[i] = i
			}
		}
		for k := 0; k+1 < len(order); k += 2 {
			i, j := min(order[k], order[k+1]), max(order[k], order[k+1])
			value := 48.6 * (1 + 0.004*r.NormFloat64())
			if i == 6 && j == 7 {
				value = 21.9
			}
			f.groups = append(f.groups, pair(r, f.nodes[i], f.nodes[j], value, round))
		}
	}
	if len(f.nodes) > 7 {
		f.findings = append(f.findings, v1alpha1.FabricFinding{Kind: "Link", Benchmark: "mpibench", Metric: "bandwidth", Members: []string{f.nodes[6], f.nodes[7]},
			Message: f.nodes[6] + "-" + f.nodes[7] +
				" reached 21.9 GB/s, 54.9% below typical 48.6 GB/s, which is what both nodes reach with others; " +
				"confirmed by 2 more measurements; the nodes are fine: check cables, ports and routes between them"})
	}
}

func pair(r *rand.Rand, a, b string, value float64, round int) v1alpha1.ValidationResult {
	bandwidth := v1alpha1.Measurement{Name: "bandwidth", Unit: "GB/s", Better: v1alpha1.Higher, Parts: []v1alpha1.PartValue{
		{At: a + "->" + b, Value: quantity.Decimal(value, 4)}, {At: b + "->" + a, Value: quantity.Decimal(value*(1+0.002*r.NormFloat64()), 4)}}}
	latency := v1alpha1.Measurement{Name: "latency", Unit: "us", Better: v1alpha1.Lower, Parts: []v1alpha1.PartValue{
		{At: a + "<->" + b, Value: quantity.Decimal(2.1*(1+0.03*r.NormFloat64()), 4)}}}
	attempt := v1alpha1.Attempt{Number: 1, Round: int32(round + 1), Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured,
		Measurements: []v1alpha1.Measurement{bandwidth, latency}}
	result := v1alpha1.ValidationResult{Group: &v1alpha1.GroupReference{Nodes: []v1alpha1.ObjectReference{{Name: a, UID: types.UID("uid-" + a)}, {Name: b, UID: types.UID("uid-" + b)}}},
		Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured}
	result.Name = "pair-" + a + "-" + b
	result.Benchmarks = []v1alpha1.BenchmarkResult{{Name: "mpibench", Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Attempts: []v1alpha1.Attempt{attempt}}}
	return result
}
