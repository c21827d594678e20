package nodevalidation

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// Labels of GPU feature discovery that tell the driver's version, whole or in three pieces.
const (
	labelDriverFull  = "nvidia.com/cuda.driver-version.full"
	labelDriverMajor = "nvidia.com/cuda.driver.major"
	labelDriverMinor = "nvidia.com/cuda.driver.minor"
	labelDriverRev   = "nvidia.com/cuda.driver.rev"
)

// fingerprint of the node that a result validated. One of CPU benchmarks, for instance, names no devices: those of an earlier one stay.
func fingerprint(old v1alpha1.Fingerprint, node *corev1.Node, result *v1alpha1.ValidationResult) v1alpha1.Fingerprint {
	m := MachineOf(node, "", "")
	f := v1alpha1.Fingerprint{NodeUID: node.UID, BootID: m.BootID, Kernel: m.Kernel, Driver: m.Driver}
	for _, b := range result.Benchmarks {
		for a := range list.Each(b.Attempts) {
			for _, d := range a.Devices {
				if d.UUID != "" {
					f.DeviceUUIDs = append(f.DeviceUUIDs, d.UUID)
				}
			}
		}
	}
	if len(f.DeviceUUIDs) == 0 && old.NodeUID == f.NodeUID {
		f.DeviceUUIDs = old.DeviceUUIDs
		return f
	}
	slices.Sort(f.DeviceUUIDs)
	f.DeviceUUIDs = firstOf(slices.Compact(f.DeviceUUIDs), maxDevices)
	return f
}

func driver(labels map[string]string) string {
	if full := labels[labelDriverFull]; full != "" {
		return full
	}
	var pieces []string
	for _, key := range []string{labelDriverMajor, labelDriverMinor, labelDriverRev} {
		if labels[key] == "" {
			break
		}
		pieces = append(pieces, labels[key])
	}
	return strings.Join(pieces, ".")
}
