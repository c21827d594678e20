package run

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/taint"
)

var begin = time.Unix(1_700_000_000, 0)

// hand is a cluster in memory that lists what is written to it.
type hand struct {
	client.WithWatch
	scheme *runtime.Scheme
	mu     sync.Mutex
	writes []string
	// refuse a write, as the API server may.
	refuse func(write string) error
	// unread keeps a kind from being read.
	unread func(kind string) error
	events *events.FakeRecorder
}

func newHand(t *testing.T, objects ...client.Object) *hand {
	t.Helper()
	h := &hand{scheme: runtime.NewScheme(), events: events.NewFakeRecorder(100)}
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme, mpi.AddToScheme} {
		if err := add(h.scheme); err != nil {
			t.Fatal(err)
		}
	}
	inner := fake.NewClientBuilder().WithScheme(h.scheme).WithObjects(objects...).WithStatusSubresource(&v1alpha1.ValidationRun{}).
		WithIndex(&corev1.Pod{}, metav1.ObjectNameField, func(o client.Object) []string { return []string{o.GetName()} }).
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

func (h *hand) do(verb string, o client.Object, apply func() error) error {
	kind, err := h.GroupVersionKindFor(o)
	if err != nil {
		return err
	}
	write := fmt.Sprintf("%s %s %s", verb, kind.Kind, o.GetName())
	h.wrote(write)
	if h.refuse != nil {
		if err := h.refuse(write); err != nil {
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

func (h *hand) mayRead(o runtime.Object) error {
	if h.unread == nil {
		return nil
	}
	kind, err := h.GroupVersionKindFor(o)
	if err != nil {
		return err
	}
	return h.unread(strings.TrimSuffix(kind.Kind, "List"))
}

// wrote lists a write; several may come at once.
func (h *hand) wrote(write string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.writes = append(h.writes, write)
}

// told are the events so far.
func (h *hand) told() []string {
	var all []string
	for {
		select {
		case e := <-h.events.Events:
			all = append(all, e)
		default:
			return all
		}
	}
}

func (h *hand) reconciler() *Reconciler {
	r := &Reconciler{Client: h, Live: h, Recorder: h.events, Clock: testclock.NewFakePassiveClock(begin), Policy: taint.Policy{MaxPercent: 100},
		Settings: workload.Settings{Namespace: "bench"}, Metrics: metrics.New(prometheus.NewRegistry())}
	r.once.Do(r.prepare)
	return r
}

// startedRun has been going on for a minute.
func startedRun() *v1alpha1.ValidationRun {
	run := &v1alpha1.ValidationRun{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "ValidationRun"}}
	run.Name, run.UID, run.Finalizers = "run", "run-uid", []string{v1alpha1.FinalizerCleanup}
	run.CreationTimestamp = metav1.NewTime(begin.Add(-time.Minute))
	run.Spec.NodeNames, run.Spec.ActiveDeadlineSeconds, run.Spec.Confirmations = []string{"a"}, new(int64(600)), new(int32(1))
	run.Status.StartTime = &metav1.Time{Time: begin.Add(-time.Minute)}
	return run
}

func nodeOf(name string, taints ...corev1.Taint) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name)}}
	n.Spec.Taints = taints
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return n
}

// writer of a pass over a run, as it begins to write.
func (h *hand) writer(t *testing.T, run *v1alpha1.ValidationRun, nodes ...*corev1.Node) *writer {
	t.Helper()
	return writerOf(t, h.reconciler(), run, nodes...)
}

func writerOf(t testing.TB, r *Reconciler, run *v1alpha1.ValidationRun, nodes ...*corev1.Node) *writer {
	t.Helper()
	p := &pass{run: run, memory: r.memoryOf(run), in: observe.Input{Run: run, Now: begin, Nodes: nodes}, pin: &pin{stored: true}}
	collected, err := assess.Collect(p.in)
	if err != nil {
		t.Fatal(err)
	}
	out := assess.Run(collected)
	return &writer{Reconciler: r, pass: p, out: &out, stored: map[string]*v1alpha1.ValidationResult{}, unstored: map[string]bool{},
		written: assess.Written{Nodes: map[string]assess.NodeWritten{}}}
}
