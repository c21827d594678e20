package tournament

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// sizesScope has one set of nodes, which a Benchmark measures over so many of them too.
func sizesScope(nodes int, sizes ...int32) *scope {
	rate := bandwidth(v1alpha1.Expectation{Min: "15", MinEfficiency: "0.8"})
	rate.Scaling = v1alpha1.ScalingStrong
	s := setScope(nodes, int32(nodes), rate)
	s.Benchmark.Spec.Group.Sizes = sizes
	return s
}

// wrongData in place of a value.
const wrongData = -2

// measureSizes measures what is due until nothing is, and says what was measured: nodes and attempt. A value below 0 is an error.
func (s *scope) measureSizes(value func(nodes int) float64) string {
	return s.measureSizesBy(func(g *played) {
		n := len(g.Nodes)
		switch v := value(n); {
		case v == wrongData:
			s.addAttempt(g, v1alpha1.Attempt{Verdict: v1alpha1.VerdictFail, Reason: v1alpha1.ReasonWrongData,
				Message: "wrong data", Checks: []v1alpha1.Check{{Name: "data", Message: "wrong data"}}})
		case v >= 0:
			s.add(g, 0, parts{quantity.OfNodes(n): v})
		default:
			s.addAttempt(g, v1alpha1.Attempt{Verdict: v1alpha1.VerdictError,
				Reason: v1alpha1.ReasonTimedOut, Message: "killed after 10m"})
		}
	})
}

// measureSizesBy adds what measure leaves of each group that is due.
func (s *scope) measureSizesBy(measure func(*played)) string {
	var order []string
	for range 20 {
		s.pass()
		due := 0
		for _, g := range s.sorted() {
			if !g.due {
				continue
			}
			due++
			measure(g)
			order = append(order, fmt.Sprintf("%d#%d", len(g.Nodes), len(g.Attempts)))
		}
		if due == 0 {
			break
		}
		if due > 1 {
			order = append(order, "together!")
		}
	}
	return strings.Join(order, " ")
}

func (s *scope) whole() *played {
	var whole *played
	for _, g := range s.sorted() {
		if whole == nil || len(g.Nodes) > len(whole.Nodes) {
			whole = g
		}
	}
	return whole
}

func curveOf(g *played) string {
	var out []string
	for _, c := range g.stored.Curves {
		if len(c.Points) < 2 {
			continue // that is no curve
		}
		for _, p := range c.Points {
			out = append(out, fmt.Sprintf("%d %s %s%s", p.Size, p.Value, p.Efficiency, p.Message))
		}
	}
	return strings.Join(out, ", ")
}

func TestSizesOfAGroup(t *testing.T) {
	tests := map[string]struct {
		value    func(nodes int) float64
		order    string
		curve    string
		verdict  v1alpha1.Verdict
		message  string
		findings int
	}{
		"all sizes are measured, one after the other, the whole first": {
			value: func(n int) float64 { return 10 * float64(n) }, order: "8#1 1#1 2#1 4#1",
			curve: "1 10 1, 2 20 1, 4 40 1, 8 80 1", verdict: v1alpha1.VerdictPass, message: "bandwidth 80",
		},
		"a curve that bends is confirmed, and a finding of the group": {
			value: func(n int) float64 { return min(10*float64(n), 40) }, order: "8#1 1#1 8#2 2#1 4#1",
			curve: "1 10 1, 2 20 1, 4 40 1, 8 40 0.5", verdict: v1alpha1.VerdictFail,
			message: "8nodes bandwidth 40 GB/s: parallel efficiency 50%", findings: 1,
		},
		"a smaller size that bends fails the curve": {
			value: func(n int) float64 {
				if n == 4 {
					return 20
				}
				return 10 * float64(n)
			}, order: "8#1 1#1 2#1 4#1 4#2",
			curve: "1 10 1, 2 20 1, 4 20 0.5, 8 80 1", verdict: v1alpha1.VerdictFail,
			message: "with 4 nodes: 4nodes bandwidth 20 GB/s: parallel efficiency 50%", findings: 1,
		},
		"a size that cannot be measured leaves a hole": {
			value: func(n int) float64 {
				if n == 2 {
					return -1
				}
				return 10 * float64(n)
			}, order: "8#1 1#1 2#1 4#1",
			curve: "1 10 1, 2  killed after 10m, 4 40 1, 8 80 1", verdict: v1alpha1.VerdictError, message: "with 2 nodes: killed after 10m",
		},
		"without the smallest size the next one is what is grown from": {
			value: func(n int) float64 {
				if n == 1 {
					return -1
				}
				return 10 * float64(n)
			}, order: "8#1 1#1 2#1 4#1",
			curve: "1  killed after 10m, 2 20 1, 4 40 1, 8 80 1", verdict: v1alpha1.VerdictError, message: "with 1 node: killed after 10m",
		},
		"wrong data at a size names its nodes, and proves nothing of the others": {
			value: func(n int) float64 {
				if n == 2 {
					return wrongData
				}
				return 10 * float64(n)
			}, order: "8#1 1#1 2#1 2#2 4#1",
			curve: "1 10 1, 2  wrong data: check data failed: wrong data; data was wrong in 2 of 2 attempts, 4 40 1, 8 80 1", verdict: v1alpha1.VerdictError, message: "with 2 nodes: ", findings: 1,
		},
		"a group that cannot be measured has no curve": {
			value: func(int) float64 { return -1 }, order: "8#1", verdict: v1alpha1.VerdictError, message: "killed after 10m",
		},
		"what is too slow as a whole has one, and is not halved": {
			value: func(int) float64 { return 1 }, order: "8#1 8#2 1#1 2#1 2#2 4#1 4#2",
			curve: "1 1 1, 2 1 0.5, 4 1 0.25, 8 1 0.125", verdict: v1alpha1.VerdictFail, message: "bandwidth 1 GB/s", findings: 1,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := sizesScope(8, 4, 1, 2, 16)
			*s.Run.Spec.Confirmations = 1
			if diff := cmp.Diff(tt.order, s.measureSizes(tt.value)); diff != "" {
				t.Errorf("measured otherwise (-want +got):\n%s", diff)
			}
			g := s.whole()
			if g.stored.Verdict != tt.verdict || !strings.Contains(g.stored.Message, tt.message) {
				t.Errorf("%s: %s, want %s: %s", g.stored.Verdict, g.stored.Message, tt.verdict, tt.message)
			}
			if diff := cmp.Diff(tt.curve, curveOf(g)); diff != "" {
				t.Errorf("another curve (-want +got):\n%s", diff)
			}
			if len(s.out.Findings) != tt.findings {
				t.Errorf("findings %v, want %d", s.out.Findings, tt.findings)
			}
			for _, n := range s.Nodes {
				if d := s.of(n); d.Verdict == v1alpha1.VerdictFail || d.Curves != nil {
					t.Errorf("%s: %s with curves %v: a group convicts none of its nodes, and keeps its curve itself", n.Name, d.Verdict, d.Curves)
				}
			}
			if n := s.pass(); n != 0 {
				t.Errorf("%d results written again, though nothing was measured", n)
			}
		})
	}
}

