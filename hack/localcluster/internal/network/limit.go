package network

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

// Limit is a rate that pods of a node get, each way: towards everybody, or towards the pods of one other node.
type Limit struct {
	Node string `json:"node"`
	To   string `json:"to,omitempty"`
	// Rate as tc writes it: 100mbit.
	Rate string `json:"rate"`
}

var rate = regexp.MustCompile(`^[1-9][0-9]*(kbit|mbit|gbit)$`)

// Check returns an error for a limit that cannot be set.
func (l Limit) Check() error {
	switch {
	case l.Node == l.To:
		return errors.New("a link has two different ends: choose another --to")
	case !rate.MatchString(l.Rate):
		return fmt.Errorf("rate %q: want a number and kbit, mbit or gbit", l.Rate)
	}
	return nil
}

// rule is the share of a limit that one bridge enforces on what it sends to its node's pods.
type rule struct {
	match string // of tc's u32 filter
	rate  string
}

// SetLimits makes these all the limits of the cluster's pods. Every bridge holds back what it sends to its own node's pods: from
// anybody, from one node, or from a limited node. Pods that start later are held back too.
func SetLimits(c layout.Cluster, nodes int, limits []Limit) error {
	return daemon.InNetNS(c.NetNS(), func() error {
		for _, node := range c.Nodes(nodes) {
			// Fails where there is none.
			_ = exec.Command("tc", "qdisc", "del", "dev", node.Bridge(), "root").Run()
			for _, command := range commands(node.Bridge(), rules(c, nodes, node, limits)) {
				if out, err := exec.Command("tc", command...).CombinedOutput(); err != nil {
					return fmt.Errorf("tc %s: %w: %s", strings.Join(command, " "), err, strings.TrimSpace(string(out)))
				}
			}
		}
		return nil
	})
}

// rules of one node's bridge.
func rules(c layout.Cluster, nodes int, node layout.Node, limits []Limit) []rule {
	cidr := map[string]string{}
	for _, n := range c.Nodes(nodes) {
		cidr[n.Name()] = n.PodCIDR()
	}
	var out []rule
	for _, l := range limits {
		switch {
		case l.To == "" && l.Node == node.Name():
			out = append(out, rule{"dst " + node.PodCIDR(), l.Rate})
		case l.To == "", l.To == node.Name():
			out = append(out, rule{"src " + cidr[l.Node], l.Rate})
		case l.Node == node.Name():
			out = append(out, rule{"src " + cidr[l.To], l.Rate})
		}
	}
	// tc takes the first filter that matches: the tightest limit must come first.
	slices.SortStableFunc(out, func(a, b rule) int { return cmp.Compare(kilobits(a.rate), kilobits(b.rate)) })
	return out
}

func kilobits(rate string) float64 {
	for unit, factor := range map[string]float64{"kbit": 1, "mbit": 1e3, "gbit": 1e6} {
		if number, ok := strings.CutSuffix(rate, unit); ok {
			v, _ := strconv.ParseFloat(number, 64) // Check has seen that it is one
			return v * factor
		}
	}
	return 0
}

// commands are the arguments of tc that make a bridge enforce rules; what no rule matches passes as fast as it can.
func commands(bridge string, rules []rule) [][]string {
	if len(rules) == 0 {
		return nil
	}
	out := [][]string{{"qdisc", "add", "dev", bridge, "root", "handle", "1:", "htb"}}
	for i, r := range rules {
		class := fmt.Sprintf("1:%x", i+1)
		out = append(out,
			[]string{"class", "add", "dev", bridge, "parent", "1:", "classid", class, "htb", "rate", r.rate, "burst", "128k", "cburst", "128k"},
			append(append([]string{"filter", "add", "dev", bridge, "parent", "1:", "protocol", "ip", "prio", "1", "u32", "match", "ip"},
				strings.Fields(r.match)...), "flowid", class))
	}
	return out
}
