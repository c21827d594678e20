package kube

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func server(t *testing.T) *Server {
	t.Helper()
	scheme := runtime.NewScheme()
	if clientgoscheme.AddToScheme(scheme) != nil || v1alpha1.AddToScheme(scheme) != nil {
		t.Fatal("no scheme")
	}
	return NewServer(scheme, func() time.Time { return time.Unix(1_700_000_000, 5e8) })
}

func create[T client.Object](t *testing.T, s *Server, o T) T {
	t.Helper()
	stored, err := s.Create("test", o)
	if err != nil {
		t.Fatal(err)
	}
	return stored.DeepCopyObject().(T)
}

// TestWritesUnderAVersion: what was written meanwhile is not overwritten, and what changes nothing is no write.
func TestWritesUnderAVersion(t *testing.T) {
	s := server(t)
	run := create(t, s, &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Status: v1alpha1.ValidationRunStatus{Verdict: "Pass"}})
	if run.Generation != 1 || run.Status.Verdict != "" {
		t.Errorf("a run is created with generation %d and verdict %q", run.Generation, run.Status.Verdict)
	}
	next := run.DeepCopy()
	next.Status.Verdict, next.Spec.Suspend = "Pass", true
	stored, err := s.Update("test", next, true)
	if is := stored.(*v1alpha1.ValidationRun); err != nil || is.Spec.Suspend || is.Generation != 1 || is.Status.Verdict != "Pass" {
		t.Errorf("the status endpoint makes it %+v, error %v", is, err)
	}
	if _, err := s.Update("test", next, false); !apierrors.IsConflict(err) {
		t.Errorf("an old version is written: %v", err)
	}
	next = stored.DeepCopyObject().(*v1alpha1.ValidationRun)
	next.Spec.Suspend, next.Status.Verdict = true, "Fail"
	stored, err = s.Update("test", next, false)
	if is := stored.(*v1alpha1.ValidationRun); err != nil || !is.Spec.Suspend || is.Generation != 2 || is.Status.Verdict != "Pass" {
		t.Errorf("the endpoint of the run makes it %+v, error %v", is, err)
	}
	before := s.Version()
	if _, err := s.Update("test", stored.DeepCopyObject().(client.Object), false); err != nil || s.Version() != before {
		t.Errorf("what changes nothing is written: %v", err)
	}
}

// TestDeletion: finalizers, kubelets and owners have a say.
func TestDeletion(t *testing.T) {
	s := server(t)
	run := create(t, s, &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "r", Finalizers: []string{"x"}}})
	owner := *metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("ValidationRun"))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", OwnerReferences: []metav1.OwnerReference{owner}}}
	pod.Spec.NodeName = "n"
	create(t, s, pod)
	for _, step := range []struct {
		kind, name string
		force      bool
		left       bool
	}{{"ValidationRun", "r", false, true}, {"Pod", "p", false, true}, {"Pod", "p", true, false}} {
		var opts []client.DeleteOption
		if step.force {
			opts = append(opts, client.GracePeriodSeconds(0))
		}
		if err := s.Delete("test", step.kind, client.ObjectKey{Name: step.name}, opts...); err != nil {
			t.Fatal(err)
		}
		if left := s.Get(step.kind, client.ObjectKey{Name: step.name}); (left != nil) != step.left {
			t.Errorf("after %+v there is %v", step, left)
		}
	}
	create(t, s, pod)
	stored := Find[*v1alpha1.ValidationRun](s, "r").DeepCopy()
	stored.Finalizers = nil
	if _, err := s.Update("test", stored, false); err != nil || Find[*v1alpha1.ValidationRun](s, "r") != nil || len(s.Orphans()) != 1 {
		t.Errorf("the run without a finalizer: %v; orphans %v, error %v", Find[*v1alpha1.ValidationRun](s, "r"), s.Orphans(), err)
	}
}

// TestApplyToANode: what a manager applied before and does not now goes, but for what somebody else has taken over.
func TestApplyToANode(t *testing.T) {
	s := server(t)
	create(t, s, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"theirs": "1"}}})
	for _, labels := range []map[string]string{{"a": "1", "b": "1"}, {}} {
		if err := s.Apply("test", "assay", corev1ac.Node("n").WithLabels(labels)); err != nil {
			t.Fatal(err)
		}
		if len(labels) > 0 {
			next := Find[*corev1.Node](s, "n").DeepCopy()
			next.Labels["b"] = "2"
			if _, err := s.Update("somebody", next, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	if labels := Find[*corev1.Node](s, "n").Labels; len(labels) != 2 || labels["theirs"] != "1" || labels["b"] != "2" {
		t.Errorf("labels are %v", labels)
	}
}

// TestACacheIsBehind until a change is delivered.
func TestACacheIsBehind(t *testing.T) {
	s := server(t)
	c := NewCache(s, cache.Options{}, "Node")
	create(t, s, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	if c.Behind("Node") != 1 || len(c.All("Node")) != 0 {
		t.Errorf("it is behind by %d, and has %v", c.Behind("Node"), c.All("Node"))
	}
	before, after := c.Deliver("Node")
	if before != nil || after == nil || c.Behind("Node") != 0 || len(c.All("Node")) != 1 {
		t.Errorf("delivered are %v and %v; it has %v", before, after, c.All("Node"))
	}
}
