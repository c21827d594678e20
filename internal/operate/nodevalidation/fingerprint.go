package nodevalidation

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Labels of GPU feature discovery that tell the driver's version, whole or in three pieces.
const (
	labelDriverFull  = "nvidia.com/cuda.driver-version.full"
	labelDriverMajor = "nvidia.com/cuda.driver.major"
	labelDriverMinor = "nvidia.com/cuda.driver.minor"
	labelDriverRev   = "nvidia.com/cuda.driver.rev"
)

// FingerprintOf identifies what a result validated.
func FingerprintOf(node *corev1.Node, result *v1alpha1.ValidationResult) v1alpha1.Fingerprint {
	f := v1alpha1.Fingerprint{
		NodeUID: node.UID,
		BootID:  quantity.Clip(node.Status.NodeInfo.BootID, 64),
		Kernel:  quantity.Clip(node.Status.NodeInfo.KernelVersion, 128),
		Driver:  quantity.Clip(driver(node.Labels), 64),
	}
	if result == nil {
		return f
	}
	for i := range result.Benchmarks {
		for k := range result.Benchmarks[i].Attempts {
			for _, d := range result.Benchmarks[i].Attempts[k].Devices {
				if d.UUID != "" {
					f.DeviceUUIDs = append(f.DeviceUUIDs, d.UUID)
				}
			}
		}
	}
	slices.Sort(f.DeviceUUIDs)
	f.DeviceUUIDs = slices.Compact(f.DeviceUUIDs)
	if len(f.DeviceUUIDs) > maxDevices {
		f.DeviceUUIDs = f.DeviceUUIDs[:maxDevices]
	}
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

// mergeFingerprint keeps the devices of an earlier run where this one used none, a run of CPU benchmarks for instance.
func mergeFingerprint(old, now v1alpha1.Fingerprint) v1alpha1.Fingerprint {
	if len(now.DeviceUUIDs) == 0 && old.NodeUID == now.NodeUID {
		now.DeviceUUIDs = old.DeviceUUIDs
	}
	return now
}
