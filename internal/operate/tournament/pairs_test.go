// Long, because tournaments share one simulated fleet and are read side by side.

package tournament

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/verdict"
)

// noisy is a fleet of unlike nodes at a level: a pair is as fast as the slower one, with 2% noise.
func noisy(seed uint64, level float64, nodes []*Node) func(a, b string) parts {
	r := rand.New(rand.NewPCG(seed, 7))
	own := map[string]float64{}
	for _, n := range nodes {
		own[n.Name] = level * math.Exp(0.005*r.NormFloat64())
	}
	return func(a, b string) parts {
		return parts{"": min(own[a], own[b]) * math.Exp(0.02*r.NormFloat64())}
	}
}

// TestPairsNearABoundConvictNobody: what a node reaches is an estimate, and missing a bound by chance is no proof.
func TestPairsNearABoundConvictNobody(t *testing.T) {
	for sentence, e := range map[string]v1alpha1.Expectation{
		"beside the comparison with the fleet": {Min: "9.9", MaxFleetDeviation: "0.05"},
		"by itself":                            {Min: "9.9"},
	} {
		t.Run(sentence, func(t *testing.T) {
			suspects := 0
			for seed := range uint64(200) {
				s := pairScope(16, 1, bandwidth(e))
				s.play(t, noisy(seed, 10, s.Nodes))
				for _, n := range s.Nodes {
					switch d := s.of(n); {
					case d.Verdict == v1alpha1.VerdictFail:
						t.Fatalf("fleet %d: healthy node %s failed: %s", seed, n.Name, d.Message)
					case d.Reason == v1alpha1.ReasonSuspect:
						suspects++
						checkUnproved(t, d)
					}
				}
			}
			if suspects == 0 {
				t.Error("no node of any fleet came below the bound: this shows nothing")
			}
		})
	}
}

// checkUnproved: nothing about the node says Fail, and the message says all there is to know.
func checkUnproved(t *testing.T, d verdict.Decision) {
	t.Helper()
	for _, words := range []string{" GB/s", "bound 9.9 GB/s", "within noise", "pairs with good partners missed the bound", "more rounds"} {
		if d.Verdict != v1alpha1.VerdictError || !strings.Contains(d.Message, words) {
			t.Fatalf("%s by %q, want Error by a message with %q", d.Verdict, d.Message, words)
		}
	}
	for _, f := range d.Findings {
		if f.Verdict == v1alpha1.VerdictFail {
			t.Errorf("the finding says Fail: %s", f.Message)
		}
	}
	if h := d.Headline[0]; h.Verdict != v1alpha1.VerdictError {
		t.Errorf("the headline says %s", h.Verdict)
	}
}

// TestPairsFarFromABound: a bound shows a fault that all nodes share, but not whose it is: each may be fine and all its partners slow.
func TestPairsFarFromABound(t *testing.T) {
	all, one := map[string]int{"Error/Suspect": 16}, map[string]int{"Fail/BelowExpectation": 1, "Pass/Passed": 15}
	for sentence, c := range map[string]struct {
		metric        v1alpha1.Metric
		confirmations int32
		level, slow   float64
		want          map[string]int
	}{
		"all nodes slow":                              {bandwidth(v1alpha1.Expectation{Min: "9.9"}), 1, 8, 8, all},
		"all nodes slow, and compared":                {bandwidth(v1alpha1.Expectation{Min: "9.9", MaxFleetDeviation: "0.05"}), 1, 8, 8, all},
		"all nodes late":                              {latency(v1alpha1.Expectation{Max: "2"}), 1, 2.4, 2.4, all},
		"one node slow":                               {bandwidth(v1alpha1.Expectation{Min: "9"}), 1, 10, 8, one},
		"one node slow, confirmed twice":              {bandwidth(v1alpha1.Expectation{Min: "9"}), 4, 10, 8, one},
		"one node slow, not to be doubted":            {bandwidth(v1alpha1.Expectation{Min: "9"}), 0, 10, 8, one},
		"one node slow, in as many pairs as it takes": {bandwidth(v1alpha1.Expectation{Min: "9"}), 12, 10, 8, one},
	} {
		t.Run(sentence, func(t *testing.T) {
			for seed := range uint64(20) {
				s := pairScope(16, c.confirmations, c.metric)
				healthy := noisy(seed, c.level, s.Nodes)
				s.play(t, func(a, b string) parts {
					values := healthy(a, b)
					if a == "n0005" || b == "n0005" {
						values[""] *= c.slow / c.level
					}
					return values
				})
				if diff := cmp.Diff(c.want, s.tally()); diff != "" {
					t.Fatalf("fleet %d: other verdicts (-want +got):\n%s\n%s", seed, diff, s.of(s.Nodes[5]).Message)
				}
			}
		})
	}
}

