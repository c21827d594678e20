package dra

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
)

// annotation on a copy of a node that says what its slices say. It is never stored, and whatever a node has of that name counts for nothing.
const annotation = "dra.assay.dev/offer"

// Labels of feature discovery that are read where there are some.
const (
	labelProduct = "nvidia.com/gpu.product"
	labelMemory  = "nvidia.com/gpu.memory"
	labelDriver  = "nvidia.com/cuda.driver-version.full"
	labelMajor   = "nvidia.com/cuda.driver.major"
)

// Show a node as if a device plugin offered what its slices do, in a copy. Where both offer devices, the slices count: the plugin would hand out what
// somebody has claimed. offered false: it has no slices, and is shown as it is.
func Show(node *corev1.Node, o Offer, offered bool) *corev1.Node {
	if _, forged := node.Annotations[annotation]; !offered && !forged {
		return node
	}
	shown := *node
	shown.Annotations = cloned(node.Annotations)
	delete(shown.Annotations, annotation)
	if !offered {
		return &shown
	}
	plugin := node.Status.Allocatable[corev1.ResourceName(o.Resource)]
	o.Plugin = plugin.Sign() > 0
	text, _ := json.Marshal(o) // texts and numbers always can be
	shown.Annotations[annotation] = string(text)
	shown.Status.Allocatable, shown.Status.Capacity = cloned(node.Status.Allocatable), cloned(node.Status.Capacity)
	count(&shown, o.Resource, o.Offers, o.Has)
	if o.Parts > 0 {
		count(&shown, o.Part, o.Parts, o.Parts)
	}
	shown.Labels = labelled(node.Labels, o)
	return &shown
}

// ShowBy shows a node by its slices.
func ShowBy(node *corev1.Node, all []*resourcev1.ResourceSlice) *corev1.Node {
	o, offered := OfferOf(node, all)
	return Show(node, o, offered)
}

func count(node *corev1.Node, name string, offers, has int64) {
	node.Status.Allocatable[corev1.ResourceName(name)] = *resource.NewQuantity(offers, resource.DecimalSI)
	node.Status.Capacity[corev1.ResourceName(name)] = *resource.NewQuantity(has, resource.DecimalSI)
}

// labelled are the labels with those that feature discovery would write and did not; the same ones where it did.
func labelled(own map[string]string, o Offer) map[string]string {
	missing := map[string]string{}
	if own[labelProduct] == "" && o.Product != "" {
		missing[labelProduct] = o.Product
		if own[labelMemory] == "" && o.Memory > 0 {
			missing[labelMemory] = strconv.FormatInt(o.Memory, 10)
		}
	}
	if own[labelDriver] == "" && own[labelMajor] == "" && o.DriverVersion != "" {
		missing[labelDriver] = o.DriverVersion
	}
	if len(missing) == 0 {
		return own
	}
	return labels.Merge(own, missing)
}

func cloned[M ~map[K]V, K comparable, V any](m M) M {
	if m == nil {
		return M{}
	}
	return maps.Clone(m)
}

// Shown is what the slices of a node say that Show has shown; nil: it has none.
func Shown(node *corev1.Node) *Offer {
	text, ok := node.Annotations[annotation]
	if !ok {
		return nil
	}
	o := &Offer{}
	if json.Unmarshal([]byte(text), o) != nil {
		return nil
	}
	return o
}

// By says who offers a node's devices.
func By(node *corev1.Node) string {
	if _, ok := node.Annotations[annotation]; ok {
		return "DRA driver"
	}
	return "device plugin"
}

// ByPlugin says whether a device plugin offers devices of a node that no slices show.
func ByPlugin(node *corev1.Node) bool {
	return slices.ContainsFunc(drivers, func(d driver) bool {
		offered := node.Status.Allocatable[corev1.ResourceName(d.resource)]
		return offered.Sign() > 0
	})
}

// Version of what the slices of a node say: another one where they say something else.
func Version(node *corev1.Node) string { return node.Annotations[annotation] }
