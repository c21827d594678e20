package run

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// fewValidations are read one by one; more, by one list.
	fewValidations = 50
	// validationsPage bounds what one answer of the API server holds.
	validationsPage = 50
)

// nodeValidation returns all that is known of a node, at least as new as the cache; nil where there is nothing. It is shared by all
// passes: nobody may change it.
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
	if !controllers.Trimmed(cached) {
		return cached, nil
	}
	return r.readValidation(ctx, name)
}

func (r *Reconciler) readValidation(ctx context.Context, name string) (*v1alpha1.NodeValidation, error) {
	live := &v1alpha1.NodeValidation{}
	if err := r.Live.Get(ctx, client.ObjectKey{Name: name}, live); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("reading NodeValidation %s: %w", name, err)
	}
	live = r.recent.Interned.Validation(live)
	r.recent.Validations.Add(live, true)
	return live, nil
}

// readValidations reads what is known of nodes, and says which ones the run needs from now on.
func (r *Reconciler) readValidations(ctx context.Context, run *v1alpha1.ValidationRun, names []string) (map[string]*v1alpha1.NodeValidation, error) {
	if err := r.readManyValidations(ctx, run, names); err != nil {
		return nil, err
	}
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

// readManyValidations reads at once what nodeValidation would read node by node.
func (r *Reconciler) readManyValidations(ctx context.Context, run *v1alpha1.ValidationRun, names []string) error {
	r.recent.Validations.Keep(run.UID, names)
	wanted := map[string]bool{}
	for _, name := range names {
		cached := &v1alpha1.NodeValidation{}
		err := r.Get(ctx, client.ObjectKey{Name: name}, cached, controllers.Shared)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("getting NodeValidation %s: %w", name, err)
		}
		if err == nil && controllers.Trimmed(cached) && r.recent.Validations.Like(cached) == nil {
			wanted[name] = true
		}
	}
	if len(wanted) <= fewValidations {
		return nil
	}
	newPage := func() *v1alpha1.NodeValidationList { return &v1alpha1.NodeValidationList{} }
	err := controllers.EachPage(ctx, r.Live, validationsPage, newPage, func(page *v1alpha1.NodeValidationList) {
		for i := range page.Items {
			if wanted[page.Items[i].Name] {
				r.recent.Validations.Add(r.recent.Interned.Validation(&page.Items[i]), true)
			}
		}
	})
	if err != nil {
		return fmt.Errorf("reading NodeValidations: %w", err)
	}
	return nil
}
