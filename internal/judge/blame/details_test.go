// Long, because every case is one line of a few large tables.

package blame

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Nodes of unknown place are drawn with nobody where the constraint is about places, whichever comes first by name.
func TestConstraintsLeaveOutNodesOfUnknownPlace(t *testing.T) {
	nodes := append(fleet(8, "a", "b"), Node{Name: "a-nowhere"}, Node{Name: "z-nowhere"})
	for _, c := range []Constraint{Within, Across} {
		if s := Next(nodes, nil, Options{Pairs: c}); len(s.Pairs) != 4 || !slices.Equal(idle(nodes, s), []string{"a-nowhere", "z-nowhere"}) {
			t.Errorf("%s: %+v", c, s)
		}
	}
}

// A boundary is confirmed by three more pairs across it, of nodes that are fine themselves; nobody else is measured for it.
func TestBoundaryIsConfirmedByThreePairsOfGoodNodes(t *testing.T) {
	places := []string{"leaf-1", "leaf-2", "leaf-3", "leaf-4"}
	nodes := fleet(32, places...)
	place := map[string]string{}
	for _, n := range nodes {
		place[n.Name] = n.Place
	}
	measurements := rounds(nodes, Options{}, 4, func(from, to string, _ int) float64 {
		switch {
		case has("n09", from, to):
			return 4
		case place[from] != place[to] && has("leaf-2", place[from], place[to]):
			return 7
		}
		return 10
	})
	s := Next(nodes, measurements, Options{})
	across, slow := 0, 0
	for _, p := range s.Pairs {
		switch {
		case has("n09", p.A, p.B):
			slow++
		case place[p.A] != place[p.B] && has("leaf-2", place[p.A], place[p.B]):
			across++
		default:
			t.Errorf("%v is measured, which is neither across leaf-2 nor of the slow node", p)
		}
	}
	if across != 3 || slow != 1 {
		t.Errorf("%d pairs across leaf-2, want 3; %d of the slow node, want 1: %v", across, slow, s.Pairs)
	}
}

// Where the third place has too few nodes, the pairs across a boundary lead to the first as well.
func TestBoundaryIsConfirmedWithTheFirstPlace(t *testing.T) {
	nodes := fleet(14, "leaf-1", "leaf-1", "leaf-1", "leaf-1", "leaf-2", "leaf-2", "leaf-3")
	place := map[string]string{}
	for _, n := range nodes {
		place[n.Name] = n.Place
	}
	o := Options{Rounds: 13, MaxRounds: 20}
	measurements := rounds(nodes, o, 13, func(from, to string, _ int) float64 {
		if place[from] != place[to] && has("leaf-2", place[from], place[to]) {
			return 7
		}
		return 10
	})
	across := 0
	for _, p := range Next(nodes, measurements, o).Pairs {
		if place[p.A] != place[p.B] && has("leaf-2", place[p.A], place[p.B]) {
			across++
		}
	}
	if across < 3 {
		t.Errorf("%d pairs across leaf-2, want at least 3", across)
	}
}

// idle nodes are those that a step leaves out.
func idle(nodes []Node, s Step) []string {
	var names []string
	for _, n := range nodes {
		if !slices.ContainsFunc(s.Pairs, func(p Pair) bool { return p.A == n.Name || p.B == n.Name }) {
			names = append(names, n.Name)
		}
	}
	return names
}

// rounds are the measurements of the first rounds.
func rounds(nodes []Node, o Options, most int, v value) []Measurement {
	var measurements []Measurement
	for {
		s := Next(nodes, measurements, o)
		if len(s.Pairs) == 0 || s.Round > most {
			return measurements
		}
		for _, p := range s.Pairs {
			measurements = append(measurements, Measurement{Pair: p, Round: s.Round, Samples: []Sample{{Value: v(p.A, p.B, s.Round)}}})
		}
	}
}

