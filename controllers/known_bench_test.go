package controllers

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/test/testdata"
)

// knownByAll is the history of a node of 8 GPUs that passed every shipped benchmark of a node ten times. Nothing of it is shared with another.
func knownByAll(b *testing.B, catalogue []v1alpha1.Benchmark, name string) *v1alpha1.NodeHistory {
	all := &v1alpha1.NodeHistory{NodeUID: types.UID("uid-" + name)}
	all.Name = name
	all.ResourceVersion = "1"
	at := metav1.NewTime(time.Unix(1_700_000_000, 0))
	for _, spec := range catalogue {
		h := v1alpha1.BenchmarkHistory{Name: spec.Name}
		p := v1alpha1.PassHistory{Configuration: strings.Repeat("c", 16), Since: at}
		for run := range 10 {
			p.Runs = append(p.Runs, v1alpha1.PassingRun{RunUID: types.UID(fmt.Sprint("4bce1f0e-6f0a-4d3c-9a3e-2f6f0a4d3c0", run)), Time: at})
			h.Entries = append(h.Entries, v1alpha1.HistoryEntry{Run: "nightly", RunUID: p.Runs[run].RunUID, Time: at, Verdict: v1alpha1.VerdictPass, Configuration: p.Configuration})
		}
		for gpu := range int32(8) {
			p.Devices = append(p.Devices, v1alpha1.Device{Index: gpu, UUID: fmt.Sprintf("GPU-%s-%d-3ab7d018-ebbb-1484-532c", name, gpu), Product: "NVIDIA H200"})
		}
		for i := range spec.Spec.Metrics {
			m := &spec.Spec.Metrics[i]
			if !nodevalidation.Remembered(m) {
				continue
			}
			parts := v1alpha1.MetricHistory{Metric: m.Name, Unit: m.Unit}
			for _, at := range partsOf(spec.Name, m.Name) {
				part := v1alpha1.PartHistory{At: at, Baseline: "4370.12", Passes: 10, Recent: []v1alpha1.PassingValue{"4370.5"}}
				for range 9 {
					part.Recent = append(part.Recent, "4371.23")
				}
				parts.Parts = append(parts.Parts, part)
			}
			p.Metrics = append(p.Metrics, parts)
		}
		h.Passes = []v1alpha1.PassHistory{p}
		all.Benchmarks = append(all.Benchmarks, h)
	}
	alone := &v1alpha1.NodeHistory{}
	decodedInto(b, all, alone)
	return alone
}

// decodedInto another object what one says, as an answer of the API server is decoded.
func decodedInto(b *testing.B, from, to any) {
	b.Helper()
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		b.Fatal(err)
	}
}

func partsOf(benchmark, metric string) (names []string) {
	for i := range 8 {
		if benchmark != "p2p" || !strings.HasSuffix(metric, "Bandwidth") {
			names = append(names, fmt.Sprintf("gpu%d", i))
			continue
		}
		for k := range 8 {
			if k != i {
				names = append(names, fmt.Sprintf("gpu%d->gpu%d", i, k))
			}
		}
	}
	return names
}

// shipped are the catalogue's benchmarks of single nodes with GPUs.
func shipped() (catalogue []v1alpha1.Benchmark) {
	for _, b := range testdata.Benchmarks() {
		if b.Spec.Group == nil && b.Spec.Needs.DeviceResource != "" {
			catalogue = append(catalogue, b)
		}
	}
	return catalogue
}

// BenchmarkKnownNodes is what the operator holds of nodes with full histories, for 5,000 nodes: known-MB to compare others with, and cached-MB
// in the cache. The histories themselves would take whole-MB.
func BenchmarkKnownNodes(b *testing.B) {
	const sample, times = 500, 10
	catalogue, all := shipped(), make([]*v1alpha1.NodeHistory, sample)
	known, cache := NewKnownFleet(time.Hour), make([]*v1alpha1.NodeValidation, sample)
	before := liveMB()
	for i := range all {
		all[i] = knownByAll(b, catalogue, fmt.Sprintf("node-%05d", i))
	}
	whole := liveMB() - before
	for _, h := range all {
		known.Take(h)
	}
	both := liveMB() - before
	runtime.KeepAlive(all) // until here
	reached := liveMB() - before
	runtime.KeepAlive(known)
	before = liveMB()
	for i := range cache {
		cache[i] = &v1alpha1.NodeValidation{}
		decodedInto(b, provedNode(i, len(catalogue)), cache[i])
	}
	cached := liveMB() - before
	runtime.KeepAlive(cache)
	if reached > both {
		b.Errorf("of %.0f MB %.0f are left", both, reached)
	}
	b.ReportMetric(whole*times, "whole-MB")
	b.ReportMetric(reached*times, "known-MB")
	b.ReportMetric(cached*times, "cached-MB")
	b.ReportMetric(0, "ns/op")
}

// liveMB is what the heap holds once all that is of no use is gone.
func liveMB() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}
