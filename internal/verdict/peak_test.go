package verdict

import (
	"math"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestSelectProfile(t *testing.T) {
	profile := func(name string, labels map[string]string) v1alpha1.HardwareProfile {
		p := v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{NodeSelector: metav1.LabelSelector{MatchLabels: labels}}}
		p.Name = name
		return p
	}
	gpu, count := map[string]string{"gpu": "H200"}, map[string]string{"gpu": "H200", "count": "4"}
	broken := v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{NodeSelector: metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "gpu", Operator: "Near"}}}}}
	broken.Name = "broken"

	tests := map[string]struct {
		labels   map[string]string
		profiles []v1alpha1.HardwareProfile
		want     string
		err      string
	}{
		"none matches":                       {map[string]string{"gpu": "T4"}, []v1alpha1.HardwareProfile{profile("a", gpu)}, "", ""},
		"most requirements win":              {count, []v1alpha1.HardwareProfile{profile("a", gpu), profile("b", count)}, "b", ""},
		"then the first by name":             {count, []v1alpha1.HardwareProfile{profile("c", gpu), profile("b", gpu)}, "b", ""},
		"an empty selector takes every node": {nil, []v1alpha1.HardwareProfile{profile("any", nil)}, "any", ""},
		"one that cannot be read is reported, the others hold": {gpu, []v1alpha1.HardwareProfile{broken, profile("a", gpu)}, "a",
			`reading nodeSelector of HardwareProfile "broken"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := SelectProfile(tt.labels, tt.profiles)
			name := ""
			if got != nil {
				name = got.Name
			}
			if name != tt.want {
				t.Errorf("got %q, want %q", name, tt.want)
			}
			if (tt.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}

func TestLookup(t *testing.T) {
	peaks := NewPeaks(&v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: "h200"}, Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{
		{Name: "memory", At: "gpu", Value: "4.8", Unit: "TB/s", Reached: "4.37", Source: "gpu"},
		{Name: "memory", Value: "100", Unit: "GB/s", Source: "any"},
		{Name: "wire", Value: "400", Unit: "Gb/s", Source: "any"},
		{Name: "nothing", Value: "0", Unit: "GB/s", Source: "any"},
	}}})
	tests := map[string]struct {
		peak, unit, at string
		value, reached float64
		source         string
		ok             bool
	}{
		"the part's own kind comes first, in the metric's unit": {"memory", "GB/s", "gpu7", 4800, 4370, "gpu", true},
		"then what holds for every part":                        {"memory", "MB/s", "socket1", 100e3, 0, "any", true},
		"bits are no bytes":                                     {"wire", "GB/s", "nic0", 0, 0, "", false},
		"a peak of 0 is none":                                   {"nothing", "GB/s", "gpu0", 0, 0, "", false},
		"an unknown peak":                                       {"compute", "GB/s", "gpu0", 0, 0, "", false},
		"a metric without a peak":                               {"", "GB/s", "gpu0", 0, 0, "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			value, reached, source, ok := peaks.Lookup(v1alpha1.Metric{Name: "m", Peak: tt.peak, Unit: tt.unit}, tt.at)
			if math.Abs(value-tt.value) > 1e-6 || math.Abs(reached-tt.reached) > 1e-6 || source != tt.source || ok != tt.ok {
				t.Errorf("got %v, %v, %q, %v", value, reached, source, ok)
			}
		})
	}
	if _, _, _, ok := (Peaks{}).Lookup(v1alpha1.Metric{Peak: "memory", Unit: "GB/s"}, "gpu0"); ok {
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
		if got := PartKind(at); got != want {
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
	if j := judgeAlone(m, attemptOf(matrix), NodeFacts{}); j.Verdict != v1alpha1.VerdictPass {
		t.Errorf("remote memory judged by local: %s", j.Message)
	}
}