// TestMostNodesSlow: only pairs with a node that is known to reach the bound prove that the other one does not.
func TestMostNodesSlow(t *testing.T) {
	const slow, fine, unknown = "Fail/BelowExpectation", "Pass/Passed", "Error/Suspect"
	for sentence, c := range map[string]struct {
		nodes, slow int
		apart       bool // the nodes that are fine never met
		want        map[string]int
	}{
		"a fine node among slow ones":                        {4, 3, false, map[string]int{unknown: 4}},
		"two fine nodes that did not meet":                   {5, 3, true, map[string]int{unknown: 5}},
		"two fine nodes, and what they reach when they meet": {5, 3, false, map[string]int{slow: 2, unknown: 3}},
		"most are fine":                                      {8, 3, false, map[string]int{slow: 3, fine: 5}},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := pairScope(c.nodes, 1, bandwidth(v1alpha1.Expectation{Min: "9"}))
			is := func(name string) bool {
				return slices.IndexFunc(s.Nodes, func(n *Node) bool { return n.Name == name }) < c.slow
			}
			healthy := noisy(1, 10, s.Nodes)
			s.play(t, func(a, b string) parts {
				values := healthy(a, b)
				switch {
				case is(a) || is(b):
					values[""] *= 0.6
				case c.apart:
					return nil
				}
				return values
			})
			got := s.tally()
			for _, n := range s.Nodes[c.slow:] {
				if d := s.of(n); d.Verdict == v1alpha1.VerdictFail {
					t.Errorf("%s is fine, and %s: %s", n.Name, d.Verdict, d.Message)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, s.of(s.Nodes[0]).Message)
			}
		})
	}
}

// TestFewPairsPassNobody whom nothing was compared with: a bound or the node's own past has to judge them.
func TestFewPairsPassNobody(t *testing.T) {
	asking := func(e v1alpha1.Expectation) v1alpha1.Metric {
		m := bandwidth(e)
		m.Peak = "nic"
		return m
	}
	for sentence, c := range map[string]struct {
		nodes  int
		metric v1alpha1.Metric
		nic    v1alpha1.Decimal
		want   string
	}{
		"two nodes, compared with each other":    {2, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}), "", "Inconclusive/NotJudged"},
		"three nodes":                            {3, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}), "", "Inconclusive/NotJudged"},
		"four nodes":                             {4, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}), "", "Pass/Passed"},
		"four nodes, a peak that nobody knows":   {4, asking(v1alpha1.Expectation{MaxFleetDeviation: "0.05", MinFractionOfPeak: "0.5"}), "", "Pass/Passed"},
		"two nodes, a peak that nobody knows":    {2, asking(v1alpha1.Expectation{MaxFleetDeviation: "0.05", MinFractionOfPeak: "0.5"}), "", "Inconclusive/NotJudged"},
		"two nodes, and nothing but that peak":   {2, asking(v1alpha1.Expectation{MinFractionOfPeak: "0.5"}), "", "Inconclusive/NotJudged"},
		"two nodes, a peak":                      {2, asking(v1alpha1.Expectation{MaxFleetDeviation: "0.05", MinFractionOfPeak: "0.5"}), "15", "Pass/Passed"},
		"two nodes, a peak out of reach":         {2, asking(v1alpha1.Expectation{MaxFleetDeviation: "0.05", MinFractionOfPeak: "0.5"}), "100", "Error/Suspect"},
		"two nodes, a bound":                     {2, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05", Min: "9"}), "", "Pass/Passed"},
		"two nodes, a bound of nothing":          {2, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05", Min: "0"}), "", "Inconclusive/NotJudged"},
		"two nodes, nothing is expected of them": {2, bandwidth(v1alpha1.Expectation{}), "", "Pass/Passed"},
		"two nodes, and a past to begin with":    {2, bandwidth(v1alpha1.Expectation{MaxRegression: "0.05"}), "", "Pass/Passed"},
	} {
		s := pairScope(c.nodes, 0, c.metric)
		for _, n := range s.Nodes {
			if c.nic != "" {
				n.Peaks = peak.Of(&v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{{Name: "nic", Value: c.nic, Unit: "GB/s"}}}})
			}
		}
		s.play(t, noisy(1, 10, s.Nodes))
		for _, n := range s.Nodes {
			d := s.of(n)
			if got := string(d.Verdict) + "/" + d.Reason; got != c.want || len(d.Headline) > 0 && d.Headline[0].Verdict != d.Verdict && d.Reason != v1alpha1.ReasonSuspect {
				t.Errorf("%s: %s is %s (%s), headline %+v, want %s", sentence, n.Name, got, d.Message, d.Headline, c.want)
			}
		}
	}
}

