package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// members are nodes n, each with its rack (Within) and leaf (Across).
func members(of ...[3]string) []Member {
	out := make([]Member, len(of))
	for i, m := range of {
		out[i] = Member{Name: m[0], Within: m[1], Across: m[2]}
	}
	return out
}

func TestDraw(t *testing.T) {
	type drawn struct {
		Groups [][]string
		Left   map[string]string
	}
	two := members([3]string{"a", "r1", ""}, [3]string{"b", "r2", ""}, [3]string{"c", "r1", ""}, [3]string{"d", "r2", ""}, [3]string{"e", "r1", ""})
	leaves := members([3]string{"a", "", "l1"}, [3]string{"b", "", "l1"}, [3]string{"c", "", "l1"}, [3]string{"d", "", "l2"}, [3]string{"e", "", "l2"}, [3]string{"f", "", "l2"})
	cases := map[string]struct {
		members        []Member
		size           int
		within, across string
		want           drawn
	}{
		"all nodes are one group":                          {two, 0, "", "", drawn{[][]string{{"a", "b", "c", "d", "e"}}, nil}},
		"all nodes with the same label":                    {two, 0, "rack", "", drawn{[][]string{{"a", "c", "e"}, {"b", "d"}}, nil}},
		"groups of a size":                                 {leaves, 3, "", "", drawn{[][]string{{"a", "b", "c"}, {"d", "e", "f"}}, nil}},
		"the nodes of a group come from different places":  {leaves, 2, "", "leaf", drawn{[][]string{{"a", "d"}, {"b", "e"}, {"c", "f"}}, nil}},
		"one place only gives groups all the same":         {leaves[:2], 2, "", "leaf", drawn{[][]string{{"a", "b"}}, nil}},
		"nodes left over are filled up from another group": {leaves[:5], 3, "", "leaf", drawn{[][]string{{"a", "b", "d"}, {"a", "c", "e"}}, nil}},
		"too few nodes of a place form no group": {two, 3, "rack", "", drawn{[][]string{{"a", "c", "e"}}, map[string]string{
			"b": "a group needs 3 nodes with rack=r2, and only 2 can be measured", "d": "a group needs 3 nodes with rack=r2, and only 2 can be measured"}}},
		"too few nodes at all": {two[:3], 4, "", "", drawn{nil, map[string]string{"a": "a group needs 4 nodes, and only 3 can be measured",
			"b": "a group needs 4 nodes, and only 3 can be measured", "c": "a group needs 4 nodes, and only 3 can be measured"}}},
		"one node alone is no group, even of all": {two[:1], 0, "", "", drawn{nil, map[string]string{"a": "a group needs 2 nodes, and only 1 can be measured"}}},
		"a node without the label of within": {append(members([3]string{"x", "", ""}), two...), 0, "rack", "", drawn{[][]string{{"a", "c", "e"}, {"b", "d"}},
			map[string]string{"x": "the node lacks the label rack, which group.within names"}}},
		"a node without the label of across": {append(members([3]string{"x", "", ""}), leaves...), 2, "", "leaf", drawn{[][]string{{"a", "d"}, {"b", "e"}, {"c", "f"}},
			map[string]string{"x": "the node lacks the label leaf, which group.across names"}}},
		"too few nodes of the first place keep no other place from its group": {two[1:4], 2, "rack", "", drawn{[][]string{{"b", "d"}}, map[string]string{
			"c": "a group needs 2 nodes with rack=r1, and only 1 can be measured"}}},
		"no nodes": {nil, 2, "", "", drawn{nil, nil}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			// Labels that the group does not name play no part: the controller leaves them empty.
			in := append([]Member(nil), c.members...)
			for i := range in {
				if c.within == "" {
					in[i].Within = ""
				}
				if c.across == "" {
					in[i].Across = ""
				}
			}
			groups, left := Draw(in, c.size, c.within, c.across)
			want := drawn{c.want.Groups, c.want.Left}
			if want.Left == nil {
				want.Left = map[string]string{}
			}
			if diff := cmp.Diff(want, drawn{groups, left}); diff != "" {
				t.Errorf("drawn otherwise (-want +got):\n%s", diff)
			}
			r := rand.New(rand.NewPCG(1, 3))
			for range 20 {
				r.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
				groups, left := Draw(in, c.size, c.within, c.across)
				if diff := cmp.Diff(want, drawn{groups, left}); diff != "" {
					t.Fatalf("another order of the nodes gives other groups:\n%s", diff)
				}
			}
		})
	}
}
