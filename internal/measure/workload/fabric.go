package workload

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// podInterface in the command of a group benchmark stands for the interface of its fabric.
	podInterface = "eth0"
	// networksAnnotation tells Multus what to attach.
	networksAnnotation = "k8s.v1.cni.cncf.io/networks"
	// gidFlag is followed by -1 where the fabric may choose.
	gidFlag = "--gid-index"
	// mostExclusive is how many devices of one resource a node has at most, unless many pods share them.
	mostExclusive = 16
)

// ncclLog has NCCL say on stderr which transport it uses; stdout is the result's.
var ncclLog = []v1alpha1.EnvVar{{Name: "NCCL_DEBUG", Value: "INFO"}, {Name: "NCCL_DEBUG_SUBSYS", Value: "INIT,NET"}, {Name: "NCCL_DEBUG_FILE", Value: "/dev/stderr"}}

// FabricOf nodes that are measured together: what their profiles say, with the RDMA devices that all of them show where no profile names any.
// Profiles that disagree say nothing. Nil: the pod network alone.
func FabricOf(said []*v1alpha1.Fabric, nodes []*corev1.Node) *v1alpha1.Fabric {
	var f *v1alpha1.Fabric
	if len(said) > 0 && said[0] != nil && !slices.ContainsFunc(said, func(o *v1alpha1.Fabric) bool { return !equality.Semantic.DeepEqual(o, said[0]) }) {
		f = said[0].DeepCopy()
	}
	if shown := rdmaShown(nodes); shown != "" && (f == nil || f.Resource == "") {
		if f == nil {
			f = &v1alpha1.Fabric{}
		}
		f.Resource = shown
	}
	return f
}

// rdmaShown is the one resource of RDMA devices that all nodes offer; empty: none, or several, of which only a profile can choose.
func rdmaShown(nodes []*corev1.Node) string {
	var shown []string
	for i, n := range nodes {
		own := rdmaOf(n)
		if i == 0 {
			shown = own
			continue
		}
		shown = slices.DeleteFunc(shown, func(name string) bool { return !slices.Contains(own, name) })
	}
	if len(shown) != 1 {
		return ""
	}
	return shown[0]
}

// rdmaWords are what the names of RDMA and SR-IOV device plugins' resources have in them.
var rdmaWords = []string{"rdma", "roce", "infiniband", "mlnx", "hca"}

func rdmaOf(n *corev1.Node) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(n.Status.Allocatable)) {
		count, text := n.Status.Allocatable[name], strings.ToLower(string(name))
		if strings.Contains(text, "/") && count.Value() > 0 && slices.ContainsFunc(rdmaWords, func(w string) bool { return strings.Contains(text, w) }) {
			names = append(names, string(name))
		}
	}
	return names
}

// maxFabricWords leaves room for the hash in Machine.Fabric.
const maxFabricWords = 100

// beforeHash stands between the words of a fabric's name and the hash of it all.
const beforeHash = " #"

// FabricName tells fabrics apart, and what most of them differ by; empty: the pod network alone. How many devices nodes offer is not in it: a rail that
// is lost must not make a slow measurement one of another kind, which has no past.
func FabricName(f *v1alpha1.Fabric) string {
	if f == nil {
		return ""
	}
	words := []string{f.Resource, f.Networks, f.Interface}
	if f.HostNetwork {
		words = append(words, "hostNetwork")
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	return quantity.Clip(strings.Join(words, ", "), maxFabricWords) + beforeHash + hashOfFabric(f)
}

// OtherFabric says whether nodes are reached by another fabric than they were, by their names. Devices that no profile names may only be away for a moment, while
// their plugin starts anew.
func OtherFabric(was, is string) bool {
	resource, _, _ := strings.Cut(was, beforeHash)
	return was != is && !(is == "" && was == FabricName(&v1alpha1.Fabric{Resource: resource}))
}

func hashOfFabric(f *v1alpha1.Fabric) string {
	text, _ := json.Marshal(f) // texts and numbers always can be
	return hash(text)[:8]
}

// beforeFabric stands in a Configuration between the program and the fabric that it went over.
const beforeFabric = "-"

// Over is a configuration over a fabric: what went over another one is compared with nothing.
func Over(configuration string, f *v1alpha1.Fabric) string {
	if f == nil {
		return configuration
	}
	return configuration + beforeFabric + hashOfFabric(f)
}

// WithoutFabric is the configuration over any fabric.
func WithoutFabric(configuration string) string {
	program, _, _ := strings.Cut(configuration, beforeFabric)
	return program
}
