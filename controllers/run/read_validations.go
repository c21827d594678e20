package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// fewValidations are read one by one. More are read by one list, unless they are less than a largePart-th of the cluster: a list
	// costs as much as all that is known of all nodes.
	fewValidations, largePart = 50, 4
	// historiesAtOnce bounds how many histories are in memory while nodes are judged by them: each has 65 KB, or several times that once read.
	historiesAtOnce = 256
	// validationsPage bounds what one answer of the API server holds.
	validationsPage = 50
)

// nodeValidation returns what is known of a node, at least as new as the cache: all of it where that is in memory, else a trimmed copy; nil
// where there is nothing. It is shared by all passes: nobody may change it.
func (r *Reconciler) nodeValidation(ctx context.Context, name string) (*v1alpha1.NodeValidation, error) {
	cached := &v1alpha1.NodeValidation{}
	err := r.Get(ctx, client.ObjectKey{Name: name}, cached, controllers.Shared)
	if apierrors.IsNotFound(err) {
		return r.recent.Validations.Unseen(name), nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting NodeValidation %s: %w", name, err)
	}
	if known := r.recent.Validations.Like(cached); known != nil {
		return known, nil
	}
	return cached, nil
}

// wholeValidation returns all that is known of a node.
func (r *Reconciler) wholeValidation(ctx context.Context, name string) (*v1alpha1.NodeValidation, error) {
	known, err := r.nodeValidation(ctx, name)
	if err != nil || !assess.Trimmed(known) {
		return known, err
	}
	live := &v1alpha1.NodeValidation{}
	if err := r.Live.Get(ctx, client.ObjectKey{Name: name}, live); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("reading NodeValidation %s: %w", name, err)
	}
	return r.recent.Validations.Add(recentwrites.Compact(live), true), nil
}

// trimmed is what is known of a node without its history, as the cache holds it.
func trimmed(v *v1alpha1.NodeValidation) *v1alpha1.NodeValidation { return assess.Trim(v) }

// readValidations reads what is known of nodes, without their history where that is not in memory.
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

// assess a pass. The histories of nodes are read for those only that are to be judged by them, which are few in most passes. If they are
// many, as when the last node of a fleet is measured, they are judged in pieces: of each node, the pass remembers how it was judged, and
// forgets the history. What it asks for again, it has to be given all at once.
func (r *Reconciler) assess(ctx context.Context, p *pass) (assess.Output, error) {
	out, err := assess.Run(p.in)
	if err == nil && len(out.Lacking) > historiesAtOnce {
		if err = r.judgeInPieces(ctx, p, out.Lacking); err == nil {
			out, err = assess.Run(p.in)
		}
	}
	for err == nil && len(out.Lacking) > 0 {
		if err = r.readHistories(ctx, p, out.Lacking); err == nil {
			out, err = assess.Run(p.in)
		}
	}
	return out, err
}

// judgeInPieces has nodes judged by their histories, some at a time.
func (r *Reconciler) judgeInPieces(ctx context.Context, p *pass, names []string) error {
	wanted := setOf(names)
	var failed error
	piece := maps.Clone(p.in.Validations)
	held := 0
	judge := func() {
		in := p.in
		in.Validations = piece
		_, failed = assess.Run(in)
		piece, held = maps.Clone(p.in.Validations), 0
	}
	err := r.eachValidation(ctx, func(live *v1alpha1.NodeValidation) {
		if !wanted[live.Name] || failed != nil {
			return
		}
		piece[live.Name] = recentwrites.Compact(live)
		if held++; held == historiesAtOnce {
			judge()
		}
	})
	if err == nil && failed == nil && held > 0 {
		judge()
	}
	return cmp.Or(err, failed)
}

// readHistories reads all that is known of some nodes: one by one, or, if they are a large part of the cluster, by one list. What this pass
// reads it keeps: the end of another run's pass may make the process forget it at any moment.
func (r *Reconciler) readHistories(ctx context.Context, p *pass, names []string) error {
	if len(names) > max(fewValidations, len(p.in.Nodes)/largePart) {
		if err := r.listHistories(ctx, p, names); err != nil {
			return err
		}
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !assess.Trimmed(p.in.Validations[name]) })
	}
	var mu sync.Mutex
	return controllers.Each(names, func(name string) error {
		whole, err := r.wholeValidation(ctx, name)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		p.in.Validations[name] = whole
		return nil
	})
}

// listHistories reads what is known of all nodes of the cluster, and keeps that of some.
func (r *Reconciler) listHistories(ctx context.Context, p *pass, names []string) error {
	wanted := setOf(names)
	return r.eachValidation(ctx, func(live *v1alpha1.NodeValidation) {
		if wanted[live.Name] {
			p.in.Validations[live.Name] = r.recent.Validations.Add(recentwrites.Compact(live), true)
		}
	})
}

// eachValidation reads what is known of all nodes of the cluster, page by page.
func (r *Reconciler) eachValidation(ctx context.Context, use func(*v1alpha1.NodeValidation)) error {
	newPage := func() *v1alpha1.NodeValidationList { return &v1alpha1.NodeValidationList{} }
	err := controllers.EachPage(ctx, r.Live, validationsPage, newPage, func(page *v1alpha1.NodeValidationList) {
		for i := range page.Items {
			use(&page.Items[i])
		}
	})
	if err != nil {
		return fmt.Errorf("reading NodeValidations: %w", err)
	}
	return nil
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