// TestPairsOfAnotherFabricConvictNobody: a pair of nodes with different fabrics goes over the pod network, at a tenth of the rate of others. Each node is
// measured with those of its own fabric.
func TestPairsOfAnotherFabricConvictNobody(t *testing.T) {
	rails, others := &v1alpha1.Fabric{Resource: "rdma/hca", GIDIndex: new(int32(3))}, &v1alpha1.Fabric{Resource: "rdma/hca", GIDIndex: new(int32(5))}
	metric := bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.1", MinFractionOfPeak: "0.5"})
	metric.Peak = "portRate"
	for sentence, c := range map[string]struct {
		nodes int // that have the other fabric, of 9
		other *v1alpha1.Fabric
		want  map[string]int
	}{
		"none":                 {0, others, map[string]int{"Pass/Passed": 9}},
		"one has another":      {1, others, map[string]int{"Pass/Passed": 8, "Skipped/NotGrouped": 1}},
		"one has none":         {1, nil, map[string]int{"Pass/Passed": 8, "Skipped/NotGrouped": 1}},
		"several have another": {4, others, map[string]int{"Pass/Passed": 9}},
		"several have none, and are far from what their profile says": {4, nil, map[string]int{"Error/Suspect": 4, "Pass/Passed": 5}},
		"two have another, and a bound judges them":                   {2, others, map[string]int{"Pass/Passed": 9}},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := pairScope(9, 1, metric)
			for k, n := range s.Nodes {
				p := v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{{Name: "portRate", Value: "50", Unit: "GB/s"}}, Fabric: rails}
				if k < c.nodes {
					p.Fabric = c.other
				}
				n.Peaks = peak.Of(&v1alpha1.HardwareProfile{Spec: p})
			}
			healthy := noisy(1, 45, s.Nodes)
			s.play(t, func(a, b string) parts {
				values := healthy(a, b)
				if s.groupOf([]string{a, b}).Fabric == nil {
					values[""] /= 10
				}
				return values
			})
			if diff := cmp.Diff(c.want, s.tally()); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, s.of(s.Nodes[0]).Message)
			}
		})
	}
}

// TestSlowWaysConvictNobody: two halves, of which no label tells, with a slow way between them. Whoever holds the bound within a half can.
func TestSlowWaysConvictNobody(t *testing.T) {
	for _, nodes := range []int{4, 6} {
		s := pairScope(nodes, 2, bandwidth(v1alpha1.Expectation{Min: "9"}))
		s.play(t, func(a, b string) parts {
			if half := fmt.Sprintf("n%04d", nodes/2); (a < half) != (b < half) {
				return parts{"": 6}
			}
			return parts{"": 10}
		})
		if failed := s.tally()["Fail/BelowExpectation"]; failed > 0 {
			t.Errorf("%d of %d nodes fail by a slow way: %v", failed, nodes, s.tally())
		}
	}
}

