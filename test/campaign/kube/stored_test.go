package kube

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestAsStored: an object is as JSON would bring it back.
func TestAsStored(t *testing.T) {
	at := metav1.NewTime(time.Unix(1_700_000_000, 123_456_789).UTC())
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", CreationTimestamp: at, DeletionTimestamp: &at, Labels: map[string]string{}, Finalizers: []string{}}}
	pod.Spec.Containers = []corev1.Container{{Args: []string{}, Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"gpu": quantity.MustParse("1000m")}}}}
	pod.Status.StartTime = &at
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{StartedAt: at}}}}
	run := &v1alpha1.ValidationRun{Status: v1alpha1.ValidationRunStatus{StartTime: &at, Conditions: []metav1.Condition{{Type: "x", LastTransitionTime: at}}, Nodes: []v1alpha1.NodeRow{}}}
	record := &v1alpha1.NodeValidation{Convictions: []v1alpha1.Conviction{{MeasuredAt: at}}, Quarantine: &v1alpha1.Quarantine{Since: at}}
	result := &v1alpha1.ValidationResult{Benchmarks: []v1alpha1.BenchmarkResult{{Attempts: []v1alpha1.Attempt{{LaunchTime: &at}}}}}
	history := &v1alpha1.NodeHistory{Benchmarks: []v1alpha1.BenchmarkHistory{}}
	for _, o := range []client.Object{pod, run, record, result, history} {
		text, err := json.Marshal(o)
		want := reflect.New(reflect.TypeOf(o).Elem())
		if err != nil || json.Unmarshal(text, want.Interface()) != nil {
			t.Fatal(err)
		}
		asStored(reflect.ValueOf(o))
		if !equality.Semantic.DeepEqual(o, want.Interface()) {
			t.Errorf("%+v\nis kept as\n%+v", want.Interface(), o)
		}
	}
	if pod.Labels != nil || pod.Spec.Containers[0].Args != nil || pod.CreationTimestamp.Nanosecond() != 0 {
		t.Errorf("labels %v, arguments %v, created at %s", pod.Labels, pod.Spec.Containers[0].Args, pod.CreationTimestamp)
	}
}
