package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/result"
)

const (
	namespace = "assay-benchmarks"
	device    = "nvidia.com/gpu"
	// pollEvery is how often the end of a Job or run is looked for; it bounds the error of a time.
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

// timeRun is the time from creating a ValidationRun to its Finished condition. The run is deleted afterwards.
func (b *bench) timeRun(ctx context.Context, name string) (time.Duration, error) {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.ValidationRunSpec{
		NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"type": "kwok"}},
		Benchmarks:   []v1alpha1.BenchmarkRef{{Name: "stub"}},
	}}
	start := time.Now()
	if err := b.Create(ctx, run); err != nil {
		return 0, fmt.Errorf("creating run %s: %w", name, err)
	}
	err := b.until(ctx, run, func() (bool, error) {
		c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished)
		return c != nil && c.Status == metav1.ConditionTrue, nil
	})
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("waiting for run %s (%s): %w", name, run.Status.Progress, err)
	}
	if s := run.Status.Summary; run.Status.Verdict != v1alpha1.VerdictPass || int(s.Passed) != b.nodes {
		return 0, fmt.Errorf("run %s ended as %s with %d of %d nodes passed: %s", name, run.Status.Verdict, s.Passed, b.nodes, run.Status.Worst)
	}
	return took, b.remove(ctx, run)
}

// timeJob is the time from creating an Indexed Job to its Complete condition.
func (b *bench) timeJob(ctx context.Context, name string) (time.Duration, error) {
	n, mode := int32(b.nodes), batchv1.IndexedCompletion
	all := corev1.ResourceList{device: resource.MustParse("8")}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Spec: batchv1.JobSpec{
		Completions: &n, Parallelism: &n, CompletionMode: &mode,
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Tolerations:   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{Name: "stub", Image: "example.com/stub:1", Command: []string{"stub"},
				Resources: corev1.ResourceRequirements{Limits: all, Requests: all}}},
		}}}}
	start := time.Now()
	if err := b.Create(ctx, job); err != nil {
		return 0, fmt.Errorf("creating job %s: %w", name, err)
	}
	err := b.until(ctx, job, func() (bool, error) { return job.Status.Succeeded == n && job.Status.CompletionTime != nil, nil })
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("waiting for job %s (%d done): %w", name, job.Status.Succeeded, err)
	}
	return took, b.remove(ctx, job)
}

func (b *bench) until(ctx context.Context, o client.Object, done func() (bool, error)) error {
	return wait.PollUntilContextTimeout(ctx, pollEvery, 15*time.Minute, true, func(ctx context.Context) (bool, error) {
		if err := b.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return false, err
		}
		return done()
	})
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
