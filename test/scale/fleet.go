package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/test/scale/kept"
)

const (
	driverLabel = "nvidia.com/cuda.driver-version.full"
	// driverBefore is what the nodes passed with. Their label does not tell it: what is not known has not changed.
	driverBefore = "580.95.05"
	// validFor is how long a pass of the policy is good; those of the fleet are up to a third of it old, so that none is to be renewed.
	validFor = 30 * 24 * time.Hour
)

// validNodes gives each node a newest pass of what the policy asks for. Policies read no history.
func (b *bench) validNodes(ctx context.Context) ([]corev1.Node, error) {
	var nodes corev1.NodeList
	if err := b.List(ctx, &nodes, client.MatchingLabels{"type": "kwok"}); err != nil {
		return nil, fmt.Errorf("listing the simulated nodes: %w", err)
	}
	if len(nodes.Items) == 0 {
		return nil, errors.New("the cluster has no simulated node")
	}
	benchmarks, err := b.suite(ctx)
	if err != nil {
		return nil, err
	}
	var g errgroup.Group
	g.SetLimit(creators)
	for i := range nodes.Items {
		n := &nodes.Items[i]
		g.Go(func() error {
			v, err := proved(n, i, benchmarks)
			if err != nil {
				return err
			}
			return client.IgnoreAlreadyExists(b.Create(ctx, v))
		})
	}
	return nodes.Items, g.Wait()
}

// suite creates the Benchmarks that the histories are of; the first is the stub.
func (b *bench) suite(ctx context.Context) ([]*v1alpha1.Benchmark, error) {
	stub := &v1alpha1.Benchmark{}
	if err := b.Get(ctx, client.ObjectKey{Name: "stub"}, stub); err != nil {
		return nil, fmt.Errorf("getting the stub benchmark: %w", err)
	}
	all := []*v1alpha1.Benchmark{stub}
	for _, h := range kept.Validation(&corev1.Node{}, 0).Benchmarks[1:] {
		other := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: h.Name}, Spec: *stub.Spec.DeepCopy()}
		if err := b.Create(ctx, other); err != nil && !apierrors.IsAlreadyExists(err) {
			return nil, fmt.Errorf("creating benchmark %s: %w", h.Name, err)
		}
		all = append(all, other)
	}
	return all, nil
}

// proved is what is known of a node that passed all benchmarks as they are, on the machine that it is.
func proved(n *corev1.Node, seed int, benchmarks []*v1alpha1.Benchmark) (*v1alpha1.NodeValidation, error) {
	v := kept.Validation(n, seed)
	is := nodevalidation.MachineOf(n, "", "")
	v.Fingerprint = v1alpha1.Fingerprint{NodeUID: n.UID, BootID: is.BootID, Kernel: is.Kernel, Driver: is.Driver}
	age := time.Duration(seed%1000) * validFor / 3 / 1000
	for i, o := range benchmarks {
		asked, err := workload.Asked(o, v1alpha1.BenchmarkRef{Name: o.Name})
		if err != nil {
			return nil, err
		}
		h := &v.Benchmarks[i]
		h.Name = o.Name
		machine := nodevalidation.MachineOf(n, o.Spec.Needs.DeviceResource, "")
		machine.Driver = driverBefore
		newest := &h.History[len(h.History)-1]
		newest.Asked, newest.Machine, newest.Time = asked, &machine, metav1.NewTime(time.Now().Add(-age))
	}
	return v, nil
}

// label a node with its driver; empty: none.
func (b *bench) label(ctx context.Context, n *corev1.Node, driver string) error {
	before := n.DeepCopy()
	n.Labels[driverLabel] = driver
	if driver == "" {
		delete(n.Labels, driverLabel)
	}
	if err := b.Patch(ctx, n, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("labelling node %s: %w", n.Name, err)
	}
	return nil
}

