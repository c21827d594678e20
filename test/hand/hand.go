// Package hand is a cluster in memory that lists what is written to it, and refuses what it is told to, for tests of the controllers.
package hand

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// Begin of a pass.
var Begin = time.Unix(1_700_000_000, 0)

// Cluster is one in memory that lists what is written to it.
type Cluster struct {
	client.WithWatch
	scheme *runtime.Scheme
	mu     sync.Mutex
	// Writes so far.
	Writes []string
	// Refuse a write, as the API server may.
	Refuse func(write string) error
	// Unread keeps a kind from being read.
	Unread func(kind string) error
	Events *events.FakeRecorder
}

func named(o client.Object) []string { return []string{o.GetName()} }

// New is a cluster with these objects.
func New(t *testing.T, objects ...client.Object) *Cluster {
	t.Helper()
	h := &Cluster{scheme: runtime.NewScheme(), Events: events.NewFakeRecorder(100)}
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme, mpi.AddToScheme} {
		if err := add(h.scheme); err != nil {
			t.Fatal(err)
		}
	}
	inner := fake.NewClientBuilder().WithScheme(h.scheme).WithObjects(objects...).WithStatusSubresource(&v1alpha1.ValidationRun{}, &v1alpha1.ValidationPolicy{}).
		WithIndex(&corev1.Pod{}, metav1.ObjectNameField, named).WithIndex(&networkingv1.NetworkPolicy{}, metav1.ObjectNameField, named).
		WithIndex(&v1alpha1.ValidationPolicy{}, metav1.ObjectNameField, named).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }).Build()
	h.WithWatch = interceptor.NewClient(inner, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if err := h.mayRead(o); err != nil {
				return err
			}
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if err := h.mayRead(list); err != nil {
				return err
			}
			return c.List(ctx, list, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return h.do("create", o, func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return h.do("update", o, func() error { return c.Update(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return h.do("patch", o, func() error { return c.Patch(ctx, o, p, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			options := (&client.DeleteOptions{}).ApplyOptions(opts)
			verb := "delete"
			if p := options.Preconditions; p != nil && p.UID != nil {
				verb += " " + string(*p.UID) + " of"
			}
			if g := options.GracePeriodSeconds; g != nil && *g == 0 {
				verb = "force " + verb
			}
			return h.do(verb, o, func() error { return c.Delete(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return h.do("patch "+sub+" of", o, func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
		SubResourceApply: func(_ context.Context, _ client.Client, sub string, _ runtime.ApplyConfiguration, _ ...client.SubResourceApplyOption) error {
			h.wrote("apply " + sub + " of Node")
			return nil
		},
	})
	return h
}

func (h *Cluster) do(verb string, o client.Object, apply func() error) error {
	kind, err := h.GroupVersionKindFor(o)
	if err != nil {
		return err
	}
	write := fmt.Sprintf("%s %s %s", verb, kind.Kind, o.GetName())
	h.wrote(write)
	if h.Refuse != nil {
		if err := h.Refuse(write); err != nil {
			return err
		}
	}
	if history, ok := o.(*v1alpha1.NodeHistory); ok { // as the API server counts
		history.Generation++
		if history.UID == "" {
			history.UID = types.UID("history-of-" + history.Name)
		}
	}
	return apply()
}

func (h *Cluster) mayRead(o runtime.Object) error {
	if h.Unread == nil {
		return nil
	}
	kind, err := h.GroupVersionKindFor(o)
	if err != nil {
		return err
	}
	return h.Unread(strings.TrimSuffix(kind.Kind, "List"))
}

// wrote lists a write; several may come at once.
func (h *Cluster) wrote(write string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Writes = append(h.Writes, write)
}

// Told are the events so far.
func (h *Cluster) Told() []string {
	var all []string
	for {
		select {
		case e := <-h.Events.Events:
			all = append(all, e)
		default:
			return all
		}
	}
}

// StartedRun has been going on for a minute.
func StartedRun() *v1alpha1.ValidationRun {
	run := &v1alpha1.ValidationRun{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "ValidationRun"}}
	run.Name, run.UID, run.Finalizers = "run", "run-uid", []string{v1alpha1.FinalizerCleanup}
	run.CreationTimestamp = metav1.NewTime(Begin.Add(-time.Minute))
	run.Spec.NodeNames, run.Spec.ActiveDeadlineSeconds, run.Spec.Confirmations = []string{"a"}, new(int64(600)), new(int32(1))
	run.Status.StartTime = &metav1.Time{Time: Begin.Add(-time.Minute)}
	return run
}

// NodeOf is a ready node.
func NodeOf(name string, taints ...corev1.Taint) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name)}}
	n.Spec.Taints = taints
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return n
}

// Validation of node a, which is there.
func (h *Cluster) Validation(t *testing.T) *v1alpha1.NodeValidation {
	t.Helper()
	v := &v1alpha1.NodeValidation{}
	if err := h.Get(t.Context(), client.ObjectKey{Name: "a"}, v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Known of node a; nil: nothing.
func (h *Cluster) Known(t *testing.T) *v1alpha1.NodeValidation {
	t.Helper()
	v := &v1alpha1.NodeValidation{}
	switch err := h.Get(t.Context(), client.ObjectKey{Name: "a"}, v); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		t.Fatal(err)
	}
	return v
}

// Taints of node a.
func (h *Cluster) Taints(t *testing.T) []corev1.Taint {
	t.Helper()
	node := &corev1.Node{}
	if err := h.Get(t.Context(), client.ObjectKey{Name: "a"}, node); err != nil {
		t.Fatal(err)
	}
	return node.Spec.Taints
}

// History of node a, which is there.
func (h *Cluster) History(t *testing.T) *v1alpha1.NodeHistory {
	t.Helper()
	found := &v1alpha1.NodeHistory{}
	if err := h.Get(t.Context(), client.ObjectKey{Name: "a"}, found); err != nil {
		t.Fatal(err)
	}
	return found
}

// ResultOf a node: one attempt of STREAM.
func ResultOf(name, node string) *v1alpha1.ValidationResult {
	r := &v1alpha1.ValidationResult{ObjectMeta: metav1.ObjectMeta{Name: name}, Run: v1alpha1.ObjectReference{Name: "run", UID: "run-uid"},
		Verdict: v1alpha1.VerdictFail}
	r.Node = v1alpha1.ObjectReference{Name: node, UID: types.UID("uid-" + node)}
	r.Benchmarks = []v1alpha1.BenchmarkResult{{Name: "stream", Verdict: v1alpha1.VerdictFail, Attempts: []v1alpha1.Attempt{{Number: 1, Verdict: v1alpha1.VerdictPass,
		Configuration: "c", LaunchTime: &metav1.Time{Time: Begin}}}}}
	return r
}

// Unfit is the taint of runs.
var Unfit = corev1.Taint{Key: "assay.dev/unfit", Effect: corev1.TaintEffectNoSchedule}

// Judgement of node a by a measurement at a time.
func Judgement(v v1alpha1.Verdict, at time.Time) taint.Judgement {
	r := ResultOf("r", "a")
	r.Verdict, r.Benchmarks[0].Verdict, r.Benchmarks[0].Attempts[0].LaunchTime = v, v, &metav1.Time{Time: at}
	b := taint.Benchmark{Name: "stream", Verdict: v}
	broken := term.Term{Metric: "triad", Rule: "Min", RuleNumbers: v1alpha1.RuleNumbers{Limit: "9", Value: "8", Bound: "9", Parts: 1}}
	if v == v1alpha1.VerdictFail {
		b.Terms.Broken = []term.Term{broken}
	} else {
		broken.Value, broken.Bound = "10", ""
		b.Terms.Held = []term.Term{broken}
	}
	return taint.Judgement{Run: r.Run, Result: r, Verdict: v, Reason: "Reason", Message: "message", Time: Begin, Benchmarks: []taint.Benchmark{b}, Taint: &Unfit}
}

// Quarantined is what is known of node a after another run convicted it at a time.
func Quarantined(at time.Time) *v1alpha1.NodeValidation {
	j := Judgement(v1alpha1.VerdictFail, at)
	j.Run = v1alpha1.ObjectReference{Name: "before", UID: "before"}
	next := j.Quarantine(taint.Current{Node: NodeOf("a")}, func(corev1.Taint) bool { return true })
	return taint.Labelled(j.Announced(next, types.UID(at.UTC().Format("id-150405"))), "a")
}

// Tainted is node a with the taint of its record.
func Tainted(v *v1alpha1.NodeValidation) *corev1.Node {
	node, _ := taint.Bind(NodeOf("a"), v.Quarantine)
	return node
}

// ErrDown: nobody answers.
var ErrDown = errors.New("connection refused")

// Refusing makes the API server answer like this to writes that begin with these words, so many times.
func Refusing(words string, times int, answer error) func(string) error {
	return func(write string) error {
		if strings.HasPrefix(write, words) && times > 0 {
			times--
			return answer
		}
		return nil
	}
}
