package pack

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func packable() *v1alpha1.ValidationResult {
	attempt := func(values ...v1alpha1.Decimal) v1alpha1.Attempt {
		a := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, Pod: "p", Notes: []string{"note"}, Devices: []v1alpha1.Device{{Index: 1, UUID: "GPU-1"}},
			Checks: []v1alpha1.Check{{Name: "data", OK: true}},
			Facts:  []v1alpha1.Fact{{Name: "vbios", At: "gpu0", Value: "96"}, {Name: "vbios", At: "gpu1", Value: "96"}, {Name: "driver", Value: "570"}}}
		for i, v := range values {
			a.Measurements = append(a.Measurements, v1alpha1.Measurement{Name: "rate", Unit: "GB/s", Better: v1alpha1.Higher,
				Parts: []v1alpha1.PartValue{{At: "gpu0", Value: v, Samples: int32(i) - 1, Spread: "0.01"}, {At: "gpu1"}}})
		}
		a.Telemetry = []v1alpha1.Measurement{{Name: "power", Unit: "W", Parts: []v1alpha1.PartValue{{At: "gpu0", Value: "700"}}}, {Name: "none"}}
		return a
	}
	v := &v1alpha1.ValidationResult{Verdict: v1alpha1.VerdictPass}
	v.Name = "run.node"
	v.Benchmarks = []v1alpha1.BenchmarkResult{
		{Name: "first", Verdict: v1alpha1.VerdictPass, Attempts: []v1alpha1.Attempt{attempt("1", "22.5"), attempt("3"), {Number: 3, Verdict: v1alpha1.VerdictError}}},
		{Name: "second"},
	}
	return v
}

// TestPackedResultsAreAsTheyWere: packing loses nothing, and what is shared among results mixes nothing up.
func TestPackedResultsAreAsTheyWere(t *testing.T) {
	p := New()
	for sentence, change := range map[string]func(*v1alpha1.ValidationResult){
		"as it is": func(*v1alpha1.ValidationResult) {},
		"other numbers": func(v *v1alpha1.ValidationResult) {
			v.Benchmarks[0].Attempts[0].Measurements[0].Parts[0].Value = "-1e300"
		},
		"another part": func(v *v1alpha1.ValidationResult) { v.Benchmarks[0].Attempts[0].Measurements[0].Parts[0].At = "gpu7" },
		"a failed check": func(v *v1alpha1.ValidationResult) {
			v.Benchmarks[0].Attempts[1].Checks[0] = v1alpha1.Check{Name: "data", Message: "bit 3"}
		},
		"checks that say something": func(v *v1alpha1.ValidationResult) {
			v.Benchmarks[0].Attempts[1].Checks = []v1alpha1.Check{{Name: "data", OK: true}, {Name: "residual", OK: true, Message: "scaled residual 0.002: PASSED"}, {Name: "", Message: "\x00"}}
		},
		"each part sampled otherwise": func(v *v1alpha1.ValidationResult) {
			parts := v.Benchmarks[0].Attempts[0].Measurements[0].Parts
			parts[0].Samples, parts[0].Spread, parts[1].Samples, parts[1].Spread = math.MinInt32, "", math.MaxInt32, "?"
		},
		"no number": func(v *v1alpha1.ValidationResult) {
			v.Benchmarks[0].Attempts[0].Measurements[0].Parts[0].Value = "\x01"
		},
		"no part":        func(v *v1alpha1.ValidationResult) { v.Benchmarks[0].Attempts[0].Measurements[1].Parts = nil },
		"another driver": func(v *v1alpha1.ValidationResult) { v.Benchmarks[0].Attempts[0].Facts[2].Value = "580" },
		"facts that all differ": func(v *v1alpha1.ValidationResult) {
			for i := range v.Benchmarks[0].Attempts[1].Facts {
				v.Benchmarks[0].Attempts[1].Facts[i].Value = fmt.Sprint(i)
			}
		},
		"fewer facts": func(v *v1alpha1.ValidationResult) {
			v.Benchmarks[0].Attempts[0].Facts = v.Benchmarks[0].Attempts[0].Facts[:1]
		},
		"no facts":      func(v *v1alpha1.ValidationResult) { v.Benchmarks[0].Attempts[0].Facts = nil },
		"other devices": func(v *v1alpha1.ValidationResult) { v.Benchmarks[0].Attempts[1].Devices[0].UUID = "GPU-2" },
		"of a group":    func(v *v1alpha1.ValidationResult) { v.Group = &v1alpha1.GroupReference{} },
		"empty":         func(v *v1alpha1.ValidationResult) { v.Benchmarks = nil },
	} {
		for range 2 {
			v := packable()
			change(v)
			packed := p.Pack(v.DeepCopy())
			if diff := cmp.Diff(v, packed.Whole()); diff != "" {
				t.Errorf("%s (-before +after):\n%s", sentence, diff)
			}
			if diff := cmp.Diff(v, packed.Whole()); diff != "" {
				t.Errorf("%s, unpacked again (-before +after):\n%s", sentence, diff)
			}
		}
	}
}

