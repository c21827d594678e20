package tournament

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// TestBoundsOfAGroupAreNotThoseOfItsSizes: a run's bounds are about all nodes together. Fewer need longer, and are not measured again for it.
func TestBoundsOfAGroupAreNotThoseOfItsSizes(t *testing.T) {
	for sentence, c := range map[string]struct {
		efficiency v1alpha1.Fraction
		seconds    float64 // of the whole
		verdict    v1alpha1.Verdict
		order      string
	}{
		"the whole is in time":                               {"", 10, v1alpha1.VerdictPass, "4#1 1#1 2#1"},
		"the whole is in time, and its curve is judged, too": {"0.8", 10, v1alpha1.VerdictPass, "4#1 1#1 2#1"},
		"the whole is late":                                  {"0.8", 13, v1alpha1.VerdictFail, "4#1 4#2 1#1 2#1"},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := sizesScope(4, 1, 2)
			*s.Run.Spec.Confirmations = 1
			runTime := v1alpha1.Metric{Name: "runTime", Unit: "s", Better: v1alpha1.Lower, Expectation: &v1alpha1.Expectation{Max: "12"}}
			s.Metrics[0].Expectation.MinEfficiency = c.efficiency
			s.Metrics = append(s.Metrics, runTime)
			order := s.measureSizesBy(func(g *played) {
				n := float64(len(g.Nodes))
				s.add(g, 0, parts{quantity.OfNodes(len(g.Nodes)): 10 * n})
				a := &g.Attempts[len(g.Attempts)-1]
				a.Measurements = append(a.Measurements, v1alpha1.Measurement{Name: "runTime", Unit: "s",
					Parts: []v1alpha1.PartValue{{At: quantity.OfNodes(len(g.Nodes)), Value: quantity.Decimal(4*c.seconds/n, 6)}}})
			})
			g := s.whole()
			if order != c.order || g.stored.Verdict != c.verdict {
				t.Errorf("measured %s, want %s; %s: %s, want %s", order, c.order, g.stored.Verdict, g.stored.Message, c.verdict)
			}
			for _, part := range s.sorted() {
				if part != g && part.stored.Verdict != v1alpha1.VerdictPass {
					t.Errorf("with %d nodes: %s: %s", len(part.Nodes), part.stored.Verdict, part.stored.Message)
				}
			}
		})
	}
}

// TestWrongDataAtASizeNobodyJudges: nodes that computed wrong data together have proved nothing, even where the curve is only recorded. The
// others have.
func TestWrongDataAtASizeNobodyJudges(t *testing.T) {
	s := sizesScope(4, 1, 2)
	s.Metrics[0].Expectation.MinEfficiency = ""
	s.measureSizes(func(n int) float64 {
		if n == 2 {
			return wrongData
		}
		return 10 * float64(n)
	})
	if len(s.out.Findings) != 1 || len(s.out.Findings[0].Members) != 2 {
		t.Errorf("findings %v, want one that names two nodes", s.out.Findings)
	}
	for i, n := range s.Nodes {
		d, want, says := s.of(n), v1alpha1.VerdictError, "with 2 nodes: "
		if i >= 2 {
			want, says = v1alpha1.VerdictPass, "bandwidth 40 GB/s"
		}
		if d.Verdict != want || !strings.Contains(d.Message, says) {
			t.Errorf("%s: %s: %s, want %s: %s", n.Name, d.Verdict, d.Message, want, says)
		}
	}
}

// TestANodeLeavesBetweenSizes: what is measured stays, the sizes that had the node are holes that say so, and nothing waits for it.
func TestANodeLeavesBetweenSizes(t *testing.T) {
	for sentence, c := range map[string]struct {
		efficiency v1alpha1.Fraction
		verdict    v1alpha1.Verdict
	}{"the curve is judged": {"0.8", v1alpha1.VerdictError}, "nobody judges the curve": {"", v1alpha1.VerdictPass}} {
		t.Run(sentence, func(t *testing.T) {
			s := sizesScope(8, 1, 2, 4)
			s.Metrics[0].Expectation.MinEfficiency = c.efficiency
			order := s.measureSizes(func(n int) float64 {
				if n == 1 { // while one node is measured, another one leaves
					s.Nodes[1].Gone = &verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonNodeNotReady, Message: "kubelet is gone"}
				}
				return 10 * float64(n)
			})
			g := s.whole()
			if order != "8#1 1#1" || g.stored.Verdict != c.verdict {
				t.Errorf("measured %s; %s: %s, want %s", order, g.stored.Verdict, g.stored.Message, c.verdict)
			}
			points := g.stored.Curves[0].Points
			for i, hole := range []bool{false, true, true, false} {
				if strings.Contains(points[i].Message, "kubelet is gone") != hole || (points[i].Value == "") != hole {
					t.Errorf("with %d nodes: value %q, message %q; want a hole: %v", points[i].Size, points[i].Value, points[i].Message, hole)
				}
			}
			if d := s.of(s.Nodes[0]); d.Verdict != c.verdict {
				t.Errorf("another node is %s: %s, want %s", d.Verdict, d.Message, c.verdict)
			}
		})
	}
}

