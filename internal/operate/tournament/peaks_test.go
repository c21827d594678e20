package tournament

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
)

// A HardwareProfile may give the peak of the whole node, by name or without.
func TestPairsAreJudgedByThePeakOfANode(t *testing.T) {
	for _, at := range []string{"", "node"} {
		m := bandwidth(v1alpha1.Expectation{MinFractionOfPeak: "0.8"})
		m.Peak = "nic"
		s := pairScope(8, 1, m)
		p := &v1alpha1.HardwareProfile{}
		p.Name = "h"
		p.Spec.Peaks = []v1alpha1.Peak{{Name: "nic", At: at, Value: "200", Unit: "GB/s"}}
		for _, n := range s.Nodes {
			n.Peaks = peak.Of(p)
		}
		healthy := noisy(1, 190, s.Nodes)
		s.play(t, func(a, b string) parts {
			values := healthy(a, b)
			if slow := s.Nodes[0].Name; a == slow || b == slow {
				values[""] *= 0.5
			}
			return values
		})
		d := s.of(s.Nodes[0])
		if d.Verdict != v1alpha1.VerdictFail {
			t.Errorf("peak at %q: half of the peak is %s: %s %+v", at, d.Verdict, d.Message, d.Findings)
		}
	}
}

// Twice the time of the peak is 50% of it, also where the median of the pairs is shown in place of the estimate.
func TestPercentOfThePeakOfATime(t *testing.T) {
	m := latency(v1alpha1.Expectation{MaxFleetDeviation: "0.2"})
	m.Peak = "hop"
	s := pairScope(8, 1, m)
	p := &v1alpha1.HardwareProfile{}
	p.Spec.Peaks = []v1alpha1.Peak{{Name: "hop", Value: "10", Unit: "us"}}
	for _, n := range s.Nodes {
		n.Peaks = peak.Of(p)
	}
	s.play(t, func(a, b string) parts { // the first node and its partners: most of its pairs are slow because of them
		if a > "n0002" || b > "n0004" {
			return parts{"": 40}
		}
		return parts{"": 20}
	})
	for _, n := range s.Nodes {
		h := s.of(n).Headline[0]
		want := map[v1alpha1.Decimal]v1alpha1.Decimal{"20": "50", "40": "25", "30": "33.3"}[h.Value]
		if h.PercentOfPeak != want {
			t.Errorf("%s: %s us are %s%% of a peak of 10 us", n.Name, h.Value, h.PercentOfPeak)
		}
	}
}
