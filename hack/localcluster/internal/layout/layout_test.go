package layout

import (
	"net/netip"
	"strings"
	"testing"
)

func TestEveryRangeOfAClusterIsInsideItsOwnSixteen(t *testing.T) {
	c := Cluster{Name: "assay", Subnet: 217}
	whole := netip.MustParsePrefix(c.CIDR())
	inside := map[string]string{
		"pods": c.PodCIDR(), "kwok pods": c.KwokPodCIDR(), "services": c.ServiceCIDR(),
		"last node": c.Nodes(MaxNodes)[MaxNodes-1].PodCIDR(),
	}
	for what, cidr := range inside {
		if p := netip.MustParsePrefix(cidr); !whole.Contains(p.Addr()) {
			t.Errorf("%s %s is outside %s", what, cidr, whole)
		}
	}
}

func TestRangesOfAClusterDoNotOverlap(t *testing.T) {
	c := Cluster{Name: "assay", Subnet: 217}
	ranges := []netip.Prefix{netip.MustParsePrefix(c.KwokPodCIDR()), netip.MustParsePrefix(c.ServiceCIDR())}
	for _, n := range c.Nodes(MaxNodes) {
		ranges = append(ranges, netip.MustParsePrefix(n.PodCIDR()))
	}
	for i, a := range ranges {
		for _, b := range ranges[i+1:] {
			if a.Masked().Overlaps(b.Masked()) {
				t.Errorf("%s overlaps %s", a, b)
			}
		}
		if a.Contains(netip.MustParseAddr(c.ControlIP())) {
			t.Errorf("%s holds the control plane's address", a)
		}
	}
}

func TestNamesFitTheKernelsLimits(t *testing.T) {
	c := Cluster{Name: "a234567890123456", Subnet: 200}
	if err := CheckName(c.Name); err != nil {
		t.Fatal(err)
	}
	last := c.Nodes(MaxNodes)[MaxNodes-1]
	for _, link := range []string{c.HostLink(), last.Bridge(), last.Outbound()} {
		if len(link) > 15 {
			t.Errorf("interface %q is longer than 15 bytes", link)
		}
	}
	if s := last.Socket(); len(s) > 100 {
		t.Errorf("socket %q leaves no room below 107 bytes", s)
	}
}

func TestCheckNameRefusesWhatCouldLeaveItsFolder(t *testing.T) {
	for _, name := range []string{"", "..", "a/b", "A", "-a", "a-", "1a", "a b", strings.Repeat("a", 17)} {
		if CheckName(name) == nil {
			t.Errorf("CheckName(%q) accepted it", name)
		}
	}
}

func TestPreferredSubnetStaysInRangeAndIsStable(t *testing.T) {
	for _, name := range []string{"assay", "test", "a", "z9"} {
		got := PreferredSubnet(name)
		if got < FirstSubnet || got > LastSubnet || got != PreferredSubnet(name) {
			t.Errorf("PreferredSubnet(%q) = %d", name, got)
		}
	}
}
