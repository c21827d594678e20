package peak

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// profile of one node, with these peaks.
func profile(name string, peaks ...v1alpha1.Peak) Peaks {
	p := &v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: peaks}}
	p.Name = name
	return Of(p)
}

func TestGroupPeaks(t *testing.T) {
	giving := func(value, unit, reached string) v1alpha1.Peak {
		return v1alpha1.Peak{Name: "p", At: "node", Value: v1alpha1.Decimal(value), Unit: unit, Reached: v1alpha1.Decimal(reached), Source: "data sheet"}
	}
	type answer struct {
		Value, Reached float64
		Why            string
	}
	cases := map[string]struct {
		nodes []Peaks
		unit  string
		want  answer
	}{
		"arithmetic adds up": {[]Peaks{profile("a", giving("80", "GFLOP/s", "70")), profile("a", giving("80", "GFLOP/s", "70")), profile("a", giving("80", "GFLOP/s", "70"))},
			"GFLOP/s", answer{240, 210, ""}},
		"arithmetic adds up over unequal nodes and prefixes": {[]Peaks{profile("a", giving("80", "GFLOP/s", "60")), profile("b", giving("0.12", "TFLOP/s", "0.1"))},
			"TFLOP/s", answer{0.2, 0.16, ""}},
		"a link is as fast as the slowest, first": {[]Peaks{profile("a", giving("25", "GB/s", "23")), profile("b", giving("50", "GB/s", "46"))}, "GB/s", answer{25, 23, ""}},
		"a link is as fast as the slowest, last":  {[]Peaks{profile("b", giving("0.05", "TB/s", "0.046")), profile("a", giving("25", "GB/s", "23"))}, "GB/s", answer{25, 23, ""}},
		"the longest latency is the slowest":      {[]Peaks{profile("a", giving("800", "ns", "900")), profile("b", giving("1.5", "us", "1.6"))}, "us", answer{1.5, 1.6, ""}},
		"what is reached is not known where one node does not say": {
			[]Peaks{profile("a", giving("80", "GFLOP/s", "70")), profile("b", giving("80", "GFLOP/s", ""))}, "GFLOP/s", answer{160, 0, ""}},
		"what a link reaches is not known where the first node does not say": {
			[]Peaks{profile("b", giving("25", "GB/s", "")), profile("a", giving("25", "GB/s", "23"))}, "GB/s", answer{25, 0, ""}},
		"nor of arithmetic where the first node does not say": {
			[]Peaks{profile("b", giving("80", "GFLOP/s", "")), profile("a", giving("80", "GFLOP/s", "70"))}, "GFLOP/s", answer{160, 0, ""}},
		"a peak that one node lacks is none": {[]Peaks{profile("a", giving("80", "GFLOP/s", "")), profile("b")}, "GFLOP/s",
			answer{Why: "HardwareProfile a of this node has no peak p for node"}},
		"a peak that the first node lacks is none": {[]Peaks{profile("b"), profile("a", giving("80", "GFLOP/s", ""))}, "GFLOP/s",
			answer{Why: "HardwareProfile b of this node has no peak p for node"}},
		"a node without a profile leaves no peak":  {[]Peaks{profile("a", giving("80", "GFLOP/s", "")), {}}, "GFLOP/s", answer{Why: "HardwareProfile a of this node has no peak p for node"}},
		"a first node without a profile, likewise": {[]Peaks{{}, profile("a", giving("80", "GFLOP/s", ""))}, "GFLOP/s", answer{Why: "no HardwareProfile of this node has peak p"}},
		"bits do not mix with bytes":               {[]Peaks{profile("a", giving("25", "GB/s", "")), profile("b", giving("200", "Gb/s", ""))}, "GB/s", answer{Why: "HardwareProfile a of this node has no peak p for node"}},
		"what is no number is no peak":             {[]Peaks{profile("a", giving("25", "GB/s", "")), profile("b", giving("fast", "GB/s", ""))}, "GB/s", answer{Why: "HardwareProfile a of this node has no peak p for node"}},
		"no nodes have no peak":                    {nil, "GB/s", answer{Why: "no HardwareProfile of this node has peak p"}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			m := v1alpha1.Metric{Name: "m", Peak: "p", Unit: c.unit}
			got, why := Group(c.nodes).Find(&m, "node")
			round := func(v float64) string { return fmt.Sprintf("%.9g", v) }
			if why != c.want.Why || round(got.Value) != round(c.want.Value) || round(got.Reached) != round(c.want.Reached) {
				t.Errorf("got %v of which %v is reached, %q; want %+v", got.Value, got.Reached, why, c.want)
			}
		})
	}
}

// TestGroupPeaksChangeNoNode: the peaks of a node serve its own benchmarks, too.
func TestGroupPeaksChangeNoNode(t *testing.T) {
	a := profile("a", v1alpha1.Peak{Name: "p", Value: "80", Unit: "GFLOP/s"})
	Group([]Peaks{a, a})
	if r, _ := a.Find(&v1alpha1.Metric{Peak: "p", Unit: "GFLOP/s"}, "node"); r.Value != 80 {
		t.Errorf("the node's own peak is %v now", r.Value)
	}
}
