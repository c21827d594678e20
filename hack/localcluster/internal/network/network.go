// Package network gives a cluster a network namespace of its own, joined to
// the machine by one veth pair. Bridges, iptables rules, routes and listening
// ports are inside it, so that they clash with nobody's and vanish with it.
package network

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

const (
	namedDir  = "/run/netns"
	innerLink = "uplink"
)

// FreeSubnet finds an x such that 10.x.0.0/16 is on no interface or route of
// the machine, from the preferred one on.
func FreeSubnet(preferred int) (int, error) {
	routes, err := netlink.RouteList(nil, netlink.FAMILY_V4)
	if err != nil {
		return 0, fmt.Errorf("listing the machine's routes: %w", err)
	}
	var taken []*net.IPNet
	for _, route := range routes {
		if route.Dst != nil && !route.Dst.IP.IsUnspecified() {
			taken = append(taken, route.Dst)
		}
	}
	return pickSubnet(preferred, taken)
}

func pickSubnet(preferred int, taken []*net.IPNet) (int, error) {
	const count = layout.LastSubnet - layout.FirstSubnet + 1
	for i := range count {
		x := layout.FirstSubnet + (preferred-layout.FirstSubnet+i)%count
		_, candidate, _ := net.ParseCIDR(layout.Cluster{Subnet: x}.CIDR())
		free := true
		for _, other := range taken {
			if other.Contains(candidate.IP) || candidate.Contains(other.IP) {
				free = false
				break
			}
		}
		if free {
			return x, nil
		}
	}
	return 0, fmt.Errorf("every 10.x.0.0/16 from %d to %d is routed already", layout.FirstSubnet, layout.LastSubnet)
}

// Exists says whether the cluster's namespace is there.
func Exists(c layout.Cluster) bool {
	handle, err := netns.GetFromName(c.NetNS())
	if err != nil {
		return false
	}
	handle.Close()
	_, err = netlink.LinkByName(c.HostLink())
	return err == nil
}

// Create makes the namespace, the veth pair and one bridge per node.
func Create(c layout.Cluster, nodes int) error {
	if err := createNamespace(c.NetNS()); err != nil {
		return err
	}
	if err := connect(c); err != nil {
		return err
	}
	return daemon.InNetNS(c.NetNS(), func() error { return configureInside(c, nodes) })
}

func createNamespace(name string) error {
	return inFreshThread(func() error {
		handle, err := netns.NewNamed(name)
		if err != nil {
			return fmt.Errorf("creating network namespace %s: %w", name, err)
		}
		return handle.Close()
	})
}

// connect joins the namespace to the machine and routes the /16 into it.
func connect(c layout.Cluster) error {
	target, err := netns.GetFromName(c.NetNS())
	if err != nil {
		return err
	}
	defer target.Close()
	attrs := netlink.NewLinkAttrs()
	attrs.Name = c.HostLink()
	veth := &netlink.Veth{LinkAttrs: attrs, PeerName: innerLink, PeerNamespace: netlink.NsFd(int(target))}
	if err := netlink.LinkAdd(veth); err != nil {
		return fmt.Errorf("creating interface %s: %w", c.HostLink(), err)
	}
	if err := addAddress(veth, c.HostIP()+"/24"); err != nil {
		return err
	}
	_, whole, err := net.ParseCIDR(c.CIDR())
	if err != nil {
		return err
	}
	route := &netlink.Route{LinkIndex: veth.Attrs().Index, Dst: whole, Gw: net.ParseIP(c.ControlIP())}
	if err := netlink.RouteAdd(route); err != nil {
		return fmt.Errorf("routing %s to the cluster: %w", c.CIDR(), err)
	}
	return nil
}

