package run

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers/webhook"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/notice"
	"github.com/assay-dev/assay/test/hand"
)

// hooked lets a reconciler tell a receiver.
func hooked(t *testing.T, r *Reconciler) <-chan notice.Notice {
	t.Helper()
	told := make(chan notice.Notice, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		var n notice.Notice
		if err := json.NewDecoder(q.Body).Decode(&n); err != nil {
			t.Error(err)
		}
		told <- n
	}))
	t.Cleanup(receiver.Close)
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("s3cret"), 0o600); err != nil {
		t.Fatal(err)
	}
	hook, err := webhook.New(webhook.Options{URL: receiver.URL, SecretFile: file})
	if err != nil {
		t.Fatal(err)
	}
	hook.Reader, hook.Live, hook.Clock, hook.Recorder, hook.Metrics = r.Client, r.Live, r.Clock, r.Recorder, r.Metrics
	r.Webhook = hook
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- hook.Start(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return told
}

// TestTheEndOfARunIsToldThoughItsWriteTimedOut: the API server has stored that the run is over, and the answer got lost. The cache has nothing of its nodes any more.
func TestTheEndOfARunIsToldThoughItsWriteTimedOut(t *testing.T) {
	for sentence, lost := range map[string]bool{"answered": false, "applied, and timed out": true} {
		t.Run(sentence, func(t *testing.T) {
			run, b := newRun()
			run.Status.StartTime = &run.CreationTimestamp
			h := hand.New(t, run) // without its node
			r := reconcilerOf(h)
			r.Client = interceptor.NewClient(h, interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
					err := c.Get(ctx, key, o, opts...)
					if is, ok := o.(*v1alpha1.ValidationRun); ok && is.Finished() {
						is.Status.Nodes = nil
					}
					return err
				},
				SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
					err := c.SubResource(sub).Patch(ctx, o, p, opts...)
					if is, ok := o.(*v1alpha1.ValidationRun); err == nil && lost && ok && is.Finished() {
						return apierrors.NewTimeoutError("the server was unable to return a response in time", 1)
					}
					return err
				}})
			told := hooked(t, r)
			r.memoryOf(run).pin = &pin{snapshot: catalogue.Take([]v1alpha1.Benchmark{*b}, nil), stored: true}
			for range 5 {
				_, _ = r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}})
			}
			r.own = r.objects()
			if !runIn(t, h).Finished() {
				t.Fatalf("the run is not over: %+v", runIn(t, h).Status)
			}
			if ends := list.Count(h.Told(), func(e string) bool { return strings.HasPrefix(e, "Warning Inconclusive ") }); ends != 1 {
				t.Errorf("%d events tell that the run is over, want one", ends)
			}
			select {
			case n := <-told:
				if n.Event != notice.RunFinished || len(n.Run.Nodes) != 1 {
					t.Errorf("told %+v", n)
				}
			case <-time.After(10 * time.Second):
				t.Error("the receiver is told nothing")
			}
		})
	}
}
