package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
)

const (
	namespace = "assay-benchmarks"
	device    = "nvidia.com/gpu"
	// pollEvery is how often it is looked whether something is ready or gone.
	pollEvery = 50 * time.Millisecond
)

// writeStages writes the kwok stage that ends a benchmark pod with a result document, as the runner would.
func writeStages(dir string) error {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	message, err := result.Encode(result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured,
		Reason: v1alpha1.ReasonMeasured, Start: now, End: now.Add(3 * time.Second),
		Document: &result.Document{Schema: result.Schema, Benchmark: "stub", Version: "1", ElapsedSeconds: 3,
			Measurements: []result.Measurement{stubMeasurement()},
			Checks:       []result.Check{{Name: "dataIntegrity", OK: true}}}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "assay-pod-complete.yaml"), []byte(strings.ReplaceAll(stage, "MESSAGE", message)), 0o644)
}

// stubMeasurement has the size of a real one: the pairs of an 8-GPU node.
func stubMeasurement() result.Measurement {
	m := result.Measurement{Name: "bandwidth", Unit: "GB/s", Better: result.BetterHigher}
	for i := range 8 {
		for j := range 8 {
			if i != j {
				m.Parts = append(m.Parts, result.Part{At: fmt.Sprintf("gpu%d->gpu%d", i, j), Value: 390 + float64(i*8+j)/100, Samples: 12, Spread: 0.004})
			}
		}
	}
	return m
}

// prepare creates what both sides need.
func (b *bench) prepare(ctx context.Context) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if err := b.Create(ctx, ns); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating namespace %s: %w", namespace, err)
	}
	stub := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "stub"}, Spec: v1alpha1.BenchmarkSpec{
		Description: "ended by kwok", Image: "example.com/stub:1", Command: []string{"stub"},
		Needs:   v1alpha1.Needs{DeviceResource: device},
		Output:  v1alpha1.Output{Format: v1alpha1.FormatAssay},
		Metrics: []v1alpha1.Metric{{Name: "bandwidth", Unit: "GB/s", Headline: true, Expectation: &v1alpha1.Expectation{Min: "380"}}},
	}}
	if err := b.Create(ctx, stub); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the stub benchmark: %w", err)
	}
	return nil
}

// timeRun is what it takes from creating a ValidationRun to its Finished condition. The run is deleted afterwards.
func (b *bench) timeRun(ctx context.Context, name string) (spent, error) {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.ValidationRunSpec{
		Selector:   &metav1.LabelSelector{MatchLabels: map[string]string{"type": "kwok"}},
		Benchmarks: []v1alpha1.BenchmarkRef{{Name: "stub"}},
	}}
	s, err := timed(func() error {
		if err := b.Create(ctx, run); err != nil {
			return fmt.Errorf("creating run %s: %w", name, err)
		}
		return until(ctx, b, run, &v1alpha1.ValidationRunList{}, func(seen *v1alpha1.ValidationRun) bool {
			run = seen
			return meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFinished)
		})
	})
	if err != nil {
		return s, fmt.Errorf("waiting for run %s (%s): %w", name, run.Status.Progress, err)
	}
	if sum := run.Status.Summary; run.Status.Verdict != v1alpha1.VerdictPass || int(sum.Passed) != b.nodes {
		return s, fmt.Errorf("run %s ended as %s with %d of %d nodes passed: %s", name, run.Status.Verdict, sum.Passed, b.nodes, run.Status.Worst)
	}
	return s, b.remove(ctx, run)
}

// timeJob is what it takes from creating an Indexed Job to its Complete condition.
func (b *bench) timeJob(ctx context.Context, name string) (spent, error) {
	spec, err := b.jobPod(ctx)
	if err != nil {
		return spent{}, err
	}
	n, mode := int32(b.nodes), batchv1.IndexedCompletion
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Spec: batchv1.JobSpec{
		Completions: &n, Parallelism: &n, CompletionMode: &mode, Template: corev1.PodTemplateSpec{Spec: spec},
	}}
	s, err := timed(func() error {
		if err := b.Create(ctx, job); err != nil {
			return fmt.Errorf("creating job %s: %w", name, err)
		}
		return until(ctx, b, job, &batchv1.JobList{}, func(seen *batchv1.Job) bool {
			job = seen
			return job.Status.Succeeded == n && job.Status.CompletionTime != nil
		})
	})
	if err != nil {
		return s, fmt.Errorf("waiting for job %s (%d done): %w", name, job.Status.Succeeded, err)
	}
	return s, b.remove(ctx, job)
}