// Nobody is blamed before four nodes, and more than half of all, were measured with two partners each.
func TestHowMuchDataIsEnough(t *testing.T) {
	ring := func(n int) []Measurement { // each of n nodes with two partners
		var all []Measurement
		names := fleet(n)
		for i := range n {
			all = append(all, Measurement{Pair: NewPair(names[i].Name, names[(i+1)%n].Name), Round: i%2 + 1, Samples: []Sample{{Value: 10}}})
		}
		return all
	}
	for sentence, c := range map[string]struct {
		nodes, measured int
		enough          bool
		says            string
	}{
		"four of four":                 {4, 4, true, ""},
		"three of three":               {3, 3, false, "with 3 nodes, a slow node and a slow link look alike"},
		"three of four":                {4, 3, false, "fewer than 4 nodes"},
		"three of five, which is most": {5, 3, false, "fewer than 4 nodes"},
		"four of seven":                {7, 4, true, ""},
		"four of eight: just half":     {8, 4, false, "fewer than half of them"},
		"none of eight":                {8, 0, false, "no pair was measured"},
	} {
		t.Run(sentence, func(t *testing.T) {
			var m []Measurement
			if c.measured > 0 {
				m = ring(c.measured)
			}
			v := Judge(fleet(c.nodes), m, Options{})
			if v.Enough != c.enough || !strings.Contains(v.Message, c.says) || (c.says == "") != (v.Message == "") {
				t.Errorf("enough: %v, %q; want %v, %q", v.Enough, v.Message, c.enough, c.says)
			}
		})
	}
}

// What is slow does not move the level that others are compared with.
func TestSlowPartsDoNotMoveTheLevel(t *testing.T) {
	nodes := fleet(16, "leaf-1", "leaf-2", "leaf-3", "leaf-4")
	leaf2 := func(n string) bool { return n >= "n04" && n <= "n07" }
	for sentence, v := range map[string]value{
		"a slow node": capped("n03"),
		"a slow boundary": func(from, to string, _ int) float64 {
			return 10 - 3*one(leaf2(from) != leaf2(to))
		},
		"two slow nodes and a slow link": capped("n03", "n12", "n08-n09"),
	} {
		t.Run(sentence, func(t *testing.T) {
			measurements, _ := tournament(t, nodes, Options{}, false, v)
			level := newFit(newTable(nodes, measurements, Options{})).level
			if inside, across := math.Exp(level[0]), math.Exp(level[1]); !near(inside, 10) || !near(across, 10) {
				t.Errorf("the level is %v inside and %v across, want 10 each", inside, across)
			}
		})
	}
}

func near(got, want float64) bool { return got > want*0.999999 && got < want*1.000001 }

// The figures of a node: how far it is off, with how many partners it was measured, and what each good pair reached.
func TestFiguresOfANode(t *testing.T) {
	_, v := tournament(t, fleet(8), Options{Unit: "GB/s"}, false, capped("n01", "n02-n05"))
	for _, n := range v.Nodes {
		want := 0.0
		if n.Name == "n01" {
			want = -0.2
		}
		if n.Effect < want-0.001 || n.Effect > want+0.001 {
			t.Errorf("%s is %v off its fleet, want %v", n.Name, n.Effect, want)
		}
		if !near(n.Value, v.Level*(1+n.Effect)) {
			t.Errorf("%s reaches %v, want %v off %v", n.Name, n.Value, n.Effect, v.Level)
		}
		if n.Partners < 4 || n.Partners > 6 {
			t.Errorf("%s has %d partners", n.Name, n.Partners)
		}
		for _, reached := range n.Reached {
			if reached.Partner < 9 {
				t.Errorf("%s: a good partner reached no more than %v with others", n.Name, reached.Partner)
			}
			if slow := reached.Value < 9; slow != (n.Name == "n01") && !has(n.Name, "n02", "n05") {
				t.Errorf("%s reached %v with a good partner", n.Name, reached.Value)
			}
		}
		if n.Margin < 0.01 || n.Margin > 0.1 {
			t.Errorf("%s: chance may take it %v away, with 2%% noise and some five pairs", n.Name, n.Margin)
		}
	}
}

