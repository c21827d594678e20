package verdict

import (
	"fmt"
	"math"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
)

func TestProfilesOfANode(t *testing.T) {
	giving := func(name, at, value string) v1alpha1.Peak {
		return v1alpha1.Peak{Name: name, At: at, Value: v1alpha1.Decimal(value), Unit: "GB/s", Source: "s"}
	}
	profile := func(name string, labels map[string]string, peaks ...v1alpha1.Peak) v1alpha1.HardwareProfile {
		p := v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Selector: metav1.LabelSelector{MatchLabels: labels}, AllNodes: name == "every", Peaks: peaks}}
		p.Name = name
		return p
	}
	gpu, cpu, both := map[string]string{"gpu": "H200"}, map[string]string{"cpu": "EPYC"}, map[string]string{"gpu": "H200", "cpu": "EPYC"}
	broken := v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{giving("hbm", "gpu", "9")},
		Selector: metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "gpu", Operator: "Near"}}}}}
	broken.Name = "broken"

	tests := map[string]struct {
		labels   map[string]string
		profiles []v1alpha1.HardwareProfile
		hbm, ddr float64 // 0: no such peak
		err      string
	}{
		"none is for the node": {map[string]string{"gpu": "T4"}, []v1alpha1.HardwareProfile{profile("a", gpu, giving("hbm", "gpu", "4"))}, 0, 0, ""},
		"one for the GPUs and one for the processors hold together": {both, []v1alpha1.HardwareProfile{
			profile("z-gpu", gpu, giving("hbm", "gpu", "4")), profile("a-cpu", cpu, giving("ddr", "node", "2"))}, 4, 2, ""},
		"of a peak that two give, that with more requirements counts": {both, []v1alpha1.HardwareProfile{
			profile("a", gpu, giving("hbm", "gpu", "4"), giving("ddr", "node", "2")), profile("b", both, giving("hbm", "gpu", "5"))}, 5, 2, ""},
		"then the first by name": {both, []v1alpha1.HardwareProfile{
			profile("c", gpu, giving("hbm", "gpu", "4")), profile("b", cpu, giving("hbm", "gpu", "5"), giving("ddr", "node", "2"))}, 5, 2, ""},
		"a peak for every kind of part does not replace that of a kind": {both, []v1alpha1.HardwareProfile{
			profile("a", gpu, giving("hbm", "gpu", "4")), profile("b", both, giving("hbm", "", "5"))}, 4, 0, ""},
		"one for all nodes takes every node": {nil, []v1alpha1.HardwareProfile{profile("every", nil, giving("ddr", "node", "2"))}, 0, 2, ""},
		"no labels take no node":             {gpu, []v1alpha1.HardwareProfile{profile("none", nil, giving("ddr", "node", "2"))}, 0, 0, ""},
		"one that cannot be read is reported, the others hold": {gpu, []v1alpha1.HardwareProfile{broken, profile("a", gpu, giving("hbm", "gpu", "4"))}, 4, 0,
			`HardwareProfile broken is left out, because its selector cannot be read: "Near" is not a valid label selector operator`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			profiles, err := peak.ReadProfiles(tt.profiles)
			peaks := profiles.Peaks(tt.labels)
			hbm, _ := peaks.Find(&v1alpha1.Metric{Peak: "hbm", Unit: "GB/s"}, "gpu")
			ddr, _ := peaks.Find(&v1alpha1.Metric{Peak: "ddr", Unit: "GB/s"}, "node")
			if hbm.Value != tt.hbm || ddr.Value != tt.ddr {
				t.Errorf("peaks %v and %v, want %v and %v", hbm.Value, ddr.Value, tt.hbm, tt.ddr)
			}
			if text := fmt.Sprint(err); (tt.err == "") != (err == nil) || err != nil && text != tt.err {
				t.Errorf("error %q, want %q", text, tt.err)
			}
		})
	}
}

