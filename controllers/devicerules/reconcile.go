// Package devicerules keeps the DeviceTaintRules of devices that are out of service: what nodes' marks ask for, where their ResourceSlices have these devices.
// It is all I/O of that, and knows no run and no verdict.
package devicerules

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/operate/devicerule"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// +kubebuilder:rbac:groups=resource.k8s.io,resources=devicetaintrules,verbs=get;list;watch;create;update;delete

// Reconciler keeps the rules of one node after the other.
type Reconciler struct {
	client.Client
	// Live reads past the cache: no rule is written for what was so.
	Live client.Reader
	// Devices that are published.
	Devices *controllers.Devices
	// Recorder of events.
	Recorder events.EventRecorder
	// Policy bounds what may be done to nodes, and to devices.
	Policy taint.Policy
}

// SetupWithManager registers the controller, and the indexes by which it finds what is of a node.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	for _, i := range Indexes() {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), i.Of, i.Field, i.Values); err != nil {
			return fmt.Errorf("indexing %T by %s: %w", i.Of, i.Field, err)
		}
	}
	return r.Controller().AddTo(mgr)
}

// Reconcile brings the rules of a node to what they are to be. The cache says whether there is anything to do, which is rare, and the API server what.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	node, plan, err := r.plan(ctx, req.Name, r.Client, r.slicesOf)
	if err == nil && !plan.Idle() {
		node, plan, err = r.plan(ctx, req.Name, r.Live, r.Devices.LiveSlices)
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	for _, problem := range slices.Concat(plan.Problems, plan.Doubts) {
		r.tell(node, problem)
	}
	return reconcile.Result{}, r.write(ctx, node, plan)
}

// get a node; nil: there is none.
func (r *Reconciler) get(ctx context.Context, from client.Reader, name string) (*corev1.Node, error) {
	if name == "" {
		return nil, nil
	}
	node := &corev1.Node{}
	if err := from.Get(ctx, client.ObjectKey{Name: name}, node); client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading node %s: %w", name, err)
	} else if err != nil {
		return nil, nil
	}
	return node, nil
}

// reader of the slices of a node.
type reader func(ctx context.Context, node string) ([]*resourcev1.ResourceSlice, error)

func (r *Reconciler) slicesOf(ctx context.Context, node string) ([]*resourcev1.ResourceSlice, error) {
	return r.slices(ctx, slicesOfNode, node)
}

func (r *Reconciler) slices(ctx context.Context, index, value string) ([]*resourcev1.ResourceSlice, error) {
	var found resourcev1.ResourceSliceList
	if err := r.List(ctx, &found, client.MatchingFields{index: value}, controllers.Shared); err != nil {
		return nil, fmt.Errorf("listing ResourceSlices of %s: %w", value, err)
	}
	return slices.Collect(list.Each(found.Items)), nil
}

// plan what is to be done about the rules that the cache has of a node, by what the readers have of it.
func (r *Reconciler) plan(ctx context.Context, name string, from client.Reader, slicesOf reader) (*corev1.Node, *devicerule.Plan, error) {
	node, err := r.get(ctx, from, name)
	var published []*resourcev1.ResourceSlice
	if err == nil && node != nil {
		published, err = slicesOf(ctx, name)
	}
	if err != nil {
		return nil, nil, err
	}
	var found resourcev1.DeviceTaintRuleList
	if err := r.List(ctx, &found, client.MatchingFields{rulesOfNode: name}); err != nil {
		return nil, nil, fmt.Errorf("listing the DeviceTaintRules of node %s: %w", name, err)
	}
	existing := slices.Collect(list.Each(found.Items))
	if node == nil {
		return nil, devicerule.Make(nil, nil, r.Policy, existing), nil
	}
	var errs []error
	at := dra.PlacesOf(node, published, func(driver, pool string) bool {
		foreign, err := r.foreign(ctx, name, driver, pool)
		errs = append(errs, err)
		return foreign
	})
	return node, devicerule.Make(node, at, r.Policy, existing), errors.Join(errs...)
}

// foreign says whether a pool may be somebody else's than the node's that publishes it.
func (r *Reconciler) foreign(ctx context.Context, node, driver, pool string) (bool, error) {
	if named, err := r.get(ctx, r.Client, pool); err != nil || named != nil {
		return true, err
	}
	all, err := r.slices(ctx, slicesOfPool, pool)
	for _, s := range all {
		if s.Spec.Driver == driver && (s.Spec.NodeName == nil || *s.Spec.NodeName != node) {
			return true, err
		}
	}
	return false, err
}
