package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/policy"
)

const (
	// probes are how many gates show whether the API server lets Assay open any.
	probes = 3
	// oldPass opens no more gates: reading took long, and what it began with, such as which runs there are, may have changed.
	oldPass = 30 * time.Second
)

// shut is a gate that the API server does not let Assay open.
type shut struct {
	node, answer string
	at           time.Time
}

// openGates of the nodes that may be let in. What is refused for one node may be allowed for the next. Where it is refused for all of the first
// few, no other is tried for a while, and then others first.
func (w *pass) openGates(ctx context.Context) error {
	due := w.openable()
	var live policy.Live
	if len(due) > 0 {
		// Past the cache: other policies, one of which may claim the gates as well by now, the benchmarks, and the runs, one of which may measure the nodes by
		// now, once for all gates; the policy itself, which a person may suspend at any moment, for each. What cannot be resolved is said by the pass that sees it in the cache: until then there
		// is no benchmark, and no gate opens.
		read, err := w.readCatalogue(ctx, w.Live)
		if err != nil {
			return err
		}
		if read.Runs, err = w.liveRuns(ctx, due); err != nil {
			return err
		}
		live = policy.NewLive(read, w.now)
	}
	first := due[:min(probes, len(due))]
	refused, err := w.openEach(ctx, live, first)
	if refused == len(first) {
		if refused > 0 {
			w.memory.allShut = w.now
		}
		due = first
	}
	_, others := w.openEach(ctx, live, due[len(first):])
	w.sayShut()
	return errors.Join(err, others)
}

// openable gates: not those that were refused a moment ago, and last those that were refused last.
func (w *pass) openable() []policy.Opening {
	m, still := w.memory, map[types.UID]shut{}
	var due []policy.Opening
	for _, o := range w.plan.Open {
		s, refused := m.shut[o.UID]
		if refused {
			still[o.UID] = s
		}
		if isRecent(s.at, w.now) {
			w.soon(s.at.Add(refusedFor).Sub(w.now))
			continue
		}
		due = append(due, o)
	}
	m.shut = still
	if len(still) > 0 && isRecent(m.allShut, w.now) {
		return nil
	}
	slices.SortStableFunc(due, func(a, b policy.Opening) int { return still[a.UID].at.Compare(still[b.UID].at) })
	return due
}

// openEach opens gates, notes those that the API server refuses to open, and counts them.
func (w *pass) openEach(ctx context.Context, live policy.Live, gates []policy.Opening) (refused int, err error) {
	var mu sync.Mutex
	err = controllers.Each(gates, func(o policy.Opening) error {
		opened, err := w.open(ctx, live, o)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case isRefusal(err):
			refused++
			w.memory.shut[o.UID] = shut{o.Node, err.Error(), w.now}
			w.soon(refusedFor)
			return nil
		case err != nil:
			return err
		case !opened:
			w.soon(refusedFor) // something is not as it was read: the cache will tell
			if w.isOld() {
				w.soon(staleAgain)
			}
		}
		delete(w.memory.shut, o.UID)
		return nil
	})
	return refused, err
}

// sayShut names one gate that the API server refuses to open: the same one in each pass.
func (w *pass) sayShut() {
	const reason = v1alpha1.ReasonGateNotAllowed
	if len(w.memory.shut) == 0 {
		w.memory.allowed(reason)
		return
	}
	first := slices.MinFunc(slices.Collect(maps.Values(w.memory.shut)), func(a, b shut) int { return cmp.Compare(a.node, b.node) })
	w.refused(reason, first.answer)
}

// open one gate, if the policy, the node and what is known of it, as they are at this moment, still say so.
func (w *pass) open(ctx context.Context, live policy.Live, o policy.Opening) (bool, error) {
	var err error
	if live.Policy, err = w.livePolicy(ctx); err != nil || live.Policy == nil {
		return false, err
	}
	var unread error
	opened, err := w.change(ctx, o.Node, o.UID, o.Record, func(node *corev1.Node, validation *v1alpha1.NodeValidation) bool {
		shown, err := w.Devices.ShowLive(ctx, node)
		if unread = err; unread != nil {
			return false
		}
		if w.isOld() || !policy.MayOpen(&o, live, shown, validation, w.now) {
			return false
		}
		before := len(node.Spec.Taints)
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == o.Taint.Key && t.Effect == o.Taint.Effect })
		return len(node.Spec.Taints) < before
	})
	if err = errors.Join(err, unread); err != nil {
		return false, fmt.Errorf("opening the gate of node %s: %w", o.Node, err)
	}
	if opened == nil {
		return false, nil
	}
	w.tell(opened, corev1.EventTypeNormal, v1alpha1.ReasonGateOpened, o.Message)
	w.Metrics.GateOpened(w.policy.Name, o.Waited)
	return true, nil
}

func (w *pass) isOld() bool { return w.Clock.Now().Sub(w.now) > oldPass }

// livePolicy reads the policy past the cache; nil where its spec is not the one that this pass is about any more.
func (w *pass) livePolicy(ctx context.Context) (*v1alpha1.ValidationPolicy, error) {
	var list v1alpha1.ValidationPolicyList // the operator may not get policies
	if err := w.Live.List(ctx, &list, client.MatchingFields{"metadata.name": w.policy.Name}); err != nil {
		return nil, fmt.Errorf("reading policy %s: %w", w.policy.Name, err)
	}
	for i := range list.Items {
		if p := &list.Items[i]; p.UID == w.policy.UID && p.Generation == w.policy.Generation {
			return p, nil
		}
	}
	return nil, nil
}
