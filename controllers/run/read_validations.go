package run

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

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
