// Package binaries builds every program of a local cluster from Go modules,
// once per version and machine, into the user's cache.
package binaries

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	localcluster "github.com/assay-dev/assay/hack/localcluster"
)

// KubernetesVersion is what the programs say of themselves. The versions of everything else are in go.mod: all programs but containerd are built
// from one graph of modules, so that what they share is compiled once.
const KubernetesVersion = "v1.37.2"

// containerdVersion is in a graph of its own: it does not compile with the containerd/api 1.11 and the cri-api 0.37 that Kubernetes requires.
const containerdVersion = "v2.2.4"

const (
	kwokModule       = "sigs.k8s.io/kwok"
	containerdModule = "github.com/containerd/containerd/v2"
	mpiModule        = "github.com/kubeflow/mpi-operator"
	kubernetesModule = "k8s.io/kubernetes"
)

// component is what one `go build` builds.
type component struct {
	name     string
	packages []string
	// at is the version at which the packages are installed; empty: they are built from the module embedded in this program.
	at string
	// kubernetes is the version that the component is built from, in the graph of modules of that version; empty: that of go.mod.
	kubernetes string
	// files of a module come along: folder in the set, and paths in the module.
	module, folder string
	files          []string
}

// Folders of a set.
const (
	stages       = "stages"
	mpiManifests = "mpi-operator-manifests"
)

// commands is where the programs of the embedded module are.
const commands = "./cmd/"

// kubernetesBinary is etcd, kubectl and the programs of Kubernetes in one.
const kubernetesBinary = "localcluster"

// links are the names by which it is called.
var links = []string{
	"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "kubectl",
}

// programs are what every cluster of real nodes runs.
func programs() component {
	return component{
		name: "programs",
		packages: []string{
			"./cmd/localcluster", "./cmd/pause", "./cmd/coredns", mpiModule + "/cmd/mpi-operator",
		},
		module: mpiModule, folder: mpiManifests,
		files: []string{"manifests/base/kubeflow.org_mpijobs.yaml", "manifests/base/cluster-role.yaml"},
	}
}

// kubernetes is the same binary from another version of Kubernetes, with the etcd that this version is tested with.
func kubernetes(version string) component {
	return component{name: "kubernetes", kubernetes: version, packages: []string{commands + kubernetesBinary}}
}

func containerd() component {
	return component{name: "containerd", at: containerdVersion, packages: []string{
		containerdModule + "/cmd/containerd", containerdModule + "/cmd/containerd-shim-runc-v2", containerdModule + "/cmd/ctr",
	}}
}

// Extra is a program that few clusters run, and that is built only where it is asked for.
type Extra string

// The programs, by the names of their files.
const (
	Kwok      Extra = "kwok"       // for pretended nodes
	DRADriver Extra = "dra-driver" // for nodes whose devices are claimed
)

func (e Extra) component() component {
	if e == Kwok {
		return kwok()
	}
	return component{name: string(e), packages: []string{commands + string(e)}}
}

func kwok() component {
	return component{
		name: "kwok", packages: []string{kwokModule + "/cmd/kwok"},
		module: kwokModule, folder: stages,
		files: []string{
			"kustomize/stage/node/fast/node-initialize.yaml", "kustomize/stage/pod/fast/pod-ready.yaml",
			"kustomize/stage/pod/fast/pod-complete.yaml", "kustomize/stage/pod/fast/pod-delete.yaml",
		},
	}
}

// flags of the component's build.
func (c component) flags() []string {
	if c.kubernetes == "" {
		return flags(KubernetesVersion)
	}
	return append(flags(c.kubernetes), "-mod=mod") // its go.sum lacks the modules that useGraph takes for folders
}

// flags of every build. The values that the linker sets change nothing that is compiled.
func flags(kubernetes string) []string {
	const version = "k8s.io/component-base/version"
	major, minor, _ := strings.Cut(strings.TrimPrefix(kubernetes, "v"), ".")
	minor, _, _ = strings.Cut(minor, ".")
	return []string{
		"-trimpath", "-gcflags=all=-dwarf=false", "-tags", "no_btrfs,no_devmapper,no_zfs",
		"-ldflags", fmt.Sprintf("-s -w -X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=%[3]s -X %[1]s.gitMinor=%[4]s -X %[1]s.gitTreeState=clean -X %[5]s/version.Version=%[6]s",
			version, kubernetes, major, minor, containerdModule, containerdVersion),
	}
}

// id names the component's folder in the cache. It changes with whatever the programs are built from.
func (c component) id() string {
	if c.at != "" {
		return c.name + "-" + c.at
	}
	return c.name + "-" + cmp.Or(c.kubernetes, KubernetesVersion) + "-" + sourcesHash(c)
}

// without says that the file is of a program that is none of the component's.
func (c component) without(path string) bool {
	dir := "./" + filepath.Dir(path)
	return strings.HasPrefix(dir, commands) && !slices.Contains(c.packages, dir)
}

func sourcesHash(c component) string {
	hash := sha256.New()
	fmt.Fprintln(hash, c.packages, c.files, c.flags())
	err := fs.WalkDir(localcluster.Sources, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || c.without(path) {
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
