package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	gpuDriver   = "gpu.nvidia.com"
	gpusPerNode = 8
)

// gpuNode is a simulated node of eight GPUs that a DRA driver hands out, in a pool of the node's name.
type gpuNode struct {
	node *corev1.Node
	// gpus are the UUIDs by slot; gpu-0 is in the first.
	gpus []string
	// out are those that have to be out of service.
	out []string
	// generation of its pool.
	generation int64
}

// gpuFleet plays the machines and their DRA drivers.
type gpuFleet struct {
	*bench
	all []*gpuNode
	// slowNodes are how many have a slow GPU.
	slowNodes int
	random    *rand.Rand
	seen      *sightings
	// operator that runs.
	operator *process
	// happened counts what happened to nodes.
	happened map[string]int

	// mu guards what the program reads.
	mu sync.Mutex
	// slots that are published, and the UUIDs of what is there.
	slots map[sighting]string
	// slow GPUs, now and ever.
	slow, everSlow map[string]bool
	made           int
}

// newGPUs are UUIDs that no other GPU had.
func (f *gpuFleet) newGPUs(n int) (uuids []string) {
	for range n {
		f.made++
		uuids = append(uuids, fmt.Sprintf("GPU-00000000-0000-4000-8000-%012x", f.made))
	}
	return uuids
}

// gpuFleet publishes eight GPUs for each simulated node, which no device plugin offers any more.
func (b *bench) gpuFleet(ctx context.Context) (*gpuFleet, error) {
	f := &gpuFleet{bench: b, random: rand.New(rand.NewPCG(7, 31)), happened: map[string]int{}, slots: map[sighting]string{}, slow: map[string]bool{}, everSlow: map[string]bool{}}
	class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: gpuDriver}, Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{
		{CEL: &resourcev1.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == '%[1]s' && device.attributes['%[1]s'].type == 'gpu'", gpuDriver)}}}}}
	if err := b.Create(ctx, class); err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("creating the class of the GPUs: %w", err)
	}
	var nodes corev1.NodeList
	if err := b.List(ctx, &nodes, client.MatchingLabels{"type": "kwok"}); err != nil {
		return nil, fmt.Errorf("listing the simulated nodes: %w", err)
	}
	if len(nodes.Items) == 0 {
		return nil, errors.New("the cluster has no simulated node")
	}
	var g errgroup.Group
	g.SetLimit(creators)
	for i := range nodes.Items {
		n := &gpuNode{node: &nodes.Items[i], gpus: f.newGPUs(gpusPerNode)}
		f.all = append(f.all, n)
		g.Go(func() error {
			before := n.node.DeepCopy()
			delete(n.node.Status.Capacity, device)
			delete(n.node.Status.Allocatable, device)
			return errors.Join(b.Status().Patch(ctx, n.node, client.MergeFrom(before)), f.publish(ctx, n))
		})
	}
	f.slowNodes = max(1, len(f.all)/100)
	return f, g.Wait()
}

// publish what a node has.
func (f *gpuFleet) publish(ctx context.Context, n *gpuNode) error {
	n.generation++
	f.mu.Lock()
	for i, uuid := range n.gpus {
		f.slots[sighting{n.node.Name, gpuName(i)}] = uuid
	}
	f.mu.Unlock()
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: n.node.Name + "-gpus",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: n.node.Name, UID: n.node.UID}}}}
	s.Spec = resourcev1.ResourceSliceSpec{Driver: gpuDriver, NodeName: &n.node.Name,
		Pool: resourcev1.ResourcePool{Name: n.node.Name, Generation: n.generation, ResourceSliceCount: 1}}
	for i := range n.gpus {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: gpuName(i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"type": {StringValue: new("gpu")}, "uuid": {StringValue: &n.gpus[i]}, "productName": {StringValue: new("NVIDIA H200")}}})
	}
	err := f.Create(ctx, s)
	if apierrors.IsAlreadyExists(err) {
		is := &resourcev1.ResourceSlice{}
		if err = f.Get(ctx, client.ObjectKeyFromObject(s), is); err == nil {
			s.ResourceVersion = is.ResourceVersion
			err = f.Update(ctx, s)
		}
	}
	if err != nil {
		return fmt.Errorf("publishing the GPUs of node %s: %w", n.node.Name, err)
	}
	return nil
}

func gpuName(slot int) string { return fmt.Sprintf("gpu-%d", slot) }

func (f *gpuFleet) withdraw(ctx context.Context, n *gpuNode) error {
	return client.IgnoreNotFound(f.Delete(ctx, &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: n.node.Name + "-gpus"}}))
}

// lose a node. A machine joins under its name: the same one, or another.
func (f *gpuFleet) lose(ctx context.Context, n *gpuNode) error {
	if err := errors.Join(f.Delete(ctx, n.node.DeepCopy()), f.withdraw(ctx, n)); err != nil {
		return fmt.Errorf("losing node %s: %w", n.node.Name, err)
	}
	if n.out = nil; f.random.IntN(2) == 0 {
		n.gpus = f.newGPUs(gpusPerNode)
	}
	next := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.node.Name, Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"}, Labels: map[string]string{}},
		Spec:   corev1.NodeSpec{Taints: slices.DeleteFunc(n.node.Spec.Taints, func(t corev1.Taint) bool { return t.Key != "kwok.x-k8s.io/node" })},
		Status: corev1.NodeStatus{Capacity: n.node.Status.Capacity, Allocatable: n.node.Status.Allocatable}}
	for _, key := range []string{corev1.LabelHostname, corev1.LabelOSStable, corev1.LabelArchStable, "type"} {
		next.Labels[key] = n.node.Labels[key]
	}
	if err := f.Create(ctx, next); err != nil {
		return fmt.Errorf("creating node %s again: %w", next.Name, err)
	}
	n.node = next
	return f.publish(ctx, n)
}

// replace a GPU.
func (f *gpuFleet) replace(ctx context.Context, n *gpuNode, slot int) error {
	n.out = slices.DeleteFunc(n.out, func(uuid string) bool { return uuid == n.gpus[slot] })
	n.gpus[slot] = f.newGPUs(1)[0]
	return f.publish(ctx, n)
}

// setSlow says whether a GPU is slow from now on.
func (f *gpuFleet) setSlow(uuid string, slow bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slow[uuid], f.everSlow[uuid] = slow, f.everSlow[uuid] || slow
}

func (f *gpuFleet) isSlow(uuid string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.slow[uuid]
}

func (f *gpuFleet) wasSlow(uuid string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.everSlow[uuid]
}

// published in a slot of a node.
func (f *gpuFleet) published(node, gpu string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.slots[sighting{node, gpu}]
}

// slowOf a node, which a run finds.
func (f *gpuFleet) slowOf(n *gpuNode) (uuids []string) {
	for _, uuid := range n.gpus {
		if f.isSlow(uuid) {
			uuids = append(uuids, uuid)
		}
	}
	return uuids
}
