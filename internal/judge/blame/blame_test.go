// Long, because every case is one line of a few large tables.

package blame

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// value of a pair from one node to another.
type value func(from, to string, round int) float64

func fleet(n int, places ...string) []Node {
	nodes := make([]Node, n)
	for i := range nodes {
		nodes[i].Name = fmt.Sprintf("n%02d", i)
		if len(places) > 0 {
			nodes[i].Place = places[i*len(places)/n]
		}
	}
	return nodes
}

// tournament goes on to the end and checks every step on the way.
func tournament(t *testing.T, nodes []Node, o Options, directed bool, v value) ([]Measurement, Verdict) {
	t.Helper()
	var measurements []Measurement
	for range 40 {
		s := Next(nodes, measurements, o)
		if diff := cmp.Diff(s, Next(nodes, measurements, o)); diff != "" {
			t.Fatalf("planning twice gives another answer:\n%s", diff)
		}
		if len(s.Pairs) == 0 {
			return measurements, Judge(nodes, measurements, o)
		}
		checkStep(t, nodes, s)
		for _, p := range s.Pairs {
			x := Measurement{Pair: p, Round: s.Round, Samples: []Sample{{Value: v(p.A, p.B, s.Round)}}}
			if directed {
				x.Samples = []Sample{{p.A, p.B, v(p.A, p.B, s.Round)}, {p.B, p.A, v(p.B, p.A, s.Round)}}
			}
			measurements = append(measurements, x)
		}
	}
	t.Fatal("the tournament does not end")
	return nil, Verdict{}
}

func checkStep(t *testing.T, nodes []Node, s Step) {
	t.Helper()
	known, busy := map[string]bool{}, map[string]bool{}
	for _, n := range nodes {
		known[n.Name] = true
	}
	if len(s.Pairs) == 0 {
		t.Fatal("a step without pairs is not done")
	}
	for _, p := range s.Pairs {
		if p.A >= p.B || !known[p.A] || !known[p.B] || busy[p.A] || busy[p.B] {
			t.Fatalf("round %d: %v is not a pair of free nodes", s.Round, p)
		}
		busy[p.A], busy[p.B] = true, true
	}
}

