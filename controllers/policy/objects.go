package policy

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
)

// objects of the cache of which each pass reads all. The zero value: the client lists them.
type objects struct {
	nodes       controllers.Objects[*corev1.Node]
	validations controllers.Objects[*v1alpha1.NodeValidation]
}

func newObjects(mgr ctrl.Manager) (o objects, err error) {
	ctx := context.Background() // nothing waits
	if o.nodes, err = controllers.Cached(ctx, mgr.GetCache(), &corev1.Node{}); err != nil {
		return o, err
	}
	o.validations, err = controllers.Cached(ctx, mgr.GetCache(), &v1alpha1.NodeValidation{})
	return o, err
}

// allNodes of the cluster. Nobody may change them.
func (r *Reconciler) allNodes(ctx context.Context) ([]*corev1.Node, error) {
	if r.cached.nodes.Known() {
		return r.cached.nodes.List(), nil
	}
	var nodes corev1.NodeList
	if err := r.List(ctx, &nodes, controllers.Shared); err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	return slices.Collect(list.Each(nodes.Items)), nil
}

// validations finds what is known of a node by its name; nil: nothing. Nobody may change it.
func (r *Reconciler) validations(ctx context.Context) (func(name string) *v1alpha1.NodeValidation, error) {
	if r.cached.validations.Known() {
		return r.cached.validations.Named, nil
	}
	var validations v1alpha1.NodeValidationList
	if err := r.List(ctx, &validations, controllers.Shared); err != nil {
		return nil, fmt.Errorf("listing NodeValidations: %w", err)
	}
	known := make(map[string]*v1alpha1.NodeValidation, len(validations.Items))
	for v := range list.Each(validations.Items) {
		known[v.Name] = v
	}
	return func(name string) *v1alpha1.NodeValidation { return known[name] }, nil
}