// enforce creates the policy and waits until it finds all nodes valid. Its window is hardly ever open: what one change costs is to be seen
// without the run that follows.
func (b *bench) enforce(ctx context.Context) (*v1alpha1.ValidationPolicy, error) {
	valid, now := int64(validFor.Seconds()), time.Now()
	closed := fmt.Sprintf("0 0 1 %d *", (now.Month()+5)%12+1)
	p := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "pool"}, Spec: v1alpha1.ValidationPolicySpec{
		Selector: metav1.LabelSelector{MatchLabels: map[string]string{"type": "kwok"}}, ValidForSeconds: &valid, Schedule: closed, Gate: &v1alpha1.Gate{},
		SuccessfulRunsHistoryLimit: new(int32(100)),
		RevalidateOn:               []v1alpha1.Change{v1alpha1.ChangeReboot, v1alpha1.ChangeKernel, v1alpha1.ChangeDriver, v1alpha1.ChangeDevices, v1alpha1.ChangeBenchmark}}}
	p.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: "stub"}}
	for _, h := range kept.Validation(&corev1.Node{}, 0).Benchmarks[1:] {
		p.Spec.Benchmarks = append(p.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: h.Name})
	}
	if err := b.Create(ctx, p); err != nil {
		return nil, fmt.Errorf("creating the policy: %w", err)
	}
	return p, b.untilPolicy(ctx, p, func(s *v1alpha1.ValidationPolicyStatus) bool { return int(s.Nodes.Valid) == b.nodes })
}

// untilPolicy waits until the status of the policy says something.
func (b *bench) untilPolicy(ctx context.Context, p *v1alpha1.ValidationPolicy, done func(*v1alpha1.ValidationPolicyStatus) bool) error {
	err := until(ctx, b, p, &v1alpha1.ValidationPolicyList{}, func(seen *v1alpha1.ValidationPolicy) bool {
		*p = *seen
		return p.Status.Nodes != nil && done(&p.Status)
	})
	if err != nil {
		return fmt.Errorf("waiting for the policy (%s valid, %+v): %w", p.Status.Valid, p.Status.Nodes, err)
	}
	return nil
}

// admit creates nodes that carry the gate's taint. It says how long it was until each of them was let in, and when the last one was.
func (b *bench) admit(ctx context.Context) (waited []time.Duration, last time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	begin := time.Now()
	var creating errgroup.Group
	creating.Go(func() error {
		var g errgroup.Group
		g.SetLimit(creators)
		for i := range joining {
			g.Go(func() error { return b.Create(ctx, gatedNode(i)) })
		}
		return g.Wait()
	})
	admitted := map[string]bool{}
	see := func(n *corev1.Node) {
		if !gated(n) && !admitted[n.Name] {
			admitted[n.Name], last = true, time.Now()
			waited = append(waited, last.Sub(begin))
		}
	}
	for len(waited) < joining && err == nil { // the API server ends the watch of whoever lags behind
		err = b.watchJoining(ctx, see, func() bool { return len(waited) == joining })
	}
	return waited, last, errors.Join(err, creating.Wait())
}

// watchJoining nodes until it is done, or the watch ends.
func (b *bench) watchJoining(ctx context.Context, see func(*corev1.Node), done func() bool) error {
	w, err := b.Watch(ctx, &corev1.NodeList{}, client.MatchingLabels{"joining": "true"})
	if err != nil {
		return fmt.Errorf("watching the nodes: %w", err)
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		n, ok := event.Object.(*corev1.Node)
		if !ok {
			return fmt.Errorf("watching the nodes: %w", apierrors.FromObject(event.Object))
		}
		if see(n); done() {
			return nil
		}
	}
	return ctx.Err()
}

func gated(n *corev1.Node) bool {
	for _, t := range n.Spec.Taints {
		if t.Key == v1alpha1.DefaultGateKey {
			return true
		}
	}
	return false
}

// gatedNode is one of eight GPUs that kwok keeps alive.
func gatedNode(i int) *corev1.Node {
	capacity := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("512Gi"),
		corev1.ResourcePods: resource.MustParse("110"), device: resource.MustParse("8")}
	name := fmt.Sprintf("joining-%d", i)
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"},
		Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelOSStable: "linux", "type": "kwok", "joining": "true"}},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "kwok.x-k8s.io/node", Value: "fake", Effect: corev1.TaintEffectNoSchedule},
			{Key: v1alpha1.DefaultGateKey, Value: "pending", Effect: corev1.TaintEffectNoSchedule}}},
		Status: corev1.NodeStatus{Capacity: capacity, Allocatable: capacity}}
}
