package verdict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

// The figures of a finding come from the attempt that passed, at the part that had failed.
func TestAReRunShowsThePartThatFailed(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "100"}))
	f := fleetOf(bench, []v1alpha1.Metric{m}, nil, true)
	d := f.Decide([]v1alpha1.Attempt{*onGPUs(m, 200, 90, 300), *onGPUs(m, 110, 120, 130)}, rule.Given{}, 1)
	want := "suspect in only 1 of 2 measurements, so it is cleared: gpu1 hbmTriad 90 GB/s: bound 100 GB/s; measured last: gpu1 hbmTriad 120 GB/s"
	if diff := cmp.Diff(want, d.Message); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}

// Of a node that was slow as a whole it is told what it measured last, too.
func TestAReRunShowsTheNodeThatFailed(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	slow, fine := onGPUs(m, 3600, 3600, 3600, 3600), onGPUs(m, 4000, 4000, 4000, 4000)
	all := []*v1alpha1.Attempt{slow}
	for range 4 {
		all = append(all, onGPUs(m, 4000, 4000, 4000, 4000))
	}
	d := fleetOf(bench, []v1alpha1.Metric{m}, all, true).Decide([]v1alpha1.Attempt{*slow, *fine}, rule.Given{Node: nodeOf(slow)}, 1)
	want := "suspect in only 1 of 2 measurements, so it is cleared: "
	if !strings.HasPrefix(d.Message, want) || !strings.Contains(d.Message, "; measured last: gpu0 hbmTriad 4 TB/s") {
		t.Errorf("message %q", d.Message)
	}
}

// Parts of one metric are each compared with the peak of their own kind, in whatever order they come.
func TestEachKindOfPartHasItsOwnPeak(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MinFractionOfPeak: "0.5"}))
	peaks := peak.Of(&v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{
		{Name: "hbmBandwidth", At: "gpu", Value: "100", Unit: "GB/s"}, {Name: "hbmBandwidth", At: "node", Value: "800", Unit: "GB/s"}}}})
	a := attemptOf(v1alpha1.Measurement{Name: m.Name, Unit: "GB/s", Parts: []v1alpha1.PartValue{
		{At: "gpu0", Value: "60"}, {At: "node", Value: "300"}, {At: "gpu1", Value: "40"}}})
	var got []string
	for _, f := range judgeAlone(m, a, rule.Given{Peaks: peaks}).Findings {
		got = append(got, f.Message)
	}
	want := []string{"node hbmTriad 300 GB/s: 37.5% of peak 800 GB/s, bound 400 GB/s (50%)", "gpu1 hbmTriad 40 GB/s: 40% of peak 100 GB/s, bound 50 GB/s (50%)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// A share just below its bound has as many digits as it takes to tell them apart.
func TestAShareDiffersFromItsBound(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MinFractionOfPeak: "0.5"}))
	peaks := peak.Of(&v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{{Name: "hbmBandwidth", At: "gpu", Value: "100", Unit: "GB/s"}}}})
	want := "gpu0 hbmTriad 49.98 GB/s: 49.98% of peak 100 GB/s, bound 50 GB/s (50%)"
	if got := judgeAlone(m, onGPUs(m, 49.98), rule.Given{Peaks: peaks}).Findings[0].Message; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A rule that several parts broke is one broken term; those that come after it are not forgotten.
func TestBrokenTermsAreEachThereOnce(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "100", Max: "300"}))
	j := judgeAlone(m, onGPUs(m, 60, 50, 330), rule.Given{})
	var got []string
	for _, term := range j.Terms.Broken {
		got = append(got, term.Rule+" "+term.At+" "+string(term.Value)+" of "+string(term.Bound))
	}
	want := []string{"Min gpu1 50 of 100", "Max gpu2 330 of 300"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("broken terms, worst first (-want +got):\n%s", diff)
	}
	got = nil
	for _, term := range term.BrokenBy(j.Findings) {
		got = append(got, term.Rule+" "+term.At)
	}
	if diff := cmp.Diff([]string{"Min gpu1", "Max gpu2"}, got); diff != "" {
		t.Errorf("terms by findings (-want +got):\n%s", diff)
	}
}
