// Package config renders the configuration files of the programs of a cluster
// from the templates beside it. It is pure: what it needs to know about the
// machine is in Machine.
package config

import (
	"bytes"
	"embed"
	"fmt"
	"net"
	"strings"
	"text/template"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

//go:embed templates
var files embed.FS

var templates = template.Must(template.New("").Option("missingkey=error").ParseFS(files, "templates/*"))

// Machine is what the files depend on beside the layout.
type Machine struct {
	CGroupV2 bool
	// RestrictOOMScore: CAP_SYS_RESOURCE is missing.
	RestrictOOMScore bool
	// Runc and CNIBin are where the system's packages put them.
	Runc, CNIBin string
	// PauseImage holds a pod's namespaces open.
	PauseImage string
	// Resolvers are name servers that the cluster can reach.
	Resolvers []string
}

type values struct {
	Machine
	Cluster                  layout.Cluster
	Node                     layout.Node
	KubeletPort, HealthzPort int
}

// ForCluster renders the files of the control plane, by path.
func ForCluster(c layout.Cluster, m Machine) (map[string][]byte, error) {
	v := values{Machine: m, Cluster: c}
	return render(v, map[string]string{
		"scheduler.yaml":  c.Path("scheduler.yaml"),
		"kube-proxy.yaml": c.Path("kube-proxy.yaml"),
		"Corefile":        c.Path("Corefile"),
		"kwok.yaml":       c.Path("kwok.yaml"),
	})
}

// ForNode renders the files of one node, by path.
func ForNode(n layout.Node, m Machine) (map[string][]byte, error) {
	v := values{
		Machine: m, Cluster: n.Cluster, Node: n,
		KubeletPort: layout.KubeletPort, HealthzPort: layout.HealthzPort,
	}
	return render(v, map[string]string{
		"kubelet.yaml":    n.Path("kubelet.yaml"),
		"containerd.toml": n.Path("containerd.toml"),
		"cni.conflist":    n.Path("cni", "10-assay.conflist"),
	})
}

func render(v values, paths map[string]string) (map[string][]byte, error) {
	rendered := map[string][]byte{}
	for name, path := range paths {
		var out bytes.Buffer
		if err := templates.ExecuteTemplate(&out, name, v); err != nil {
			return nil, fmt.Errorf("rendering %s: %w", path, err)
		}
		rendered[path] = out.Bytes()
	}
	return rendered, nil
}

// Resolvers are the name servers of a resolv.conf that can be reached from
// another network namespace: those on loopback cannot.
func Resolvers(resolvConf string) []string {
	var servers []string
	for line := range strings.Lines(resolvConf) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "nameserver" {
			continue
		}
		if ip := net.ParseIP(fields[1]); ip != nil && !ip.IsLoopback() && ip.To4() != nil {
			servers = append(servers, fields[1])
		}
	}
	return servers
}
