package run

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

// knownFleet is what the rest of the cluster had reached when this process first saw a run started: what other runs find meanwhile must not
// move the bounds that nodes of one run are judged by. After a restart it is read anew.
type knownFleet struct {
	nodes []observe.Known
	// anew: it was read in mid-run.
	anew bool
}

// pruneKnown forgets what nodes reached that are gone, also where no run starts any more.
func (r *Reconciler) pruneKnown(ctx context.Context) {
	if r.KnownFleet == nil {
		return
	}
	var list v1alpha1.NodeValidationList
	if r.List(ctx, &list, controllers.Shared) == nil {
		r.KnownFleet.Keep(list.Items)
	}
}

// readKnown reads what the run's nodes are compared with beside each other.
func (r *Reconciler) readKnown(ctx context.Context, p *pass) error {
	if r.KnownFleet == nil || !observe.Started(p.run) {
		return nil
	}
	known := p.memory.known
	if known == nil {
		var list v1alpha1.NodeValidationList
		if err := r.List(ctx, &list, controllers.Shared); err != nil {
			return fmt.Errorf("listing NodeValidations: %w", err)
		}
		take := func(h *v1alpha1.NodeHistory) *v1alpha1.NodeHistory {
			r.KnownFleet.Take(h)
			return nil
		}
		err := r.eachHistories(ctx, p, r.KnownFleet.Stale(list.Items), take, func(histories) error { return nil })
		if err != nil {
			return err
		}
		known = &knownFleet{anew: len(p.in.Results) > 0}
		known.nodes = observe.KnownFleet(r.KnownFleet.Of(list.Items), p.in.Tasks, p.in.Nodes, p.in.Now, r.KnownMaxAge)
		p.memory.known = known
	}
	p.in.Known, p.in.KnownAnew = known.nodes, known.anew
	return nil
}

// nodeValidation returns what holds of a node, at least as new as the cache; nil where there is nothing. It is shared by all passes: nobody
// may change it.
func (r *Reconciler) nodeValidation(ctx context.Context, name string) (*v1alpha1.NodeValidation, error) {
	cached := &v1alpha1.NodeValidation{}
	err := r.Get(ctx, client.ObjectKey{Name: name}, cached, controllers.Shared)
	if apierrors.IsNotFound(err) {
		cached.Name = name
		written, _ := recentwrites.Awaited(r.recent, cached)
		return written, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting NodeValidation %s: %w", name, err)
	}
	return recentwrites.Fresh(r.recent, cached), nil
}

// readValidations reads what holds of nodes.
func (r *Reconciler) readValidations(ctx context.Context, names []string) (map[string]*v1alpha1.NodeValidation, error) {
	out := make(map[string]*v1alpha1.NodeValidation, len(names))
	for _, name := range names {
		v, err := r.nodeValidation(ctx, name)
		if err != nil {
			return nil, err
		}
		if v != nil {
			out[name] = v
		}
	}
	return out, nil
}
