package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// nextSecond has come for sure: records count in seconds, and a pass that is not later than a conviction does not refute it.
const nextSecond = 1100 * time.Millisecond

// workNamespace is where pods ask for GPUs.
const workNamespace = "default"

// sample is how long after the stored verdict the rest of the way came, and how long the scheduler took to refuse the GPU to a pod.
type sample struct {
	mark, rule, refused, answer time.Duration
	// tooSoon are pods that got the GPU after the rule was there.
	tooSoon int
}

// waiter is a pod that a slow GPU was refused to, and the way there.
type waiter struct {
	asker
	sample
}

// runOn measures these nodes, and takes single GPUs out of service.
func (b *bench) runOn(ctx context.Context, name string, nodes ...*gpuNode) (*v1alpha1.ValidationRun, error) {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.ValidationRunSpec{
		Benchmarks: []v1alpha1.BenchmarkRef{{Name: gpuBenchmark}},
		OnFailure:  &v1alpha1.OnFailure{Taint: &v1alpha1.Taint{Scope: v1alpha1.TaintScopeDevice}, MaxTaintedNodes: new(intstr.FromString("100%"))},
	}}
	if len(nodes) == 0 {
		run.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"type": "kwok"}}
	}
	for _, n := range nodes {
		run.Spec.NodeNames = append(run.Spec.NodeNames, n.node.Name)
	}
	if err := b.Create(ctx, run); err != nil {
		return nil, fmt.Errorf("creating run %s: %w", name, err)
	}
	return run, nil
}

// over waits until a run is over, and checks how many nodes failed.
func (b *bench) over(ctx context.Context, run *v1alpha1.ValidationRun, failed int) error {
	err := until(ctx, b, run, &v1alpha1.ValidationRunList{}, func(seen *v1alpha1.ValidationRun) bool {
		run = seen
		return run.Finished()
	})
	if err != nil {
		return fmt.Errorf("waiting for run %s (%s): %w", run.Name, run.Status.Progress, err)
	}
	if s := run.Status.Summary; int(s.Failed) != failed || s.Passed+s.Failed != s.Nodes {
		return fmt.Errorf("run %s ended with %+v, want %d failed and all others passed: %s", run.Name, *s, failed, run.Status.Worst)
	}
	return nil
}

// follow the way of a slow GPU from the stored verdict of a run to the refusal of a pod that asks for just that GPU. The pod is made when the rule
// is seen and no claim has a GPU of the node, so that nothing but the rule keeps it away. One that gets the GPU all the same, as the scheduler does not see
// the rule yet, makes room for the next.
func (f *gpuFleet) follow(ctx context.Context, run, node, uuid string) (w waiter, err error) {
	var at [4]time.Time
	for i, what := range []sighting{{sawFail, run + "/" + node}, {sawMark, node}, {sawRule, node}} {
		if at[i], err = f.seen.await(ctx, what.what, what.of); err != nil {
			return w, err
		}
	}
	var asked time.Time
	for try := 1; at[3].IsZero(); try++ {
		if err := f.seen.free(ctx, node); err != nil {
			return w, err
		}
		asked = time.Now()
		if w.asker, err = f.ask(ctx, fmt.Sprintf("asks-%s-%s-%d", run, node, try), 1, uuid, ""); err != nil {
			return w, err
		}
		if at[3], err = f.seen.refused(ctx, w.pod.Name); err != nil {
			return w, err
		}
		if at[3].IsZero() {
			w.tooSoon++
			if err := f.leave(ctx, w.asker); err != nil {
				return w, err
			}
		}
	}
	w.mark, w.rule, w.refused, w.answer = at[1].Sub(at[0]), at[2].Sub(at[0]), at[3].Sub(at[0]), at[3].Sub(asked)
	return w, nil
}

// oneByOne lets one GPU after the other become slow, each on another node, and proves it once it is fast again. back is from the stored verdict that it
// passed until the pod is scheduled that it was refused to.
func (f *gpuFleet) oneByOne(ctx context.Context, samples int) (out []sample, back []time.Duration, err error) {
	for i := range samples {
		n := f.healthy()
		w, took, err := f.outAndBack(ctx, i, n, n.gpus[f.random.IntN(gpusPerNode)])
		if err != nil {
			return out, back, fmt.Errorf("sample %d, node %s: %w", i, n.node.Name, err)
		}
		out, back = append(out, w), append(back, took)
	}
	return out, back, nil
}

