package workload

import (
	"path"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
)

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
