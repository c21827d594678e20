package tournament

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestPairsShowWhatWasMeasured: the value of a node is the median of its pairs, however much its pairs differ; what the model makes of
// it is no measurement.
func TestPairsShowWhatWasMeasured(t *testing.T) {
	s := pairScope(4, 1, latency(v1alpha1.Expectation{MaxFleetDeviation: "0.2"}))
	us := map[string]float64{"n0000n0001": 12, "n0000n0002": 90, "n0000n0003": 3965, "n0001n0002": 95, "n0001n0003": 140, "n0002n0003": 20}
	s.play(t, func(a, b string) parts { return parts{"": us[a+b]} })
	for i, want := range []struct {
		value   v1alpha1.Decimal
		message string
	}{
		{"90", "latency 90 us (median of 3 pairs, 12 to 3965 us)"},
		{"95", "latency 95 us (median of 3 pairs, 12 to 140 us)"},
		{"90", "latency 90 us (median of 3 pairs, 20 to 95 us)"},
		{"140", "latency 140 us (median of 3 pairs, 20 to 3965 us)"},
	} {
		d := s.of(s.Nodes[i])
		if h := d.Headline[0]; h.Value != want.value || h.At != "node" {
			t.Errorf("node %d shows %s at %s, want %s", i, h.Value, h.At, want.value)
		}
		if !strings.Contains(d.Message, want.message) {
			t.Errorf("node %d says %q, want %q in it", i, d.Message, want.message)
		}
		if a := s.out.Shown[s.Nodes[i].Name].Attempts[0].Measurements[0].Parts[0]; a.Value != want.value {
			t.Errorf("the result of node %d keeps %s, want %s", i, a.Value, want.value)
		}
	}
}

// TestPairsComparePastMediansWithMedians: what a node's history keeps is what was measured, and so is what is compared with it.
func TestPairsComparePastMediansWithMedians(t *testing.T) {
	for sentence, c := range map[string]struct {
		past   v1alpha1.Decimal
		others float64
		want   v1alpha1.Verdict
	}{
		"as fast as before":                                  {"10", 10, v1alpha1.VerdictPass},
		"half as fast as it was, and others are faster":      {"20", 20, v1alpha1.VerdictFail},
		"half as fast as it was, as each of its partners is": {"20", 10, v1alpha1.VerdictError},
		"twice as fast as it was":                            {"5", 10, v1alpha1.VerdictPass},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxRegression: "0.2"}))
			n := s.Nodes[3]
			n.remember(c.past)
			others := noisy(1, c.others, s.Nodes)
			s.play(t, func(a, b string) parts {
				values := others(a, b)
				if a == n.Name || b == n.Name {
					values[""] *= 10 / c.others
				}
				return values
			})
			if d := s.of(n); d.Verdict != c.want {
				t.Errorf("the node is %s: %s", d.Verdict, d.Message)
			}
		})
	}
}