// found lists "Kind names direction", with "?" where it is not blamed.
func found(v Verdict) []string {
	var all []string
	for _, f := range v.Findings {
		text := string(f.Kind) + " " + strings.Join(f.Names, ",")
		if f.Direction != BothWays {
			text += " " + string(f.Direction)
		}
		if !f.Blamed {
			text += "?"
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

func has(name string, nodes ...string) bool { return slices.Contains(nodes, name) }

// capped is a world of 10 GB/s in which the given nodes and links reach 8.
func capped(slow ...string) value {
	return func(from, to string, _ int) float64 {
		if has(from, slow...) || has(to, slow...) || has(min(from, to)+"-"+max(from, to), slow...) {
			return 8
		}
		return 10
	}
}

func TestWhoIsToBlame(t *testing.T) {
	leaves := []string{"leaf-1", "leaf-2", "leaf-3", "leaf-4"}
	place := func(n string) string { return leaves[int((n[1]-'0')*10+n[2]-'0')/4] }
	cases := map[string]struct {
		nodes    []Node
		o        Options
		directed bool
		v        value
		want     []string
	}{
		"of four, one slow node":                {nodes: fleet(4), v: capped("n01"), want: []string{"Node n01"}},
		"of four, one slow link":                {nodes: fleet(4), v: capped("n01-n02"), want: []string{"Link n01,n02"}},
		"of four, told apart from one round on": {nodes: fleet(4), o: Options{Rounds: 1}, v: capped("n01"), want: []string{"Node n01"}},
		"of four, all slow equally":             {nodes: fleet(4), v: func(string, string, int) float64 { return 8 }},
		"of four, two slow: nobody knows what is normal": {nodes: fleet(4), v: capped("n00", "n01"),
			want: []string{"Suspects n00,n01?"}},
		"of eight, a slow node and a slow link":  {nodes: fleet(8), v: capped("n01", "n02-n05"), want: []string{"Link n02,n05", "Node n01"}},
		"of eight, two slow nodes":               {nodes: fleet(8), v: capped("n01", "n06"), want: []string{"Node n01", "Node n06"}},
		"of seven, with byes, one slow node":     {nodes: fleet(7), v: capped("n03"), want: []string{"Node n03"}},
		"of two, one slow in sending":            {nodes: fleet(2), directed: true, v: func(from, _ string, _ int) float64 { return 10 - 2*one(from == "n01") }, want: []string{"Suspects n00,n01?"}},
		"of two, with nothing to compare with":   {nodes: fleet(2), v: capped("n01")},
		"of three, one slow node":                {nodes: fleet(3), v: capped("n01"), want: []string{"Suspects n00,n01,n02?"}},
		"of eight, one that is slow in sending":  {nodes: fleet(8), directed: true, v: func(from, _ string, _ int) float64 { return 10 - 2*one(from == "n03") }, want: []string{"Node n03 Sending"}},
		"of eight, one slow both ways":           {nodes: fleet(8), directed: true, v: capped("n03"), want: []string{"Node n03"}},
		"of eight, a link that is slow one way":  {nodes: fleet(8), directed: true, v: func(from, to string, _ int) float64 { return 10 - 2*one(from == "n05" && to == "n02") }, want: []string{"Link n02,n05 Backward"}},
		"a latency that is a quarter too long":   {nodes: fleet(8), o: Options{LowerIsBetter: true}, v: func(from, to string, _ int) float64 { return 10 + 2.5*one(has("n03", from, to)) }, want: []string{"Node n03"}},
		"a disturbance in one round is forgiven": {nodes: fleet(8), v: func(from, to string, r int) float64 { return 10 - 4*one(r == 2 && has("n03", from, to)) }},
		"a node whose pairs all fail": {nodes: fleet(8), v: func(from, to string, _ int) float64 { return 10 * (1 - one(has("n03", from, to))) },
			want: []string{"Unmeasured n03?"}},
		"a leaf switch with a slow uplink": {nodes: fleet(16, leaves...), v: func(from, to string, _ int) float64 {
			return 10 - 3*one(place(from) != place(to) && (place(from) == "leaf-2" || place(to) == "leaf-2"))
		}, want: []string{"Boundary leaf-2"}},
		"the first leaf switch with a slow uplink": {nodes: fleet(16, leaves...), v: func(from, to string, _ int) float64 {
			return 10 - 3*one(place(from) != place(to) && (place(from) == "leaf-1" || place(to) == "leaf-1"))
		}, want: []string{"Boundary leaf-1"}},
		"two places with slow links between them: fault or design": {nodes: fleet(8, "leaf-1", "leaf-2"), v: func(from, to string, _ int) float64 {
			return 10 - 3*one((from < "n04") != (to < "n04"))
		}, want: []string{"Boundary leaf-1,leaf-2?"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, v := tournament(t, c.nodes, c.o, c.directed, c.v)
			if diff := cmp.Diff(c.want, found(v)); diff != "" {
				t.Errorf("%s\n%+v", diff, v.Findings)
			}
		})
	}
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Few nodes do not wait for each other: what the idle ones repeat shows how much is noise.
func TestNoneOfFewIsIdleInAConfirmingRound(t *testing.T) {
	measurements, _ := tournament(t, fleet(8), Options{}, false, capped("n01"))
	pairs := 0
	for _, p := range measurements {
		if p.Round == 5 {
			pairs++
		}
	}
	if pairs != 4 {
		t.Errorf("%d pairs of 8 nodes in round 5, want 4: %+v", pairs, measurements)
	}
}

// One slow repetition of a pair that was fast is a disturbance, not a slow link.
func TestOneSlowRepetitionBlamesNoLink(t *testing.T) {
	_, v := tournament(t, fleet(8), Options{MaxRounds: 5}, false, func(from, to string, round int) float64 {
		if round == 5 && !has("n01", from, to) {
			return 8
		}
		return capped("n01")(from, to, round)
	})
	for _, f := range v.Findings {
		if f.Kind == KindLink && f.Blamed {
			t.Errorf("convicted: %+v", f)
		}
	}
}

// A pair that is fast for a reason of its own (one switch, one host) does not make a slow node look like noise.
func TestFastPairHidesNoSlowNode(t *testing.T) {
	_, v := tournament(t, fleet(16), Options{}, false, func(from, to string, round int) float64 {
		if has("n03", from, to) && has("n04", from, to) || has("n07", from, to) && has("n08", from, to) {
			return 40
		}
		return capped("n10")(from, to, round)
	})
	if got := found(v); !slices.Equal(got, []string{"Node n10"}) {
		t.Errorf("found %q, want n10 alone", got)
	}
}

// A node with three slow links of four looks slow by its average; its one fast pair proves that it is not.
func TestOneFastPairClearsANode(t *testing.T) {
	nodes, measurements := fleet(12), []Measurement(nil)
	slowLinks := 0
	for range 4 {
		s := Next(nodes, measurements, Options{})
		for _, p := range s.Pairs {
			x := 10.0
			if has("n00", p.A, p.B) && slowLinks < 3 {
				slowLinks++
				x = 8
			}
			measurements = append(measurements, Measurement{Pair: p, Round: s.Round, Samples: []Sample{{Value: x}}})
		}
	}
	for _, f := range Judge(nodes, measurements, Options{}).Findings {
		if f.Kind != KindLink {
			t.Errorf("%+v", f)
		}
	}
}

func TestMessageSaysNumberExpectationAndProof(t *testing.T) {
	_, v := tournament(t, fleet(8), Options{Unit: "GB/s"}, false, capped("n01"))
	want := "n01 reached 8 GB/s, 20% below typical 10 GB/s; median of 5 pairs; confirmed by 1 more measurement; check its network adapter, its slot and its load"
	if len(v.Findings) != 1 || v.Findings[0].Message != want {
		t.Errorf("got  %+v\nwant %s", v.Findings, want)
	}
}

func TestRoundsMeetDifferentPartners(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 8, 13, 64, 129} {
		for _, places := range [][]string{nil, {"a", "b"}, {"a", "b", "c", "d"}} {
			if n < len(places) {
				continue
			}
			nodes, met := fleet(n, places...), map[Pair]int{}
			measurements, _ := tournament(t, nodes, Options{}, false, capped())
			near := 0
			tab := newTable(nodes, measurements, Options{})
			for _, p := range measurements {
				met[p.Pair]++
				if met[p.Pair] > 1 {
					t.Errorf("%d nodes in %v: %v met twice", n, places, p.Pair)
				}
				if tab.byName[p.A].near(tab.byName[p.B]) {
					near++
				}
			}
			if n >= 64 && len(measurements) < 4*(n/2)-2 {
				t.Errorf("%d nodes in %v: %d pairs in 4 rounds", n, places, len(measurements))
			}
			if share := float64(near) / float64(len(measurements)); n >= 64 && places != nil && math.Abs(share-0.5) > 0.05 {
				t.Errorf("%d nodes in %v: %.2f of the pairs are near", n, places, share)
			}
		}
	}
}

func TestConstraints(t *testing.T) {
	for n, mayIdle := range map[int]int{8: 0, 64: 1} { // of few nodes all pairs are tried, those of many are drawn by place
		nodes := append(fleet(n, "a", "b"), Node{Name: "nowhere"})
		for _, c := range []Constraint{Within, Across} {
			s := Next(nodes, nil, Options{Pairs: c})
			if len(s.Pairs) < n/2-mayIdle || !slices.Contains(idle(nodes, s), "nowhere") {
				t.Errorf("of %d %s: %+v", n, c, s)
			}
			second := nodes[n/2].Name
			for _, p := range s.Pairs {
				if (p.A < second) == (p.B < second) != (c == Within) {
					t.Errorf("of %d %s: %v", n, c, p)
				}
			}
		}
	}
}

func TestBegunRoundGoesOn(t *testing.T) {
	nodes := fleet(8)
	first := Next(nodes, nil, Options{})
	measurements := []Measurement{{Pair: first.Pairs[0], Round: 1, Samples: []Sample{{Value: 10}}}}
	if s := Next(nodes, measurements, Options{}); s.Round != 1 || !slices.Equal(s.Pairs, first.Pairs[1:]) {
		t.Errorf("what is left of round 1: %+v", s)
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		nodes := fleet(12, "a", "b", "c")
		measurements, v := tournament(t, nodes, Options{}, seed%2 == 0, func(from, to string, _ int) float64 {
			return capped("n03", "n01-n05")(from, to, 0) * math.Exp(0.02*r.NormFloat64())
		})
		r.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		r.Shuffle(len(measurements), func(i, j int) { measurements[i], measurements[j] = measurements[j], measurements[i] })
		for k := range measurements {
			measurements[k].A, measurements[k].B = measurements[k].B, measurements[k].A
		}
		if diff := cmp.Diff(v, Judge(nodes, measurements, Options{})); diff != "" {
			t.Fatalf("seed %d:\n%s", seed, diff)
		}
	}
}

func TestBisect(t *testing.T) {
	nodes := fleet(16, "a", "b", "c", "d")
	cases := map[string]struct {
		slow func(in map[string]bool) bool
		want string
	}{
		"the way between two places": {func(in map[string]bool) bool {
			return (in["n04"] || in["n05"] || in["n06"] || in["n07"]) && (in["n12"] || in["n13"] || in["n14"] || in["n15"])
		}, "Boundary b,d?"},
		"two members together": {func(in map[string]bool) bool { return in["n04"] && in["n06"] }, "Set n04,n06?"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var trials []Trial
			for range 20 {
				s := Bisect(nodes, trials)
				if len(s.Next) == 0 {
					if got := found(Verdict{Findings: s.Findings}); !slices.Equal(got, []string{c.want}) {
						t.Errorf("got %v, want %s", got, c.want)
					}
					return
				}
				for _, set := range s.Next {
					in := map[string]bool{}
					for _, n := range set {
						in[n] = true
					}
					trials = append(trials, Trial{Members: set, Slow: c.slow(in)})
				}
			}
			t.Fatal("it does not end")
		})
	}
}

func FuzzJudge(f *testing.F) {
	f.Add(uint8(4), uint8(2), []byte{0, 1, 1, 100, 0, 2, 1, 90, 1, 2, 3, 200})
	f.Add(uint8(9), uint8(0), []byte{0, 1, 0, 0, 3, 4, 2, 1, 5, 5, 1, 2, 3, 200, 255, 255})
	f.Fuzz(func(t *testing.T, n, places uint8, raw []byte) {
		nodes := fleet(int(n % 40))
		for i := range nodes {
			if places > 0 {
				nodes[i].Place = []string{"", "a", "b", "c"}[i%min(4, int(places))]
			}
		}
		odd := []float64{math.NaN(), math.Inf(1), 0, -1, 5e-324, 1e308}
		var measurements []Measurement
		for ; len(raw) >= 4; raw = raw[4:] {
			a, b := fmt.Sprintf("n%02d", raw[0]%64), fmt.Sprintf("n%02d", raw[1]%64)
			x := float64(raw[3])
			if int(raw[3]) < len(odd) {
				x = odd[raw[3]]
			}
			measurements = append(measurements, Measurement{Pair: Pair{a, b}, Round: int(raw[2]) - 3, Samples: []Sample{{Value: x}, {From: a, To: b, Value: x}}[raw[2]%2:]})
		}
		for _, o := range []Options{{}, {Pairs: Within, MaxRounds: 300}, {Pairs: Across, LowerIsBetter: true, MaxRounds: 300, Rounds: 300, NoiseFloor: math.NaN()}} {
			if s := Next(nodes, measurements, o); len(s.Pairs) > 0 {
				checkStep(t, nodes, s)
			}
			for _, x := range Judge(nodes, measurements, o).Findings {
				if x.Message == "" || math.IsNaN(x.Effect) {
					t.Fatalf("%+v", x)
				}
			}
		}
	})
}

// TestNoiseIsMeasuredAway: four nodes have met each other after three rounds. Where noise left it open who is slow, they meet again.
func TestNoiseIsMeasuredAway(t *testing.T) {
	disturbed := map[Pair]float64{{"n00", "n02"}: 0.5, {"n02", "n03"}: 0.5}
	_, v := tournament(t, fleet(4), Options{MinEffect: 0.4, NoiseFloor: 0.1}, false, func(from, to string, round int) float64 {
		switch d, ok := disturbed[NewPair(from, to)]; {
		case has("n01", from, to):
			return 2.5
		case ok && round <= 3:
			return 10 * d
		}
		return 10
	})
	if got := found(v); len(got) != 1 || !strings.Contains(got[0], "n01") || !v.Findings[0].Blamed {
		t.Errorf("found %q, want n01 alone convicted: %+v", got, v.Findings)
	}
}
