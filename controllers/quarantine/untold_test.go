package quarantine

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/hand"
)

// silentQueue takes what is to be looked at, and nobody looks.
type silentQueue struct{ controllers.Queue }

func (silentQueue) AddAfter(reconcile.Request, time.Duration) {}

// TestATaintIsToldThoughItsWriteTimedOut: the API server has stored the taint, or taken it off, and the answer got lost. The watch shows it.
func TestATaintIsToldThoughItsWriteTimedOut(t *testing.T) {
	convicted := quarantined(begin.Add(-time.Hour))
	timedOut := apierrors.NewTimeoutError("the server was unable to return a response in time", 1)
	for sentence, c := range map[string]struct {
		applied bool
		answer  error
		want    int
	}{
		"answered":                     {true, nil, 1},
		"applied, and timed out":       {true, timedOut, 1},
		"timed out, and never applied": {false, timedOut, 0},
	} {
		for reason, with := range map[string]struct {
			verdict v1alpha1.Verdict
			at      time.Time
			objects []client.Object
		}{
			v1alpha1.ReasonTaintAdded:   {v1alpha1.VerdictFail, begin.Add(-time.Minute), []client.Object{nodeOf("a")}},
			v1alpha1.ReasonTaintRemoved: {v1alpha1.VerdictPass, begin, []client.Object{tainted(convicted), convicted}},
		} {
			t.Run(reason+" "+sentence, func(t *testing.T) {
				h := hand.New(t, with.objects...)
				_, n := acting(t, h, judgement(with.verdict, with.at), h.Known(t))
				seen := n.current.Node.DeepCopy()
				watch := func() {
					now := &corev1.Node{}
					if err := h.Get(t.Context(), client.ObjectKey{Name: "a"}, now); err != nil {
						t.Fatal(err)
					}
					n.strays().Update(t.Context(), event.UpdateEvent{ObjectOld: seen, ObjectNew: now}, silentQueue{})
					seen = now
				}
				n.Keeper.Client = interceptor.NewClient(h, interceptor.Funcs{
					Patch: func(ctx context.Context, inner client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
						if _, isNode := o.(*corev1.Node); !isNode {
							return inner.Patch(ctx, o, p, opts...)
						}
						if c.applied {
							if err := inner.Patch(ctx, o, p, opts...); err != nil {
								return err
							}
						}
						return c.answer
					}})
				if err := n.all(t.Context()); (err != nil) != (c.answer != nil) {
					t.Fatalf("error %v, want %v", err, c.answer)
				}
				watch()
				watch()
				if got := list.Count(h.Told(), func(e string) bool { return strings.Contains(e, reason) }); got != c.want {
					t.Errorf("%d events tell of it, want %d", got, c.want)
				}
			})
		}
	}
}