// TestSizesOfAnOverdueRun: what is not measured when the run is over stays so.
func TestSizesOfAnOverdueRun(t *testing.T) {
	s := sizesScope(4, 1, 2)
	s.Run.Spec.ActiveDeadlineSeconds = new(int64(3600))
	s.pass()
	s.add(s.whole(), 0, parts{"4nodes": 40})
	s.pass()
	s.Overdue = true
	s.pass()
	g := s.whole()
	if g.stored.Verdict != v1alpha1.VerdictMissing || !strings.Contains(g.stored.Message, "with 1 node: ") {
		t.Errorf("%s: %s", g.stored.Verdict, g.stored.Message)
	}
}

// TestWhatAGroupWaitsFor is told of its nodes while smaller sizes are measured.
func TestWhatAGroupWaitsFor(t *testing.T) {
	s := sizesScope(4, 1)
	s.due()
	s.add(s.whole(), 0, parts{quantity.OfNodes(4): 40})
	s.pass()
	want := "with n0001, n0002, n0003: measuring 1 of 4 nodes, for the scaling curve: all 4 reached: 4nodes bandwidth 40 GB/s"
	if d := s.of(s.Nodes[0]); d.Verdict != v1alpha1.VerdictPending || d.Message != want {
		t.Errorf("%s: %q", d.Verdict, d.Message)
	}
}

func TestPartsAreNamedBySize(t *testing.T) {
	s := sizesScope(4, 1, 2)
	made := func(metric string, at ...string) v1alpha1.Measurement {
		m := v1alpha1.Measurement{Name: metric}
		for _, a := range at {
			m.Parts = append(m.Parts, v1alpha1.PartValue{At: a, Value: "1"})
		}
		return m
	}
	a := v1alpha1.Attempt{Measurements: []v1alpha1.Measurement{made("bandwidth", "rank0"), made("runTime", "all"), made("temperature", "node"),
		made("timePerStep", "2ranks"), made("ofEach", "rank0"), made("ofSome", "node", "socket0")}}
	NameSize(s.Benchmark, s.Metrics, &a, 4)
	want := []v1alpha1.Measurement{made("bandwidth", "4nodes"), made("runTime", "4nodes"), made("temperature", "4nodes"),
		made("timePerStep", "4nodes"), made("ofEach", "rank0"), made("ofSome", "node", "socket0")}
	if diff := cmp.Diff(want, a.Measurements); diff != "" {
		t.Error(diff)
	}
	several := v1alpha1.Attempt{Measurements: []v1alpha1.Measurement{made("bandwidth", "rank0", "rank1")}}
	if NameSize(s.Benchmark, s.Metrics, &several, 4); several.Measurements[0].Parts[0].At != "rank0" {
		t.Error("several parts got one name")
	}
	s.Benchmark.Spec.Group.Sizes = nil
	plain := v1alpha1.Attempt{Measurements: []v1alpha1.Measurement{made("bandwidth", "node")}}
	if NameSize(s.Benchmark, s.Metrics, &plain, 4); plain.Measurements[0].Parts[0].At != "node" {
		t.Error("a benchmark without sizes has its parts renamed")
	}
}

func TestTextsOfSizesFitTheAPI(t *testing.T) {
	s := sizesScope(8, 1, 4)
	s.longest()
	s.measureSizes(func(int) float64 { return 5 })
	s.checkTexts(t)
}