// Sentences about links, boundaries and sets carry their figures, too.
func TestMessages(t *testing.T) {
	leaf2 := func(n string) bool { return n >= "n04" && n <= "n07" }
	for sentence, c := range map[string]struct {
		nodes    []Node
		o        Options
		directed bool
		v        value
		want     string
	}{
		"a link": {fleet(8), Options{Unit: "GB/s"}, false, capped("n02-n05"),
			"n02-n05 reached 8 GB/s, 20% below typical 10 GB/s, which is what both nodes reach with others; confirmed by 1 more measurement; the nodes are fine: check cables, ports and routes between them"},
		"a link in one direction": {fleet(8), Options{Unit: "GB/s"}, true, func(from, to string, _ int) float64 { return 10 - 2*one(from == "n05" && to == "n02") },
			"n05->n02 reached 8 GB/s, 20% below typical 10 GB/s"},
		"a link in the other": {fleet(8), Options{Unit: "GB/s"}, true, func(from, to string, _ int) float64 { return 10 - 2*one(from == "n02" && to == "n05") },
			"n02->n05 reached 8 GB/s, 20% below typical 10 GB/s"},
		"a node that receives slowly": {fleet(8), Options{Unit: "GB/s"}, true, func(_, to string, _ int) float64 { return 10 - 2*one(to == "n03") },
			"n03 (Receiving) reached 8 GB/s, 20% below typical 10 GB/s"},
		"a latency": {fleet(8), Options{LowerIsBetter: true, Unit: "us"}, false, func(from, to string, _ int) float64 { return 10 + 2.5*one(has("n03", from, to)) },
			"n03 reached 12.5 us, 25% above typical 10 us"},
		"a node that gets nothing through": {fleet(8), Options{Unit: "GB/s"}, false, func(from, to string, _ int) float64 {
			if has("n03", from, to) {
				return Nothing
			}
			return 10
		}, "n03 reached 0 GB/s, 100% below typical 10 GB/s; median of "},
		"a leaf switch": {fleet(16, "leaf-1", "leaf-2", "leaf-3", "leaf-4"), Options{Unit: "GB/s"}, false, func(from, to string, _ int) float64 { return 10 - 3*one(leaf2(from) != leaf2(to)) },
			" pairs from leaf-2 to other places reached 7 GB/s, 30% below typical 10 GB/s, which is what pairs inside a place reach; confirmed by "},
		"most of a rack": {fleet(32, "r1", "r2", "r3", "r4"), Options{Unit: "GB/s"}, false, capped("n00", "n01", "n02", "n03", "n04", "n05"),
			"most nodes of r1 are slow alike (n00, n01, n02, n03, n04, n05); the slowest reached 8 GB/s, 20% below typical 10 GB/s; "},
		"a node without a number": {fleet(8), Options{}, false, func(from, to string, _ int) float64 { return 10 * (1 - one(has("n03", from, to))) },
			"n03 could not be measured with any of its 4 partners"},
		"two nodes": {fleet(2), Options{Unit: "GB/s"}, true, func(from, _ string, _ int) float64 { return 10 - 2*one(from == "n01") },
			"one of n00, n01, or the link between them, is slow: 8 GB/s, 20% below typical 10 GB/s; measure each with other nodes to tell which"},
		"half of the nodes": {fleet(4), Options{Unit: "GB/s"}, false, capped("n00", "n01"),
			"cannot tell what is normal: n00, n01 reached 8 GB/s, 20% below typical 10 GB/s"},
		"two places": {fleet(8, "leaf-1", "leaf-2"), Options{Unit: "GB/s"}, false, func(from, to string, _ int) float64 { return 10 - 3*one((from < "n04") != (to < "n04")) },
			"pairs between places (leaf-1, leaf-2) reached 7 GB/s, 30% below typical 10 GB/s"},
	} {
		t.Run(sentence, func(t *testing.T) {
			_, v := tournament(t, c.nodes, c.o, c.directed, c.v)
			if len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Message, c.want) {
				t.Errorf("%+v\nwant %s", v.Findings, c.want)
			}
		})
	}
}

// Two nodes have one pair, whose directions are compared with each other alone: what a limited network lets through makes nobody a suspect.
func TestTheDirectionsOfOnePairMayDiffer(t *testing.T) {
	for sentence, c := range map[string]struct {
		o        Options
		back     float64
		suspects bool
	}{
		"as much as on limited networks": {Options{NoiseFloor: 0.01, MinEffect: 0.025}, 0.964, false},
		"by more than a tenth":           {Options{NoiseFloor: 0.01, MinEffect: 0.025}, 0.89, true},
		"by less than is asked for":      {Options{NoiseFloor: 0.01, MinEffect: 0.2}, 0.85, false},
		"a latency":                      {Options{NoiseFloor: 0.01, MinEffect: 0.025, LowerIsBetter: true}, 1.09, false},
		"a latency, by more":             {Options{NoiseFloor: 0.01, MinEffect: 0.025, LowerIsBetter: true}, 1.12, true},
	} {
		t.Run(sentence, func(t *testing.T) {
			_, v := tournament(t, fleet(2), c.o, true, func(from, _ string, _ int) float64 {
				if from == "n01" {
					return 10 * c.back
				}
				return 10
			})
			if (len(v.Findings) > 0) != c.suspects {
				t.Errorf("%+v; suspects: want %v", v.Findings, c.suspects)
			}
		})
	}
}

