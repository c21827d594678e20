package network

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

func TestEveryNodeHoldsBackItsShareOfALimit(t *testing.T) {
	all := layout.Cluster{Name: "x", Subnet: 210}.Nodes(3)
	for sentence, test := range map[string]struct {
		limits []Limit
		want   []string // by node: interface, what goes over it, its rate
	}{
		"no limit": {nil, []string{"", "", ""}},
		"a node, both ways, at itself alone": {
			[]Limit{{Node: "node-2", Rate: "1mbit"}},
			[]string{"", "br dst 10.210.2.0/24 1mbit, ifb src 10.210.2.0/24 1mbit", ""},
		},
		"a link, at both its ends": {
			[]Limit{{Node: "node-3", To: "node-1", Rate: "1mbit"}},
			[]string{"br src 10.210.3.0/24 1mbit", "", "br src 10.210.1.0/24 1mbit"},
		},
		"a link of a limited node, before what is left to the node": {
			[]Limit{{Node: "node-1", Rate: "2gbit"}, {Node: "node-1", To: "node-2", Rate: "900mbit"}},
			[]string{
				"br src 10.210.2.0/24 900mbit, br dst 10.210.1.0/24 2gbit, ifb src 10.210.1.0/24 2gbit",
				"br src 10.210.1.0/24 900mbit", "",
			},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			for i, node := range all {
				if got := branches(commands(node, all, test.limits)); got != test.want[i] {
					t.Errorf("%s holds back %q, want %q", node.Name(), got, test.want[i])
				}
			}
		})
	}
}

// branches reads from commands which traffic gets which rate on which interface.
func branches(commands []string) string {
	after := func(fields []string, word string) string { return fields[slices.Index(fields, word)+1] }
	ceilings, out := map[string]string{}, []string(nil)
	for _, command := range commands {
		f := strings.Fields(command)
		switch {
		case slices.Contains(f, "ceil"):
			ceilings[after(f, "dev")+after(f, "classid")] = after(f, "ceil")
		case slices.Contains(f, "flowid"):
			device, _, _ := strings.Cut(after(f, "dev"), "-")
			match := f[len(f)-4 : len(f)-2] // "... match ip src CIDR flowid CLASS"
			out = append(out, strings.Join([]string{device, match[0], match[1], ceilings[after(f, "dev")+after(f, "flowid")]}, " "))
		}
	}
	return strings.Join(out, ", ")
}

func TestTheCommandsOfALimitedNode(t *testing.T) {
	all := layout.Cluster{Name: "x", Subnet: 210}.Nodes(2)
	want := `tc qdisc add dev br-node-2 root handle 1: htb
tc class add dev br-node-2 parent 1: classid 1:ffff htb rate 50mbit burst 128k quantum 60000
tc class add dev br-node-2 parent 1:ffff classid 1:1 htb rate 8kbit ceil 20mbit cburst 128k quantum 60000
tc filter add dev br-node-2 parent 1: protocol ip prio 1 u32 match ip src 10.210.1.0/24 flowid 1:1
tc class add dev br-node-2 parent 1:ffff classid 1:2 htb rate 8kbit ceil 50mbit cburst 128k quantum 60000
tc filter add dev br-node-2 parent 1: protocol ip prio 2 u32 match ip dst 10.210.2.0/24 flowid 1:2
ip link add ifb-node-2 type ifb
ip link set ifb-node-2 txqueuelen 1000 up
tc qdisc add dev ifb-node-2 root handle 1: htb
tc class add dev ifb-node-2 parent 1: classid 1:ffff htb rate 50mbit burst 128k quantum 60000
tc class add dev ifb-node-2 parent 1:ffff classid 1:2 htb rate 8kbit ceil 50mbit cburst 128k quantum 60000
tc filter add dev ifb-node-2 parent 1: protocol ip prio 2 u32 match ip src 10.210.2.0/24 flowid 1:2
tc qdisc replace dev uplink clsact
tc filter add dev uplink egress protocol ip prio 2 u32 match ip src 10.210.2.0/24 action mirred egress redirect dev ifb-node-2
tc qdisc replace dev br-node-1 clsact
tc filter add dev br-node-1 egress protocol ip prio 2 u32 match ip src 10.210.2.0/24 action mirred egress redirect dev ifb-node-2`
	got := strings.Join(commands(all[1], all, []Limit{{Node: "node-2", Rate: "50mbit"}, {Node: "node-1", To: "node-2", Rate: "20mbit"}}), "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestALinkIsTheSameFromBothItsEnds(t *testing.T) {
	there, back := Limit{Node: "node-1", To: "node-2", Rate: "1mbit"}, Limit{Node: "node-2", To: "node-1", Rate: "2mbit"}
	if !back.Replaces(there) || !there.Replaces(there) {
		t.Error("a limit of the same link did not replace the old one")
	}
	node := Limit{Node: "node-1", Rate: "1mbit"}
	if node.Replaces(there) || there.Replaces(node) || node.Replaces(Limit{Node: "node-2", Rate: "1mbit"}) {
		t.Error("a limit replaced one of something else")
	}
}

func TestLimitsThatCannotBeSet(t *testing.T) {
	for _, l := range []Limit{
		{Rate: "1mbit"}, {Node: "node-1", To: "node-1", Rate: "1mbit"}, {Node: "node-1", Rate: "fast"}, {Node: "node-1", Rate: "0mbit"},
	} {
		if l.Check() == nil {
			t.Errorf("%+v was accepted", l)
		}
	}
}
