package config

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

var machine = Machine{
	RestrictOOMScore: true, Runc: "/usr/sbin/runc", CNIBin: "/usr/lib/cni", PauseImage: "localhost/pause:1",
	Resolvers: []string{"192.0.2.53"},
}

func TestFilesOfANodeParse(t *testing.T) {
	node := layout.Cluster{Name: "assay", Subnet: 210}.Nodes(3)[2]
	files, err := ForNode(node, machine)
	if err != nil {
		t.Fatal(err)
	}
	var kubelet struct {
		Address, CGroupRoot string
		ClusterDNS          []string
		FailCgroupV1        *bool
	}
	if err := yaml.Unmarshal(files[node.Path("kubelet.yaml")], &kubelet); err != nil {
		t.Fatal(err)
	}
	if kubelet.Address != "10.210.3.1" || kubelet.CGroupRoot != "/assay-assay/node-3" || kubelet.FailCgroupV1 == nil {
		t.Errorf("kubelet: %+v", kubelet)
	}
	if !slices.Equal(kubelet.ClusterDNS, []string{"10.210.0.1"}) {
		t.Errorf("clusterDNS: %v", kubelet.ClusterDNS)
	}
	var cni map[string]any
	if err := json.Unmarshal(files[node.Path("cni", "10-assay.conflist")], &cni); err != nil {
		t.Errorf("CNI configuration: %v", err)
	}
}

func TestTwoNodesShareNoPath(t *testing.T) {
	nodes := layout.Cluster{Name: "assay", Subnet: 210}.Nodes(2)
	files, err := ForNode(nodes[0], machine)
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range files {
		if strings.Contains(string(content), nodes[1].Name()) {
			t.Errorf("%s of %s names %s", path, nodes[0].Name(), nodes[1].Name())
		}
	}
}

func TestCorefileAnswersWithoutAnUpstream(t *testing.T) {
	c := layout.Cluster{Name: "assay", Subnet: 210}
	alone := machine
	alone.Resolvers = nil
	for _, m := range []Machine{machine, alone} {
		files, err := ForCluster(c, m)
		if err != nil {
			t.Fatal(err)
		}
		corefile := string(files[c.Path("Corefile")])
		if strings.Contains(corefile, "forward") != (len(m.Resolvers) > 0) {
			t.Errorf("resolvers %v gave\n%s", m.Resolvers, corefile)
		}
	}
}

func TestResolversLeaveLoopbackOut(t *testing.T) {
	got := Resolvers("# x\nnameserver 127.0.0.53\nnameserver 192.0.2.1\nsearch a b\nnameserver ::1\n")
	if !slices.Equal(got, []string{"192.0.2.1"}) {
		t.Errorf("got %v", got)
	}
}
