// Package layout says where everything of a local cluster is: folders,
// sockets, addresses, names of cgroups and interfaces. It decides names only;
// it creates and reads nothing, so that `down` finds what a crashed `up` left.
package layout

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"regexp"
)

const (
	stateRoot = "/var/lib/assay-cluster"
	runRoot   = "/run/assay-cluster"

	// StateRoot is on the disk that clusters fill.
	StateRoot = stateRoot
	// RaisedLimits says which of the kernel's limits a cluster raised. A reboot removes it, and what was raised.
	RaisedLimits = runRoot + "/.raised-limits.json"

	// FirstSubnet and LastSubnet bound the second octet of a cluster's
	// 10.x.0.0/16. The range is one that few sites route.
	FirstSubnet = 200
	LastSubnet  = 249

	// MaxNodes is how many real nodes fit below the kwok pods' addresses.
	MaxNodes = 60

	// APIPort, EtcdPort and KubeletPort are the usual ones: every cluster has
	// a network namespace of its own, and every node an address of its own.
	APIPort     = 6443
	EtcdPort    = 2379
	KubeletPort = 10250
	HealthzPort = 10248
)

var validName = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,14}[a-z0-9])?$`)

// Cluster is one local cluster: its name and the /16 that it owns.
type Cluster struct {
	Name string
	// Subnet is the x of 10.x.0.0/16.
	Subnet int
}

// CheckName returns an error for a name that cannot be part of a path, a
// cgroup and an interface.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fmt.Errorf("cluster name %q: want 1 to 16 of a-z, 0-9 and '-', a letter first", name)
	}
	return nil
}

// PreferredSubnet is where the search for a free /16 starts, so that a cluster
// usually gets the same addresses again.
func PreferredSubnet(name string) int {
	sum := sha256.Sum256([]byte(name))
	return FirstSubnet + int(sum[0])%(LastSubnet-FirstSubnet+1)
}

// Dir holds what survives a reboot: etcd, certificates, images, logs.
func (c Cluster) Dir() string { return filepath.Join(stateRoot, c.Name) }

// RunDir holds sockets and pid files. It is short: a unix socket's path ends
// at 107 bytes.
func (c Cluster) RunDir() string { return filepath.Join(runRoot, c.Name) }

// Path is a file or folder below Dir.
func (c Cluster) Path(elem ...string) string {
	return filepath.Join(append([]string{c.Dir()}, elem...)...)
}

// StateFile records the parameters that the cluster was started with.
func (c Cluster) StateFile() string { return c.Path("cluster.json") }

// LockFile serialises commands on the same cluster.
func (c Cluster) LockFile() string { return filepath.Join(runRoot, c.Name+".lock") }

// Kubeconfig is the administrator's.
func (c Cluster) Kubeconfig() string { return c.Path("kubeconfig") }

// Logs holds one file per process.
func (c Cluster) Logs() string { return c.Path("logs") }

// PKI is the folder of keys and certificates.
func (c Cluster) PKI(file string) string { return c.Path("pki", file) }

// PIDFile is where the named daemon's identity is kept.
func (c Cluster) PIDFile(daemon string) string {
	return filepath.Join(c.RunDir(), "pid", daemon)
}

// NetNS is the name of the network namespace that the whole cluster lives in.
func (c Cluster) NetNS() string { return "assay-" + c.Name }

// HostLink is the host's end of the veth pair into the cluster's namespace. It
// is a hash because an interface's name ends at 15 bytes.
func (c Cluster) HostLink() string {
	return fmt.Sprintf("assay%08x", sha256.Sum256([]byte(c.Name)))[:13]
}

// CGroup is the cgroup that holds every process of the cluster.
func (c Cluster) CGroup() string { return "/assay-" + c.Name }

// SystemCGroup holds the daemons and shims.
func (c Cluster) SystemCGroup() string { return c.CGroup() + "/system" }

// CIDR is the /16 that the host routes into the namespace.
func (c Cluster) CIDR() string { return c.addr(0, 0) + "/16" }

// PodCIDR covers the pods of all nodes, real and kwok's.
func (c Cluster) PodCIDR() string { return c.addr(0, 0) + "/17" }

// KwokPodCIDR holds the addresses of the pods that kwok pretends to run.
func (c Cluster) KwokPodCIDR() string { return c.addr(64, 1) + "/18" }

// ServiceCIDR holds the services' virtual addresses.
func (c Cluster) ServiceCIDR() string { return c.addr(128, 0) + "/20" }

// APIServiceIP is the address of the service default/kubernetes.
func (c Cluster) APIServiceIP() string { return c.addr(128, 1) }

// ControlIP is the address of the API server and of CoreDNS.
func (c Cluster) ControlIP() string { return c.addr(0, 1) }

// HostIP is the address by which the cluster reaches the machine it is on.
func (c Cluster) HostIP() string { return c.addr(0, 2) }

// Server is the API server's URL, for the machine and for the nodes.
func (c Cluster) Server() string { return fmt.Sprintf("https://%s:%d", c.ControlIP(), APIPort) }

func (c Cluster) addr(third, fourth int) string {
	return fmt.Sprintf("10.%d.%d.%d", c.Subnet, third, fourth)
}

// Nodes are the first n nodes.
func (c Cluster) Nodes(n int) []Node {
	nodes := make([]Node, n)
	for i := range nodes {
		nodes[i] = Node{Cluster: c, Index: i + 1}
	}
	return nodes
}