func configureInside(c layout.Cluster, nodes int) error {
	loopback, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	if err := netlink.LinkSetUp(loopback); err != nil {
		return fmt.Errorf("bringing up loopback: %w", err)
	}
	uplink, err := netlink.LinkByName(innerLink)
	if err != nil {
		return err
	}
	if err := addAddress(uplink, c.ControlIP()+"/24"); err != nil {
		return err
	}
	gateway := &netlink.Route{LinkIndex: uplink.Attrs().Index, Gw: net.ParseIP(c.HostIP())}
	if err := netlink.RouteAdd(gateway); err != nil {
		return fmt.Errorf("routing out of the cluster: %w", err)
	}
	for _, node := range c.Nodes(nodes) {
		if err := addBridge(node); err != nil {
			return err
		}
	}
	return setSysctls()
}

func addBridge(node layout.Node) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = node.Bridge()
	bridge := &netlink.Bridge{LinkAttrs: attrs}
	if err := netlink.LinkAdd(bridge); err != nil {
		return fmt.Errorf("creating bridge %s: %w", node.Bridge(), err)
	}
	return addAddress(bridge, node.IP()+"/24")
}

// AddNode makes the bridge of a node that joins, unless it is there.
func AddNode(node layout.Node) error {
	return daemon.InNetNS(node.Cluster.NetNS(), func() error {
		if _, err := netlink.LinkByName(node.Bridge()); err == nil {
			return nil
		}
		return addBridge(node)
	})
}

// RemoveNode removes the bridge of a node that leaves, if it is there.
func RemoveNode(node layout.Node) error {
	return daemon.InNetNS(node.Cluster.NetNS(), func() error {
		bridge, err := netlink.LinkByName(node.Bridge())
		if err != nil {
			return nil
		}
		if err := netlink.LinkDel(bridge); err != nil {
			return fmt.Errorf("removing bridge %s: %w", node.Bridge(), err)
		}
		return nil
	})
}

func addAddress(link netlink.Link, cidr string) error {
	address, err := netlink.ParseAddr(cidr)
	if err != nil {
		return err
	}
	if err := netlink.AddrAdd(link, address); err != nil {
		return fmt.Errorf("giving %s to interface %s: %w", cidr, link.Attrs().Name, err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("bringing up interface %s: %w", link.Attrs().Name, err)
	}
	return nil
}

// setSysctls lets the namespace route between its bridges, and lets kube-proxy
// see traffic between two pods of one bridge.
func setSysctls() error {
	for name, mustExist := range map[string]bool{
		"net/ipv4/ip_forward":                true,
		"net/bridge/bridge-nf-call-iptables": false, // module br_netfilter; without it pods reach services of other nodes only
	} {
		err := os.WriteFile(filepath.Join("/proc/sys", name), []byte("1"), 0o644)
		if err != nil && (mustExist || !errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("setting sysctl %s: %w", name, err)
		}
	}
	return nil
}

// Delete removes the machine's rules, the veth pair, and the namespace with all
// that is in it.
func Delete(c layout.Cluster) error {
	if err := removeRules(c); err != nil {
		return err
	}
	if link, err := netlink.LinkByName(c.HostLink()); err == nil {
		if err := netlink.LinkDel(link); err != nil {
			return fmt.Errorf("removing interface %s: %w", c.HostLink(), err)
		}
	}
	if _, err := os.Stat(filepath.Join(namedDir, c.NetNS())); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := netns.DeleteNamed(c.NetNS()); err != nil {
		// A crash between making the file and mounting on it leaves a file.
		if os.Remove(filepath.Join(namedDir, c.NetNS())) != nil {
			return fmt.Errorf("removing network namespace %s: %w", c.NetNS(), err)
		}
	}
	return nil
}

// Leftovers names what of the cluster's network is still there.
func Leftovers(c layout.Cluster) []string {
	var left []string
	if _, err := netlink.LinkByName(c.HostLink()); err == nil {
		left = append(left, "interface "+c.HostLink())
	}
	if _, err := os.Stat(filepath.Join(namedDir, c.NetNS())); err == nil {
		left = append(left, "network namespace "+c.NetNS())
	}
	for _, table := range tables {
		if rules := rulesOf(c, table); len(rules) > 0 {
			left = append(left, fmt.Sprintf("%d iptables rules in table %s", len(rules), table))
		}
	}
	return left
}
