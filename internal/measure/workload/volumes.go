package workload

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var (
	// runnerDirSize is several times that of the runner, which is all that is there.
	runnerDirSize = resource.MustParse("64Mi")
	// tmpSize keeps a program from filling its node's disk: the kubelet evicts a pod that goes past it. Of the catalogue, fio writes most, up
	// to 8.25 GiB. The maxima of sizes that programs write to disk keep them below it.
	tmpSize = resource.MustParse("10Gi")
)

// volumes of a pod, each of bounded size: they are on the node's disk or in its memory.
func volumes(b *v1alpha1.Benchmark) []corev1.Volume {
	empty := func(name string, medium corev1.StorageMedium, limit resource.Quantity) corev1.Volume {
		limit = limit.DeepCopy()
		source := &corev1.EmptyDirVolumeSource{Medium: medium, SizeLimit: &limit}
		return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: source}}
	}
	v := []corev1.Volume{
		empty("assay", corev1.StorageMediumDefault, runnerDirSize),
		empty("tmp", corev1.StorageMediumDefault, tmpSize),
	}
	if size := b.Spec.Needs.SharedMemory; size != nil {
		v = append(v, empty("shm", corev1.StorageMediumMemory, *size))
	}
	for i, path := range b.Spec.Privileges.HostPaths {
		source := &corev1.HostPathVolumeSource{Path: path, Type: new(corev1.HostPathDirectory)}
		v = append(v, corev1.Volume{Name: hostVolume(i), VolumeSource: corev1.VolumeSource{HostPath: source}})
	}
	return v
}

// mounts of what only some benchmarks have.
func mounts(b *v1alpha1.Benchmark) []corev1.VolumeMount {
	var all []corev1.VolumeMount
	if b.Spec.Needs.SharedMemory != nil {
		all = append(all, corev1.VolumeMount{Name: "shm", MountPath: "/dev/shm"})
	}
	for i, path := range b.Spec.Privileges.HostPaths {
		all = append(all, corev1.VolumeMount{Name: hostVolume(i), MountPath: path})
	}
	return all
}

func hostVolume(i int) string { return "host-" + strconv.Itoa(i) }
