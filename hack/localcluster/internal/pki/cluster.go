package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"maps"
	"os"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

// Clients are the programs that get a kubeconfig, by the name of its file, and
// whom the API server takes them for.
var clients = map[string]Subject{
	"admin":                   {User: "assay-admin", Group: "system:masters"},
	"kube-controller-manager": {User: "system:kube-controller-manager"},
	"kube-scheduler":          {User: "system:kube-scheduler"},
	"kube-proxy":              {User: "system:kube-proxy"},
	"coredns":                 {User: "system:coredns"},
	"kwok":                    {User: "kwok", Group: "system:masters"},
	"mpi-operator":            {User: "mpi-operator"},
}

// Make writes every key, certificate and kubeconfig of a cluster with n nodes.
func Make(c layout.Cluster, n int) error {
	ca, err := NewAuthority(c.Path("pki"), "ca")
	if err != nil {
		return err
	}
	subjects := map[string]Subject{
		"apiserver": {User: "kube-apiserver", Addresses: []string{
			c.ControlIP(), c.APIServiceIP(), "127.0.0.1", "localhost", "kubernetes",
			"kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
		}},
		"apiserver-kubelet-client": {User: "kube-apiserver-kubelet-client", Group: "system:masters"},
	}
	for name, subject := range clients {
		subjects[name] = subject
	}
	for _, node := range c.Nodes(n) {
		maps.Copy(subjects, subjectsOf(node))
	}
	if err := issue(c, ca, subjects); err != nil {
		return err
	}
	if err := writeKubeconfig(c, "admin", c.Kubeconfig()); err != nil {
		return err
	}
	if err := makeFrontProxy(c); err != nil {
		return err
	}
	serviceAccounts, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return WriteKey(c.PKI("service-accounts.key"), serviceAccounts)
}

// MakeNode writes the keys, certificates and kubeconfig of a node that joins.
func MakeNode(node layout.Node) error {
	ca, err := LoadAuthority(node.Cluster.Path("pki"), "ca")
	if err != nil {
		return err
	}
	return issue(node.Cluster, ca, subjectsOf(node))
}

// subjectsOf a node are its kubelet as a client and as a server.
func subjectsOf(node layout.Node) map[string]Subject {
	user := "system:node:" + node.Name()
	return map[string]Subject{
		node.Kubelet():             {User: user, Group: "system:nodes"},
		node.Kubelet() + "-server": {User: user, Addresses: []string{node.IP(), node.Name()}},
	}
}

// issue writes the files of each subject, and a kubeconfig for each client.
func issue(c layout.Cluster, ca *Authority, subjects map[string]Subject) error {
	for file, subject := range subjects {
		if err := ca.Issue(file, subject); err != nil {
			return err
		}
		if len(subject.Addresses) == 0 {
			if err := writeKubeconfig(c, file, c.PKI(file+".kubeconfig")); err != nil {
				return err
			}
		}
	}
	return nil
}

// makeFrontProxy makes the authority by which the API server proves itself to
// aggregated API servers. It must not be the clients' authority, or any client
// could claim to be the front proxy.
func makeFrontProxy(c layout.Cluster) error {
	ca, err := NewAuthority(c.Path("pki"), "front-proxy-ca")
	if err != nil {
		return err
	}
	return ca.Issue("front-proxy-client", Subject{User: "front-proxy-client"})
}

func writeKubeconfig(c layout.Cluster, client, path string) error {
	data := map[string][]byte{}
	for _, file := range []string{"ca.crt", client + ".crt", client + ".key"} {
		content, err := os.ReadFile(c.PKI(file))
		if err != nil {
			return fmt.Errorf("making kubeconfig of %s: %w", client, err)
		}
		data[file] = content
	}
	name := "assay"
	if c.Name != name {
		name += "-" + c.Name
	}
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{Server: c.Server(), CertificateAuthorityData: data["ca.crt"]}
	config.AuthInfos[name+"-"+client] = &api.AuthInfo{
		ClientCertificateData: data[client+".crt"], ClientKeyData: data[client+".key"],
	}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name + "-" + client}
	config.CurrentContext = name
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("making kubeconfig of %s: %w", client, err)
	}
	return os.Chmod(path, 0o600)
}
