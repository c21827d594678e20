package workload

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// TestShared: only whole GPUs are measured, and an ordinary node under the GPU Operator is not taken for a shared one.
func TestShared(t *testing.T) {
	for sentence, c := range map[string]struct {
		labels   map[string]string
		offers   string
		resource string
		want     string
	}{
		"no feature discovery": {nil, "", GPUResource, ""},
		"as the GPU Operator labels whole GPUs": {map[string]string{"nvidia.com/mig.capable": "true", "nvidia.com/mig.strategy": "single",
			"nvidia.com/mig.config": "all-disabled", "nvidia.com/mig.config.state": "success", "nvidia.com/gpu.replicas": "1",
			"nvidia.com/gpu.sharing-strategy": "none", "nvidia.com/gpu.product": "NVIDIA-H200", "nvidia.com/gpu.deploy.device-plugin": "true",
			"nvidia.com/gpu.deploy.mig-manager": "true"}, "", GPUResource, ""},
		"time-slicing":                  {map[string]string{"nvidia.com/gpu.sharing-strategy": "time-slicing"}, "", GPUResource, "label nvidia.com/gpu.sharing-strategy=time-slicing"},
		"MPS":                           {map[string]string{"nvidia.com/gpu.sharing-strategy": "mps"}, "", GPUResource, "=mps"},
		"an older feature discovery":    {map[string]string{"nvidia.com/gpu.replicas": "4"}, "", GPUResource, "label nvidia.com/gpu.replicas=4"},
		"a product that is shared":      {map[string]string{"nvidia.com/gpu.product": "NVIDIA-H200-SHARED"}, "", GPUResource, "=NVIDIA-H200-SHARED"},
		"MIG, all slices alike":         {map[string]string{"nvidia.com/gpu.product": "NVIDIA-H200-MIG-1g.18gb"}, "", GPUResource, "=NVIDIA-H200-MIG-1g.18gb"},
		"MIG, by what is offered":       {nil, "nvidia.com/mig-1g.18gb", GPUResource, "it offers 7 nvidia.com/mig-1g.18gb"},
		"MIG, being set up":             {map[string]string{"nvidia.com/mig.strategy": "mixed", "nvidia.com/mig.config": "all-1g.18gb"}, "", GPUResource, "label nvidia.com/mig.config=all-1g.18gb"},
		"another kind of device":        {map[string]string{"nvidia.com/gpu.sharing-strategy": "time-slicing"}, "", "example.com/nic", ""},
		"replicas that are no number":   {map[string]string{"nvidia.com/gpu.replicas": "many"}, "", GPUResource, ""},
		"slices of which there is none": {nil, "nvidia.com/mig-none", GPUResource, ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			n := &corev1.Node{}
			n.Labels = c.labels
			if c.offers != "" {
				count := resource.MustParse("7")
				if strings.HasSuffix(c.offers, "none") {
					count = resource.MustParse("0")
				}
				n.Status.Allocatable = corev1.ResourceList{corev1.ResourceName(c.offers): count}
			}
			got := Shared(c.resource, n)
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
