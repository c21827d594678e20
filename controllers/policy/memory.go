package policy

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/policy"
	"github.com/assay-dev/assay/internal/quantity"
)

// memory is what one pass over a policy leaves for the next. A new process begins without it.
type memory struct {
	policy types.UID
	judged policy.Memory
	seen   map[types.UID]policy.Seen
	looks  map[types.UID]policy.Look
	// refusals by the API server, by the reason that the policy's condition gives for them.
	refusals map[string]refusal
	// shut are the gates that it does not let Assay open, by the UID of the node; allShut is when it last refused all that were tried.
	shut    map[types.UID]shut
	allShut time.Time
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
	return ok && isRecent(f.at, now)
}

// isRecent: it is not time yet to try again what was refused then. The clock may have been set back since.
func isRecent(at, now time.Time) bool {
	age := now.Sub(at)
	return age >= 0 && age < refusedFor
}

// allowed: there is nothing of the kind that is refused any more.
func (m *memory) allowed(reason string) { delete(m.refusals, reason) }

// refusable takes the error of a write that the API server may refuse until a person changes something. That is remembered, and said by the
// policy's condition; it is no error of the pass, which would try again and again.
func (w *pass) refusable(reason string, err error) error {
	switch {
	case err == nil:
		w.memory.allowed(reason)
	case isRefusal(err):
		w.refused(reason, err.Error())
		w.soon(refusedFor)
		return nil
	}
	return err
}

// refused says what the API server answered.
func (w *pass) refused(reason, answer string) {
	if _, said := w.memory.refusals[reason]; !said {
		w.tell(nil, corev1.EventTypeWarning, reason, policyRefused(answer))
	}
	w.memory.refusals[reason] = refusal{quantity.Clip(answer, 700), w.now}
}

// isRefusal: trying again does not help.
func isRefusal(err error) bool { return controllers.IsDenied(err) || errors.As(err, &takenError{}) }

// memoryOf a policy: a namesake of one that is gone has none.
func (r *Reconciler) memoryOf(p *v1alpha1.ValidationPolicy) *memory {
	m := r.memories[p.Name]
	if m == nil || m.policy != p.UID {
		m = &memory{policy: p.UID, looks: map[types.UID]policy.Look{}, shut: map[types.UID]shut{}, refusals: map[string]refusal{}}
		r.memories[p.Name] = m
	}
	return m
}

// forget a policy that is gone: the nodes that it called overdue are so no more. Its gates stay closed.
func (r *Reconciler) forget(ctx context.Context, name string) error {
	delete(r.memories, name)
	r.Metrics.PolicyGone(name)
	nodes, err := r.allNodes(ctx)
	if err != nil {
		return err
	}
	marked := slices.DeleteFunc(nodes, func(n *corev1.Node) bool { return n.Labels[v1alpha1.LabelOverdue] != name })
	return controllers.Each(marked, func(n *corev1.Node) error { return r.label(ctx, n, "") })
}
