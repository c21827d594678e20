package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

const (
	// fewHistories are read one by one. More are read by one list, unless they are less than a largePart-th of the cluster: a list
	// costs as much as the histories of all nodes.
	fewHistories, largePart = 50, 4
	// historiesAtOnce bounds how many are in memory while nodes are judged by them: each has tens of KB, or several times that once read.
	historiesAtOnce = 256
	// historiesPage bounds what one answer of the API server holds.
	historiesPage = 50
)

// histories of nodes by name; nil for a node that has none.
type histories map[string]*v1alpha1.NodeHistory

// assess a pass. The histories of nodes are read for those only that are judged by them now, which are few in most passes. If they are many, as
// when the last node of a fleet is measured, they are judged some at a time: the pass remembers how each was judged, and forgets its history.
func (r *Reconciler) assess(ctx context.Context, p *pass) (assess.Output, error) {
	collected, err := assess.Collect(p.in)
	if err != nil {
		return assess.Output{}, err
	}
	needed := judge.NeedsPast(collected)
	last := needed.Together
	if len(needed.Remembered) <= historiesAtOnce {
		last = append(last, needed.Remembered...)
	} else if err := r.eachHistories(ctx, p, needed.Remembered, p.in.PastFor, func(some histories) { judge.Judge(collected.Given(some)) }); err != nil {
		return assess.Output{}, err
	}
	all := histories{}
	if err := r.eachHistories(ctx, p, last, p.in.PastFor, func(some histories) { maps.Copy(all, some) }); err != nil {
		return assess.Output{}, err
	}
	return assess.Run(collected.Given(all)), nil
}

// keeping says what stays in memory of a history: a copy, or the page that it came in would stay as a whole.
type keeping func(*v1alpha1.NodeHistory) *v1alpha1.NodeHistory

// eachHistories reads the histories of nodes, some at a time: one by one, or, if they are a large part of the cluster, by one list.
func (r *Reconciler) eachHistories(ctx context.Context, p *pass, names []string, keep keeping, use func(histories)) error {
	if len(names) > max(fewHistories, len(p.in.Nodes)/largePart) {
		return r.listHistories(ctx, names, keep, use)
	}
	for some := range slices.Chunk(names, historiesAtOnce) {
		var mu sync.Mutex
		read := histories{}
		err := controllers.Each(some, func(name string) error {
			h, err := r.nodes.History(ctx, name)
			if h != nil {
				h = keep(h)
			}
			mu.Lock()
			defer mu.Unlock()
			read[name] = h
			return err
		})
		if err != nil {
			return err
		}
		use(read)
	}
	return nil
}

// listHistories reads those of all nodes of the cluster, page by page, and uses those of some.
func (r *Reconciler) listHistories(ctx context.Context, names []string, keep keeping, use func(histories)) error {
	missing := map[string]bool{}
	for _, name := range names {
		missing[name] = true
	}
	read := histories{}
	err := controllers.EachPage(ctx, r.Live, &v1alpha1.NodeHistoryList{}, func(page *v1alpha1.NodeHistoryList) {
		for i := range page.Items {
			h := &page.Items[i]
			if !missing[h.Name] {
				continue
			}
			delete(missing, h.Name)
			read[h.Name] = keep(h)
			if len(read) == historiesAtOnce {
				use(read)
				read = histories{}
			}
		}
	}, client.Limit(historiesPage))
	if err != nil {
		return fmt.Errorf("reading NodeHistories: %w", err)
	}
	for name := range missing {
		read[name] = nil
	}
	use(read)
	return nil
}

// readValidations reads what holds of nodes.
func (r *Reconciler) readValidations(ctx context.Context, names []string) (map[string]*v1alpha1.NodeValidation, error) {
	out := make(map[string]*v1alpha1.NodeValidation, len(names))
	for _, name := range names {
		v, err := r.nodes.Validation(ctx, name)
		if err != nil {
			return nil, err
		}
		if v != nil {
			out[name] = v
		}
	}
	return out, nil
}

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