// TestPairsOfTwoFabricsEnd: what was measured while both nodes had one fabric, of which one has another now, is over with the tournament.
func TestPairsOfTwoFabricsEnd(t *testing.T) {
	s := pairScope(10, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	s.pass()
	s.measureDue(10)
	p := v1alpha1.HardwareProfileSpec{Fabric: &v1alpha1.Fabric{Resource: "rdma/hca"}}
	s.Nodes[0].Peaks = peak.Of(&v1alpha1.HardwareProfile{Spec: p})
	s.play(t, noisy(1, 10, s.Nodes))
	for _, g := range s.sorted() {
		if len(g.Attempts) > 0 && g.stored.Verdict != v1alpha1.VerdictPass {
			t.Errorf("%s together: %q", g.Others(""), g.stored.Verdict)
		}
	}
}

func TestSamples(t *testing.T) {
	type sample = blame.Sample
	errors := v1alpha1.Metric{Name: "errors", Better: v1alpha1.Lower}
	rate := bandwidth(v1alpha1.Expectation{})
	late := latency(v1alpha1.Expectation{})
	nothing := []sample{{Value: blame.Nothing}}
	for sentence, c := range map[string]struct {
		metric v1alpha1.Metric
		parts  []float64
		want   []sample
	}{
		"the worst of a rate":              {rate, []float64{9, 8, 10}, []sample{{Value: 8}}},
		"the worst of a time":              {late, []float64{2, 3, 1}, []sample{{Value: 3}}},
		"a dead rail first":                {rate, []float64{0, 10}, nothing},
		"a dead rail last":                 {rate, []float64{10, 0}, nothing},
		"a dead rail in the middle":        {rate, []float64{10, 0, 9}, nothing},
		"all is dead":                      {rate, []float64{0}, nothing},
		"less than nothing":                {rate, []float64{-1, 10}, nothing},
		"nothing takes no time":            {late, []float64{0, 10}, nil},
		"nor less":                         {late, []float64{10, -1}, nil},
		"nothing takes no time at all":     {late, []float64{0}, nil},
		"a part without errors is no flaw": {errors, []float64{0, 3}, []sample{{Value: 3}}},
		"no errors at all have no ratio":   {errors, []float64{0, 0}, nil},
		"nothing was measured":             {rate, nil, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			m := v1alpha1.Measurement{Name: c.metric.Name, Unit: c.metric.Unit}
			for i, v := range c.parts {
				m.Parts = append(m.Parts, v1alpha1.PartValue{At: fmt.Sprintf("rail%d", i), Value: v1alpha1.Decimal(strconv.FormatFloat(v, 'f', -1, 64))})
			}
			a := &v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass, Measurements: []v1alpha1.Measurement{m}}
			if diff := cmp.Diff(c.want, samples(a, &c.metric, blame.NewPair("a", "b"))); diff != "" {
				t.Errorf("other samples (-want +got):\n%s", diff)
			}
		})
	}
	a := &v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass, Measurements: []v1alpha1.Measurement{{Name: rate.Name, Unit: rate.Unit,
		Parts: []v1alpha1.PartValue{{At: "a->b", Value: "0"}, {At: "b->a", Value: "10"}}}}}
	if diff := cmp.Diff([]sample{{From: "a", To: "b", Value: blame.Nothing}, {From: "b", To: "a", Value: 10}}, samples(a, &rate, blame.NewPair("b", "a"))); diff != "" {
		t.Errorf("other samples each way (-want +got):\n%s", diff)
	}
}

// TestPairsThatReachNothing: 0 is a measurement, and the worst there is.
func TestPairsThatReachNothing(t *testing.T) {
	rate, late := bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}), latency(v1alpha1.Expectation{MaxFleetDeviation: "0.05"})
	for sentence, c := range map[string]struct {
		metric v1alpha1.Metric
		dead   func(a, b string) bool
		want   map[string]int
		words  []string // of n0005
	}{
		"a node with a dead rail": {rate, func(a, b string) bool { return a == "n0005" || b == "n0005" },
			map[string]int{"Fail/BelowExpectation": 1, "Pass/Passed": 15}, []string{"n0005 reached 0 GB/s, 100% below typical ", "100% below"}},
		"a node whose rail never answered in time": {late, func(a, b string) bool { return a == "n0005" || b == "n0005" },
			map[string]int{"Missing/MeasurementMissing": 1, "Pass/Passed": 15}, []string{"reported none of the Benchmark's metrics"}},
		"a link with a dead rail": {rate, func(a, b string) bool { return a == "n0001" && b == "n0005" },
			map[string]int{"Pass/Passed": 16}, []string{"the node itself is fine", "n0001-n0005 reached 0 GB/s"}},
		"two nodes with a dead rail": {rate, func(a, b string) bool { return a == "n0004" && b == "n0005" },
			map[string]int{"Error/Suspect": 2}, []string{"bandwidth is 0"}},
		"a fleet with dead rails everywhere": {rate, func(string, string) bool { return true },
			map[string]int{"Error/Suspect": 16}, []string{"bandwidth is 0 in the pairs of this node: nothing got through"}},
		"a fleet where most are dead": {rate, func(a, b string) bool { return a < "n0012" || b < "n0012" },
			map[string]int{"Error/Suspect": 16}, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := pairScope(16, 1, c.metric)
			if strings.HasPrefix(sentence, "two nodes") {
				s.Nodes = s.Nodes[4:6]
			}
			healthy := noisy(1, 10, s.Nodes)
			s.play(t, func(a, b string) parts {
				rail := healthy(a, b)[""]
				if c.dead(a, b) {
					return parts{"rail0": 0, "rail1": rail}
				}
				return parts{"rail0": rail, "rail1": rail}
			})
			if diff := cmp.Diff(c.want, s.tally()); diff != "" {
				t.Errorf("other verdicts (-want +got):\n%s", diff)
			}
			for _, words := range c.words {
				if message := s.of(s.Nodes[min(5, len(s.Nodes)-1)]).Message; !strings.Contains(message, words) {
					t.Errorf("%q does not say %q", message, words)
				}
			}
		})
	}
}

