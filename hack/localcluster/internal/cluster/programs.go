package cluster

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

// Names of the daemons that a cluster has once.
const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	proxy             = "kube-proxy"
	dns               = "coredns"
	kwok              = "kwok"
	mpiOperator       = "mpi-operator"
)

func (m *Manager) etcdURL() string { return fmt.Sprintf("http://127.0.0.1:%d", layout.EtcdPort) }

func (m *Manager) etcdArgs() []string {
	return []string{
		"--name=" + m.Name,
		"--data-dir=" + m.Path("etcd"),
		// Loopback of the cluster's own namespace: nothing else reaches it.
		"--listen-client-urls=" + m.etcdURL(),
		"--advertise-client-urls=" + m.etcdURL(),
		"--listen-peer-urls=http://127.0.0.1:0",
		"--unsafe-no-fsync", // a throw-away cluster may lose its last second to a power cut
		"--quota-backend-bytes=4294967296",
		"--auto-compaction-mode=periodic",
		"--auto-compaction-retention=5m",
		"--log-level=warn",
	}
}

func (m *Manager) apiServerArgs() []string {
	return []string{
		"--etcd-servers=" + m.etcdURL(),
		"--advertise-address=" + m.ControlIP(),
		fmt.Sprintf("--secure-port=%d", layout.APIPort),
		"--service-cluster-ip-range=" + m.ServiceCIDR(),
		"--tls-cert-file=" + m.PKI("apiserver.crt"),
		"--tls-private-key-file=" + m.PKI("apiserver.key"),
		"--client-ca-file=" + m.PKI("ca.crt"),
		"--kubelet-certificate-authority=" + m.PKI("ca.crt"),
		"--kubelet-client-certificate=" + m.PKI("apiserver-kubelet-client.crt"),
		"--kubelet-client-key=" + m.PKI("apiserver-kubelet-client.key"),
		"--kubelet-preferred-address-types=InternalIP", // node names are in no DNS
		"--requestheader-client-ca-file=" + m.PKI("front-proxy-ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-username-headers=X-Remote-User",
		"--proxy-client-cert-file=" + m.PKI("front-proxy-client.crt"),
		"--proxy-client-key-file=" + m.PKI("front-proxy-client.key"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + m.PKI("service-accounts.key"),
		"--service-account-signing-key-file=" + m.PKI("service-accounts.key"),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
	}
}

func (m *Manager) controllerManagerArgs() []string {
	config := m.PKI(controllerManager + ".kubeconfig")
	grace := "40s"
	if m.State.KwokNodes > 0 {
		// Leases of a thousand pretended nodes would cost more processor time
		// than what is measured on them, so kwok renews none.
		grace = "24h"
	}
	return []string{
		"--kubeconfig=" + config,
		"--authentication-kubeconfig=" + config,
		"--authorization-kubeconfig=" + config,
		"--bind-address=127.0.0.1",
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--root-ca-file=" + m.PKI("ca.crt"),
		"--service-account-private-key-file=" + m.PKI("service-accounts.key"),
		"--cluster-signing-cert-file=" + m.PKI("ca.crt"),
		"--cluster-signing-key-file=" + m.PKI("ca.key"),
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
		"--concurrent-job-syncs=20",
		"--flex-volume-plugin-dir=" + m.Path("volume-plugins"), // its default is outside our folder
		"--node-monitor-period=2s",
		"--node-monitor-grace-period=" + grace,
	}
}

func (m *Manager) schedulerArgs() []string {
	config := m.PKI(scheduler + ".kubeconfig")
	return []string{
		"--config=" + m.Path("scheduler.yaml"),
		"--authentication-kubeconfig=" + config,
		"--authorization-kubeconfig=" + config,
		"--bind-address=127.0.0.1",
	}
}

// proxyArgs: one kube-proxy serves all nodes, because they share one network
// namespace. Which of them it says it is matters to node-local services only.
func (m *Manager) proxyArgs() []string {
	return []string{"--config=" + m.Path("kube-proxy.yaml"), "--hostname-override=" + m.Nodes(1)[0].Name()}
}

func (m *Manager) dnsArgs() []string {
	return []string{"-conf", m.Path("Corefile"), "-dns.port", "53"}
}

func (m *Manager) kwokArgs() ([]string, error) {
	stages, err := m.stageFiles()
	if err != nil {
		return nil, err
	}
	args := []string{
		"--kubeconfig=" + m.PKI(kwok+".kubeconfig"),
		"--manage-all-nodes=false",
		"--manage-nodes-with-annotation-selector=" + kwokAnnotation + "=fake",
		"--node-lease-duration-seconds=0",
		"--node-ip=" + m.ControlIP(),
		"--cidr=" + m.KwokPodCIDR(),
		"--config=" + strings.Join(append([]string{m.Path("kwok.yaml")}, stages...), ","),
	}
	return args, nil
}

// stageFiles are kwok's own stages and the caller's, whose file replaces
// kwok's file of the same name.
func (m *Manager) stageFiles() ([]string, error) {
	byName := map[string]string{}
	for _, dir := range []string{m.programs.StageDir(), m.State.KwokStages} {
		if dir == "" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("starting kwok: no *.yaml in %s", dir)
		}
		for _, file := range files {
			byName[filepath.Base(file)] = file
		}
	}
	return slices.Sorted(maps.Values(byName)), nil
}

func containerdArgs(n layout.Node) []string {
	return []string{"--config", n.Path("containerd.toml"), "--log-level", "warn"}
}

func kubeletArgs(n layout.Node, j Joined) []string {
	labels := Label + "=true"
	if j.Labels != "" {
		labels += "," + j.Labels
	}
	args := []string{
		"--config=" + n.Path("kubelet.yaml"),
		"--kubeconfig=" + n.Cluster.PKI(n.Kubelet()+".kubeconfig"),
		"--hostname-override=" + n.Name(),
		"--node-ip=" + n.IP(),
		"--node-labels=" + labels,
		"--housekeeping-interval=30s",
	}
	if j.Taints != "" {
		args = append(args, "--register-with-taints="+j.Taints)
	}
	return args
}