// TestLikeFindingsAreKeptOnce: of thousands of nodes without a past, each is told that by every rule.
func TestLikeFindingsAreKeptOnce(t *testing.T) {
	p := New()
	findings := func(message string) *v1alpha1.Finding {
		v := packable()
		v.Benchmarks[0].Findings = []v1alpha1.Finding{{Metric: "rate", Rule: "Regression", Verdict: v1alpha1.VerdictSkipped, Message: message}}
		return &p.Pack(v).Head.Benchmarks[0].Findings[0]
	}
	one := findings("0 passes of 3")
	if findings("0 passes of 3") != one {
		t.Error("the same findings are kept twice")
	}
	for i := range maxShared {
		if text := fmt.Sprint(i, " passes of 3"); findings(text).Message != text {
			t.Errorf("a finding that says %q is taken for another", text)
		}
	}
}

// TestFailuresAreNotKept: what made a node fail is its own, and must not stay in memory once its run is over.
func TestFailuresAreNotKept(t *testing.T) {
	p := New()
	failed := packable()
	failed.Benchmarks[0].Findings = []v1alpha1.Finding{{Metric: "rate", Rule: "Regression", Verdict: v1alpha1.VerdictSkipped, Message: "0 passes of 3"},
		{Metric: "rate", At: "gpu3", Rule: "Min", Verdict: v1alpha1.VerdictFail, Message: "812.4 GB/s: bound 900 GB/s"}}
	if diff := cmp.Diff(failed.Benchmarks[0].Findings, p.Pack(failed).Head.Benchmarks[0].Findings); diff != "" {
		t.Errorf("packed findings (-before +after):\n%s", diff)
	}
	if len(p.findings) > 0 {
		t.Errorf("%d lists of findings are kept", len(p.findings))
	}
}

// TestWhatChecksSayCostsNoShape: HPL reports another residual on every node, and a thousand of them would leave no shape for others.
func TestWhatChecksSayCostsNoShape(t *testing.T) {
	p := New()
	var all []*Result
	for i := range 3 {
		v := packable()
		v.Benchmarks[0].Attempts[0].Checks[0].Message = fmt.Sprintf("scaled residual 0.00%d: PASSED", min(i, 1))
		all = append(all, p.Pack(v))
	}
	if all[0].bodies[0][0].shape != all[1].bodies[0][0].shape {
		t.Error("two nodes whose residuals differ share no shape")
	}
	if first, same := Alike(all[0], all[1], "first"); first != 0 || same {
		t.Errorf("%d attempts are alike, and all of them: %v, although a check says something else", first, same)
	}
	if first, same := Alike(all[1], all[2], "first"); first != 3 || !same {
		t.Errorf("%d attempts are alike, and all of them: %v, want all 3", first, same)
	}
}

// TestHeadOfAPackedResult: without unpacking, everything can be seen but what was measured.
func TestHeadOfAPackedResult(t *testing.T) {
	v := packable()
	head := New().Pack(v).Head
	a := head.Benchmarks[0].Attempts[0]
	if head.Verdict != v.Verdict || len(head.Benchmarks[0].Attempts) != 3 || a.Pod != "p" || len(a.Devices) != 1 {
		t.Errorf("the head lacks something: %+v", head)
	}
	if len(a.Measurements)+len(a.Telemetry)+len(a.Checks)+len(a.Facts) > 0 || len(v.Benchmarks[0].Attempts[0].Measurements) == 0 {
		t.Error("the head has what was measured, or the result has lost it")
	}
}

func FuzzPacked(f *testing.F) {
	for _, text := range []string{"51.069", "-0.5", "1e3", "", ".", end, same} {
		f.Add("4268.42", text)
	}
	f.Fuzz(func(t *testing.T, before, text string) {
		p := New()
		for _, value := range []string{before, text, before} {
			v := packable()
			v.Benchmarks[0].Attempts[0].Facts[0].Value = value
			if diff := cmp.Diff(v, p.Pack(v.DeepCopy()).Whole()); diff != "" {
				t.Errorf("%q after %q (-before +after):\n%s", text, before, diff)
			}
		}
	})
}

// TestFactsOfALargeFleetAreSmall: what nodes have in common is kept once.
func TestFactsOfALargeFleetAreSmall(t *testing.T) {
	p := New()
	pack := func(node int) body {
		a := packable().Benchmarks[0].Attempts[0]
		a.Facts = nil
		for gpu := range 8 {
			at := fmt.Sprintf("gpu%d", gpu)
			a.Facts = append(a.Facts, v1alpha1.Fact{Name: "serial", At: at, Value: fmt.Sprintf("16521%03d%05d", gpu, node)})
			for i := range 40 {
				a.Facts = append(a.Facts, v1alpha1.Fact{Name: fmt.Sprintf("setting%02d", i), At: at, Value: "enabled, as on every node of this kind"})
			}
		}
		return p.Pack(&v1alpha1.ValidationResult{Benchmarks: []v1alpha1.BenchmarkResult{{Name: "inventory", Attempts: []v1alpha1.Attempt{a}}}}).bodies[0][0]
	}
	first, second := pack(1), pack(2)
	if first.shape != second.shape {
		t.Error("two nodes of one kind share no shape")
	}
	if len(second.texts) > 200 { // 8 serial numbers
		t.Errorf("the facts of a second node take %d bytes, expected at most 200", len(second.texts))
	}
	if third := pack(1); third != first {
		t.Error("attempts with the same facts differ")
	}
}