// BenchmarkJudge is what a pass costs once the tournament of a large fleet is decided.
func BenchmarkJudge(b *testing.B) {
	for _, c := range []struct {
		name     string
		measured bool
	}{{"measured", true}, {"unmeasured", false}} {
		b.Run(c.name, func(b *testing.B) {
			const nodes, rounds = 4096, 4
			s := pairScope(nodes, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05", Min: "5"}))
			value := noisy(1, 10, s.Nodes)
			for round := range rounds {
				for even := 0; even < nodes; even += 2 {
					x, y := s.Nodes[even].Name, s.Nodes[(even+2*round+1)%nodes].Name
					g := s.groupOf([]string{x, y})
					s.add(g, int32(round)+1, value(x, y))
					if !c.measured {
						a := &g.Attempts[0]
						a.Verdict, a.Reason, a.Measurements = v1alpha1.VerdictError, v1alpha1.ReasonTimedOut, nil
					}
				}
			}
			in := s.input()
			b.ReportAllocs()
			for b.Loop() {
				Judge(in)
			}
		})
	}
}

func TestTextsOfPairsFitTheAPI(t *testing.T) {
	for _, nodes := range []int{3, 16} {
		s := pairScope(nodes, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05", Min: "9"}))
		s.longest()
		bad := s.Nodes[2].Name
		healthy := noisy(1, 8.5, s.Nodes)
		s.play(t, healthy)
		s.checkTexts(t)
		for _, g := range s.played {
			if a := g.Attempts; len(a) > 0 && slices.Contains(g.Names(), bad) {
				a[0].Checks = []v1alpha1.Check{{Name: "sum"}}
			}
		}
		s.play(t, healthy)
		s.checkTexts(t)
		if d := s.of(s.Nodes[2]); nodes > 3 && d.Reason != v1alpha1.ReasonWrongData {
			t.Errorf("%s, which was part of wrong data, is %s: %s", bad, d.Verdict, d.Message)
		}
	}
}

// TestWhatPairsMayDeviateByIsWhatIsAsked, at its limits: "1" allows all, "0" nothing but noise.
func TestWhatPairsMayDeviateByIsWhatIsAsked(t *testing.T) {
	for asked, want := range map[string]v1alpha1.Verdict{"1": v1alpha1.VerdictPass, "0.05": v1alpha1.VerdictFail, "0": v1alpha1.VerdictFail} {
		t.Run(asked, func(t *testing.T) {
			s := pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: v1alpha1.Fraction(asked)}))
			slow := s.Nodes[2].Name
			s.play(t, func(a, b string) parts {
				if a == slow || b == slow {
					return parts{"": 8}
				}
				return parts{"": 10}
			})
			d := s.of(s.Nodes[2])
			if d.Verdict != want {
				t.Errorf("the node that is 20%% slower: %s by %q, want %s", d.Verdict, d.Message, want)
			}
			for _, broken := range d.Terms.Broken {
				if string(broken.Limit) != asked {
					t.Errorf("it broke a limit of %q", broken.Limit)
				}
			}
		})
	}
}

// TestSuspectsAreNamedOnce, whoever tells of them.
func TestSuspectsAreNamedOnce(t *testing.T) {
	f := newField(pairScope(4, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"})).input())
	for range 2 {
		f.find("Suspects", "bandwidth", []string{"a", "b"}, "one of them is slow")
	}
	f.find("Suspects", "bandwidth", []string{"a", "c"}, "one of them is slow")
	if len(f.Findings) != 2 {
		t.Errorf("%d findings, want 2: %+v", len(f.Findings), f.Findings)
	}
}