// TestAnotherImageIsNoPointOfACurve: what an earlier image reached does not count any more.
func TestAnotherImageIsNoPointOfACurve(t *testing.T) {
	s := sizesScope(4, 2)
	s.measureSizes(func(n int) float64 { return 10 * float64(n) })
	f := newField(s.input())
	part := s.keep(f.firstOf(&s.whole().Group, 2))
	s.add(part, 0, parts{"2nodes": 60})
	attempts := part.Attempts
	attempts[0].Configuration, attempts[1].Configuration = "before", "now"
	if got := newField(s.input()).smaller(&s.whole().Group)["bandwidth"]; len(got) != 1 || got[0].Value != 60 {
		t.Errorf("%v with 2 nodes, want 60 alone", got)
	}
}

// TestASizeOfAnotherImage: what another image reaches is no yardstick for the group, and no point of its curve.
func TestASizeOfAnotherImage(t *testing.T) {
	for sentence, c := range map[string]struct {
		efficiency v1alpha1.Fraction
		verdict    v1alpha1.Verdict
	}{"the curve is judged": {"0.8", v1alpha1.VerdictError}, "nobody judges the curve": {"", v1alpha1.VerdictPass}} {
		t.Run(sentence, func(t *testing.T) {
			s := sizesScope(4, 1, 2)
			s.Metrics[0].Expectation.MinEfficiency = c.efficiency
			s.measureSizesBy(func(g *played) {
				n := len(g.Nodes)
				s.add(g, 0, parts{quantity.OfNodes(n): 10 * float64(n)})
				a := &g.Attempts[len(g.Attempts)-1]
				if a.Configuration = "before"; n == 1 {
					a.Configuration, a.Measurements[0].Parts[0].Value = "now", "100"
				}
			})
			g := s.whole()
			if g.stored.Verdict != c.verdict || s.of(s.Nodes[0]).Verdict != c.verdict {
				t.Errorf("%s: %s, want %s", g.stored.Verdict, g.stored.Message, c.verdict)
			}
			want := "1  measured with another image than the whole group, because its tag names another one now: name the image by digest, 2 20 1, 4 40 1"
			if diff := cmp.Diff(want, curveOf(g)); diff != "" {
				t.Errorf("another curve (-want +got):\n%s", diff)
			}
		})
	}
}

// TestASlowCurveIsNotHalved: what half of the nodes reach says nothing of the whole, wherever the sizes of a metric come from.
func TestASlowCurveIsNotHalved(t *testing.T) {
	for sentence, scaling := range map[string]v1alpha1.Scaling{"a rate that grows": v1alpha1.ScalingStrong, "one that does not": ""} {
		t.Run(sentence, func(t *testing.T) {
			s := sizesScope(4)
			s.Metrics[0].Scaling = scaling
			s.Metrics[0].Expectation.MinEfficiency = ""
			order := s.measureSizes(func(n int) float64 { return float64(n) })
			if halved := strings.Contains(order, "2#1"); halved != (scaling == "") {
				t.Errorf("measured %s", order)
			}
		})
	}
}

func TestSizeMetrics(t *testing.T) {
	rate := bandwidth(v1alpha1.Expectation{Min: "1000", MaxFleetDeviation: "0.05", MinFractionOfPeak: "0.9", MinEfficiency: "0.8"})
	rate.Scaling = v1alpha1.ScalingStrong
	recorded := v1alpha1.Metric{Name: "recorded", Scaling: v1alpha1.ScalingStrong}
	given := []v1alpha1.Metric{rate, recorded, latency(v1alpha1.Expectation{Max: "12", MaxRegression: "0.1", MaxFleetDeviation: "0.1"})}
	got := list.Map(sizeMetrics(given), func(m v1alpha1.Metric) *v1alpha1.Expectation { return m.Expectation })
	if diff := cmp.Diff([]*v1alpha1.Expectation{{MinEfficiency: "0.8", Min: "0"}, nil, nil}, got); diff != "" {
		t.Errorf("other expectations of a smaller size (-want +got):\n%s", diff)
	}
	if given[0].Expectation.Min != "1000" || given[2].Expectation == nil {
		t.Error("the expectations of the whole were changed")
	}
}

func TestMeanValues(t *testing.T) {
	m := bandwidth(v1alpha1.Expectation{})
	reached := func(value v1alpha1.Decimal) v1alpha1.Attempt {
		return v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass, Measurements: []v1alpha1.Measurement{{Name: m.Name, Unit: m.Unit,
			Parts: []v1alpha1.PartValue{{At: "1node", Value: value}}}}}
	}
	one, two, wrong, failed := reached("10"), reached("12"), reached("99"), reached("99")
	wrong.Checks = []v1alpha1.Check{{Name: "energy"}}
	failed.Verdict = v1alpha1.VerdictError
	got := meanValues([]v1alpha1.Attempt{one, two, wrong, failed}, &m)
	if diff := cmp.Diff([]attempt.PartValue{{At: "1node", Value: 11}}, got); diff != "" {
		t.Error(diff)
	}
	if got := meanValues([]v1alpha1.Attempt{wrong}, &m); got != nil {
		t.Errorf("wrong data counts: %v", got)
	}
}
