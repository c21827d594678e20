package network

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

func TestEveryBridgeHoldsBackItsShareOfALimit(t *testing.T) {
	c := layout.Cluster{Name: "x", Subnet: 210}
	nodes := c.Nodes(3)
	for sentence, test := range map[string]struct {
		limits []Limit
		want   []string // by bridge
	}{
		"no limit":               {nil, []string{"", "", ""}},
		"a node, from all sides": {[]Limit{{Node: "node-2", Rate: "1mbit"}}, []string{"src NODE2", "dst NODE2", "src NODE2"}},
		"the tightest limit first": {[]Limit{{Node: "node-1", Rate: "2gbit"}, {Node: "node-2", Rate: "900mbit"}},
			[]string{"src NODE2, dst NODE1", "dst NODE2, src NODE1", "src NODE2, src NODE1"}},
		"a link, at both its ends": {[]Limit{{Node: "node-3", To: "node-1", Rate: "1mbit"}}, []string{"src NODE3", "", "src NODE1"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			for i, node := range nodes {
				var got []string
				for _, command := range commands(node.Bridge(), rules(c, 3, node, test.limits)) {
					if command[0] == "filter" {
						at := slices.Index(command, "match") + 2
						got = append(got, strings.Join(command[at:at+2], " "))
					}
				}
				want := strings.NewReplacer("NODE1", nodes[0].PodCIDR(), "NODE2", nodes[1].PodCIDR(), "NODE3", nodes[2].PodCIDR()).Replace(test.want[i])
				if strings.Join(got, ", ") != want {
					t.Errorf("%s matches %q, want %q", node.Bridge(), got, want)
				}
			}
		})
	}
}

func TestLimitsThatCannotBeSet(t *testing.T) {
	for _, l := range []Limit{{Node: "node-1", To: "node-1", Rate: "1mbit"}, {Node: "node-1", Rate: "fast"}, {Node: "node-1", Rate: "0mbit"}} {
		if l.Check() == nil {
			t.Errorf("%+v was accepted", l)
		}
	}
}
