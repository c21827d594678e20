// Package gpus describes devices as NVIDIA's DRA driver publishes GPUs: its
// names for driver, class, devices, attributes and capacity. It is pure.
package gpus

import (
	"crypto/sha256"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Driver is the name of the driver, and of the class of its GPUs.
const Driver = "gpu.nvidia.com"

// Most is how many devices fit into the one ResourceSlice of a node.
const Most = resourceapi.ResourceSliceMaxDevices

// Simulated are so many H200s that are not there, with UUIDs that are the same whenever that node publishes them.
func Simulated(cluster, node string, count int) []resourceapi.Device {
	devices := make([]resourceapi.Device, count)
	for i := range devices {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%d", cluster, node, i))
		uuid := fmt.Sprintf("GPU-%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
		devices[i] = resourceapi.Device{
			Name: fmt.Sprintf("gpu-%d", i),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"type": text("gpu"), "uuid": text(uuid), "productName": text("NVIDIA H200"), "brand": text("Nvidia"), "architecture": text("Hopper"),
				"cudaComputeCapability": version("9.0.0"), "cudaDriverVersion": version("13.0.0"), "driverVersion": version("580.95.5"),
				"pcieBusID": text(fmt.Sprintf("0000:%02x:00.0", 0x19+i)),
			},
			Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("143771Mi")}},
		}
	}
	return devices
}

func text(s string) resourceapi.DeviceAttribute { return resourceapi.DeviceAttribute{StringValue: &s} }

func version(s string) resourceapi.DeviceAttribute {
	return resourceapi.DeviceAttribute{VersionValue: &s}
}

// Names of devices with their UUIDs, in order.
func Names(devices []resourceapi.Device) []string {
	var names []string
	for _, d := range devices {
		name := d.Name
		if uuid := d.Attributes["uuid"].StringValue; uuid != nil {
			name += " " + *uuid
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Class is what a claim names to ask for GPUs.
func Class() *resourceapi.DeviceClass {
	expression := fmt.Sprintf("device.driver == '%[1]s' && device.attributes['%[1]s'].type == 'gpu'", Driver)
	return &resourceapi.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: Driver},
		Spec: resourceapi.DeviceClassSpec{Selectors: []resourceapi.DeviceSelector{
			{CEL: &resourceapi.CELDeviceSelector{Expression: expression}},
		}},
	}
}
