package network

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

// Limit is a rate that pods of a node get, each way: all of them together with everybody, or with the pods of one other node.
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
	case l.Node == "":
		return errors.New("a limit of no node: set --node")
	case l.Node == l.To:
		return errors.New("a link has two different ends: choose another --to")
	case !rate.MatchString(l.Rate):
		return fmt.Errorf("rate %q: want a number and kbit, mbit or gbit", l.Rate)
	}
	return nil
}

// Ends are the names of the nodes that the limit is set at.
func (l Limit) Ends() []string {
	if l.To == "" {
		return []string{l.Node}
	}
	return []string{l.Node, l.To}
}

// Replaces says whether the limit is set where the other one was: a link is the same from both its ends.
func (l Limit) Replaces(other Limit) bool {
	return l.Node == other.Node && l.To == other.To || l.To != "" && l.Node == other.To && l.To == other.Node
}

const (
	// unlimited is a rate that no machine reaches between its bridges.
	unlimited = "100gbit"
	// lent: a class of little of its own borrows from its node up to its ceiling, so that links never add up to more than their node has.
	lent = "8kbit"
)

// SetLimits makes of these limits of the pods of all nodes what concerns the named nodes. It holds for pods that start later too,
// because it is set at bridges.
func SetLimits(c layout.Cluster, all []layout.Node, names []string, limits []Limit) error {
	return daemon.InNetNS(c.NetNS(), func() error {
		for _, node := range all {
			if !slices.Contains(names, node.Name()) {
				continue
			}
			for _, command := range removal(node, all) {
				_ = execute(command) // fails where there is none
			}
			for _, command := range commands(node, all, limits) {
				if err := execute(command); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func execute(command string) error {
	fields := strings.Fields(command)
	if out, err := exec.Command(fields[0], fields[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", command, err, strings.TrimSpace(string(out)))
	}
	return nil
}

func removal(node layout.Node, all []layout.Node) []string {
	out := []string{"tc qdisc del dev " + node.Bridge() + " root"}
	for _, exit := range exits(node, all) {
		out = append(out, fmt.Sprintf("tc filter del dev %s egress prio %d", exit, node.Index))
	}
	return append(out, "ip link del "+node.Outbound())
}

// exits are the interfaces by which what the node's pods send goes elsewhere.
func exits(node layout.Node, all []layout.Node) []string {
	out := []string{innerLink}
	for _, other := range all {
		if other != node {
			out = append(out, other.Bridge())
		}
	}
	return out
}

// commands set a node's share of the limits. What its pods get, its bridge holds back: all that is for them, and of that what comes from
// the other end of a link. What they send leaves by many interfaces; from each it takes a way around over one ifb interface, which holds
// it back. (Not where it enters: redirected there, packets lose their connection, and kube-proxy drops them as invalid.)
func commands(node layout.Node, all []layout.Node, limits []Limit) []string {
	own, links := "", map[string]string{}
	for _, l := range limits {
		switch {
		case l.To == "" && l.Node == node.Name():
			own = l.Rate
		case l.Node == node.Name():
			links[l.To] = l.Rate
		case l.To == node.Name():
			links[l.Node] = l.Rate
		}
	}
	if own == "" && len(links) == 0 {
		return nil
	}
	whole := own
	if own == "" {
		whole = unlimited
	}
	out := newTree(node.Bridge(), whole)
	for _, peer := range all {
		if rate, limited := links[peer.Name()]; limited {
			out = append(out, branch(node.Bridge(), peer.Index, rate, "1", "src "+peer.PodCIDR())...)
		}
	}
	if own == "" {
		return out
	}
	out = append(out, branch(node.Bridge(), node.Index, own, "2", "dst "+node.PodCIDR())...)
	out = append(out,
		"ip link add "+node.Outbound()+" type ifb",
		"ip link set "+node.Outbound()+" txqueuelen 1000 up")
	out = append(out, newTree(node.Outbound(), own)...)
	out = append(out, branch(node.Outbound(), node.Index, own, "2", "src "+node.PodCIDR())...)
	for _, exit := range exits(node, all) {
		out = append(out,
			"tc qdisc replace dev "+exit+" clsact",
			fmt.Sprintf("tc filter add dev %s egress protocol ip prio %d u32 match ip src %s action mirred egress redirect dev %s",
				exit, node.Index, node.PodCIDR(), node.Outbound()))
	}
	return out
}

// newTree lets what no branch matches pass as fast as it can.
func newTree(device, rate string) []string {
	return []string{
		"tc qdisc add dev " + device + " root handle 1: htb",
		"tc class add dev " + device + " parent 1: classid 1:ffff htb rate " + rate + " burst 128k quantum 60000",
	}
}

// branch i of a tree; of two that match, that of the lower preference number counts.
func branch(device string, i int, rate, preference, match string) []string {
	class := fmt.Sprintf("1:%x", i)
	return []string{
		"tc class add dev " + device + " parent 1:ffff classid " + class + " htb rate " + lent + " ceil " + rate + " cburst 128k quantum 60000",
		"tc filter add dev " + device + " parent 1: protocol ip prio " + preference + " u32 match ip " + match + " flowid " + class,
	}
}
