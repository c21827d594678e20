package controllers

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	// fewValidations are read one by one; more, by one list.
	fewValidations = 50
	// validationsPage bounds what one answer of the API server holds.
	validationsPage = 50
)

// validations holds the NodeValidations of the nodes of active runs, whole: the cache holds all nodes', but without their history.
type validations struct {
	mu     sync.Mutex
	byName map[string]*knownValidation
	runs   map[types.UID]*nodesOfRun
}

type knownValidation struct {
	object *v1alpha1.NodeValidation
	at     time.Time
	// arrived: the cache has shown that it exists, so that it is gone when the cache has it no more.
	arrived bool
}

// nodesOfRun are the nodes that a run keeps in memory.
type nodesOfRun struct {
	names []string
	used  time.Time
}

// add takes an object as the API server returned it.
func (s *validations) add(v *v1alpha1.NodeValidation, arrived bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byName[v.Name] = &knownValidation{object: v, at: time.Now(), arrived: arrived}
}

// like returns the whole of what the cache holds, or something newer; nil where this is not known.
func (s *validations) like(cached *v1alpha1.NodeValidation) *v1alpha1.NodeValidation {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.byName[cached.Name]
	if k == nil {
		return nil
	}
	order, err := resourceversion.CompareResourceVersion(k.object.ResourceVersion, cached.ResourceVersion)
	if err != nil || order < 0 {
		delete(s.byName, cached.Name)
		return nil
	}
	k.arrived = k.arrived || order == 0
	return k.object
}

// unseen returns what was just written and has still to come into the cache; nil for none.
func (s *validations) unseen(name string) *v1alpha1.NodeValidation {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.byName[name]
	if k == nil || k.arrived || time.Since(k.at) > watchLag {
		delete(s.byName, name)
		return nil
	}
	return k.object
}

// keep says which nodes a run needs.
func (s *validations) keep(run types.UID, names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[run] = &nodesOfRun{names: names, used: time.Now()}
}

// forget a run that is over.
func (s *validations) forget(run types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs[run] != nil {
		delete(s.runs, run)
		s.prune()
	}
}

func (s *validations) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.runs, func(_ types.UID, n *nodesOfRun) bool { return time.Since(n.used) > unused })
	s.prune()
}

// prune forgets the nodes that no run needs.
func (s *validations) prune() {
	needed := map[string]bool{}
	for _, n := range s.runs {
		for _, name := range n.names {
			needed[name] = true
		}
	}
	maps.DeleteFunc(s.byName, func(name string, _ *knownValidation) bool { return !needed[name] })
}

// nodeValidation returns all that is known of a node, at least as new as the cache; nil where there is nothing. It is shared by all
// passes: nobody may change it.
func (r *RunReconciler) nodeValidation(ctx context.Context, name string) (*v1alpha1.NodeValidation, error) {
	cached := &v1alpha1.NodeValidation{}
	err := r.Get(ctx, client.ObjectKey{Name: name}, cached, shared)
	if apierrors.IsNotFound(err) {
		return r.memory.validations.unseen(name), nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting NodeValidation %s: %w", name, err)
	}
	if known := r.memory.validations.like(cached); known != nil {
		return known, nil
	}
	if !trimmed(cached) {
		return cached, nil
	}
	return r.readValidation(ctx, name)
}

func (r *RunReconciler) readValidation(ctx context.Context, name string) (*v1alpha1.NodeValidation, error) {
	live := &v1alpha1.NodeValidation{}
	if err := r.Live.Get(ctx, client.ObjectKey{Name: name}, live); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("reading NodeValidation %s: %w", name, err)
	}
	live = r.memory.interned.validation(live)
	r.memory.validations.add(live, true)
	return live, nil
}

// readValidations reads at once what nodeValidation would read node by node, and says which nodes the run needs from now on.
func (r *RunReconciler) readValidations(ctx context.Context, run *v1alpha1.ValidationRun, names []string) error {
	r.memory.validations.keep(run.UID, names)
	wanted := map[string]bool{}
	for _, name := range names {
		cached := &v1alpha1.NodeValidation{}
		err := r.Get(ctx, client.ObjectKey{Name: name}, cached, shared)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("getting NodeValidation %s: %w", name, err)
		}
		if err == nil && trimmed(cached) && r.memory.validations.like(cached) == nil {
			wanted[name] = true
		}
	}
	if len(wanted) <= fewValidations {
		return nil
	}
	newPage := func() *v1alpha1.NodeValidationList { return &v1alpha1.NodeValidationList{} }
	err := eachPage(ctx, r.Live, validationsPage, newPage, func(page *v1alpha1.NodeValidationList) {
		for i := range page.Items {
			if wanted[page.Items[i].Name] {
				r.memory.validations.add(r.memory.interned.validation(&page.Items[i]), true)
			}
		}
	})
	if err != nil {
		return fmt.Errorf("reading NodeValidations: %w", err)
	}
	return nil
}
