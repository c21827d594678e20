// Package binaries builds every program of a local cluster from Go modules,
// once per version and machine, into the user's cache.
package binaries

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"strings"

	localcluster "github.com/assay-dev/assay/hack/localcluster"
)

// The versions that are known to work together.
const (
	KubernetesVersion = "v1.36.3"
	containerdVersion = "v2.2.4"
	corednsVersion    = "v1.15.0"
	kwokVersion       = "v0.8.0"
	mpiVersion        = "v0.7.0"
)

const (
	kwokModule       = "sigs.k8s.io/kwok"
	containerdModule = "github.com/containerd/containerd/v2"
	mpiModule        = "github.com/kubeflow/mpi-operator"
)

// component is what one `go` command builds.
type component struct {
	name, version string
	// packages are built from the module embedded in this program when they
	// start with "./", and installed at the version otherwise.
	packages []string
	tags     string
	ldflags  string
	// files of the module come along: folder in the set, and paths in the module.
	folder string
	files  []string
	// asTool: the module cannot be installed at a version, because it replaces others, but can be built by a module that requires it.
	asTool string
	// rough is how long a cold build takes on two cores, for the reader.
	rough string
}

// Folders of a set.
const (
	stages       = "stages"
	mpiManifests = "mpi-operator-manifests"
)

// links are the names by which the Kubernetes binary is called.
var links = []string{
	"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "kubectl",
}

func components() []component {
	const versionPackage = "k8s.io/component-base/version"
	major, minor, _ := strings.Cut(strings.TrimPrefix(KubernetesVersion, "v"), ".")
	minor, _, _ = strings.Cut(minor, ".")
	return []component{
		{
			name: "kubernetes", version: KubernetesVersion + "-" + sourcesHash(),
			packages: []string{"./cmd/localcluster", "./cmd/pause"}, rough: "5 min",
			ldflags: fmt.Sprintf("-X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=%[3]s -X %[1]s.gitMinor=%[4]s -X %[1]s.gitTreeState=clean",
				versionPackage, KubernetesVersion, major, minor),
		},
		{
			name: "containerd", version: containerdVersion, rough: "70 s",
			packages: []string{
				containerdModule + "/cmd/containerd", containerdModule + "/cmd/containerd-shim-runc-v2", containerdModule + "/cmd/ctr",
			},
			tags:    "no_btrfs,no_devmapper,no_zfs",
			ldflags: "-X " + containerdModule + "/version.Version=" + containerdVersion,
		},
		{name: "coredns", version: corednsVersion, packages: []string{"github.com/coredns/coredns"}, rough: "2 min"},
		{
			name: "kwok", version: kwokVersion, packages: []string{kwokModule + "/cmd/kwok"}, rough: "1 min",
			folder: stages, files: []string{
				"kustomize/stage/node/fast/node-initialize.yaml", "kustomize/stage/pod/fast/pod-ready.yaml",
				"kustomize/stage/pod/fast/pod-complete.yaml", "kustomize/stage/pod/fast/pod-delete.yaml",
			},
		},
		{
			name: "mpi-operator", version: mpiVersion, packages: []string{mpiModule + "/cmd/mpi-operator"}, rough: "2 min",
			asTool: mpiModule, folder: mpiManifests, files: []string{
				"manifests/base/kubeflow.org_mpijobs.yaml", "manifests/base/cluster-role.yaml",
			},
		},
	}
}

// id names the component's folder in the cache.
func (c component) id() string { return c.name + "-" + c.version }

// sourcesHash changes with anything that the Kubernetes binary is built from.
func sourcesHash() string {
	hash := sha256.New()
	err := fs.WalkDir(localcluster.Sources, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := localcluster.Sources.ReadFile(path)
		fmt.Fprintf(hash, "%s %d\n%s", path, len(content), content)
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("reading embedded sources: %v", err)) // cannot happen: they are in memory
	}
	return fmt.Sprintf("%x", hash.Sum(nil))[:8]
}

// setID names the folder of links to one version of everything.
func setID(all []component) string {
	hash := sha256.New()
	for _, c := range all {
		fmt.Fprintln(hash, c.id())
	}
	return fmt.Sprintf("set-%x", hash.Sum(nil))[:12]
}
