package blame

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/internal/list"
)

// racks of so many nodes each.
func racks(sizes ...int) (nodes []Node) {
	for i, size := range sizes {
		for range size {
			nodes = append(nodes, Node{Name: fmt.Sprintf("n%02d", len(nodes)), Place: fmt.Sprintf("rack-%d", i)})
		}
	}
	return nodes
}

// splits are all ways to put so many nodes into racks.
func splits(nodes int) [][]int {
	all := [][]int{{nodes}}
	for first := 1; first < nodes; first++ {
		for _, rest := range splits(nodes - first) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}

// byPlace is the speed of a pair: inside, or across, and as fast as the slowest of its ends at most.
func byPlace(nodes []Node, inside, across float64, ends map[string]float64) value {
	place := map[string]string{}
	for _, n := range nodes {
		place[n.Name] = n.Place
	}
	return func(from, to string, _ int) float64 {
		v := across
		if place[from] == place[to] {
			v = inside
		}
		for _, end := range []string{from, to} {
			if most, slow := ends[end]; slow {
				v = min(v, most)
			}
		}
		return v
	}
}

func blamedNodes(v Verdict) string {
	return strings.Join(list.Some(v.Findings, func(f Finding) (string, bool) { return f.Names[0], f.Blamed && f.Kind == KindNode }), " ")
}

// In small racks a slow node may be in most of the pairs inside racks, or in all. However the racks are cut, it is named, and nobody else is.
func TestASlowNodeIsNamedInRacksOfAnySize(t *testing.T) {
	for n := 4; n <= 6; n++ {
		for _, sizes := range splits(n) {
			nodes := racks(sizes...)
			for i, slow := range nodes {
				want := slow.Name
				if alone := !slices.ContainsFunc(nodes, func(o Node) bool { return o != slow && o.Place == slow.Place }); alone && len(sizes) == 2 {
					want = "" // its way may be slow
				}
				_, v := tournament(t, nodes, Options{MinEffect: 0.1}, i%2 == 0, byPlace(nodes, 10, 10, map[string]float64{slow.Name: 6}))
				if got := blamedNodes(v); got != want {
					t.Errorf("racks of %v, %s slow: blamed %q, want %q: %v", sizes, slow.Name, got, want, found(v))
				}
			}
		}
	}
}

// Where ways across let less through than a slow node, only its pairs inside its rack show it. However the racks are cut, it is named where two of those are with
// nodes that met somebody else there; else its links may be slow, or the rack. Nobody else is.
func TestASlowNodeThatIsFasterThanTheWaysIsNamed(t *testing.T) {
	for n := 4; n <= 6; n++ {
		for _, sizes := range splits(n) {
			nodes := racks(sizes...)
			for i, slow := range nodes {
				pairs, v := tournament(t, nodes, Options{MinEffect: 0.1}, i%2 == 0, byPlace(nodes, 10, 6, map[string]float64{slow.Name: 7}))
				want := ""
				if fitInside(nodes, pairs, slow) >= 2 {
					want = slow.Name
				}
				if got := blamedNodes(v); got != want {
					t.Errorf("racks of %v, %s slow: blamed %q, want %q: %v", sizes, slow.Name, got, want, found(v))
				}
			}
		}
	}
}

// fitInside counts the nodes that met a slow one in its rack, and somebody else there.
func fitInside(nodes []Node, pairs []Measurement, slow Node) int {
	met, others := map[string]bool{}, map[string]bool{}
	for _, p := range pairs {
		for _, o := range nodes {
			switch inside := o.Place == slow.Place && o != slow && has(o.Name, p.A, p.B); {
			case inside && has(slow.Name, p.A, p.B):
				met[o.Name] = true
			case inside && slices.ContainsFunc(nodes, func(x Node) bool { return x != o && x.Place == o.Place && has(x.Name, p.A, p.B) }):
				others[o.Name] = true
			}
		}
	}
	return list.Count(nodes, func(o Node) bool { return met[o.Name] && others[o.Name] })
}

// No slow node explains that a node's pairs inside its rack are slow by different losses, or all pairs there, or that one across was faster.
func TestSlowPairsInsideThatNoNodeExplains(t *testing.T) {
	for sentence, c := range map[string]struct {
		nodes []Node
		loss  value // of pairs in the first rack
	}{
		"next to none": {racks(4, 4), func(from, to string, _ int) float64 { return 0.1 * one(has("n01", from, to)) }},
		"links that are slow by different losses": {racks(4, 4), func(from, to string, _ int) float64 {
			return 3*one(has("n01", from, to)) - 2*one(has("n01", from, to) && has("n02", from, to))
		}},
		"a rack":                        {racks(3, 3, 3, 3, 3, 3), func(string, string, int) float64 { return 3 }}, // the partners of one node never met
		"a node that was faster across": {racks(4, 4), func(from, to string, _ int) float64 { return 5 * one(has("n01", from, to)) }},
	} {
		t.Run(sentence, func(t *testing.T) {
			usual, inside := byPlace(c.nodes, 10, 6, nil), byPlace(c.nodes, 1, 0, nil)
			_, v := tournament(t, c.nodes, Options{MinEffect: 0.1}, false, func(from, to string, round int) float64 {
				return usual(from, to, round) - inside(from, to, round)*one(min(from, to) < "n03" || max(from, to) == "n03")*c.loss(from, to, round)
			})
			if got := blamedNodes(v); got != "" {
				t.Errorf("blamed %q: %v", got, found(v))
			}
			for _, n := range v.Nodes {
				if sentence == "next to none" && len(n.Reached) != n.Partners {
					t.Errorf("only %d of %d pairs tell of %s, which is fit", len(n.Reached), n.Partners, n.Name)
				}
			}
		})
	}
}

// It is compared with what is usual inside a rack, and a slow link of it across racks with what is usual there.
func TestFiguresOfASlowNodeThatIsFasterThanTheWays(t *testing.T) {
	nodes := racks(4, 4)
	usual := byPlace(nodes, 10, 6, map[string]float64{"n01": 7})
	_, v := tournament(t, nodes, Options{Unit: "GB/s"}, false, func(from, to string, round int) float64 {
		return usual(from, to, round) - 3*one(has("n01", from, to) && has("n05", from, to))
	})
	var messages string
	for _, f := range v.Findings {
		messages += f.Message + "\n"
	}
	for _, want := range []string{
		"n01 reached 7 GB/s, 30% below typical 10 GB/s; median of 3 pairs; confirmed by", "n01-n05 reached 3 GB/s, 50% below typical 6 GB/s",
	} {
		if !strings.Contains(messages, want) {
			t.Errorf("not said: %s; but:\n%s", want, messages)
		}
	}
}

// Two slow nodes of seven may be in most of the pairs inside racks, or across. They are named, and nobody else is, where two fit nodes met inside a rack, and two
// across: else all pairs there may be as slow by design.
func TestTwoSlowNodesAreNamedInRacksOfAnySize(t *testing.T) {
	for _, sizes := range splits(7) {
		nodes := racks(sizes...)
		for i, one := range nodes {
			for _, other := range nodes[i+1:] {
				slow := map[string]float64{one.Name: 6, other.Name: 6}
				pairs, v := tournament(t, nodes, Options{MinEffect: 0.1}, false, byPlace(nodes, 10, 10, slow))
				known := len(sizes) == 1 || metFit(nodes, pairs, slow)
				if got := blamedNodes(v); known && got != one.Name+" "+other.Name {
					t.Errorf("racks of %v, %s and %s slow: blamed %q: %v", sizes, one.Name, other.Name, got, found(v))
				}
			}
		}
	}
}

// metFit: two nodes that are not slow were measured together inside a place, and two across, if any were.
func metFit(nodes []Node, pairs []Measurement, slow map[string]float64) bool {
	place, met, fit := map[string]string{}, map[bool]bool{}, map[bool]bool{}
	for _, n := range nodes {
		place[n.Name] = n.Place
	}
	for _, p := range pairs {
		inside := place[p.A] == place[p.B]
		met[inside], fit[inside] = true, fit[inside] || slow[p.A]+slow[p.B] == 0
	}
	return met[true] == fit[true] && met[false] == fit[false]
}

// Two worlds in which all pairs are equally fast: a slow node that is alone in one of two racks, and a slow way between the racks. No rule tells them apart, so
// that nobody is blamed; the way is a suspect, with its figures.
func TestALoneSlowNodeLooksLikeASlowWay(t *testing.T) {
	nodes := racks(3, 1)
	node, v := tournament(t, nodes, Options{Unit: "GB/s"}, false, byPlace(nodes, 10, 10, map[string]float64{"n03": 6}))
	way, _ := tournament(t, nodes, Options{Unit: "GB/s"}, false, byPlace(nodes, 10, 6, nil))
	if diff := cmp.Diff(node, way); diff != "" {
		t.Errorf("the worlds differ:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Boundary rack-0,rack-1?"}, found(v)); diff != "" {
		t.Fatal(diff)
	}
	if message := v.Findings[0].Message; !strings.Contains(message, "6 GB/s, 40% below typical 10 GB/s") {
		t.Errorf("without figures: %s", message)
	}
}

// Nobody met inside a rack, so that what is usual is what pairs across racks reach.
func TestHalfOfNodesThatAreAloneAreSuspectsBesideWhatOthersReach(t *testing.T) {
	nodes := racks(1, 1, 1, 1)
	_, v := tournament(t, nodes, Options{Unit: "GB/s"}, false, byPlace(nodes, 0, 10, map[string]float64{"n01": 6, "n02": 6}))
	if len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Message, "n01, n02 reached 6 GB/s, 40% below typical 10 GB/s") {
		t.Errorf("%+v", v.Findings)
	}
}

