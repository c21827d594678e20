package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

const (
	gpuBenchmark       = "gpu-rate"
	fastRate, slowRate = 42, 20
)

// gpuProgram plays the benchmark: it ends each pod that kwok runs with a document about the GPUs that the scheduler gave it.
type gpuProgram struct {
	*gpuFleet
	mu    sync.Mutex
	ended map[string]bool
}

// see a pod.
func (p *gpuProgram) see(ctx context.Context, pod *corev1.Pod) {
	if pod.Namespace != namespace || pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended[pod.Name] {
		return
	}
	p.ended[pod.Name] = true
	go func() {
		if err := client.IgnoreNotFound(p.end(ctx, pod.DeepCopy())); err != nil && ctx.Err() == nil {
			fmt.Fprintf(os.Stderr, "scale: ending pod %s: %v\n", pod.Name, err)
		}
	}()
}

// end a pod as its program would.
func (p *gpuProgram) end(ctx context.Context, pod *corev1.Pod) error {
	if len(pod.Status.ResourceClaimStatuses) != 1 || pod.Status.ResourceClaimStatuses[0].ResourceClaimName == nil {
		return errors.New("it has no claim")
	}
	claim := &resourcev1.ResourceClaim{}
	if err := p.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: *pod.Status.ResourceClaimStatuses[0].ResourceClaimName}, claim); err != nil {
		return err
	}
	uuids, err := p.given(claim)
	if err != nil {
		return err
	}
	message, err := p.measure(uuids)
	if err != nil {
		return err
	}
	before, now := pod.DeepCopy(), metav1.Now()
	pod.Status.Phase = corev1.PodSucceeded
	for i := range pod.Status.ContainerStatuses {
		c := &pod.Status.ContainerStatuses[i]
		c.Ready, c.State = false, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", Message: message, StartedAt: now, FinishedAt: now}}
	}
	return p.Status().Patch(ctx, pod, client.MergeFrom(before))
}

// given are the UUIDs of the GPUs of a claim, in the order in which programs see them.
func (p *gpuProgram) given(claim *resourcev1.ResourceClaim) (uuids []string, err error) {
	if claim.Status.Allocation == nil {
		return nil, fmt.Errorf("claim %s has been given nothing", claim.Name)
	}
	results := slices.Clone(claim.Status.Allocation.Devices.Results)
	slices.SortFunc(results, func(a, b resourcev1.DeviceRequestAllocationResult) int { return strings.Compare(a.Device, b.Device) })
	for _, r := range results {
		uuid := p.published(r.Pool, r.Device)
		if uuid == "" {
			return nil, fmt.Errorf("nobody publishes %s of %s", r.Device, r.Pool)
		}
		uuids = append(uuids, uuid)
	}
	return uuids, nil
}

// measure the GPUs.
func (p *gpuProgram) measure(uuids []string) (string, error) {
	now := time.Now()
	rate := result.Measurement{Name: "rate", Unit: "GB/s", Better: result.BetterHigher}
	d := &result.Document{Schema: result.Schema, Benchmark: gpuBenchmark, Version: "1"}
	for i, uuid := range uuids {
		value := float64(fastRate)
		if p.isSlow(uuid) {
			value = slowRate
		}
		d.Device = append(d.Device, result.Device{Index: int32(i), UUID: uuid, Product: "NVIDIA H200"})
		rate.Parts = append(rate.Parts, result.Part{At: fmt.Sprintf("gpu%d", i), Value: value, Samples: 12, Spread: 0.004})
	}
	d.Measurements = []result.Measurement{rate}
	return result.Encode(result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured,
		Start: now, End: now, Document: d})
}

// prepareGPUs creates the benchmark.
func (b *bench) prepareGPUs(ctx context.Context) error {
	o := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: gpuBenchmark}, Spec: v1alpha1.BenchmarkSpec{
		Description: "played by the bench", Image: "example.com/stub:1", Command: []string{"stub"},
		Needs:   v1alpha1.Needs{DeviceResource: device},
		Output:  v1alpha1.Output{Format: v1alpha1.FormatAssay},
		Metrics: []v1alpha1.Metric{{Name: "rate", Unit: "GB/s", Headline: true, Expectation: &v1alpha1.Expectation{Min: "30"}}},
	}}
	return client.IgnoreAlreadyExists(b.Create(ctx, o))
}
