package run

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
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
		if err := r.eachHistories(ctx, p, r.KnownFleet.Stale(list.Items), take, func(histories) {}); err != nil {
			return err
		}
		known = &knownFleet{anew: len(p.in.Results) > 0}
		known.nodes = p.in.KnownFleet(r.KnownFleet.Of(list.Items), r.KnownMaxAge)
		p.memory.known = known
	}
	p.in.Known, p.in.KnownAnew = known.nodes, known.anew
	return nil
}
