package policy

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/quantity"
)

// memory is what one pass over a policy leaves for the next. A new process begins without it.
type memory struct {
	policy types.UID
	seen   map[types.UID]policy.Seen
	looks  map[types.UID]policy.Look
	// refusals by the API server, by the reason that the policy's condition gives for them.
	refusals map[string]refusal
}

// refusal by the API server that only a person can do something about.
type refusal struct {
	message string
	at      time.Time
}

// refusedFor is how long nothing of the kind is tried again.
const refusedFor = time.Minute

// isRefused: it is not time yet to try again what was refused.
func (m *memory) isRefused(reason string, now time.Time) bool {
	f, ok := m.refusals[reason]
	return ok && now.Sub(f.at) < refusedFor
}

// allowed: there is nothing of the kind that is refused any more.
func (m *memory) allowed(reason string) { delete(m.refusals, reason) }

// refusable takes the error of a write that the API server may refuse until a person changes something. That is remembered, and said by the
// policy's condition; it is no error of the pass, which would try again and again.
func (w *pass) refusable(reason string, err error) error {
	switch {
	case err == nil:
		w.memory.allowed(reason)
	case apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || errors.As(err, &takenError{}):
		if _, said := w.memory.refusals[reason]; !said {
			w.tell(nil, corev1.EventTypeWarning, reason, message.PolicyRefused(err.Error()))
		}
		w.memory.refusals[reason] = refusal{quantity.Clip(err.Error(), 700), w.now}
		w.soon(refusedFor)
		return nil
	}
	return err
}

// memoryOf a policy: a namesake of one that is gone has none.
func (r *Reconciler) memoryOf(p *v1alpha1.ValidationPolicy) *memory {
	m := r.memories[p.Name]
	if m == nil || m.policy != p.UID {
		m = &memory{policy: p.UID, looks: map[types.UID]policy.Look{}, refusals: map[string]refusal{}}
		r.memories[p.Name] = m
	}
	return m
}

// forget a policy that is gone: the nodes that it called overdue are so no more. Its gates stay closed.
func (r *Reconciler) forget(ctx context.Context, name string) error {
	delete(r.memories, name)
	r.Metrics.PolicyGone(name)
	var nodes corev1.NodeList
	if err := r.List(ctx, &nodes, controllers.Shared); err != nil {
		return err
	}
	var marked []*corev1.Node
	for i := range nodes.Items {
		if nodes.Items[i].Labels[v1alpha1.LabelOverdue] == name {
			marked = append(marked, &nodes.Items[i])
		}
	}
	return controllers.Each(marked, func(n *corev1.Node) error { return r.label(ctx, n, "") })
}
