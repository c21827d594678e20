package main

import (
	"math/rand/v2"
	"slices"
)

// place is what a fault sits in.
type place int

const (
	onGPU   place = iota // all parts of gpu0
	onLink               // what runs between gpu0 and gpu1, both ways
	onLinks              // all links of gpu0
	onNode               // all parts
	onSocket
)

// fault makes parts of a machine slow.
type fault struct {
	name      string
	benchmark string
	metrics   []string // empty: all that the benchmark measures
	where     place
	size      float64 // share that is lost
	chance    float64 // of each measurement to be hit; 0: always
}

// now is what the fault takes from this measurement.
func (f *fault) now(r *rand.Rand) float64 {
	if f == nil || f.chance > 0 && r.Float64() >= f.chance {
		return 0
	}
	return f.size
}

// measuredBy a metric: it shows there.
func (f *fault) measuredBy(x *metricModel) bool {
	return f.benchmark == x.benchmark && x.Unit != "count" && (len(f.metrics) == 0 || slices.Contains(f.metrics, x.metric()))
}

func (f *fault) hits(x *metricModel, p part) bool {
	if !f.measuredBy(x) {
		return false
	}
	switch f.where {
	case onGPU, onLinks:
		return slices.Contains(p.gpus, 0)
	case onLink:
		return slices.Contains(p.gpus, 0) && slices.Contains(p.gpus, 1)
	case onSocket:
		return p.at == "socket0"
	}
	return true
}

// faults that every table of recall goes through, at every size.
var faults = []fault{
	{name: "one GPU, HBM", benchmark: "gpustream", metrics: []string{"hbmTriad"}},
	{name: "one link", benchmark: "p2p", where: onLink},
	{name: "all links of a GPU", benchmark: "p2p", where: onLinks},
	{name: "one GPU, H2D", benchmark: "hostlink", metrics: []string{"hostToDeviceBandwidth"}},
	{name: "one GPU, D2H", benchmark: "hostlink", metrics: []string{"deviceToHostBandwidth"}},
	{name: "one GPU, fp64", benchmark: "gemm", metrics: []string{"fp64"}},
	{name: "one GPU, fp64 for 6 s", benchmark: "gemm-fp64", metrics: []string{"fp64"}},
	{name: "one GPU, fp32", benchmark: "gemm", metrics: []string{"fp32"}},
	{name: "one GPU, fp16", benchmark: "gemm", metrics: []string{"fp16"}},
	{name: "node, HBM", benchmark: "gpustream", metrics: []string{"hbmTriad"}, where: onNode},
	{name: "node, links", benchmark: "p2p", where: onNode},
	{name: "node, PCIe", benchmark: "hostlink", where: onNode},
	{name: "node, fp64", benchmark: "gemm", metrics: []string{"fp64"}, where: onNode},
	{name: "node, fp32", benchmark: "gemm", metrics: []string{"fp32"}, where: onNode},
	{name: "node, fp16", benchmark: "gemm", metrics: []string{"fp16"}, where: onNode},
	{name: "NCCL all-reduce", benchmark: "collectives", metrics: []string{"allReduceBusBandwidth"}, where: onNode},
	{name: "NCCL all-gather", benchmark: "collectives", metrics: []string{"allGatherBusBandwidth"}, where: onNode},
	{name: "one socket, STREAM", benchmark: "stream", where: onSocket},
	{name: "node, STREAM", benchmark: "stream", where: onNode},
	{name: "node, DGEMM", benchmark: "dgemm", where: onNode},
	{name: "node, HPL", benchmark: "hpl", where: onNode},
}

var sizes = []float64{0.005, 0.01, 0.02, 0.03, 0.05, 0.10, 0.20}

// atSizes is every fault at every size.
func atSizes(faults []fault) []fault {
	var out []fault
	for _, f := range faults {
		for _, size := range sizes {
			f.size = size
			out = append(out, f)
		}
	}
	return out
}
