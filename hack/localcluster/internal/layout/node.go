package layout

import (
	"fmt"
	"path/filepath"
)

// Node is one real node: a containerd and a kubelet of its own.
type Node struct {
	Cluster Cluster
	// Index counts from 1.
	Index int
}

// Name is the Node object's name.
func (n Node) Name() string { return fmt.Sprintf("node-%d", n.Index) }

// Path is a file or folder below the node's own folder.
func (n Node) Path(elem ...string) string {
	return n.Cluster.Path(append([]string{n.Name()}, elem...)...)
}

// RunPath is a socket or folder that does not survive a reboot.
func (n Node) RunPath(elem ...string) string {
	return filepath.Join(append([]string{n.Cluster.RunDir(), n.Name()}, elem...)...)
}

// IP is the node's address, which is its pods' gateway too.
func (n Node) IP() string { return n.Cluster.addr(n.Index, 1) }

// PodCIDR is the /24 of the node's pods.
func (n Node) PodCIDR() string { return n.Cluster.addr(n.Index, 0) + "/24" }

// FirstPodIP and LastPodIP leave the gateway out.
func (n Node) FirstPodIP() string { return n.Cluster.addr(n.Index, 2) }

// LastPodIP is the last address that a pod can get.
func (n Node) LastPodIP() string { return n.Cluster.addr(n.Index, 254) }

// Bridge joins the node's pods. It is inside the cluster's namespace, so that
// two clusters may use the same name.
func (n Node) Bridge() string { return fmt.Sprintf("br-%s", n.Name()) }

// Outbound is the interface over which the pods of a limited node send.
func (n Node) Outbound() string { return "ifb-" + n.Name() }

// CNINetwork names the pod network in the CNI plugins' own files, which all
// clusters of a machine share.
func (n Node) CNINetwork() string { return fmt.Sprintf("assay-%s-%s", n.Cluster.Name, n.Name()) }

// CGroup is the kubelet's cgroupRoot. Whatever limits it limits all pods of
// the node, and the kubelet writes below it only.
func (n Node) CGroup() string { return n.Cluster.CGroup() + "/" + n.Name() }

// Socket is containerd's.
func (n Node) Socket() string { return n.RunPath("containerd.sock") }

// Containerd and Kubelet name the node's daemons.
func (n Node) Containerd() string { return "containerd-" + n.Name() }

// Kubelet names the node's kubelet daemon.
func (n Node) Kubelet() string { return "kubelet-" + n.Name() }

// DRADriver names the daemon that publishes the node's devices, where it has one.
func (n Node) DRADriver() string { return "dra-driver-" + n.Name() }

// Devices is the file of the devices that it publishes.
func (n Node) Devices() string { return n.Path("devices.json") }

// DRAReady is the file that is there when the kubelet has registered the driver.
func (n Node) DRAReady() string { return n.RunPath("dra-ready") }

// MountNS is the file that pins the node's mount namespace.
func (n Node) MountNS() string { return filepath.Join(n.Cluster.RunDir(), "ns", n.Name()) }

// OwnFolders maps the folders that programs of a node take for granted to
// where the node's are.
func (n Node) OwnFolders() map[string]string {
	return map[string]string{
		"/var/lib/kubelet":    n.Path("kubelet"),
		"/var/lib/cni":        n.Path("cni-state"),
		"/var/log/pods":       n.Path("log", "pods"),
		"/var/log/containers": n.Path("log", "containers"),
		"/run/containerd":     n.RunPath("shims"),
		"/var/run/cdi":        n.RunPath("cdi"), // which devices containers may get, by name
	}
}
