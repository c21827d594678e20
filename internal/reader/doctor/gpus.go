package doctor

import (
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
)

// gpuNodes are those that feature discovery found GPUs in, or that offer some.
func (f *Facts) gpuNodes() []*Node {
	return list.Those(f.Nodes.Value, func(n *Node) bool { return n.GPUs > 0 || n.Labels[LabelPresent] == "true" })
}

// devices checks that nodes that have GPUs offer them.
func devices(f *Facts) findings {
	all := f.gpuNodes()
	if len(all) == 0 {
		return one(OK, "%s, none with NVIDIA GPUs by its labels, device plugin or DRA driver", message.Several(len(f.Nodes.Value), "node"))
	}
	for _, n := range all {
		if n.Published != nil && n.Published.Broken != "" {
			return one(Fail, "the scheduler allocates no GPU of node %s: %s: look into the log of the DRA driver there", n.Name, n.Published.Broken)
		}
	}
	lacking := named(all, func(n *Node) bool { return n.GPUs == 0 && n.Ready })
	if len(lacking) > 0 {
		return one(Fail, "no %s is offered by %s with GPUs: check whether the driver and the device plugin, or the DRA driver, run there: %s%s",
			workload.GPUResource, message.Several(len(lacking), "node"), message.Names(lacking),
			message.With("", ". ResourceSlices of DRA drivers could not be read: ", f.SlicesProblem))
	}
	if published := list.Count(all, func(n *Node) bool { return n.Published != nil }); published > 0 {
		return one(OK, "%s with GPUs, all offering %s, %d of them by a DRA driver", message.Several(len(all), "node"), workload.GPUResource, published)
	}
	return one(OK, "%s with GPUs, all offering %s", message.Several(len(all), "node"), workload.GPUResource)
}

// gpuLabels: GPU feature discovery says what the nodes are.
func gpuLabels(f *Facts) findings {
	all := f.gpuNodes()
	if len(all) == 0 {
		return nil // said by the check of devices
	}
	bare := named(all, func(n *Node) bool { return n.Labels[v1alpha1.LabelGPUProduct] == "" })
	var found findings
	found.about(bare, Warn, "the label %s is missing on %s with GPUs, so no HardwareProfile matches there: install GPU feature "+
		"discovery: %s", v1alpha1.LabelGPUProduct, message.Several(len(bare), "node"))
	return found.or("GPU feature discovery labels %s", message.Several(len(all), "node"))
}

// profiles checks that one matches each product.
func profiles(f *Facts) findings {
	products := map[string]*Node{}
	for _, n := range f.gpuNodes() {
		if product := n.Labels[v1alpha1.LabelGPUProduct]; product != "" {
			products[product] = n
		}
	}
	var found findings
	for _, product := range slices.Sorted(maps.Keys(products)) {
		if !slices.ContainsFunc(f.Profiles.Value, func(p v1alpha1.HardwareProfile) bool {
			selector, err := p.Spec.ByLabels()
			return err == nil && selector.Matches(labels.Set(products[product].Labels))
		}) {
			found.add(Warn, "no HardwareProfile matches GPU product %s (%s), so it is not "+
				"compared with its peaks: write one (docs/catalogue.md)", product, products[product].Name)
		}
	}
	if len(products) == 0 {
		return nil
	}
	return found.or("a HardwareProfile matches each of %s", message.Several(len(products), "GPU product"))
}

// taints that keep benchmark pods from nodes. Control planes are meant to be left alone.
func taints(f *Facts) findings {
	byTaint := map[string][]string{}
	for n := range list.Each(f.Nodes.Value) {
		if t := workload.KeptBy(&corev1.Node{Spec: corev1.NodeSpec{Taints: n.Taints}}, nil, nil); t != nil && !strings.HasPrefix(t.Key, "node-role.kubernetes.io/") {
			byTaint[t.ToString()] = append(byTaint[t.ToString()], n.Name)
		}
	}
	var found findings
	for _, t := range slices.Sorted(maps.Keys(byTaint)) {
		found.add(Warn, "the taint %s keeps benchmark pods from %s, so a run skips them: %s", t, message.Several(len(byTaint[t]), "node"), message.Names(byTaint[t]))
	}
	return found.or("no taint keeps benchmark pods from any of %s, control planes aside", message.Several(len(f.Nodes.Value), "node"))
}

// images came to the nodes, where that was tried.
func images(f *Facts) findings {
	if f.Pulls == nil {
		return nil
	}
	var found findings
	slowest := time.Duration(0)
	for _, p := range f.Pulls {
		slowest = max(slowest, p.Took)
		if p.Problem != "" {
			found.add(Fail, "image %s could not be pulled on node %s: %s", p.Image, p.Node, p.Problem)
		}
	}
	return found.or("%s pulled, the slowest in %s", message.Several(len(f.Pulls), "image"), message.Duration(slowest))
}
