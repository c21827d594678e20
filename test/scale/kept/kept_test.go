package kept_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/test/scale/kept"
)

// BenchmarkCache says what one object costs in the operator's cache, in bytes: as it is, and as the cache holds it. Of the results
// of finished runs it holds none.
func BenchmarkCache(b *testing.B) {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "kept-1", UID: "01234567-0123-4567-89ab-0123456789ab"}}
	nodes := make([]corev1.Node, 1000)
	for i := range nodes {
		nodes[i] = *node(i)
	}
	run.Status = kept.Status(nodes)
	for kind, make := range map[string]func(i int) client.Object{
		"ValidationResult": func(i int) client.Object { return kept.Result(run, &nodes[i], i) },
		"NodeValidation":   func(i int) client.Object { return kept.Validation(&nodes[i], i) },
		"NodeHistory":      func(i int) client.Object { return kept.History(&nodes[i], i) },
		"ValidationRun":    func(int) client.Object { return run },
		"Node":             func(i int) client.Object { return &nodes[i] },
	} {
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(perObject(b, make, nil), "B/whole")
				b.ReportMetric(perObject(b, make, transform(make(0))), "B/cached")
			}
		})
	}
}

// transform of a kind's objects on their way into the cache; nil for one that is in no cache.
func transform(o client.Object) func(any) (any, error) {
	for kind, options := range controllers.CacheOptions("assay-benchmarks").ByObject {
		if reflect.TypeOf(kind) == reflect.TypeOf(o) {
			return options.Transform
		}
	}
	if _, whole := o.(*v1alpha1.NodeValidation); whole {
		return nil
	}
	return func(any) (any, error) { return nil, nil }
}

// perObject fills a cache with objects as they come from the API server, decoded from JSON.
func perObject(b *testing.B, make func(int) client.Object, transform func(any) (any, error)) float64 {
	b.Helper()
	const objects = 200
	cache := [objects]any{}
	before := heap()
	for i := range cache {
		o := make(i)
		text, err := json.Marshal(o)
		if err != nil {
			b.Fatal(err)
		}
		cache[i] = reflect.New(reflect.TypeOf(o).Elem()).Interface()
		if err := json.Unmarshal(text, cache[i]); err != nil {
			b.Fatal(err)
		}
		if transform == nil {
			continue
		}
		if cache[i], err = transform(cache[i]); err != nil {
			b.Fatal(err)
		}
	}
	after := heap()
	runtime.KeepAlive(cache)
	return max(after-before, 0) / objects
}

func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// node has the labels that feature discovery gives it, and the images that a kubelet reports.
func node(i int) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", i), UID: types.UID(fmt.Sprintf("node-uid-%d", i)), Labels: map[string]string{}}}
	for l := range 150 {
		n.Labels[fmt.Sprintf("feature.node.kubernetes.io/cpu-cpuid.FEATURE%d", l)] = "true"
	}
	for range 50 {
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{Names: []string{"registry.example.com/some/image:v1.2.3",
			"registry.example.com/some/image@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}, SizeBytes: 1 << 30})
	}
	for _, kind := range []corev1.NodeConditionType{corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, v1alpha1.NodeConditionValidated} {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: kind, Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "kubelet is posting ready status"})
	}
	return n
}