// Four quiet nodes have met after three rounds, and nothing is left to measure; where noise could hide a slow one, they meet again.
func TestFewNodesMeetAgainOnlyWhereNoiseHides(t *testing.T) {
	for minEffect, want := range map[float64]int{0.04: 3, 0.02: 6} {
		measurements, _ := tournament(t, fleet(4), Options{MinEffect: minEffect}, false, capped())
		if got := measurements[len(measurements)-1].Round; got != want {
			t.Errorf("to find what is %v slow, 2%% noise takes %d rounds, want %d", minEffect, got, want)
		}
	}
}

// What was never measured again says so.
func TestASuspectSaysHowOftenItWasMeasuredAgain(t *testing.T) {
	for rounds, want := range map[int]string{4: "suspected, not measured again yet", 5: "confirmed by 1 more measurement; check", 6: "confirmed by 2 more measurements"} {
		_, v := tournament(t, fleet(8), Options{MaxRounds: rounds, Confirmations: rounds - 4}, false, capped("n01"))
		if len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Message, want) {
			t.Errorf("after %d rounds: %+v; want %q", rounds, v.Findings, want)
		}
	}
	_, v := tournament(t, fleet(8), Options{MaxRounds: 5, Confirmations: 2}, false, capped("n01"))
	if len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Message, "suspected, but not proved by 1 more measurement") || v.Findings[0].Blamed {
		t.Errorf("one of two confirmations: %+v", v.Findings)
	}
}

// Each half of a slow collective is measured once, and nothing else before both are known.
func TestBisectMeasuresBothHalvesFirst(t *testing.T) {
	nodes := fleet(8, "a", "b")
	all := namesOf(nodes)
	slow := []Trial{{Members: all, Slow: true}}
	for sentence, c := range map[string]struct {
		trials []Trial
		next   [][]string
	}{
		"nothing is known of the halves":  {slow, [][]string{all[:4], all[4:]}},
		"one half is known to be fast":    {append(slices.Clone(slow), Trial{Members: all[:4]}), [][]string{all[4:]}},
		"one half is known to be slow":    {append(slices.Clone(slow), Trial{Members: all[:4], Slow: true}), [][]string{all[4:]}},
		"one is slow: its halves":         {append(slices.Clone(slow), Trial{Members: all[:4], Slow: true}, Trial{Members: all[4:]}), [][]string{all[:2], all[2:4]}},
		"the whole is fast":               {[]Trial{{Members: all}}, nil},
		"the whole could not be measured": {[]Trial{{Members: all, Failed: true}}, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := Bisect(nodes, c.trials)
			if diff := cmp.Diff(c.next, s.Next); diff != "" || len(s.Findings) > 0 {
				t.Errorf("%v, next (-want +got):\n%s", s.Findings, diff)
			}
		})
	}
}

// A half that could not be measured leaves the set as it is; a pair that is slow alone is one.
func TestBisectNamesWhatItCannotSplit(t *testing.T) {
	nodes := fleet(4, "a", "b")
	all := namesOf(nodes)
	for sentence, c := range map[string]struct {
		trials []Trial
		want   string
	}{
		"a half fails":    {[]Trial{{Members: all, Slow: true}, {Members: all[:2], Failed: true}, {Members: all[2:]}}, "Set n00,n01,n02,n03?"},
		"a pair is slow":  {[]Trial{{Members: all, Slow: true}, {Members: all[:2], Slow: true}, {Members: all[2:]}}, "Set n00,n01?"},
		"across a and b":  {[]Trial{{Members: all, Slow: true}, {Members: all[:2]}, {Members: all[2:]}}, "Boundary a,b?"},
		"all but one end": {[]Trial{{Members: []string{"n03", "n02", "n01", "n00"}, Slow: true}, {Members: all[:2]}, {Members: all[2:]}}, "Boundary a,b?"},
	} {
		t.Run(sentence, func(t *testing.T) {
			if s := Bisect(nodes, c.trials); len(s.Next) > 0 || !slices.Equal(found(Verdict{Findings: s.Findings}), []string{c.want}) {
				t.Errorf("%+v; want %s", s, c.want)
			}
		})
	}
}