// TestNoPeakNamesTheProfiles: where a peak is missing or of no use, a person sees which profile to look at.
func TestNoPeakNamesTheProfiles(t *testing.T) {
	gpu := v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: "h200"}, Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{
		{Name: "hbm", At: "gpu", Value: "4", Unit: "TB/s", Source: "s"}}}}
	cpu := v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: "epyc"}, Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{
		{Name: "ddr", At: "node", Value: "2", Unit: "W", Source: "s"}}}}
	for name, tt := range map[string]struct {
		peaks      peak.Peaks
		peak, want string
	}{
		"one profile":  {peak.Of(&gpu), "link", "HardwareProfile h200 of this node has no peak link for node"},
		"two profiles": {peak.Of(&gpu, &cpu), "link", "HardwareProfiles h200, epyc of this node have no peak link for node"},
		"wrong unit":   {peak.Of(&gpu, &cpu), "ddr", "peak ddr of HardwareProfile epyc is in W, the metric in GB/s; correct one of them"},
	} {
		if _, why := tt.peaks.Find(&v1alpha1.Metric{Peak: tt.peak, Unit: "GB/s"}, "node"); why != tt.want {
			t.Errorf("%s: %q, want %q", name, why, tt.want)
		}
	}
}

func TestFindPeak(t *testing.T) {
	peaks := peak.Of(&v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: "h200"}, Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{
		{Name: "memory", At: "gpu", Value: "4.8", Unit: "TB/s", Reached: "4.37", Source: "gpu"},
		{Name: "memory", Value: "100", Unit: "GB/s", Source: "any"},
		{Name: "wire", Value: "400", Unit: "Gb/s", Source: "any"},
		{Name: "nothing", Value: "0", Unit: "GB/s", Source: "any"},
	}}})
	tests := map[string]struct {
		peak, unit, at string
		value, reached float64
		ok             bool
	}{
		"the part's own kind comes first, in the metric's unit": {"memory", "GB/s", "gpu7", 4800, 4370, true},
		"then what holds for every part":                        {"memory", "MB/s", "socket1", 100e3, 0, true},
		"bits are no bytes":                                     {"wire", "GB/s", "nic0", 0, 0, false},
		"a peak of 0 is none":                                   {"nothing", "GB/s", "gpu0", 0, 0, false},
		"an unknown peak":                                       {"compute", "GB/s", "gpu0", 0, 0, false},
		"a metric without a peak":                               {"", "GB/s", "gpu0", 0, 0, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, why := peaks.Find(&v1alpha1.Metric{Name: "m", Peak: tt.peak, Unit: tt.unit}, part.Kind(tt.at))
			if math.Abs(got.Value-tt.value) > 1e-6 || math.Abs(got.Reached-tt.reached) > 1e-6 || (why == "") != tt.ok {
				t.Errorf("got %+v, %q", got, why)
			}
		})
	}
	if _, why := (peak.Peaks{}).Find(&v1alpha1.Metric{Peak: "memory", Unit: "GB/s"}, "gpu"); why == "" {
		t.Error("the zero Peaks know a peak")
	}
}

func TestPartKind(t *testing.T) {
	for at, want := range map[string]string{
		"": "", "node": "node", "gpu0": "gpu", "gpu12": "gpu", "gpu0->gpu1": "gpu->gpu", "socket1": "socket",
		"numa0->numa1": "numa->numa", "host->gpu3": "host->gpu", "64KiB": "64KiB", "gpu0->gpu1/64KiB": "gpu->gpu/64KiB",
		"rank3": "rank", "nic0.link2": "nic.link", "core17": "core", "cpu3": "cpu", "mlx5_0": "mlx5_0", "mygpu0": "mygpu0",
		"gpu": "gpu", "GPU0": "GPU0", "n8192": "n8192", "gpu99999999999": "gpu99999999999", "größe1": "größe1",
	} {
		if got := part.Kind(at); got != want {
			t.Errorf("PartKind(%q) = %q, want %q", at, got, want)
		}
	}
}

func TestLinksToItselfAreNotLikeOthers(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	matrix := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit}
	for _, at := range []string{"numa0->numa0", "numa1->numa1", "numa2->numa2", "numa3->numa3"} {
		matrix.Parts = append(matrix.Parts, v1alpha1.PartValue{At: at, Value: "100"})
	}
	matrix.Parts = append(matrix.Parts, v1alpha1.PartValue{At: "numa0->numa1", Value: "40"})
	if j := judgeAlone(m, attemptOf(matrix), rule.Given{}); j.Verdict != v1alpha1.VerdictPass {
		t.Errorf("remote memory judged by local: %s", j.Message)
	}
}
