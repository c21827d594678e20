package network

import (
	"net"
	"slices"
	"testing"
)

func TestPickSubnetSkipsWhatIsRouted(t *testing.T) {
	parse := func(cidrs ...string) (all []*net.IPNet) {
		for _, cidr := range cidrs {
			_, n, err := net.ParseCIDR(cidr)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, n)
		}
		return all
	}
	for name, test := range map[string]struct {
		preferred int
		taken     []*net.IPNet
		want      int
	}{
		"free":                        {210, parse("192.168.0.0/16"), 210},
		"the same 16 is taken":        {210, parse("10.210.0.0/16"), 211},
		"a part of it is taken":       {210, parse("10.210.7.0/24"), 211},
		"it wraps at the end":         {249, parse("10.249.0.0/16"), 200},
		"one larger network takes 16": {210, parse("10.208.0.0/12"), 224},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := pickSubnet(test.preferred, test.taken)
			if err != nil || got != test.want {
				t.Errorf("got %d, %v; want %d", got, err, test.want)
			}
		})
	}
	if got, err := pickSubnet(210, parse("10.0.0.0/8")); err == nil {
		t.Errorf("a machine that routes all of 10/8 got %d", got)
	}
}

func TestDeletionsTakeOnlyRulesWithTheClustersComment(t *testing.T) {
	listed := `-P FORWARD ACCEPT
-A FORWARD -i x -m comment --comment "assay-cluster:a" -j ACCEPT
-A FORWARD -i y -m comment --comment assay-cluster:ab -j ACCEPT
-A FORWARD -i z -m comment --comment "of assay-cluster:a" -j ACCEPT
-A FORWARD -i z -j ACCEPT
`
	got := deletions(listed, "assay-cluster:a")
	want := []string{"-D", "FORWARD", "-i", "x", "-m", "comment", "--comment", "assay-cluster:a", "-j", "ACCEPT"}
	if len(got) != 1 || !slices.Equal(got[0], want) {
		t.Errorf("got %q, want only %q", got, want)
	}
}