// A node with one partner is a suspect where they were slow together; its partner is fine with others, and is none.
func TestSuspectsAreThoseThatWereSlowTogether(t *testing.T) {
	for sentence, c := range map[string]struct {
		with float64
		want string
	}{
		"a slow pair": {8, "Suspects n07?"},
		"a fast pair": {10, ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			nodes := fleet(8)
			measurements := rounds(nodes[:7], Options{}, 4, capped())
			measurements = append(measurements, Measurement{Pair: NewPair("n00", "n07"), Round: 4, Samples: []Sample{{Value: c.with}}})
			if got := strings.Join(found(Judge(nodes, measurements, Options{})), " "); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// Two nodes that were measured with each other only are suspects together, also where they are only a little slow.
func TestAPairThatMetNobodyElse(t *testing.T) {
	nodes := fleet(8)
	measurements := rounds(nodes[:6], Options{}, 4, capped())
	measurements = append(measurements, Measurement{Pair: NewPair("n06", "n07"), Round: 4, Samples: []Sample{{Value: 9.2}}})
	for _, f := range Judge(nodes, measurements, Options{}).Findings {
		if f.Kind != KindSuspects || !slices.Equal(f.Names, []string{"n06", "n07"}) {
			t.Errorf("%s %v, want n06 and n07 as suspects", f.Kind, f.Names)
		}
	}
}

// What a healthy node's few pairs say of it is drawn to the others', the more so the less nodes differ beside noise.
func TestAHealthyNodeIsDrawnToTheOthers(t *testing.T) {
	for weight, want := range map[float64]float64{0: 0, 1: 0.2, 4: 0.5, 12: 0.75} {
		if got := (&fit{between: 0.01, sigma: 0.02}).shrinkage(weight); !near(got, want) && got != want {
			t.Errorf("with weight %v it is %v of its own, want %v", weight, got, want)
		}
	}
}

// However quiet a fleet looks, what the noise floor may explain is blamed on nobody.
func TestTheNoiseFloorProtects(t *testing.T) {
	for floor, want := range map[float64]string{0.02: "Node n01", 0.15: "Node n01?", 0.5: ""} {
		_, v := tournament(t, fleet(8), Options{NoiseFloor: floor}, false, capped("n01"))
		if got := strings.Join(found(v), " "); got != want {
			t.Errorf("with a floor of %v, 20%% slow is %q, want %q", floor, got, want)
		}
	}
}

// A boundary, a link or a node need not be very slow.
func TestEightPercentAreFound(t *testing.T) {
	leaves := []string{"leaf-1", "leaf-2", "leaf-3", "leaf-4"}
	leaf2 := func(n string) bool { return n >= "n08" && n <= "n15" }
	for want, v := range map[string]value{
		"Boundary leaf-2": func(from, to string, _ int) float64 { return 10 - 0.8*one(leaf2(from) != leaf2(to)) },
		"Node n03":        func(from, to string, _ int) float64 { return 10 - 0.8*one(has("n03", from, to)) },
	} {
		_, got := tournament(t, fleet(32, leaves...), Options{}, false, v)
		if !slices.Equal(found(got), []string{want}) {
			t.Errorf("found %v, want %s", found(got), want)
		}
	}
}

// The least effect that is worth blame is the Benchmark's: what is below it is left alone, however sure it is.
func TestWhatIsNotWorthBlame(t *testing.T) {
	for least, want := range map[float64]string{0.1: "Node n03", 0.2: "Node n03", 0.21: "Node n03?", 0.5: ""} {
		_, v := tournament(t, fleet(8), Options{MinEffect: least, NoiseFloor: 0.001}, false, capped("n03"))
		if got := strings.Join(found(v), " "); got != want {
			t.Errorf("with a least effect of %v, 20%% slow is %q, want %q", least, got, want)
		}
	}
}

// A suspect that has met everybody is measured again with each in turn.
func TestASuspectMeetsAllItsPartnersAgain(t *testing.T) {
	measurements, _ := tournament(t, fleet(4), Options{Confirmations: 3, MaxRounds: 9}, false, capped("n01"))
	met := map[Pair]int{}
	for _, m := range measurements {
		if has("n01", m.A, m.B) {
			met[m.Pair]++
		}
	}
	for _, other := range []string{"n00", "n02", "n03"} {
		if got := met[NewPair("n01", other)]; got != 2 {
			t.Errorf("n01 was measured %d times with %s, want twice", got, other)
		}
	}
}

// A node that left takes its measurements with it; those of a node with itself are none.
func TestMeasurementsOfOthersDoNotCount(t *testing.T) {
	nodes := fleet(8)
	measurements, _ := tournament(t, nodes, Options{}, false, capped("n01"))
	want := Judge(nodes, measurements, Options{})
	for _, p := range []Pair{{A: "n00", B: "n99"}, {A: "n98", B: "n99"}, {A: "n00", B: "n00"}} {
		measurements = append(measurements, Measurement{Pair: p, Round: 2, Samples: []Sample{{Value: 1}}})
	}
	if diff := cmp.Diff(want, Judge(nodes, measurements, Options{})); diff != "" {
		t.Errorf("with measurements of others (-want +got):\n%s", diff)
	}
}