// Two worlds in which all pairs are equally fast: two slow nodes that are in every pair inside racks, and one of them, where all racks are slow inside. Of the
// other one, n05, that met no fit node across, no rule tells whether it is slow.
func TestSlowNodesInAllPairsInsideLookLikeSlowRacks(t *testing.T) {
	nodes := racks(1, 2, 1, 3)
	two, v := tournament(t, nodes, Options{MinEffect: 0.1}, false, byPlace(nodes, 10, 10, map[string]float64{"n01": 6, "n05": 6}))
	one, _ := tournament(t, nodes, Options{MinEffect: 0.1}, false, byPlace(nodes, 6, 10, map[string]float64{"n01": 6}))
	if diff := cmp.Diff(two, one); diff != "" {
		t.Errorf("the worlds differ:\n%s", diff)
	}
	if got := blamedNodes(v); got != "" {
		t.Errorf("blamed %q: %v", got, found(v))
	}
}

// A rack is slow, not its nodes: where pairs inside racks are slower than across by design, beside a slow node, and where an uplink is slow besides.
func TestNoFitNodeIsBlamedForItsRack(t *testing.T) {
	three, pair := racks(3, 2), racks(1, 1, 1, 1, 2)
	behind := byPlace(three, 8, 10, map[string]float64{"n03": 6})
	for sentence, c := range map[string]struct {
		nodes []Node
		v     value
		want  string
	}{
		"of three, the one that crossed to a slow node only": {three, func(from, to string, round int) float64 {
			return behind(from, to, round) - one(has("n03", from, to) && has("n04", from, to))
		}, "n03"},
		"of two, both behind a slow uplink": {pair, byPlace(pair, 8, 10, map[string]float64{"n04": 8, "n05": 8}), ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			_, v := tournament(t, c.nodes, Options{MinEffect: 0.1}, false, c.v)
			if got := blamedNodes(v); got != c.want {
				t.Errorf("blamed %q, want %q: %v", got, c.want, found(v))
			}
		})
	}
}