// healthy is a node without a slow GPU.
func (f *gpuFleet) healthy() *gpuNode {
	for {
		if n := f.all[f.random.IntN(len(f.all))]; len(n.out) == 0 && len(f.slowOf(n)) == 0 {
			return n
		}
	}
}

// outAndBack is one of them.
func (f *gpuFleet) outAndBack(ctx context.Context, i int, n *gpuNode, uuid string) (sample, time.Duration, error) {
	node := n.node.Name
	f.seen.forget(node)
	f.setSlow(uuid, true)
	run, err := f.runOn(ctx, fmt.Sprintf("slow-%d", i), n)
	if err != nil {
		return sample{}, 0, err
	}
	w, err := f.follow(ctx, run.Name, node, uuid)
	if err != nil {
		return sample{}, 0, err
	}
	if err := f.over(ctx, run, 1); err != nil {
		return sample{}, 0, err
	}
	if at := f.seen.of(sawScheduled, w.pod.Name); !at.IsZero() {
		return sample{}, 0, fmt.Errorf("a pod was given GPU %s, which is out of service", uuid)
	}
	f.setSlow(uuid, false)
	time.Sleep(nextSecond)
	proof, err := f.runOn(ctx, fmt.Sprintf("proof-%d", i), n)
	if err != nil {
		return sample{}, 0, err
	}
	if err := f.over(ctx, proof, 0); err != nil {
		return sample{}, 0, err
	}
	scheduled, err := f.seen.await(ctx, sawScheduled, w.pod.Name)
	if err != nil {
		return sample{}, 0, err
	}
	return w.sample, scheduled.Sub(f.seen.of(sawPass, proof.Name+"/"+node)), errors.Join(f.leave(ctx, w.asker), f.Delete(ctx, run), f.Delete(ctx, proof))
}

// asker is a pod that claims GPUs.
type asker struct {
	claim *resourcev1.ResourceClaim
	pod   *corev1.Pod
}

// ask for so many GPUs; uuid: just that one; node: on that node, else anywhere.
func (f *gpuFleet) ask(ctx context.Context, name string, count int64, uuid, node string) (asker, error) {
	request := &resourcev1.ExactDeviceRequest{DeviceClassName: gpuDriver, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count}
	if uuid != "" {
		request.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: fmt.Sprintf("device.attributes[%q].uuid == %q", gpuDriver, uuid)}}}
	}
	meta := metav1.ObjectMeta{Name: name, Namespace: workNamespace}
	claim := &resourcev1.ResourceClaim{ObjectMeta: meta}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpus", Exactly: request}}
	pod := &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{
		AutomountServiceAccountToken: new(false),
		Tolerations:                  []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
		ResourceClaims:               []corev1.PodResourceClaim{{Name: "gpus", ResourceClaimName: &name}},
		Containers: []corev1.Container{{Name: "work", Image: "example.com/work:1",
			Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "gpus"}}}}},
	}}
	if node != "" {
		pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: node}
	}
	if err := errors.Join(f.Create(ctx, claim), f.Create(ctx, pod)); err != nil {
		return asker{}, fmt.Errorf("asking for GPUs as %s: %w", name, err)
	}
	return asker{claim, pod}, nil
}

// leave lets a pod end, and waits until its claim is gone.
func (f *gpuFleet) leave(ctx context.Context, a asker) error {
	err := errors.Join(f.Delete(ctx, a.pod, client.GracePeriodSeconds(0)), f.Delete(ctx, a.claim))
	if err == nil {
		err = wait.PollUntilContextTimeout(ctx, pollEvery, patience, true, func(ctx context.Context) (bool, error) {
			err := f.Get(ctx, client.ObjectKeyFromObject(a.claim), a.claim)
			return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
		})
	}
	if err != nil {
		return fmt.Errorf("ending pod %s: %w", a.pod.Name, err)
	}
	return nil
}
