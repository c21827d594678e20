package workload

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"

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

// overFabric is the launch with all that its fabric asks for, in a Benchmark of its own. A GPU benchmark has NCCL say what it uses, with or
// without one.
func (l GroupLaunch) overFabric() GroupLaunch {
	b, f := l.Benchmark.DeepCopy(), l.Fabric
	if f == nil {
		f = &v1alpha1.Fabric{}
	}
	var env []v1alpha1.EnvVar
	if b.Spec.Needs.DeviceResource == GPUResource {
		env = slices.Clone(ncclLog)
	}
	env = append(env, variables(f)...)
	b.Spec.Env = slices.DeleteFunc(b.Spec.Env, func(e v1alpha1.EnvVar) bool {
		return slices.ContainsFunc(env, func(o v1alpha1.EnvVar) bool { return o.Name == e.Name })
	})
	b.Spec.Env = append(b.Spec.Env, env...)
	b.Spec.Privileges.HostNetwork = b.Spec.Privileges.HostNetwork || f.HostNetwork
	if f.Resource != "" {
		needs, count := &b.Spec.Needs, *resource.NewQuantity(countOf(f, l.Nodes), resource.DecimalSI)
		needs.Limits, needs.Requests = with(needs.Limits, f.Resource, count), with(needs.Requests, f.Resource, count)
	}
	if f.LockMemoryAsRoot {
		b.Spec.Privileges.RunAsRoot, b.Spec.Group.SSHAuthMountPath = true, "/root/.ssh"
		for _, c := range []string{"IPC_LOCK", "SETUID", "SETGID", "SYS_CHROOT"} { // the last three are sshd's, as root
			if !slices.Contains(b.Spec.Privileges.Capabilities, c) {
				b.Spec.Privileges.Capabilities = append(b.Spec.Privileges.Capabilities, c)
			}
		}
	}
	l.Benchmark, l.Argv = b, overFabric(f, l.Argv, env)
	return l
}

// countOf the RDMA resource that a worker asks for: what it is told to, else all that every node offers, or one of a resource that is shared.
func countOf(f *v1alpha1.Fabric, nodes []*corev1.Node) int64 {
	if f.Count != nil {
		return int64(*f.Count)
	}
	least := int64(mostExclusive)
	for _, n := range nodes {
		offers := n.Status.Allocatable[corev1.ResourceName(f.Resource)]
		if offers.Value() > mostExclusive {
			return 1
		}
		least = min(least, offers.Value())
	}
	return max(1, least)
}

func with(list corev1.ResourceList, name string, count resource.Quantity) corev1.ResourceList {
	if list == nil {
		list = corev1.ResourceList{}
	}
	list[corev1.ResourceName(name)] = count.DeepCopy()
	return list
}

// variables of the ranks, those that the fabric names itself last: they win.
func variables(f *v1alpha1.Fabric) []v1alpha1.EnvVar {
	var all []v1alpha1.EnvVar
	set := func(name, value string) {
		all = slices.DeleteFunc(all, func(e v1alpha1.EnvVar) bool { return e.Name == name })
		all = append(all, v1alpha1.EnvVar{Name: name, Value: value})
	}
	if f.Interface != "" {
		set("NCCL_SOCKET_IFNAME", "="+f.Interface) // = is a whole name, not the beginning of one
	}
	if f.GIDIndex != nil {
		index := strconv.Itoa(int(*f.GIDIndex))
		set("NCCL_IB_GID_INDEX", index)
		set("UCX_IB_GID_INDEX", index)
	}
	for _, e := range f.Env {
		set(e.Name, e.Value)
	}
	return all
}

// overFabric is the launcher's command: mpirun hands the variables on to the ranks.
func overFabric(f *v1alpha1.Fabric, argv []string, env []v1alpha1.EnvVar) []string {
	out := slices.Clone(argv)
	for i, arg := range out {
		switch {
		case arg == podInterface && f.Interface != "":
			out[i] = f.Interface
		case i > 0 && out[i-1] == gidFlag && arg == "-1" && f.GIDIndex != nil:
			out[i] = strconv.Itoa(int(*f.GIDIndex))
		}
	}
	if len(out) == 0 || path.Base(out[0]) != "mpirun" {
		return out
	}
	var more []string
	if f.LockMemoryAsRoot {
		more = append(more, "--allow-run-as-root")
	}
	for _, e := range env {
		more = append(more, "-x", e.Name)
	}
	return slices.Insert(out, 1, more...)
}