// jobPod is the pod that the operator would start, but for what binds it to one node: the Job is to make the same pods.
func (b *bench) jobPod(ctx context.Context) (corev1.PodSpec, error) {
	stub, nodes := &v1alpha1.Benchmark{}, &corev1.NodeList{}
	if err := b.Get(ctx, client.ObjectKey{Name: "stub"}, stub); err != nil {
		return corev1.PodSpec{}, fmt.Errorf("getting the stub benchmark: %w", err)
	}
	if err := b.List(ctx, nodes, client.MatchingLabels{"type": "kwok"}, client.Limit(1)); err != nil {
		return corev1.PodSpec{}, fmt.Errorf("finding a simulated node: %w", err)
	} else if len(nodes.Items) == 0 {
		return corev1.PodSpec{}, errors.New("the cluster has no simulated node")
	}
	argv, err := workload.Arguments(stub, nil)
	if err != nil {
		return corev1.PodSpec{}, err
	}
	pod := workload.Pod(workload.Launch{Run: &v1alpha1.ValidationRun{}, Benchmark: stub, Argv: argv, Node: &nodes.Items[0], Attempt: 1},
		workload.Settings{Namespace: namespace, RunnerImage: "example.com/runner:1"})
	pod.Spec.Affinity = nil
	return pod.Spec, nil
}

// until watches an object, because asking for a run again and again would cost the API server a noticeable part of what is measured.
func until[T client.Object](ctx context.Context, b *bench, o T, list client.ObjectList, done func(T) bool) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	w, err := b.Watch(ctx, list, client.InNamespace(o.GetNamespace()), client.MatchingFields{"metadata.name": o.GetName()})
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if seen, ok := event.Object.(T); ok && done(seen) {
			return nil
		} else if !ok {
			return fmt.Errorf("watching: %w", apierrors.FromObject(event.Object))
		}
	}
	return errors.New("the watch ended early")
}

// remove deletes an object and waits until its pods are gone too, so that the next measurement starts on free nodes.
func (b *bench) remove(ctx context.Context, o client.Object) error {
	if err := b.Delete(ctx, o, client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
		return fmt.Errorf("deleting %s: %w", o.GetName(), err)
	}
	return wait.PollUntilContextTimeout(ctx, pollEvery, 10*time.Minute, true, func(ctx context.Context) (bool, error) {
		var pods corev1.PodList
		if err := b.List(ctx, &pods, client.InNamespace(namespace), client.Limit(1)); err != nil {
			return false, err
		}
		err := b.Get(ctx, client.ObjectKeyFromObject(o), o)
		return len(pods.Items) == 0 && apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

const stage = `apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata:
  name: assay-pod-complete
spec:
  resourceRef:
    apiGroup: v1
    kind: Pod
  selector:
    matchLabels:
      app.kubernetes.io/managed-by: assay
    matchExpressions:
    - key: '.metadata.labels["assay.dev/benchmark"]'
      operator: 'NotIn'
      values: ['gpu-rate']
    - key: '.metadata.deletionTimestamp'
      operator: 'DoesNotExist'
    - key: '.status.phase'
      operator: 'In'
      values: ['Running']
  next:
    statusTemplate: |
      {{ $now := Now }}
      {{ $root := . }}
      containerStatuses:
      {{ range $index, $item := .spec.containers }}
      - image: {{ $item.image | Quote }}
        name: {{ $item.name | Quote }}
        ready: false
        restartCount: 0
        started: false
        state:
          terminated:
            exitCode: 0
            finishedAt: {{ $now | Quote }}
            reason: Completed
            startedAt: {{ $now | Quote }}
            message: "MESSAGE"
      {{ end }}
      phase: Succeeded
`
