package nodevalidation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/test/testdata"
)

// partsOfNode are what a node with 8 GPUs reports of a metric.
func partsOfNode(b *v1alpha1.Benchmark, metric string) (names []string) {
	const gpus = 8
	switch {
	case b.Spec.Needs.DeviceResource == "":
		return []string{"socket0", "socket1"}
	case strings.HasSuffix(metric, "BusBandwidth"):
		return []string{"8GiB"}
	}
	for i := range gpus {
		switch {
		case b.Name == "p2p" && (metric == "writeBandwidth" || metric == "readBandwidth"):
			for k := range gpus {
				if k != i {
					names = append(names, fmt.Sprintf("gpu%d->gpu%d", i, k))
				}
			}
		case b.Name == "p2p" && metric == "bidirectionalBandwidth":
			for k := range i {
				names = append(names, fmt.Sprintf("gpu%d<->gpu%d", k, i))
			}
		default:
			names = append(names, fmt.Sprintf("gpu%d", i))
		}
	}
	return names
}

// TestHistoryOfTheShippedCatalogue: what a node with 8 GPUs is known by, once all benchmarks have filled their rings. 5,000 of them are in
// etcd, and each passes through every watcher's hands.
func TestHistoryOfTheShippedCatalogue(t *testing.T) {
	var nv Known
	for run := range 12 {
		j := story(node("u1"), run, v1alpha1.VerdictPass)
		j.Run.UID = types.UID(fmt.Sprintf("4bce1f0e-6f0a-4d3c-9a3e-2f6f0a4d3c%02d", run))
		j.Benchmarks = map[string]Benchmark{}
		for _, b := range testdata.Benchmarks() {
			if b.Spec.Group != nil {
				continue
			}
			r := story(node("u1"), run, v1alpha1.VerdictPass, b.Name).Result.Benchmarks[0]
			a := &r.Attempts[0]
			a.Configuration, a.Devices = strings.Repeat("c", 16), nil
			for i := range 8 {
				a.Devices = append(a.Devices, v1alpha1.Device{Index: int32(i), UUID: fmt.Sprintf("GPU-%d0a1b2c3-d4e5-f607-1829-3a4b5c6d7e8f", i), Product: "NVIDIA H200"})
			}
			for k := range b.Spec.Metrics {
				m := &b.Spec.Metrics[k]
				if !Remembered(m) {
					continue
				}
				j.Benchmarks[b.Name] = Benchmark{Metrics: append(j.Benchmarks[b.Name].Metrics, *m)}
				got := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit}
				for n, at := range partsOfNode(&b, m.Name) {
					got.Parts = append(got.Parts, v1alpha1.PartValue{At: at, Value: quantity.Decimal(4370.123456+float64(run)+float64(n)/7, quantity.Exact)})
				}
				a.Measurements = append(a.Measurements, got)
			}
			j.Result.Benchmarks = append(j.Result.Benchmarks, r)
		}
		nv = Next(nv, j)
	}
	passes, parts := 0, 0
	for i := range nv.History.Benchmarks {
		text, err := json.Marshal(nv.History.Benchmarks[i].Passes)
		if err != nil {
			t.Fatal(err)
		}
		passes += len(text)
		for _, n := range partsIn(&nv.History.Benchmarks[i]) {
			parts += n
		}
	}
	t.Logf("%d benchmarks, %d parts: %d bytes of JSON, %d a part", len(nv.Validation.Benchmarks), parts, passes, passes/parts)
	state, err := json.Marshal(nv.Validation)
	t.Logf("beside %d bytes of state, error %v", len(state), err)
	if len(state) > 24<<10 {
		t.Errorf("the state of a node takes %d bytes, want at most 24 KiB", len(state))
	}
	// No node is measured by the whole catalogue, which grows: what counts is what a part takes.
	if passes > 325*parts || passes > 192<<10 {
		t.Errorf("the histories of a node take %d bytes, want at most 325 a part and 192 KiB", passes)
	}
}
